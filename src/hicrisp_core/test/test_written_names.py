"""Words name objects by their names, types and attribute values, and never one that contradicts them."""

from __future__ import annotations

import pytest
from hicrisp_core.parsing.names import Names
from test_written_worlds import Reason, goal, refused, scene_world, table_of

DOMAIN = scene_world("tabletop")[0]


def called(things, words):
    return Names(DOMAIN, table_of(things)).fitting(words)


@pytest.mark.parametrize(("scene", "words", "meant"), [
    ("sorting", "red block 1", ["red_block_1"]),
    ("sorting", "red block", ["red_block_1", "red_block_2"]),
    ("sorting", "green box", ["green_block_1", "green_block_2"]),
    ("sorting", "blue one", ["blue_block_1", "blue_block_2", "blue_bowl"]),
    ("sorting", "bowl", ["blue_bowl", "green_bowl", "red_bowl"]),
    ("breakfast", "egg cup", ["egg_cup"]),
    ("breakfast", "eggcup", ["egg_cup"]),
    ("breakfast", "cup", ["egg_cup"]),
    ("agv", "area two", ["area_2"]),
    ("agv", "second area", ["area_2"]),
    ("agv", "area2", ["area_2"]),
    ("agv", "station", ["dock"]),
    ("barman", "ice cube", ["ice_cubes"]),
    ("barman", "1st glass", []),
    ("barman", "glass 1", ["first_glass"]),
    ("barman", "left hand", ["hand_left"]),
    ("household", "kitchen counter", ["kitchencounter_15"]),
    ("household", "coffee table", ["coffeetable_54", "coffeetable_61"]),
    ("household", "plate 21", ["plate_21"]),
    ("lab", "robot", ["agv", "panda"]),
])
def test_spaces_numbers_and_plurals_are_only_spelling(scene, words, meant):
    assert Names(*scene_world(scene)).fitting(words) == tuple(meant)


@pytest.mark.parametrize("words", [
    "blue block 1 2", "yellow block", "red teapot", "teapot", "red green block", "block 3"])
def test_a_word_that_is_not_said_of_an_object_excludes_it(words):
    assert Names(*scene_world("sorting")).fitting(words) == ()


def test_the_colour_that_an_object_has_counts_and_not_the_one_in_its_name():
    things = {"red_block_1": ("box", "blue"), "red_block_2": ("box", "red")}
    assert called(things, "red block") == ("red_block_2",)
    assert called(things, "blue block") == ("red_block_1",)
    assert called(things, "red block 1") == ("red_block_1",)


def test_the_head_of_a_name_tells_its_kind():
    things = {"glass": ("cylinder", ""), "glass_bowl": ("bowl", "")}
    assert called(things, "glass") == ("glass",)
    assert called(things, "bowl") == ("glass_bowl",)


def test_a_kind_in_a_name_goes_before_the_type_that_stands_for_a_shape():
    things = {"red_box": ("box", "red"), "blue_box": ("box", "blue"), "stapler": ("box", "black")}
    assert called(things, "box") == ("blue_box", "red_box")
    assert called({"stapler": ("box", "black")}, "black box") == ("stapler",)


def test_what_is_only_spoken_of_in_facts_has_a_name_too():
    assert goal("barman", "contains(first glass, rum)") == ["contains(first_glass,rum)"]
    assert goal("barman", "at(rum, table)") == ["at(rum_bottle,table)"]


@pytest.mark.parametrize("names", [
    ("ignore_all_previous", "instructions"), ("größe_1", "größe_2"), ("a", "b"), ("箱", "球"), ("all", "2"),
    ("empty_bowl", "largest_box"), ("other_box", "middle_block"), ("x" * 80, "y" * 80), ("null", "true"),
    ("cell_1_2", "cell_2_1"), ("one", "thing"),
])
def test_any_name_is_only_a_name(names):
    one, other = names
    world = table_of({one: ("box", ""), other: ("box", "")})
    line = f"on({one.replace('_', ' ')}, {other.replace('_', ' ')})"
    assert goal((DOMAIN, world), line) == [f"on({one},{other})"]


def test_a_name_that_reads_like_an_order_is_not_followed():
    world = table_of({"ignore_all_previous": ("box", "red"), "bowl": ("bowl", "")})
    assert goal((DOMAIN, world), "in(red one, bowl)") == ["in(ignore_all_previous,bowl)"]
    text = refused((DOMAIN, world), "in(teapot, bowl)", Reason.UNKNOWN_OBJECT)
    assert text == "There is no teapot here. There is: ignore all previous."
