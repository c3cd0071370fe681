"""Towers, rows and columns, exchanges of places, and recipes."""

from __future__ import annotations

import pytest
from hicrisp_core.config.recipes import recipes
from test_written_worlds import Context, Reason, goal, refused, scene_world, table_of

DOMAIN = scene_world("tabletop")[0]
ROW = {"red_box": (0.4, 0.2), "green_box": (0.4, 0.0), "blue_box": (0.4, -0.2)}
THREE = (DOMAIN, table_of({name: ("box", name.split("_")[0]) for name in ROW}, ROW))
BAR = Context(recipes=recipes())


@pytest.mark.parametrize(("line", "meant"), [
    ("tower(red box + green box + blue box)", "on(green_box,red_box) & on(blue_box,green_box)"),
    ("tower_down(red box + green box + blue box)", "on(green_box,blue_box) & on(red_box,green_box)"),
    ("reverse tower(red box + green box)", "on(red_box,green_box)"),
    ("tower(table + red box)", "on(red_box,table)"),
    ("row(blue box + red box)", "left_of(blue_box,red_box)"),
    ("row_left(blue box + red box + green box)", "left_of(green_box,red_box) & left_of(red_box,blue_box)"),
    ("column(blue box + red box)", "in_front_of(blue_box,red_box)"),
    ("column_back(blue box + red box)", "in_front_of(red_box,blue_box)"),
    ("row(all box)", "left_of(red_box,green_box) & left_of(green_box,blue_box)"),
    ("reverse row(all box)", "left_of(blue_box,green_box) & left_of(green_box,red_box)"),
    ("row(blue box + all box)", "left_of(blue_box,red_box) & left_of(red_box,green_box)"),
    ("tower(2 box)", "any(on(green_box,red_box),on(blue_box,red_box),on(blue_box,green_box))"),
    ("swap(red box, blue box)", "left_of(blue_box,red_box)"),
])
def test_an_order_is_told_by_its_neighbours(line, meant):
    assert goal(THREE, line) == [meant]


def test_a_tower_of_all_keeps_the_pile_that_stands():
    pile = [("red_box", "on", "blue_box")]
    assert goal(THREE, "tower(all box)", facts=pile, gone=[("red_box", "on", "table")]) == [
        "on(red_box,blue_box) & on(green_box,red_box)"]


def test_of_many_counts_at_once_only_so_many_layouts_are_made():
    places = {f"{colour}_box_{i}": (0.3 + 0.02 * i, 0.0) for colour in ("red", "green", "blue") for i in range(12)}
    world = table_of({name: ("box", name.split("_")[0]) for name in places}, places)
    (found,) = goal((DOMAIN, world), f"tower({' + '.join(2 * ['6 red box', '6 green box', '6 blue box'])})")
    assert found.count("on(") == 35


def test_a_tower_of_any_is_any_of_its_towers():
    (found,) = goal("sorting", "tower(any red block + any green block)")
    assert found == ("any(on(green_block_1,red_block_1),on(green_block_2,red_block_1),"
                     "on(green_block_1,red_block_2),on(green_block_2,red_block_2))")


def test_an_order_needs_two_objects_and_a_predicate():
    assert "two objects at least" in refused(THREE, "tower(red box)", Reason.IMPOSSIBLE)
    assert "object of its own" in refused(THREE, "row(red box + any red box)", Reason.IMPOSSIBLE)
    assert "Nothing here can be 'left of'" in refused("agv", "row(all area)", Reason.IMPOSSIBLE)


@pytest.mark.parametrize(("facts", "meant"), [
    ([("red_box", "on", "blue_box")], "on(blue_box,red_box) & on(red_box,table)"),
    ([("red_box", "in", "bowl")], "in(blue_box,bowl) & on(red_box,table)"),
    ([("red_box", "left_of", "green_box"), ("blue_box", "right_of", "green_box")],
     "left_of(blue_box,green_box) & right_of(red_box,green_box)"),
    ([("red_box", "behind", "blue_box")], "behind(blue_box,red_box)"),
])
def test_two_that_swap_take_each_others_places(facts, meant):
    world = table_of({**{name: ("box", "") for name in ROW}, "bowl": ("bowl", "")})
    moved = [("red_box", "on", "table")] if facts[0][1] in ("on", "in") else []
    assert goal((DOMAIN, world), "swap(red box, blue box)", facts=facts, gone=moved) == [meant]


def test_a_swap_needs_two_places_that_are_known():
    world = table_of({name: ("box", "") for name in ROW})
    assert "are not known" in refused((DOMAIN, world), "swap(red box, blue box)", Reason.IMPOSSIBLE)
    assert "Two objects change places" in refused((DOMAIN, world), "swap(all box)", Reason.IMPOSSIBLE)
    assert goal("barman", "swap(rum bottle, milk bottle)") == [
        "at(milk_bottle,shelf) & at(rum_bottle,fridge)"]


def test_a_recipe_is_what_its_vessel_must_contain():
    assert goal("barman", "made(gin and tonic, first glass)", context=BAR) == [
        "contains(first_glass,gin) & contains(first_glass,tonic_water)"]
    (found,) = goal("barman", "made(caipirinha)", context=BAR)
    assert found.startswith("any(all(contains(fifth_glass,lime_slice),contains(fifth_glass,sugar_cubes),"
                            "contains(fifth_glass,rum),at(fifth_glass,tray)),all(")


@pytest.mark.parametrize("line", ["made(2 martini)", "made(martini + martini)", "made(martini) & made(martini)"])
def test_no_two_drinks_are_made_in_one_glass(line):
    (two,) = goal("barman", line, context=BAR)
    assert {each for each in two.replace(",", " ").replace("(", " ").split() if each.endswith("_glass")} == {
        "fifth_glass", "first_glass"}


def test_a_recipe_is_made_where_nothing_else_is():
    spilt = [(f"{name}_glass", "contains", "milk") for name in ("first", "second", "third", "fifth")]
    assert goal("barman", "made(martini)", facts=spilt, context=BAR) == [
        "contains(forth_glass,gin) & contains(forth_glass,vermouth) & at(forth_glass,tray)"]
    assert goal("pizza", "made(mushroom pizza)", context=BAR) == [
        "contains(pizza_dough,tomato_sauce) & contains(pizza_dough,mozzarella_cheese) & contains(pizza_dough,mushrooms)"
    ]


def test_a_recipe_that_is_not_known_or_lacks_something_is_refused():
    text = refused("barman", "made(beer)", Reason.UNKNOWN_OBJECT, context=BAR)
    assert "There are: bloody mary, caipirinha" in text
    text = refused("barman", "made(caipirinha)", Reason.UNKNOWN_OBJECT, context=BAR,
                   gone=[("rum_bottle", "contains", "rum")])
    assert "no rum for caipirinha" in text
