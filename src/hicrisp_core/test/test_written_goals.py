"""Lines become goals: predicates by their types, stages, conditions, denials, and limits."""

from __future__ import annotations

import time

import pytest
from hicrisp_core.goals.validation import check_goal
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.goal_text import parse_goal
from test_written_worlds import Reason, goal, linked, refused, scene_world, table_of

DOMAIN = scene_world("tabletop")[0]
LINES = [
    ("tabletop", "next_to(box, cylinder)", ["next_to(box,cylinder)"]),
    ("breakfast", "in(fork, plate)", ["on(fork,plate)"]),
    ("breakfast", "at(fork, table)", ["on(fork,table)"]),
    ("breakfast", "on(fork, bowl)", ["in(fork,bowl)"]),
    ("breakfast", "contains(bowl, fork)", ["in(fork,bowl)"]),
    ("breakfast", "in(fork + spoon, bowl) | never in(knife, bowl)",
     ["in(fork,bowl) & in(spoon,bowl)", "| not(in(knife,bowl))"]),
    ("breakfast", "on(fork, plate) & in(fork + plate, bowl)", ["on(fork,plate) & in(plate,bowl)"]),
    ("dishes", "in(cup, small bowl) | always on(lid, pot)", ["in(cup,small_bowl)", "| on(lid,pot)"]),
    ("sorting", "| never holding(_, all green block)",
     ["| not(holding(panda,green_block_1))", "| not(holding(panda,green_block_2))"]),
    ("sorting", "not in(all red block, red bowl)",
     ["not(in(red_block_1,red_bowl)) & not(in(red_block_2,red_bowl))"]),
    ("lab", "in(box, tray)", ["on(box,tray)"]),
    ("lab", "on(box, agv)", ["aboard(box,agv)"]),
    ("lab", "at(box, area 2)", ["in_area(box,area_2)"]),
    ("lab", "at(_, dock)", ["docked(agv,dock)"]),
    ("agv", "docked(_, area 2)", ["at(agv,area_2)"]),
    ("agv", "visited(_, area 1 + area 2) > at(_, area 3)", ["visited(agv,area_1) & visited(agv,area_2)",
                                                            "at(agv,area_3)"]),
    ("agv", "@agv: at(_, any area)", ["@agv any(at(agv,area_1),at(agv,area_2),at(agv,area_3))"]),
    ("barman", "in(lime slice, first glass)", ["contains(first_glass,lime_slice)"]),
    ("barman", "on(first glass, tray)", ["at(first_glass,tray)"]),
    ("barman", "level(first glass, 200)", ["level(first_glass,200)"]),
    ("barman", "level(first glass, 20 ml)", ["level(first_glass,20)"]),
    ("barman", "not closed(fridge) & powered(shaker)", ["not(closed(fridge)) & powered(electric_shaker)"]),
    ("household", "in(salmon, fridge) & closed(fridge)", ["inside(salmon_14,fridge_12) & closed(fridge_12)"]),
    ("household", "at(_, kitchen) > sitting(_)", ["close(character,kitchen_1)", "sitting(character)"]),
    ("tabletop", "maybe holding(_, box) > if not on(box, table): on(box, cylinder)",
     ["maybe holding(panda,box)", "if not(on(box,table)): on(box,cylinder)"]),
]


@pytest.mark.parametrize(("scene", "line", "meant"), LINES)
def test_a_line_means_the_facts_that_the_types_allow(scene, line, meant):
    assert goal(scene, line) == meant


@pytest.mark.parametrize(("scene", "line"), [(scene, line) for scene, line, _ in LINES])
def test_its_goal_fits_the_domain_and_can_be_written_and_read_again(scene, line):
    found = linked(scene, line)
    assert isinstance(found, Goal)
    assert parse_goal(found.texts) == found
    assert check_goal(found, *scene_world(scene)) is None


def test_otherwise_is_done_in_place_of_a_stage_that_does_not_apply():
    found = linked("bowl", "if in(box, bowl): on(box, table) else in(cylinder, bowl)")
    assert isinstance(found, Goal)
    assert [*map(str, found.stages)] == ["if in(box,bowl): on(box,table)"]
    assert [*map(str, found.otherwise)] == ["in(cylinder,bowl)"]


def test_a_question_of_all_is_denied_as_a_whole():
    (stage,) = goal("sorting", "if not in(all red block, red bowl): holding(_, red block 1)")
    assert stage.startswith("if not(all(in(red_block_1,red_bowl),in(red_block_2,red_bowl))): ")


@pytest.mark.parametrize(("scene", "line", "why"), [
    ("bowl", "in(bowl, box)", "the bowl is not a graspable"),
    ("bowl", "holding(_, bowl)", "the bowl is not a graspable"),
    ("sorting", "on(red bowl, blue bowl)", "the red bowl is not a graspable"),
    ("tabletop", "broken(box)", "Nothing here can be 'broken'"),
    ("tabletop", "lying(box, cylinder)", "'lying' is said as"),
    ("tabletop", "on(box, box)", "The box cannot be on itself."),
    ("agv", "holding(_, area 1)", "Nothing here can be 'holding'"),
    ("barman", "in(rum bottle, first glass)", "The rum bottle cannot be in the first glass."),
    ("barman", "level(first glass, tray)", "a number is needed"),
    ("tabletop", "docked(_, box)", "nobody here can be docked"),
])
def test_what_no_predicate_says_is_refused_with_the_reason(scene, line, why):
    assert why.lower() in refused(scene, line, Reason.IMPOSSIBLE).lower()


@pytest.mark.parametrize(("line", "reason"), [
    ("refuse impossible", Reason.IMPOSSIBLE), ("refuse unsafe", Reason.UNSAFE),
    ("refuse nothing", Reason.NOTHING_TO_DO)])
def test_a_refusal_keeps_its_reason_and_says_why(line, reason):
    assert refused("tabletop", line, reason)


def test_a_missing_object_is_named_with_those_that_could_be_meant():
    assert refused("bowl", "in(teapot, bowl)", Reason.UNKNOWN_OBJECT) == \
        "There is no teapot here. There are: box, cylinder."
    text = refused("household", "close(_, teapot)", Reason.UNKNOWN_OBJECT)
    assert text.endswith(" more.")
    assert text.count(",") == 11


CROWD = table_of({
    f"{colour}_{kind}_{number}": (type_, colour) for colour in ("red", "blue", "green", "white", "black")
    for kind, type_ in (("box", "box"), ("can", "cylinder"), ("bowl", "bowl")) for number in range(10)})


@pytest.mark.parametrize("line", [
    "in(all object, any bowl)", "on(all object, all object)", " & ".join(["on(any object, any object)"] * 20),
    "holding(_, any object)", "in(exactly 3 object, all bowl)", "in(all object, same bowl)",
])
def test_a_goal_of_too_many_parts_is_refused_soon(line):
    began = time.process_time()
    assert "too much at once" in refused((DOMAIN, CROWD), line, Reason.IMPOSSIBLE)
    assert time.process_time() - began < 5.0


@pytest.mark.parametrize("line", [
    "in(object, bowl)", "swap(box, can)", "in(all box, matching bowl)", "in(all box, different bowl)",
    f"row({' + '.join(['any box'] * 50)})", f"tower({' + '.join(['any red box'] * 11)})",
    "in(box {nearest bowl {nearest can {left_of red box}}}, red bowl 1)", "answer where all object",
    "answer is in(all object, any bowl)",
])
def test_a_crowded_table_takes_no_long_thought(line):
    began = time.process_time()
    found = linked((DOMAIN, CROWD), line)
    assert time.process_time() - began < 5.0
    if isinstance(found, Goal):
        assert parse_goal(found.texts) == found
