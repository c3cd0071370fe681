"""Joints of doors and drawers: positions from poses, the axis as motions show it, and what a scene may say of them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.config.files import config_file
from hicrisp_core.domain.checker import check
from hicrisp_core.domain.wording import words_of
from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.settings import OFFLINE, load_llm_settings
from hicrisp_core.model import Command, Pose, Relation, Task
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.model.joint import Joint
from hicrisp_core.model.world import inside_of
from hicrisp_core.plan import first_look
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.ports.interpreter import Request
from hicrisp_core.scene import domain_of, load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.factory import make_interpreter

HOME = Pose((0.6, 0.1, 0.2), from_yaw(math.pi))
DOOR = Joint("swing", "cupboard", HOME, (0.0, 0.0, 1.0), (0.6, -0.05, 0.2), (0.0, 1.7), Pose((0.05, -0.1, 0.0)),
             (0.016, 0.1))
DRAWER = replace(DOOR, kind="slide", axis=(-1.0, 0.0, 0.0), reach=(0.0, 0.2))

SCENE = """
scene: corner
domain: furniture
robots: [panda]
objects:
  chest: {type: case, size: [0.26, 0.36, 0.13], position: [0.7, 0.0], yaw: 180}
  drawer: {type: drawer, shape: tray, size: [0.25, 0.34, 0.08], on: chest, joint: {kind: slide, reach: [0, 0.19]}}
  trunk: {type: cupboard, shape: tray, size: [0.20, 0.20, 0.10], position: [0.45, 0.40]}
  lid: {type: door, shape: box, size: [0.20, 0.20, 0.012], on: trunk, joint: {kind: swing, reach: [0, 90], opening: 45}}
  knob: {type: door, shape: box, size: [0.02, 0.06, 0.03], on: chest, joint: {kind: turn, reach: [0, 90]}}
  spoon: {type: box, size: [0.02, 0.02, 0.02], on: drawer}
"""


@pytest.mark.parametrize(("joint", "by"), [(DOOR, 0.3), (DOOR, 1.6), (DOOR, -0.2), (DRAWER, 0.12)])
def test_the_position_is_measured_from_the_pose_of_the_part(joint: Joint, by: float) -> None:
    assert joint.position(joint.moved(joint.home, by)) == pytest.approx(by)


def test_a_door_that_stands_square_to_its_front_is_wide_open_and_a_lid_where_it_goes_no_farther() -> None:
    lid, square = replace(DOOR, axis=(0.0, 1.0, 0.0)), math.pi / 2.0
    assert [DOOR.share(DOOR.moved(HOME, by)) for by in (square, 1.7)] == pytest.approx([1.0, 1.0])
    assert lid.share(lid.moved(HOME, square)) == pytest.approx(square / 1.7)


@pytest.mark.parametrize("way", [(0.1, 0.7), (0.7, 0.1)])
def test_a_motion_shows_an_axis_that_leans_and_stands_elsewhere(way: "tuple[float, float]") -> None:
    real = replace(DOOR, axis=(math.sin(0.09), 0.0, math.cos(0.09)), point=(0.62, -0.03, 0.2))
    first, last = (real.moved(HOME, by) for by in way)
    shown = DOOR.followed(first, last)
    assert shown.axis == pytest.approx(real.axis, abs=1e-6)
    there, expected = (joint.moved(last, 0.4).position for joint in (shown, real))
    assert there == pytest.approx(expected, abs=1e-6)


def test_a_motion_shows_the_way_of_a_drawer_and_a_small_one_shows_nothing() -> None:
    aside = (-math.cos(0.09), math.sin(0.09), 0.0)
    real = replace(DRAWER, axis=aside)
    assert DRAWER.followed(HOME, real.moved(HOME, 0.1)).axis == pytest.approx(aside)
    assert DRAWER.followed(HOME, real.moved(HOME, 0.005)) == DRAWER


def made(folder: Path, text: str = SCENE) -> Path:
    file = folder / "corner.yaml"
    file.write_text(text)
    return file


def test_parts_of_a_scene_stand_where_their_joints_say(tmp_path: Path) -> None:
    objects = load_scene(made(tmp_path)).objects
    assert not objects["chest"].movable
    drawer, lid, knob = (objects[name] for name in ("drawer", "lid", "knob"))
    assert drawer.pose.position == pytest.approx((0.695, 0.0, 0.065))  # Its front is the chest's.
    assert drawer.joint.axis == pytest.approx((-1.0, 0.0, 0.0))  # The chest is turned about.
    assert lid.joint.position(lid.pose) == pytest.approx(math.radians(45.0))
    assert lid.pose.position[2] > 0.15  # It opens upwards, about the edge behind.
    assert lid.pose.position[0] < 0.45
    assert knob.joint.axis == pytest.approx((-1.0, 0.0, 0.0))
    assert inside_of(objects) == {"spoon": "drawer"}
    open_ = {**objects, "drawer": drawer.at(drawer.joint.moved(drawer.pose, 0.1))}
    assert inside_of(open_) == {}


@pytest.mark.parametrize(("before", "after", "why"), [
    ("on: chest, joint: {kind: slide", "position: [0.3, 0.3], joint: {kind: slide", "part of"),
    ("reach: [0, 0.19]", "reach: [0, 0.19], opening: 0.4", "within"),
    ("kind: slide", "kind: glide", "kind"),
])
def test_a_joint_that_cannot_be_is_refused(tmp_path: Path, before: str, after: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        load_scene(made(tmp_path, SCENE.replace(before, after)))


@pytest.mark.parametrize(("task", "expected"), [
    ("open the drawer", ["open(left_arm, drawer)"]),
    ("put the red box into the drawer and close it",
     ["open(left_arm, drawer)", "pick(left_arm, red_box)", "place_in(left_arm, red_box, drawer)",
      "close(left_arm, drawer)"]),
    ("open the cupboard", ["open(right_arm, cupboard)"]),
])
def test_what_goes_into_furniture_is_planned_with_opening_it(task: str, expected: "list[str]") -> None:
    scene = load_scene("kitchen_arms")
    domain = domain_of(scene)
    world = first_look(scene, domain)
    goal = make_interpreter(load_llm_settings(config_file("llm", OFFLINE)), domain).understand(
        Request(task, world), Deadline(60.0)).meaning
    plan = SearchBrain(domain).plan(PlanRequest(Task(task), world, goal=goal), Deadline(60.0)).plan
    assert plan is not None
    assert [str(step) for step in plan.steps] == expected


@pytest.mark.parametrize(("action", "arguments", "facts", "label"), [
    ("pick", {"item": "red_box"}, {("in", "red_box", "drawer")}, "closed"),
    ("place_in", {"item": "red_box", "container": "drawer"}, {("holding", "left_arm", "red_box")}, "closed"),
    ("open", {"item": "drawer"}, {("holding", "left_arm", "red_box")}, ""),
    ("open", {"item": "cupboard"}, set(), "out_of_reach"),
    ("place_in", {"item": "red_box", "container": "cupboard"}, {
        ("holding", "left_arm", "red_box"), ("reaches", "left_arm", "cupboard")}, "closed"),
])
def test_closed_furniture_and_full_hands_are_told_before_anything_moves(
    action: str, arguments: "dict[str, str]", facts: "set[tuple[str, str, str]]", label: str
) -> None:
    scene = load_scene("kitchen_arms")
    domain = domain_of(scene)
    world = first_look(scene, domain)
    world = world.with_relations(world.relations | {Relation(subject, name, other) for name, subject, other in facts})
    feedback = check(domain, Command(action, {"robot": "left_arm", **arguments}, "left_arm"), world)
    assert feedback is not None
    assert feedback.label == label
    assert words_of(feedback, domain).suggestion
