"""Phrases stand for objects by amounts, exceptions, states, ranks, places and what was spoken of before."""

from __future__ import annotations

import pytest
from test_written_worlds import Context, Reason, asked, goal, refused, scene_world, table_of

DOMAIN = scene_world("tabletop")[0]
RED = ["in(red_block_1,red_bowl)", "in(red_block_2,red_bowl)"]


@pytest.mark.parametrize(("line", "meant"), [
    ("in(all red block, red bowl)", " & ".join(RED)),
    ("in(any red block, red bowl)", f"any({','.join(RED)})"),
    ("in(2 red block, red bowl)", " & ".join(RED)),
    ("in(1 red block, red bowl)", f"any({','.join(RED)})"),
    ("in(exactly 1 red block, red bowl)", f"exactly(1,{','.join(RED)})"),
    ("in(at most 1 red block, red bowl)", f"at_most(1,{','.join(RED)})"),
    ("in(all block except green one + blue block, red bowl)", " & ".join(RED)),
    ("in(red block 1 + red block 2, red bowl)", " & ".join(RED)),
    ("in(red block 1, red bowl) or in(red block 2, red bowl)", f"any({','.join(RED)})"),
    ("in(any green block, all green one)", "any(in(green_block_1,green_bowl),in(green_block_2,green_bowl))"),
    ("in(all block {nearest green bowl}, green bowl)", "in(green_block_1,green_bowl)"),
    ("in(leftmost block, blue bowl)", "in(blue_block_1,blue_bowl)"),
    ("in(2 leftmost red block, red bowl)", "in(red_block_2,red_bowl) & in(red_block_1,red_bowl)"),
    ("in(2nd leftmost red block, red bowl)", "in(red_block_1,red_bowl)"),
])
def test_a_phrase_says_how_many_and_which(line, meant):
    assert goal("sorting", line) == [meant]


def test_all_objects_are_those_that_can_be_brought_there():
    assert goal("bowl", "in(all object, bowl)") == ["in(box,bowl) & in(cylinder,bowl)"]
    assert goal("tabletop", "next_to(all object, cylinder)") == ["next_to(box,cylinder)"]


def test_more_than_there_are_is_refused():
    text = refused("sorting", "in(3 red block, red bowl)", Reason.UNKNOWN_OBJECT)
    assert text == "There is no 3 of 'red block' here. There are: red block 1, red block 2."


def test_each_block_goes_into_the_bowl_of_its_colour():
    (found,) = goal("sorting", "in(all block, matching bowl)")
    assert found == " & ".join(f"in({colour}_block_{number},{colour}_bowl)"
                               for colour in ("blue", "green", "red") for number in (1, 2))


def test_without_colours_what_matches_shares_a_word():
    world = table_of({f"{stuff}_{kind}": (type_, "") for stuff in ("oak", "tin")
                      for kind, type_ in (("lid", "box"), ("pot", "bowl"))})
    assert goal((DOMAIN, world), "in(all lid, matching pot)") == ["in(oak_lid,oak_pot) & in(tin_lid,tin_pot)"]


def test_what_has_no_match_is_named():
    world = table_of({"red_box": ("box", "red"), "blue_bowl": ("bowl", "blue")})
    assert "bowl that matches the red box" in refused((DOMAIN, world), "in(all box, matching bowl)",
                                                      Reason.UNKNOWN_OBJECT)


def test_different_ones_are_shared_out_in_any_way_if_that_is_short():
    (found,) = goal("dishes", "in(knife + fork, different bowl)")
    assert found == ("any(all(in(knife,big_bowl),in(fork,small_bowl)),"
                     "all(in(knife,small_bowl),in(fork,big_bowl)))")
    assert "bowl for each of" in refused("sorting", "in(all block, different bowl)", Reason.UNKNOWN_OBJECT)


def test_many_different_ones_are_shared_out_so_that_what_holds_stays():
    world = table_of({**{f"fork_{n}": ("box", "") for n in range(5)},
                      **{f"bowl_{n}": ("bowl", "") for n in range(6)}})
    (found,) = goal((DOMAIN, world), "in(all fork, different bowl)", facts=[("fork_3", "in", "bowl_0")])
    facts = found.split(" & ")
    assert "in(fork_3,bowl_0)" in facts
    assert len({fact.split(",")[1] for fact in facts}) == 5


def test_as_many_as_there_are_places_take_one_each():
    (found,) = goal("dishes", "in(2 box, 2 bowl)")
    assert found.startswith("any(all(")
    assert "in(fork,big_bowl),in(knife,small_bowl)" in found


def test_all_go_to_the_same_one():
    (found,) = goal("dishes", "in(knife + fork, same bowl)")
    assert found == ("any(all(in(knife,big_bowl),in(fork,big_bowl)),"
                     "all(in(knife,small_bowl),in(fork,small_bowl)))")


def test_a_state_tells_bowls_apart():
    inside = [("spoon", "in", "big_bowl")]
    assert goal("dishes", "in(knife, empty bowl)", facts=inside) == ["in(knife,small_bowl)"]
    assert goal("dishes", "in(knife, full bowl)", facts=inside) == ["in(knife,big_bowl)"]
    assert "no full bowl" in refused("bowl", "in(box, full bowl)", Reason.UNKNOWN_OBJECT)


@pytest.mark.parametrize(("line", "meant"), [
    ("in(object {in big bowl}, small bowl)", "in(spoon,small_bowl)"),
    ("in(object {on saucer}, small bowl)", "in(cup,small_bowl)"),
    ("next_to(bowl {in spoon}, plate)", "next_to(big_bowl,plate)"),
    ("holding(_, grey object {not in bowl} {not on table})", "holding(panda,fork)"),
])
def test_a_predicate_in_braces_tells_objects_apart(line, meant):
    assert goal("dishes", line) == [meant]


def test_a_direction_in_braces_counts_from_far_away_too():
    places = {"red_box": (0.4, 0.3), "blue_box": (0.4, -0.3), "plate": (0.4, 0.0)}
    world = table_of({name: ("box", "") for name in places}, places)
    for phrase, meant in (("box {left_of plate}", "red_box"), ("box {not left_of plate}", "blue_box"),
                          ("object {between red box + blue box}", "plate"), ("middle object", "plate"),
                          ("box {farthest blue box}", "red_box")):
        assert goal((DOMAIN, world), f"holding(_, {phrase})") == [f"holding(panda,{meant})"]


def test_what_is_level_in_its_rank_is_asked_for():
    assert "Which largest red block" in asked("sorting", "holding(_, largest red block)").text
    assert goal("breakfast", "holding(_, tallest object)") == ["holding(panda,glass)"]


def test_the_other_one_is_the_one_that_was_not_spoken_of():
    assert goal("sorting", "in(red block 1, red bowl) & in(other red block, blue bowl)") == [
        "in(red_block_1,red_bowl) & in(red_block_2,blue_bowl)"]
    spoken = Context(spoken=("red_block_2", "red_block_1"))
    assert goal("sorting", "in(other red block, red bowl)", context=spoken) == ["in(red_block_2,red_bowl)"]
    spoken = Context(spoken=("red_block_2",))
    assert goal("sorting", "in(other red block, red bowl)", context=spoken) == ["in(red_block_1,red_bowl)"]


def test_it_is_what_was_spoken_of_last_and_fits():
    context = Context(spoken=("fork", "bowl"))
    assert goal("breakfast", "on(it, plate)", context=context) == ["on(fork,plate)"]
    assert asked("tabletop", "holding(_, it)").choices[0].text == "box"


def test_here_and_start_are_where_the_robot_stands_as_the_task_begins():
    now = [("agv", "at", "area_3")]
    assert goal("lab", "in_area(box, here)", facts=now) == ["in_area(box,area_3)"]
    assert goal("lab", "at(_, area 1) > at(_, start)", facts=now) == ["at(agv,area_1)", "at(agv,area_3)"]
    assert goal("household", "close(_, fridge) > close(_, start)", facts=[("character", "close", "bedroom_3")]) == [
        "close(character,fridge_12)", "close(character,bedroom_3)"]
    assert "no known place of a robot" in refused("lab", "at(_, here)", Reason.UNKNOWN_OBJECT)


def test_who_acts_is_the_robot_or_hand_that_fits():
    assert goal("lab", "holding(_, red box) & at(_, area 1)") == ["holding(panda,red_box) & at(agv,area_1)"]
    assert goal("barman", "holding(_, tray)") == ["any(holding(hand_left,tray),holding(hand_right,tray))"]
    assert goal("barman", "@left hand: holding(_, tray)") == ["holding(hand_left,tray)"]
    assert goal("barman", "not holding(_, tray)") == [
        "not(holding(hand_left,tray)) & not(holding(hand_right,tray))"]
    assert goal("lab", "@agv: at(_, area 1)") == ["@agv at(agv,area_1)"]
    assert refused("lab", "@forklift: at(_, area 1)", Reason.UNKNOWN_OBJECT) == \
        "There is no robot 'forklift' here. There are: agv, panda."
