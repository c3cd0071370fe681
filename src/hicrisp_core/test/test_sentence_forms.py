"""The same requests in other words: articles, commas, "then", upper case, typographic quotes, named
robots.
"""

from __future__ import annotations

from pathlib import Path
from typing import List, Sequence

import pytest
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.language.front_ends import Orders, read_orders
from hicrisp_core.language.intents import NotUnderstood
from hicrisp_core.language.robots import Robots
from hicrisp_core.language.sayings import in_facts
from hicrisp_core.language.tokens import words_in
from hicrisp_core.language.vocabulary import Vocabulary
from hicrisp_core.model import Relation, RobotState, Task, WorldObject, WorldState
from hicrisp_core.ports.brain import PlanAnswer, PlanRequest
from hicrisp_core.time.deadline import Deadline
from lab import DOMAIN as LAB
from lab import lab_world
from test_goal_sentences import FLAT, TOWER
from test_offline_sentences import BLOCKS

DOMAINS = Path(__file__).resolve().parents[3] / "config" / "domains"
AGV = load_domain(DOMAINS / "agv.yaml")
STACKING = load_domain(DOMAINS / "blocks.yaml")
ARENA = WorldState(
    {**{f"area_{n}": WorldObject(f"area_{n}", "area", "region", movable=False) for n in (1, 2, 3)},
     "dock": WorldObject("dock", "station", "region", movable=False)},
    frozenset({Relation("agv", "at", "area_3")}), {"agv": RobotState("agv", "base")})
FETCH = ["pick(panda, box)", "dock(agv, dock)", "load(panda, box, tray)"]
DOWN = ["dock(agv, dock)", "unload(panda, box, tray)", "put_down(panda, box)"]
COLOURS = ("blue", "green", "orange", "red", "yellow")


def ask(domain: Domain, world: WorldState, text: str) -> PlanAnswer:
    return OfflineBrain(domain).plan(PlanRequest(Task(text), world), Deadline(10.0))


def planned(domain: Domain, world: WorldState, text: str) -> List[str]:
    answer = ask(domain, world, text)
    assert answer.plan is not None, answer.refusal or answer.answer
    return [str(step) for step in answer.plan.steps]


def moved(*placements: str) -> List[str]:
    """Steps of the arm: each thing is picked up before it is placed."""
    steps = []
    for placement in placements:
        action, _, arguments = placement.rstrip(")").partition("(")
        steps += [f"pick(panda, {arguments.split(', ')[0]})", f"{action}(panda, {arguments})"]
    return steps


ON_BLUE = moved("place_on(red_box, blue_box)")
IN_BOWL = moved("place_in(red_box, bowl)")
BESIDE = moved("place_next_to(red_box, cylinder)")
TOWER_OF_THREE = moved("place_on(red_box, blue_box)", "place_on(green_box, red_box)")
ALL_BOXES = moved(*(f"place_in({colour}_box, bowl)" for colour in COLOURS))


@pytest.mark.parametrize(("text", "expected"), [
    ("PICK UP THE RED BOX", ["pick(panda, red_box)"]),
    ("Would you kindly pick up the red box, please?", ["pick(panda, red_box)"]),
    ("Hey robot, grab a red brick!", ["pick(panda, red_box)"]),
    ("pick up red box", ["pick(panda, red_box)"]),
    ("Let the panda pick up the red box", ["pick(panda, red_box)"]),
    ("Panda, pick up the red box.", ["pick(panda, red_box)"]),
    ("Panda: pick up the red box", ["pick(panda, red_box)"]),
    ("use the arm to pick up the red box", ["pick(panda, red_box)"]),
    ("The panda picks up the red box and puts it on the blue box", ON_BLUE),
    ("The arm shall put the red box on the blue box", ON_BLUE),
    ("place red_box on blue_box", ON_BLUE),
    ("put the red-box on the blue-box", ON_BLUE),
    ("Put the red box \u2018on\u2019 the blue box", ON_BLUE),
    ("Put the red box onto the top of the blue box", ON_BLUE),
    ("On the blue box, put the red one.", ON_BLUE),
    ("take the red box and put it on the blue box", ON_BLUE),
    ("I\u2019d like you to stack the red box on the blue box", ON_BLUE),
    ("Let's put the red box on the blue one now", ON_BLUE),
    ("make sure the red box is on the blue box", ON_BLUE),
    ("Please make sure that the red box is on top of the blue box.", ON_BLUE),
    ("Put the red box on the blue box. Then put the green box on the red box.", TOWER_OF_THREE),
    ("First put the red box on the blue box, then the green box on the red box", TOWER_OF_THREE),
    ("put the red box on the blue box and then the green one on the red one", TOWER_OF_THREE),
    ("The green box is on the red box, and the red box is on the blue box.", TOWER_OF_THREE),
    ("Place the red box, please, next to the cylinder.", BESIDE),
    ("please, place the red box next to the cylinder, thank you", BESIDE),
    ("Pick up the red box; place it next to the cylinder", BESIDE),
    ("pick up the red box, and, after that, place it next to the cylinder", BESIDE),
    ("Pick up the red box! Place it beside the cylinder!", BESIDE),
    ("Pick up the red box and afterwards put it in the bowl", IN_BOWL),
    ("1) pick up the red box\n2) put it in the bowl", IN_BOWL),
    ("pick up the red box\nput it in the bowl", IN_BOWL),
    ("put the red box\nin the bowl", IN_BOWL),
    ("- put the red box in the bowl", IN_BOWL),
    ("put the red box in the bowl with the panda", IN_BOWL),
    ("drop the red box into the bowl", IN_BOWL),
    ("Move the red box to the left side of the cylinder", moved("place_left_of(red_box, cylinder)")),
    ("Set the red box down behind the cylinder", moved("place_behind(red_box, cylinder)")),
    ("put the red box, the blue box, and the green box in the bowl",
     moved(*(f"place_in({colour}_box, bowl)" for colour in ("red", "blue", "green")))),
    ("Put all of the boxes in the bowl", ALL_BOXES),
    ("put each box in the bowl", ALL_BOXES),
    ("Everything except the cylinder goes in the bowl", ALL_BOXES),
    ("put every box but the red one into the bowl",
     moved(*(f"place_in({colour}_box, bowl)" for colour in COLOURS if colour != "red"))),
    ("put two of the boxes in the bowl", moved("place_in(blue_box, bowl)", "place_in(green_box, bowl)")),
    ("put the blue box next to the red box, and the green box on the cylinder",
     moved("place_next_to(blue_box, red_box)", "place_on(green_box, cylinder)")),
    ("the red box shouldn\u2019t be on the table", ["pick(panda, red_box)"]),
    ("let's build a tower of three boxes",
     moved("place_on(green_box, blue_box)", "place_on(orange_box, green_box)")),
    ("GO HOME!", ["home(panda)"]),
])
def test_things_are_moved_whatever_the_words(domain: Domain, text: str, expected: Sequence[str]) -> None:
    assert planned(domain, BLOCKS, text) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("Visit area 3, then area 2, then area 1.",
     ["visit(agv, area_3)", "visit(agv, area_2)", "visit(agv, area_1)"]),
    ("VISIT AREA 3 AND THEN AREA 1", ["visit(agv, area_3)", "visit(agv, area_1)"]),
    ("go to area 3; after that, go to area 1", ["go_to(agv, area_3)", "go_to(agv, area_1)"]),
    ("First, visit area 2. Next, visit area 3. Finally, dock.",
     ["visit(agv, area_2)", "visit(agv, area_3)", "dock(agv, dock)"]),
    ("please drive over to the area 2 and wait there for two minutes",
     ["go_to(agv, area_2)", "wait(agv, 120.0)"]),
    ("wait a minute, and then go to area 1", ["wait(agv, 60.0)", "go_to(agv, area_1)"]),
    ("wait 10s", ["wait(agv, 10.0)"]),
    ("visit all of the areas in order", ["visit(agv, area_1)", "visit(agv, area_2)", "visit(agv, area_3)"]),
    ("visit areas 3, 2, and 1 one after another",
     ["visit(agv, area_3)", "visit(agv, area_2)", "visit(agv, area_1)"]),
    ("visit area 1 and visit area 2 in this order", ["visit(agv, area_1)", "visit(agv, area_2)"]),
    ("visit area 1 after area 2 and area 3",
     ["visit(agv, area_2)", "visit(agv, area_3)", "visit(agv, area_1)"]),
    ("visit every area but area 1 and area 3", ["visit(agv, area_2)"]),
    ("visit areas one and three", ["visit(agv, area_1)", "visit(agv, area_3)"]),
    ("head to area 1, then back to area 2", ["go_to(agv, area_1)", "go_to(agv, area_2)"]),
    ("carry the load to area 1, then to area 2", ["carry_to(agv, area_1)", "carry_to(agv, area_2)"]),
    ("the AGV visits area 2, then docks", ["visit(agv, area_2)", "dock(agv, dock)"]),
    ("AGV, go to area-2!", ["go_to(agv, area_2)"]),
    ("tell the vehicle to go to area 3 and to dock", ["go_to(agv, area_3)", "dock(agv, dock)"]),
    ("the agv is in area 2", ["go_to(agv, area_2)"]),
    ("return to the dock", ["dock(agv, dock)"]),
])
def test_areas_are_visited_whatever_the_words(text: str, expected: Sequence[str]) -> None:
    assert planned(AGV, ARENA, text) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("Put the box on the AGV\u2019s tray", FETCH),
    ("load the AGV with the box", FETCH),
    ("take the box to the vehicle", FETCH),
    ("Let the panda load the box onto the AGV, then bring it to area 2.",
     [*FETCH, "carry_to(agv, box, area_2)"]),
    ("The panda loads the box, and the AGV carries it to area 2.", [*FETCH, "carry_to(agv, box, area_2)"]),
    ("deliver the box to area two, and return to the dock",
     [*FETCH, "carry_to(agv, box, area_2)", "dock(agv, dock)"]),
    ("bring the box to area 2 and go back to the table", [*FETCH, "carry_to(agv, box, area_2)", *DOWN]),
    ("Carry the box to area 2. After that, unload it.", [*FETCH, "carry_to(agv, box, area_2)", *DOWN]),
    ("bring the box to area 2, and unload the AGV", [*FETCH, "carry_to(agv, box, area_2)", *DOWN]),
    ("stack the red box on the blue box; at the same time, drive to area 1",
     ["pick(panda, red_box)", "place_on(panda, red_box, blue_box)", "go_to(agv, area_1)"]),
    ("visit area 2 with the AGV", ["visit(agv, area_2)"]),
    ("let the robot drive to area 2", ["go_to(agv, area_2)"]),
    ("drive back to the dock", ["dock(agv, dock)"]),
    ("put the box on the blue box, then let the AGV visit area 1",
     ["pick(panda, box)", "place_on(panda, box, blue_box)", "visit(agv, area_1)"]),
    ("the vehicle is in area 2", ["go_to(agv, area_2)"]),
    ("The box has been brought to area 2.", [*FETCH, "carry_to(agv, box, area_2)"]),
])
def test_an_arm_and_a_base_share_a_task_whatever_the_words(text: str, expected: Sequence[str]) -> None:
    assert planned(LAB, lab_world(), text) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("put the red block on the table, then the green block on the table", [
        "unstack(panda, red_block, green_block)", "put_down(panda, red_block)",
        "unstack(panda, green_block, blue_block)", "put_down(panda, green_block)"]),
    ("ALL BLOCKS SHOULD BE ON THE TABLE", [
        "unstack(panda, red_block, green_block)", "put_down(panda, red_block)",
        "unstack(panda, green_block, blue_block)", "put_down(panda, green_block)"]),
    ("the red block is on the table. The green block is on the red block.", [
        "unstack(panda, red_block, green_block)", "put_down(panda, red_block)",
        "unstack(panda, green_block, blue_block)", "stack(panda, green_block, red_block)"]),
    ("pick up the blue block", [
        "unstack(panda, red_block, green_block)", "put_down(panda, red_block)",
        "unstack(panda, green_block, blue_block)", "put_down(panda, green_block)",
        "pick_up(panda, blue_block)"]),
])
def test_another_domain_is_spoken_to_in_the_same_words(text: str, expected: Sequence[str]) -> None:
    assert planned(STACKING, TOWER, text) == expected


def test_facts_in_the_same_words_are_told_apart_by_their_things() -> None:
    found = planned(LAB, lab_world(), "the box is on the blue box and the AGV is in area 1")
    assert set(found) == {"pick(panda, box)", "place_on(panda, box, blue_box)", "go_to(agv, area_1)"}


def test_a_wish_about_a_thing_is_a_fact_too() -> None:
    assert planned(STACKING, FLAT, "I want blue to be on red") == [
        "pick_up(panda, blue_block)", "stack(panda, blue_block, red_block)"]


@pytest.mark.parametrize(("text", "why"), [
    ("let the panda drive to area 2", "panda cannot drive to area 2; agv can"),
    ("visit area 2 with the panda", "panda cannot visit area 2; agv can"),
    ("the panda visits area 2", "panda cannot visit area 2; agv can"),
    ("Let the AGV pick up the box.", "agv cannot pick up the box; panda can"),
    ("can the vehicle pick up the box?", "agv cannot pick up the box; panda can"),
    ("let the AGV load the box", "agv cannot load the box; panda can"),
    ("pick up the box with the agv", "agv cannot pick up the box; panda can"),
    ("let the arm bring the box to area 2", "panda cannot bring the box to area 2; agv can"),
    ("let the panda go back to the dock", "panda cannot go back to the dock; agv can"),
    ("let the drone drive to area 2", "there is no robot 'drone' here; the robots are: agv, panda"),
])
def test_a_named_robot_is_never_replaced_in_silence(text: str, why: str) -> None:
    answer = ask(LAB, lab_world(), text)
    assert answer.plan is None
    assert why in answer.refusal


@pytest.mark.parametrize("text", [
    "pick up the box in it", "put the boxes from them in the bowl", "line up the boxes on it",
    "drive back the other boxes", "inspect the table back", "let the", "let the panda", "with the arm",
    "panda,",
    "and"])
def test_what_makes_no_sense_is_refused_with_a_reason(text: str) -> None:
    answer = ask(LAB, lab_world(), text)
    assert answer.plan is None
    assert answer.refusal.startswith("I cannot do this: ")


def test_what_goes_on_with_another_robot_is_said() -> None:
    answer = ask(LAB, lab_world(), "let the panda load the box onto the AGV and bring it to area 2")
    assert answer.plan is not None
    assert "'bring it to area 2' is for agv" in answer.plan.reasoning


@pytest.fixture
def two_arms() -> WorldState:
    """The lab with two arms: the name says which of them acts."""
    world = lab_world()
    robots = {**{name: RobotState(name) for name in ("panda_left", "panda_right")},
              "agv": world.robots["agv"]}
    return WorldState(world.objects, world.relations, robots)


def test_the_name_chooses_among_robots_of_one_kind(two_arms: WorldState) -> None:
    assert planned(LAB, two_arms, "let the panda right pick up the box") == ["pick(panda_right, box)"]
    assert planned(LAB, two_arms, "put the red box on the blue box with panda_left") == [
        "pick(panda_left, red_box)", "place_on(panda_left, red_box, blue_box)"]


def test_a_kind_that_several_robots_are_of_is_asked_back(two_arms: WorldState) -> None:
    assert "may be any of: panda_left, panda_right" in ask(LAB, two_arms,
                                                           "let the arm pick up the box").refusal


def test_robots_are_called_as_the_world_calls_them() -> None:
    world = lab_world()
    names = {"agv": "wheels"}
    facts = frozenset(Relation(names.get(fact.subject, fact.subject), fact.predicate,
                               names.get(fact.object, fact.object)) for fact in world.relations)
    renamed = WorldState(world.objects, facts,
                         {"ada": RobotState("ada"), "wheels": RobotState("wheels", "base")})
    assert planned(LAB, renamed, "Ada puts the box on Wheels, and Wheels brings it to area 2") == [
        "pick(ada, box)", "dock(wheels, dock)", "load(ada, box, tray)", "carry_to(wheels, box, area_2)"]
    assert "ada cannot drive to area 2; wheels can" in ask(LAB, renamed, "let ada drive to area 2").refusal


def test_what_was_not_read_is_named() -> None:
    known = Vocabulary.of(LAB, lab_world())
    with pytest.raises(NotUnderstood) as refused:
        read_orders("pick up the box, then visit area 9", known)
    assert refused.value.unread == "area 9"
    with pytest.raises(NotUnderstood) as refused:
        read_orders("wait for a while longer", known)
    assert refused.value.unread == "while"


def test_words_know_where_they_stand_in_the_text() -> None:
    text = "Don\u2019t drop the AGV\u2019s red-box: 2.5 cm!"
    found = words_in(text)
    assert [word.text for word in found] == [
        "do", "not", "drop", "the", "agv", "red", "box", ":", "2.5", "cm", "!"]
    assert [text[word.start:word.end] for word in found[2:5]] == ["drop", "the", "AGV\u2019s"]


def test_an_order_is_typed_and_names_its_robot() -> None:
    found = read_orders("the panda loads the box, the agv brings it to area 1 and waits 5 s",
                        Vocabulary.of(LAB, lab_world()))
    assert isinstance(found, Orders)
    assert [(type(order).__name__, order.robot) for order in found.orders] == [
        ("Delivery", "panda"), ("Delivery", "agv"), ("Errand", "agv")]


@pytest.mark.parametrize(("text", "facts"), [
    ("put the salmon in the fridge and turn off the light",
     "the salmon is inside the fridge, and the fridge is closed, and the light is off"),
    ("Could you open the fridge, please?", "the fridge is open"),
    ("put the plate and the cup on the table", "the plate and the cup is on the table"),
])
def test_a_domains_own_sentences_may_be_joined_and_polite(text: str, facts: str) -> None:
    assert in_facts(text, load_domain(DOMAINS / "virtualhome.yaml")) == facts


def test_without_robots_nobody_is_named() -> None:
    assert Robots().lead(()) is None
