"""Sentences that list facts: in any domain whose predicates have texts they are a goal for the search."""

import random

import pytest
from failures import failure
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.domain import Searcher, apply_effects, check, goal_of, load_domain
from hicrisp_core.model import FeedbackKind, Relation, RobotState, Task, WorldObject, WorldState
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.time.deadline import Deadline
from tabletop import steps, table_top

COLOURS = ("red", "green", "blue", "yellow", "white", "black")
TABLE_TOP = table_top({"red_box": "box", "blue_box": "box", "cylinder": "cylinder", "bowl": "bowl"})


@pytest.fixture
def blocks(config_dir):
    return load_domain(config_dir / "domains" / "blocks.yaml")


def standing(**below):
    """A world of coloured blocks: what each stands on, as ``red="blue"``."""
    objects = {f"{c}_block": WorldObject(f"{c}_block", "block", attributes={"colour": c}) for c in below}
    objects["table"] = WorldObject("table", "surface", "surface", movable=False)
    facts = {Relation(f"{upper}_block", "on", "table" if lower == "table" else f"{lower}_block")
             for upper, lower in below.items()}
    return WorldState(objects, frozenset(facts), {"panda": RobotState("panda")})


FLAT = standing(red="table", green="table", blue="table")
TOWER = standing(red="green", green="blue", blue="table")


def ask(domain, world, text, **more):
    return OfflineBrain(domain).plan(PlanRequest(Task(text), world, **more), Deadline(5.0))


def after(domain, world, answer):
    """The world when every step was done; each must be allowed where it stands."""
    assert answer.plan is not None, answer.refusal or answer.answer
    for step in answer.plan.steps:
        command = domain.ground(step, world)
        assert check(domain, command, world) is None, f"{step} cannot be done"
        world = apply_effects(domain, command, world)
    return world


def on(upper, lower):
    return Relation(f"{upper}_block", "on", lower if lower == "table" else f"{lower}_block")


@pytest.mark.parametrize("text", [
    "the green block is on the blue block, and the red block is on the green block",
    "The red block is on the green block and the green block is on the blue block.",
    "the red block is on top of the green block. the green block is on top of the blue block.",
    "The red block should be on the green block, the green block should be on the blue block.",
    "Make sure that the red one is on the green one and the green one is on the blue one",
    "the goal is that red is on green and green is on blue",
    "rearrange the blocks so that the red block is on the green block and the green block is on the blue "
    "block",
])
def test_a_tower_comes_to_stand_whatever_the_order_and_the_wording(blocks, text):
    answer = ask(blocks, FLAT, text)
    assert {on("red", "green"), on("green", "blue")} <= after(blocks, FLAT, answer).relations
    assert len(answer.plan.steps) == 4


def test_what_stands_in_the_way_is_moved_first(blocks):
    answer = ask(blocks, TOWER, "the blue block is on the red block")
    assert on("blue", "red") in after(blocks, TOWER, answer).relations
    assert [step.action for step in answer.plan.steps] == [
        "unstack", "put_down", "unstack", "put_down", "pick_up", "stack"]


def test_several_things_share_a_fact(blocks):
    world = after(blocks, TOWER, ask(blocks, TOWER, "the red and the green block are on the table"))
    assert {on("red", "table"), on("green", "table")} <= world.relations
    world = after(blocks, TOWER, ask(blocks, TOWER, "all blocks are on the table"))
    assert {on(colour, "table") for colour in ("red", "green", "blue")} <= world.relations


def test_a_fact_is_denied_in_the_domains_own_words(blocks):
    world = after(blocks, TOWER, ask(blocks, TOWER, "the green block is not on the blue block"))
    assert on("green", "blue") not in world.relations


def test_the_arm_is_a_thing_to_speak_of(blocks):
    world = after(blocks, FLAT, ask(blocks, FLAT, "the arm is holding the red block"))
    assert world.holds("holding", "panda", "red_block")


@pytest.mark.parametrize(("text", "expected"), [
    ("put the red block on the table",
     ["unstack(panda, red_block, green_block)", "put_down(panda, red_block)"]),
    ("put down the red block on the table",
     ["unstack(panda, red_block, green_block)", "put_down(panda, red_block)"]),
    ("putdown the green block on the red block", [
        "unstack(panda, red_block, green_block)", "put_down(panda, red_block)",
        "unstack(panda, green_block, blue_block)", "stack(panda, green_block, red_block)"])])
def test_the_grammar_of_single_placements_serves_this_domain_too(blocks, text, expected):
    assert [str(step) for step in ask(blocks, TOWER, text).plan.steps] == expected


def test_what_is_so_already_needs_no_steps(blocks):
    assert "so already" in ask(blocks, TOWER, "the red block is on the green block").answer


def test_after_a_failure_all_that_is_missing_is_planned(blocks):
    text = "the red block is on the green block, and the green block is on the blue block"
    fallen = standing(red="table", green="blue", blue="table")
    answer = ask(blocks, fallen, text, remaining=tuple(steps(blocks, "stack(panda, red_block, green_block)")),
                 feedback=(failure(blocks, fallen, "stack(panda, red_block, green_block)",
                                   FeedbackKind.NOT_MADE),))
    assert [str(step) for step in answer.plan.steps] == [
        "pick_up(panda, red_block)", "stack(panda, red_block, green_block)"]


@pytest.mark.parametrize(("text", "why"), [
    ("the red block is on the blue block, and the purple block is on the table",
     "there is no 'purple block' here"),
    ("the red block is on the blue block and the weather is nice", "'the weather is nice' is not a fact"),
    ("the table is on the red block", "table is a surface, where a block is needed"),
    ("the red block is on the blue block, and the blue block is on the red block", "no way was found"),
    ("the red block is on the blue block or the table", "say which of the two"),
    ("if the red block is on the blue block, the green block is on the table",
     "conditions cannot be planned"),
    ("fred is holding the red block", "no robot 'fred' here; the robots are: panda"),
])
def test_what_cannot_be_made_so_is_refused_with_the_reason(blocks, text, why):
    assert why in ask(blocks, FLAT, text).refusal


@pytest.mark.parametrize(("text", "expected"), [
    ("the red box is on the blue box, and the blue box is in close proximity to the cylinder",
     {("red_box", "on", "blue_box"), ("blue_box", "next_to", "cylinder")}),
    ("the red box is in the bowl and the blue box is left of the cylinder",
     {("red_box", "in", "bowl"), ("blue_box", "left_of", "cylinder")}),
    ("the red box is in front of the cylinder", {("red_box", "in_front_of", "cylinder")}),
    ("panda is holding the cylinder", {("panda", "holding", "cylinder")}),
])
def test_the_table_tops_goals_are_said_in_its_own_words(domain, text, expected):
    world = after(domain, TABLE_TOP, ask(domain, TABLE_TOP, text))
    assert {Relation(*fact) for fact in expected} <= world.relations


def test_a_thing_can_be_told_apart_by_where_it_is(domain):
    world = table_top({"red_box": "box", "blue_box": "box", "bowl": "bowl"}, [("red_box", "on", "blue_box")])
    found = after(domain, world, ask(domain, world, "the box that is on the blue box is in the bowl"))
    assert found.holds("in", "red_box", "bowl")


def test_a_new_domain_needs_no_grammar(tmp_path):
    file = tmp_path / "doors.yaml"
    file.write_text("""
domain: doors
types: {door: object, lamp: object}
predicates:
  open: {args: [door], text: "{0} is open", not_text: "{0} is closed"}
  lit_by: {args: [door, lamp], text: "light of {1} falls on {0}"}
actions:
  open:
    text: "open {item}"
    parameters: {robot: arm, item: door}
    effects: ["open(item)"]
  shine:
    text: "shine {lamp} on {item}"
    parameters: {robot: arm, item: door, lamp: lamp}
    preconditions: ["not open(item)"]
    effects: ["lit_by(item, lamp)"]
""", encoding="utf-8")
    doors = load_domain(file)
    things = {"front_door": "door", "back_door": "door", "torch": "lamp"}
    world = WorldState({name: WorldObject(name, type_) for name, type_ in things.items()}, frozenset(),
                       {"panda": RobotState("panda")})
    answer = ask(doors, world, "the front door is open, and light of the torch falls on the front door")
    assert [str(step) for step in answer.plan.steps] == [
        "shine(panda, front_door, torch)", "open(panda, front_door)"]
    assert "so already" in ask(doors, world, "the back door is closed").answer


@pytest.mark.parametrize("seed", range(12))
def test_any_arrangement_is_reached_from_any_other(blocks, seed):
    draw = random.Random(seed)
    start, wanted = _towers(draw), _towers(draw)
    text = ", and ".join(f"the {upper} block is on the {'table' if lower == 'table' else lower + ' block'}"
                         for upper, lower in draw.sample(sorted(wanted.items()), len(wanted)))
    world = standing(**start)
    answer = ask(blocks, world, text)
    if answer.plan is None:
        assert start == wanted
        return
    assert {on(upper, lower) for upper, lower in wanted.items()} == after(blocks, world, answer).relations


def test_the_search_takes_a_thing_from_where_it_is(blocks):
    """To hold a block that stands on another takes an operator with a parameter that the goal does not
    name.
    """
    world = standing(red="green", green="blue", blue="table")
    commands = Searcher(blocks).find(world, goal_of("on(green_block, red_block)")).commands
    assert [str(command) for command in commands] == [
        "unstack(panda, red_block, green_block)", "put_down(panda, red_block)",
        "unstack(panda, green_block, blue_block)", "stack(panda, green_block, red_block)"]


def _towers(draw):
    """Five blocks in random towers: what each stands on."""
    names = draw.sample(COLOURS[:5], 5)
    below = {}
    for index, name in enumerate(names):
        below[name] = names[index - 1] if index and draw.random() < 0.6 else "table"
    return below
