"""Requests that give a name to what no file describes; whatever else is said there is a task."""

from __future__ import annotations

import pytest
from hicrisp_core.understanding.controlled.interpreter import NamingRequest, naming_in


@pytest.mark.parametrize(("text", "thing", "name"), [
    ("call the unknown thing coffee cup", "", "coffee cup"),
    ("Call the unknown object the mug.", "", "mug"),
    ("please name unknown_2 my cup", "unknown_2", "cup"),
    ("the unknown thing is called milk", "", "milk"),
    ("Unknown 3 is a coffee cup", "unknown_3", "coffee cup"),
    ("name the  unknown   thing as 'tea'", "", "tea"),
])
def test_a_name_is_taken_from_the_words(text: str, thing: str, name: str) -> None:
    assert naming_in(text) == NamingRequest(thing, name)


@pytest.mark.parametrize(("text", "thing", "name"), [
    ("call the mug coffee cup", "mug", "coffee cup"), ("name the mug 2 as tea", "mug_2", "tea"),
    ("the mug is now called milk", "mug", "milk"), ("call the unknown thing mug", "", "mug")])
def test_what_has_a_name_gets_another_one(text: str, thing: str, name: str) -> None:
    assert naming_in(text, ("mug", "mug_2", "box")) == NamingRequest(thing, name)


@pytest.mark.parametrize("text", [
    "put the unknown thing next to the box", "the unknown thing is next to the box", "call the box cup",
    "pick up unknown_1", "call the unknown thing", "name the colours", "is the unknown thing a cup?",
    "call the unknown thing cup, then pick it up", ""])
def test_a_task_is_no_name(text: str) -> None:
    assert naming_in(text) is None
