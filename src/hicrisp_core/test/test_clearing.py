"""What stands in the way is moved by the domain's operators, without undoing what the plan made."""

from __future__ import annotations

import pytest
from hicrisp_core.body.decoder import ActionDecoder
from hicrisp_core.config.files import config_file
from hicrisp_core.corrector.clearing import find_clearing
from hicrisp_core.domain import Ending, Searcher, load_domain
from hicrisp_core.domain.checker import needless
from hicrisp_core.model import (
    Command,
    Feedback,
    FeedbackKind,
    Level,
    Pose,
    Relation,
    RobotState,
    Rung,
    StackEntry,
    Status,
    WorldObject,
    WorldState,
)
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.model.joint import SLIDE, Joint
from hicrisp_core.model.offsets import DecoderOffsets
from hicrisp_core.policy.policy import Policy
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.time.deadline import Deadline
from panda_body import WORKSPACE
from tabletop import Run, steps, table_top
from test_detector import seen

THINGS = {"box": "box", "cylinder": "cylinder", "salt": "cylinder", "pepper": "cylinder", "bowl": "bowl"}
PICK, BESIDE = "pick(panda, box)", "place_next_to(panda, box, cylinder)"
LADDER = Policy("test", autonomy="full", rungs=(Rung.REPAIR, Rung.OFFSET))
SHELVES = """
domain: shelves
types: {thing: object, place: object}
predicates:
  holding: {args: [arm, thing], text: "{0} holds {1}"}
  at: {args: [thing, place], text: "{0} is at {1}"}
actions:
  take:
    text: "take {item}"
    parameters: {robot: arm, item: thing}
    preconditions: ["not holding(robot, ?other)"]
    effects: ["not at(item, _)", "holding(robot, item)"]
  put:
    text: "put {item} at {place}"
    parameters: {robot: arm, item: thing, place: place}
    preconditions: ["holding(robot, item)"]
    effects: ["not holding(robot, item)", "at(item, place)"]
"""


def entry(domain, world, text: str, *blockers: str, kind: FeedbackKind = FeedbackKind.PLANNING) -> StackEntry:
    command = domain.ground(steps(domain, text)[0], world)
    return StackEntry(command, Feedback(Level.LOW, kind, command, blockers=blockers))


def sought(domain, stack, world, made=frozenset()):
    return find_clearing(Searcher(domain), stack, world, made, SearchLimits(seconds=10.0), Deadline(10.0))


def cleared(domain, world, text: str, *blockers: str, made=frozenset()):
    clearing = sought(domain, [entry(domain, world, text, *blockers)], world, made)
    return None if isinstance(clearing, Ending) else [str(command) for command in clearing.commands]


def test_a_blocker_is_taken_and_put_where_it_is_free(domain):
    assert cleared(domain, table_top(THINGS), PICK, "salt") == ["pick(panda, salt)", "put_down(panda, salt)"]


def test_a_full_hand_is_emptied_first_and_filled_again_after(domain):
    world = table_top(THINGS, [("panda", "holding", "box")])
    assert cleared(domain, world, BESIDE, "salt") == [
        "put_down(panda, box)", "pick(panda, salt)", "put_down(panda, salt)", "pick(panda, box)"]


def test_what_is_on_a_blocker_is_taken_off_first(domain):
    world = table_top(THINGS, [("pepper", "on", "salt"), ("salt", "on", "table")])
    assert cleared(domain, world, PICK, "salt")[0] == "pick(panda, pepper)"


def test_of_two_blockers_the_one_is_moved_that_no_step_has_placed(domain):
    facts = [("salt", "next_to", "cylinder"), ("cylinder", "next_to", "salt"), ("salt", "on", "table"),
             ("cylinder", "on", "table")]
    world = table_top(THINGS, facts)
    made = frozenset(Relation(*fact) for fact in facts[:2])
    assert cleared(domain, world, PICK, "salt", "pepper", made=made)[0] == "pick(panda, pepper)"
    assert cleared(domain, world, PICK, "salt", made=made)[0] == "pick(panda, salt)"


@pytest.mark.parametrize("blocker", ["bowl", "table", "teapot", "box", "cylinder"])
def test_what_cannot_be_moved_or_is_what_room_is_made_for_stays(domain, blocker):
    world = table_top(THINGS, [("panda", "holding", "box")])
    assert cleared(domain, world, BESIDE, blocker) is None


def test_a_thing_that_cannot_be_moved_is_left_for_one_that_can(domain):
    assert cleared(domain, table_top(THINGS), PICK, "bowl", "salt")[0] == "pick(panda, salt)"


def test_what_the_stack_waits_for_is_not_moved_for_a_correction(domain):
    world = table_top(THINGS)
    stack = [entry(domain, world, PICK, "salt"), entry(domain, world, "pick(panda, salt)", "box")]
    assert sought(domain, stack, world) is Ending.NO_WAY


def test_where_things_stand_at_named_places_elsewhere_is_another_place(tmp_path):
    path = tmp_path / "shelves.yaml"
    path.write_text(SHELVES)
    shelves = load_domain(path)
    objects = {name: WorldObject(name, "thing") for name in ("box", "salt")}
    objects.update({name: WorldObject(name, "place", movable=False) for name in ("counter", "shelf")})
    world = WorldState(objects,
                       frozenset({Relation("box", "at", "counter"), Relation("salt", "at", "counter")}),
                       {"panda": RobotState("panda")})
    assert cleared(shelves, world, "take(panda, box)", "salt") == ["take(panda, salt)",
                                                                   "put(panda, salt, shelf)"]


def test_the_new_place_keeps_off_the_room_that_is_made(domain):
    world = seen(domain)
    command = Command("pick", {"robot": "panda", "item": "box"}, "panda")
    failed = StackEntry(command, Feedback(Level.LOW, FeedbackKind.PLANNING, command, blockers=("cylinder",)))
    clearing = sought(domain, [failed], world)
    assert clearing is not None
    aimed = ActionDecoder(domain, WORKSPACE).decode(clearing.commands[-1], world, DecoderOffsets())
    for name in ("box", "cylinder"):
        assert planar_distance(aimed.target.position, world.objects[name].pose.position) > 0.1


def test_a_step_whose_motion_is_blocked_is_done_after_the_blocker_was_moved(domain):
    run = Run(domain, table_top(THINGS), LADDER, [PICK, BESIDE])
    run.world.fails(PICK, times=9, status=Status.PLANNING, message="the salt is in the way",
                    blockers=("salt",))
    result = run()
    assert result.success
    assert run.world.executed == [PICK, "pick(panda, salt)", "put_down(panda, salt)", PICK, BESIDE]
    assert result.corrections == {"repair": 1}
    assert run.told("verdict")[0]["feedback"]["blockers"] == ["salt"]
    assert run.told("correction")[0]["note"] == "the salt is in the way of 'pick up box', and is moved away"


def test_a_blocker_that_cannot_be_moved_ends_with_its_name(domain):
    run = Run(domain, table_top(THINGS), LADDER, [PICK, BESIDE])
    run.world.fails(PICK, times=9, status=Status.PLANNING, message="the bowl is in the way",
                    blockers=("bowl",))
    result = run()
    assert not result.success
    assert "the bowl is in the way" in result.message
    assert run.world.executed == [PICK]


def test_without_the_repair_rung_nothing_is_moved_away(domain):
    run = Run(domain, table_top(THINGS), Policy("test", autonomy="full", rungs=(Rung.OFFSET,)), [PICK])
    run.world.fails(PICK, times=9, status=Status.PLANNING, message="the salt is in the way",
                    blockers=("salt",))
    assert not run().success
    assert run.world.executed == [PICK]


def test_what_is_too_wide_for_the_hand_is_slid_out_of_the_way() -> None:
    domain = load_domain(config_file("domains", "libero"))
    objects = {name: WorldObject(name, kind) for name, kind in (
        ("table", "surface"), ("plate", "plate"), ("drawer", "drawer"))}
    facts = {Relation("panda", "reaches", name) for name in objects} | {
        Relation("plate", "on", "table"), Relation("plate", "too_wide"), Relation("drawer", "closed")}
    world = WorldState(objects, frozenset(facts), {"panda": RobotState("panda")})
    found = sought(domain, [entry(domain, world, "open(panda, drawer)", "plate")], world)
    assert [str(command) for command in found.commands] == ["slide_aside(panda, plate)"]


def test_a_drawer_that_did_not_open_is_not_taken_to_be_open() -> None:
    domain = load_domain(config_file("domains", "furniture"))
    shut = WorldState({"drawer": WorldObject("drawer", "drawer")}, frozenset({Relation("drawer", "closed")}))
    command = Command("open", {"robot": "panda", "item": "drawer"}, "panda")
    assert not needless(domain, command, shut)
    wide = WorldState(shut.objects, frozenset({Relation("drawer", "open")}))
    assert needless(domain, command, wide)


def by_an_open_drawer(box: Relation, **more: WorldObject) -> WorldState:
    there = Pose((0.0, 0.0, 0.0))
    rail = Joint(SLIDE, "case", there, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.2), there, (0.01, 0.1))
    objects = {"table": WorldObject("table", "surface", movable=False), "box": WorldObject("box", "box"), **more,
               "drawer": WorldObject("drawer", "drawer", movable=False, joint=rail)}
    facts = {Relation("panda", "reaches", name) for name in objects} | {box, Relation("drawer", "open")}
    return WorldState(objects, frozenset(facts), {"panda": RobotState("panda")})


def test_what_an_open_drawer_keeps_the_hand_from_is_put_elsewhere_while_it_is_shut() -> None:
    domain = load_domain(config_file("domains", "furniture"))
    world = by_an_open_drawer(Relation("box", "on", "table"))
    found = sought(domain, [entry(domain, world, "pick(panda, box)", "drawer")], world)
    assert [str(command) for command in found.commands] == [
        "close(panda, drawer)", "pick(panda, box)", "put_down(panda, box)", "open(panda, drawer)"]


def test_an_open_drawer_over_the_place_of_what_is_held_is_shut_first() -> None:
    domain = load_domain(config_file("domains", "furniture"))
    world = by_an_open_drawer(Relation("panda", "holding", "box"), lid=WorldObject("lid", "surface"))
    found = sought(domain, [entry(domain, world, "place_on(panda, box, lid)", "drawer")], world)
    assert [str(command) for command in found.commands] == [
        "put_down(panda, box)", "close(panda, drawer)", "pick(panda, box)"]
