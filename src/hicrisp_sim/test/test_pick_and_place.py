"""Pick and place in physics: by friction, on the table, on each other, into a bowl."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from acting import Lab
from hicrisp_core.model import Cause, CauseKind, Command, Pose, Status
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.time.deadline import Deadline
from waiting import PATIENCE


def test_a_box_is_held_by_friction_and_put_down_where_it_was_told(tabletop: Lab) -> None:
    assert tabletop.do("pick", item="box").ok
    assert tabletop.position("box")[2] > 0.1
    assert tabletop.see().holds("holding", "panda", "box")
    place = tabletop.command("place_next_to", item="box", reference="cylinder")
    assert tabletop.execute(place).ok
    assert planar_distance(tabletop.position("box"), place.target.position) < 0.003
    assert tabletop.see().holds("next_to", "box", "cylinder")


@pytest.mark.parametrize("seed", range(3))
def test_two_boxes_are_stacked(seed: int) -> None:
    lab = Lab("plus_sign", seed)
    for item, surface in (("red_box", "white_box"), ("yellow_box", "red_box")):
        assert lab.do("pick", item=item).ok
        assert lab.do("place_on", item=item, surface=surface).ok
    assert lab.see().holds("on", "yellow_box", "red_box")
    assert lab.see().holds("on", "red_box", "white_box")


def test_a_box_goes_into_a_bowl_and_out_of_it_again() -> None:
    lab = Lab("bowl", seed=1)
    assert lab.do("pick", item="box").ok
    assert lab.do("place_in", item="box", container="bowl").ok
    assert lab.see().holds("in", "box", "bowl")
    assert lab.do("pick", item="box").ok
    assert lab.do("put_down", item="box").ok
    assert lab.see().holds("on", "box", "table")


def test_a_cylinder_that_lies_is_picked_up_and_stood_up(tabletop: Lab) -> None:
    with tabletop.world.simulation.edit() as data:
        data.joint("cylinder").qpos[2:] = (0.031, np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)
    assert tabletop.see().holds("lying", "cylinder")
    assert tabletop.do("pick", item="cylinder").ok
    assert tabletop.see().holds("holding", "panda", "cylinder")
    assert tabletop.do("put_down", item="cylinder").ok
    assert not tabletop.see().holds("lying", "cylinder")
    assert tabletop.see().holds("on", "cylinder", "table")


def test_what_is_not_in_the_hand_cannot_be_placed(tabletop: Lab) -> None:
    outcome = tabletop.do("place_next_to", item="box", reference="cylinder")
    assert outcome.status is Status.PRECONDITION
    assert outcome.cause == Cause(CauseKind.NOT_HELD, ("box",), said=outcome.message)
    assert "not in the hand" in outcome.message


def test_a_full_hand_picks_nothing(clutter: Lab) -> None:
    assert clutter.do("pick", item="box").ok
    outcome = clutter.do("pick", item="tea")
    assert outcome.status is Status.PRECONDITION
    assert "the box is in the hand" in outcome.message


@pytest.mark.parametrize("phase", ["grasp", "lift"])
def test_a_pick_that_was_ended_with_the_hand_around_the_item_is_done_by_the_next(
    tabletop: Lab, phase: str
) -> None:
    end_pick(tabletop, phase)
    assert tabletop.position("box")[2] < 0.04
    assert tabletop.do("pick", item="box").ok
    assert tabletop.see().holds("holding", "panda", "box")


def test_a_pick_that_was_ended_around_an_item_keeps_no_other_from_being_picked(tabletop: Lab) -> None:
    end_pick(tabletop, "grasp")
    assert tabletop.do("pick", item="cylinder").ok
    assert tabletop.see().holds("holding", "panda", "cylinder")
    assert tabletop.see().holds("on", "box", "table")


def end_pick(lab: Lab, phase: str) -> None:
    """Let a pick of the box end as a phase begins."""
    cancel = Event()

    def told(reached: str, part: float) -> None:
        if reached == phase:
            cancel.set()

    picked = lab.world.robot.execute(lab.command("pick", item="box"), Deadline(PATIENCE), cancel, told)
    assert picked.status is Status.CANCELED


def test_a_place_that_is_out_of_reach_is_named(tabletop: Lab) -> None:
    assert tabletop.do("pick", item="box").ok
    far = Pose((0.78, 0.62, 0.025))
    outcome = tabletop.execute(Command("put_down", {"item": "box"}, "panda", far, far))
    assert outcome.status is Status.PLANNING
    assert "(0.78, 0.62" in outcome.message
    assert "reach" in outcome.message
    assert tabletop.see().holds("holding", "panda", "box")


def test_a_place_that_is_taken_names_what_stands_there(clutter: Lab) -> None:
    assert clutter.do("pick", item="box").ok
    taken = clutter.see().objects["tea"].pose
    outcome = clutter.execute(Command("put_down", {"item": "box"}, "panda", replace(taken), taken))
    assert outcome.status is Status.PLANNING
    assert "the tea is in the way" in outcome.message


def test_an_early_contact_takes_the_item_back_up(tabletop: Lab) -> None:
    assert tabletop.do("pick", item="box").ok
    cylinder = tabletop.position("cylinder")
    with tabletop.world.simulation.edit() as data:  # Somebody moves it there, unseen.
        data.joint("cylinder").qpos[:2] = (0.45, 0.0) if cylinder[1] > 0.1 else (0.45, 0.2)
    x, y, _ = tabletop.position("cylinder")
    seen = tabletop.see()
    blind = replace(seen, objects={name: thing for name, thing in seen.objects.items() if name != "cylinder"})

    def eyes():
        now = tabletop.world.look()
        return replace(now, objects={name: now.objects[name] for name in blind.objects})

    tabletop.world.robot.use_eyes(eyes)
    goal = Pose((x, y, 0.025))
    outcome = tabletop.execute(Command("put_down", {"item": "box"}, "panda", goal, goal))
    assert outcome.status is Status.EXECUTION
    assert "touched something" in outcome.message
    after = tabletop.see()
    assert after.holds("holding", "panda", "box")
    assert after.objects["cylinder"].pose.tilt < 0.1


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_goal_that_is_not_a_number_is_refused(tabletop: Lab, value: float) -> None:
    goal = Pose((value, 0.0, 0.025))
    outcome = tabletop.execute(Command("put_down", {"item": "box"}, "panda", goal, goal))
    assert outcome.status is Status.INVALID
    assert "finite" in outcome.message


def test_unknown_things_and_actions_are_answered_with_the_known_ones(tabletop: Lab) -> None:
    unknown = tabletop.execute(Command("pick", {"item": "teapot"}, "panda"))
    assert unknown.status is Status.INVALID
    assert "box, cylinder, table" in unknown.message
    flying = tabletop.execute(Command("fly", {}, "panda"))
    assert flying.status is Status.INVALID
    assert "home, pick" in flying.message
