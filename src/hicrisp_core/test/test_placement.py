"""Where the action decoder puts things."""

import math
from dataclasses import replace

import pytest
from hicrisp_core.body.decoder import ActionDecoder, offset_key
from hicrisp_core.body.placement import Workspace
from hicrisp_core.corrector.offsets import DecoderOffsets
from hicrisp_core.detector.detector import Detector
from hicrisp_core.model import Command, Feedback, Step
from hicrisp_core.model.footprint import gap
from test_detector import CATALOGUE, OK, seen

PLACES = ["next_to", "left_of", "right_of", "in_front_of", "behind"]


def decoded(domain, world, action, offsets=None, **arguments):
    command = domain.ground(Step("", action, {"item": "box", **arguments}), world)
    return ActionDecoder(domain).decode(command, world, offsets or DecoderOffsets())


@pytest.mark.parametrize("relation", PLACES)
def test_what_is_placed_at_its_target_has_the_relation(domain, relation):
    world = seen(domain, cylinder=(0.5, 0.0, 0.05), lid=(0.4, -0.4, 0.01))
    command = decoded(domain, world, f"place_{relation}", reference="cylinder")
    assert isinstance(command, Command)
    after = seen(domain, cylinder=(0.5, 0.0, 0.05), box=command.target)
    assert Detector(domain).check(command, world, after, OK).ok
    assert gap(after.objects["box"], after.objects["cylinder"]) == pytest.approx(Workspace().gap, abs=2e-3)


@pytest.mark.parametrize(("action", "arguments"), [
    ("place_on", {"surface": "lid"}), ("place_in", {"container": "bowl"}), ("place_on", {"surface": "table"}),
    ("put_down", {}), ("place_around", {"reference": "cylinder", "bearing": 45.0})])
def test_targets_of_the_other_placements_hold_too(domain, action, arguments):
    world = seen(domain)
    command = decoded(domain, world, action, **arguments)
    after = seen(domain, box=command.target)
    assert Detector(domain).check(command, world, after, OK).ok, after.about("box")


def test_a_taken_side_is_left_for_a_free_one(domain):
    world = seen(domain, lid=(0.5, -0.005, 0.01))
    command = decoded(domain, world, "place_next_to", reference="cylinder")
    assert math.dist(command.target.position[:2], (0.5, -0.005)) > 0.06


def test_no_free_spot_is_said_not_guessed(domain):
    world = seen(domain, lid=(0.5, -0.005, 0.01))
    answer = decoded(domain, world, "place_left_of", reference="cylinder")
    assert isinstance(answer, Feedback)
    assert answer.kind == "no_place"


def test_a_place_beyond_reach_is_refused(domain):
    world = seen(domain, cylinder=(0.86, 0.0, 0.05))
    assert isinstance(decoded(domain, world, "place_behind", reference="cylinder"), Feedback)


def test_the_aim_is_the_target_less_the_learnt_bias(domain):
    world = seen(domain)
    plain = decoded(domain, world, "place_next_to", reference="cylinder")
    assert plain.aim == plain.target
    offsets = DecoderOffsets()
    for _ in range(5):
        offsets = offsets.updated(offset_key(domain, plain), (0.04, 0.0))
    aimed = decoded(domain, world, "place_next_to", offsets, reference="cylinder")
    assert aimed.target == plain.target
    assert aimed.aim.position[0] == pytest.approx(plain.target.position[0] - 0.04, abs=2e-3)


def test_a_second_thing_in_the_bowl_goes_beside_the_first(domain):
    world = seen(domain, lid=(0.6, 0.4, 0.016))
    target = decoded(domain, world, "place_in", container="bowl").target
    assert math.dist(target.position[:2], (0.6, 0.4)) > 0.02


def test_an_unseen_item_is_not_aimed_at(domain):
    world = seen(domain, box=None)
    answer = decoded(domain, world, "put_down")
    assert isinstance(answer, Feedback)
    assert answer.kind == "not_seen"
    assert CATALOGUE["box"].pose is None


def test_a_target_that_no_motion_reached_is_avoided(domain):
    world = seen(domain)
    first = decoded(domain, world, "place_next_to", reference="cylinder")
    again = ActionDecoder(domain).decode(replace(first, avoid=(first.target.position,)), world, DecoderOffsets())
    assert math.dist(again.target.position, first.target.position) > 0.01
    assert Detector(domain).check(again, world, seen(domain, box=again.target), OK).ok
