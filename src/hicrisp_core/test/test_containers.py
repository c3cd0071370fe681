"""What is in a container is nowhere else: for the detector, in the domain's effects and in goals."""

from dataclasses import replace

import pytest
from failures import words
from goals import ScriptedInterpreter, goal, read
from hicrisp_core.detector.detector import Detector
from hicrisp_core.detector.perception import ArmFrames, perceive
from hicrisp_core.domain import Searcher, load_domain
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.factory import load_factory
from hicrisp_core.goals.planning import way_to
from hicrisp_core.goals.truth import holds
from hicrisp_core.goals.validation import contradiction
from hicrisp_core.model import Command, FeedbackKind, Outcome, Pose, Relation, Status, Task, WorldObject
from hicrisp_core.time.deadline import Deadline
from pose_world import PoseWorld, catalogue

BOWL = WorldObject("bowl", "bowl", "bowl", (0.16, 0.16, 0.06), pose=Pose((0.55, 0.3, 0.03)))
IN_BOWL = Pose((0.57, 0.3, 0.035))
RENAMED = """
domain: shop
types: {thing: object, pot: thing}
predicates:
  rests: {args: [thing, object], text: "{0} rests on {1}", detect: on, tolerance: 0.015}
  fills: {args: [thing, pot], text: "{0} fills {1}", detect: in, tolerance: 0.01}
  by: {args: [thing, thing], text: "{0} is by {1}", detect: near, tolerance: 0.06, symmetric: true}
ROLES
actions: {}
"""


def things(**poses):
    """Boxes and a bowl on a table; a box where its pose says."""
    places = {name: (0.4, -0.3 + 0.2 * index) for index, name in enumerate(poses)}
    found = {**catalogue(**places), "bowl": BOWL}
    return {**found, **{name: replace(found[name], pose=pose) for name, pose in poses.items() if pose}}


def world_of(domain, **poses):
    return PoseWorld(domain, things(**poses))


def seen(domain, **poses):
    return world_of(domain, **poses).observe(Deadline(1.0))


def facts(world, name):
    return {tuple(fact) for fact in world.relations if name in fact}


def test_what_is_in_a_bowl_is_neither_on_the_table_nor_beside_the_bowl(domain):
    world = seen(domain, box=IN_BOWL)
    assert facts(world, "box") == {("box", "in", "bowl")}
    assert ("bowl", "on", "table") in facts(world, "bowl")


def test_of_two_in_a_bowl_one_stands_on_the_other(domain):
    world = seen(domain, box=IN_BOWL, box_2=Pose((0.55, 0.3, 0.035 + 0.05)))
    assert world.holds("on", "box_2", "box")
    assert not world.holds("on", "box", "table")
    low = replace(things(box=None)["box"], size=(0.05, 0.05, 0.02))
    flat = {**things(box=IN_BOWL, box_2=None), "box": replace(low, pose=Pose((0.57, 0.3, 0.02))),
            "box_2": replace(low, name="box_2", pose=Pose((0.57, 0.3, 0.04)))}
    stacked = PoseWorld(domain, flat).observe(Deadline(1.0))
    assert facts(stacked, "box_2") == {("box_2", "in", "bowl"), ("box_2", "on", "box")}


@pytest.mark.parametrize("roles", ["", "roles: {stands_on: rests, inside: fills}"])
def test_a_domain_says_by_its_roles_what_is_in_and_what_is_on(tmp_path, roles):
    file = tmp_path / "shop.yaml"
    file.write_text(RENAMED.replace("ROLES", roles))
    domain = load_domain(file)
    known = {name: replace(thing, type="pot" if name == "bowl" else "object" if name == "table" else "thing")
             for name, thing in things(box=IN_BOWL).items()}
    frames = {name: (thing.pose, 1.0) for name, thing in known.items() if thing.movable}
    world = perceive(frames, known, domain, 1.0, (ArmFrames("panda"),))
    assert facts(world, "box") == {("box", "fills", "bowl")}
    assert world.holds("rests", "bowl", "table")


def test_a_thing_that_was_left_in_its_bowl_was_not_put_down(domain):
    world = seen(domain, box=IN_BOWL)
    target = Pose((0.4, 0.0, 0.025))
    command = Command("put_down", {"robot": "panda", "item": "box"}, "panda", target, target)
    feedback = Detector(domain).check(command, world, world, Outcome(Status.SUCCESS)).feedback
    assert feedback.kind is FeedbackKind.NOT_MADE
    assert words(domain, feedback).error == "The box is not on the table and the box is in the bowl."
    assert "above its top" not in words(domain, feedback).reason


def test_out_of_the_bowl_onto_the_table_is_a_task_and_not_done_already(domain, config_dir):
    world = world_of(domain, box=IN_BOWL)
    parts = load_factory(config_dir, domain, "hierarchical")
    result = parts.executive({"panda": world}, world, lambda event: None,
                             interpreter=ScriptedInterpreter(goal("on(box,table)"))).run(Task("take it out"))
    assert result.success, result.message
    assert [command.partition("(")[0] for command in world.executed] == ["pick", "put_down"]
    assert world.observe(Deadline(1.0)).holds("on", "box", "table")


def test_what_is_planned_for_a_thing_in_a_bowl_is_what_is_seen_afterwards(domain):
    world = seen(domain, box=IN_BOWL)
    on_table, in_bowl = read("on(box,table)", "in(box,bowl)")
    assert not holds(on_table, world.relations, domain)
    way = way_to(Searcher(domain), world, goal("on(box,table)"), Deadline(10.0))
    assert [command.action for command in way.commands] == ["pick", "put_down"]
    for command in way.commands:
        world = apply_effects(domain, command, world)
    assert holds(on_table, world.relations, domain)
    assert not holds(in_bowl, world.relations, domain)
    for action, arguments in (("pick", {}), ("place_in", {"container": "bowl"})):
        command = Command(action, {"robot": "panda", "item": "box", **arguments}, "panda")
        world = apply_effects(domain, command, world)
    assert {fact for fact in world.relations if fact.subject == "box"} == {Relation("box", "in", "bowl")}
    assert contradiction(goal("on(box,table)", "in(box,bowl)"), domain) is not None


def test_what_is_flat_goes_into_a_container_before_what_is_tall(domain):
    known = things(box=None, box_2=None)
    known.update({name: replace(known[name], size=size, pose=Pose((*known[name].pose.position[:2], size[2] / 2.0)))
                  for name, size in (("box", (0.05, 0.05, 0.08)), ("box_2", (0.04, 0.06, 0.02)))})
    world = PoseWorld(domain, known).observe(Deadline(1.0))
    for order in (("in(box,bowl)", "in(box_2,bowl)"), ("in(box_2,bowl)", "in(box,bowl)")):
        way = way_to(Searcher(domain), world, goal(*order), Deadline(10.0))
        assert [each.arguments["item"] for each in way.commands] == ["box_2", "box_2", "box", "box"]
