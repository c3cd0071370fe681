"""Noun phrases about parts, sides and colours, in a scene of a kitchen."""

from __future__ import annotations

from typing import Tuple

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.model import Pose, Relation, RobotState, WorldObject, WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Question, Refusal
from hicrisp_core.ports.interpreter import Request
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.controlled.interpreter import ControlledInterpreter
from hicrisp_core.understanding.verifier import verify


def _at(name: str, type_: str, place: Tuple[float, float], movable: bool = True, **attributes: str) -> WorldObject:
    return WorldObject(name, type_, "box", (0.05, 0.05, 0.05), attributes, Pose((*place, 0.025)), movable=movable)


WORLD = WorldState({each.name: each for each in (
    WorldObject("table", "surface", "surface", (1.0, 1.0, 0.04), movable=False, pose=Pose((0.5, 0.0, -0.02))),
    _at("chest", "case", (0.8, 0.4), False), _at("upper_drawer", "drawer", (0.8, 0.4), False, of="chest"),
    _at("lower_drawer", "drawer", (0.8, 0.4), False, of="chest"),
    _at("tin_1", "cylinder", (0.4, 0.30)), _at("tin_2", "cylinder", (0.4, 0.0)), _at("tin_3", "cylinder", (0.6, -0.2)),
    _at("white_jar", "cylinder", (0.3, -0.3), colour="white"),
    _at("red_white_jar", "cylinder", (0.3, -0.4), colour="red white"),
    _at("baketray", "box", (0.45, -0.45)), _at("sponge", "box", (0.5, 0.10)), _at("soap", "box", (0.5, 0.40)))},
    frozenset({Relation("upper_drawer", "closed"), Relation("lower_drawer", "closed")}),
    {"panda": RobotState("panda", "arm")})


def _meaning(text: str):
    interpreter = ControlledInterpreter(load_domain(config_file("domains", "furniture")))
    return interpreter.understand(Request(text, WORLD, ()), Deadline(10)).meaning


@pytest.mark.parametrize(("text", "condition"), [
    ("open the upper drawer of the chest", "open(upper_drawer)"),
    ("open the chest's lower drawer", "open(lower_drawer)"),
    ("pick up the left tin", "holding(panda,tin_1)"),
    ("put the tin on the right next to the soap", "next_to(tin_3,soap)"),
    ("pick up the tin at the back", "holding(panda,tin_3)"),
    ("put the red and white jar next to the soap", "next_to(red_white_jar,soap)"),
    ("pick up the white jar", "holding(panda,white_jar)"),
    ("pick up the baking tray", "holding(panda,baketray)"),
    ("pick up the tin between the soap and the sponge", "holding(panda,tin_1)"),
    ("take left tin and place in upper drawer", "in(tin_1,upper_drawer)"),
    ("put the soap on top of the drawer", "on(soap,chest)"),
    ("close the upper drawer of the chest and put the soap on top of it", "on(soap,chest)"),
    ("pick up the tin next to the sponge", "holding(panda,tin_2)"),
])
def test_a_phrase_names_the_object_that_a_person_means(text: str, condition: str) -> None:
    meaning = _meaning(text)
    assert isinstance(meaning, Goal), meaning
    assert condition in str(meaning.stages[0])


def test_what_is_not_between_two_objects_is_asked_for_if_there_are_several() -> None:
    assert isinstance(_meaning("pick up the tin not between the soap and the sponge"), Question)


def test_a_part_that_the_object_does_not_have_is_refused() -> None:
    assert isinstance(_meaning("open the upper drawer of the soap"), Refusal)


def test_what_no_action_moves_is_not_put_anywhere() -> None:
    misfit = verify(_meaning("put the chest on the soap"), load_domain(config_file("domains", "furniture")), WORLD)
    assert str(misfit.quote if misfit else "") == "on(chest,soap)"
