"""What is too wide for the hand is led by its rim, or pressed on and slid past what stands there, and is looked at."""

from __future__ import annotations

import math
from dataclasses import replace
from threading import Event
from typing import Callable

import numpy as np
import pytest
from acting import LIMIT, Lab, table_with
from hicrisp_core.extensions import extensions
from hicrisp_core.model import CauseKind, Command, Outcome, Pose, Status
from hicrisp_core.model.geometry import from_euler, from_yaw
from hicrisp_core.model.keep_out import vertical_span
from hicrisp_core.model.shapes import Solid
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.robot.measured_shape import shape_from
from hicrisp_core.robot.skilled import SkillUse
from hicrisp_core.scene import Scene
from hicrisp_core.time.deadline import Deadline

PLATE = {"slab": ("cylinder", (0.14, 0.14, 0.02), (0.45, -0.15))}


def slide(lab: Lab, x: float, y: float, item: str = "slab") -> Outcome:
    robot = lab.world.robots["panda"]
    robot._skills["slide"] = (extensions().skills.get("slide"), SkillUse("slide", "item"))
    goal = Pose((x, y, lab.see().objects[item].pose.position[2]))
    command = Command("slide", {"robot": "panda", "item": item}, "panda", target=goal, time_limit=120.0)
    return robot.execute(command, Deadline(LIMIT), Event())


def at(lab: Lab, item: str = "slab") -> tuple:
    return lab.see().objects[item].pose.position[:2]


def with_rim(scene: Scene) -> Scene:
    """The scene with a rim at the slab that rises outwards, under which a finger fits."""
    slab, away = scene.objects["slab"], np.hypot(*(np.indices((25, 25)) - 12.0) / 12.5)
    heights = np.where(away > 1.0, -1.0, np.where(away > 0.8, 0.02, 0.005))
    up = Pose((0.054, 0.0, 0.002), from_euler(0.0, math.radians(-25.0), 0.0))
    solids = (Solid("cylinder", (0.09, 0.09, 0.005), Pose((0.0, 0.0, -0.0075))), *(
        Solid("box", (0.034, 0.026, 0.003), Pose((0.0, 0.0, 0.0), from_yaw(math.tau * number / 16)).compose(up))
        for number in range(16)))
    form = shape_from(slab.size, heights, solids, slab.pose, bodies_of(scene)["panda"].gripper).form
    return replace(scene, objects={
        **scene.objects, "slab": replace(slab, own_form=replace(form, solids=lambda size: solids))})


@pytest.mark.parametrize("x", [0.45, 0.3], ids=["over what is low in its way", "along the table"])
def test_a_plate_is_led_by_its_rim(x: float, monkeypatch: pytest.MonkeyPatch) -> None:
    lab, taken = Lab(with_rim(table_with(**PLATE, card=("box", (0.05, 0.05, 0.008), (x, 0.02))))), []
    before, grasp = at(lab, "card"), lab.arm.grasp
    monkeypatch.setattr(lab.arm, "grasp", lambda *told: taken.append(told) or grasp(*told))
    assert slide(lab, 0.45, 0.16).ok
    assert taken
    assert at(lab) == pytest.approx((0.45, 0.16), abs=0.008)
    assert at(lab, "card") == pytest.approx(before, abs=0.003)


def test_what_cannot_be_led_on_is_set_down_before_it_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Lab(with_rim(table_with(**PLATE, card=("box", (0.05, 0.05, 0.008), (0.45, 0.02)))))
    arm, plan, move, stuck, lowest = lab.arm, lab.arm.plan_line, lab.arm.move_gripper, [], []

    def plan_line(pose, *rest):
        if not arm.attached or math.dist(pose.position[:2], arm.tool_pose().position[:2]) < 0.05:
            return plan(pose, *rest)
        stuck.append(arm.tool_pose())
        return MotionFailure("no_path", "it goes no farther")

    def move_gripper(*told):
        slab = lab.see().objects["slab"]
        lowest.extend([vertical_span(slab, slab.pose)[0]] if arm.attached else [])
        return move(*told)

    monkeypatch.setattr(arm, "plan_line", plan_line)
    monkeypatch.setattr(arm, "move_gripper", move_gripper)
    slide(lab, 0.45, 0.16)
    assert stuck[0].position[2] > 0.1
    assert lowest[0] < 0.01


def test_a_flat_object_wider_than_the_hand_is_slid_to_its_goal() -> None:
    lab = Lab(table_with(**PLATE))
    assert slide(lab, 0.5, 0.05).ok
    assert at(lab) == pytest.approx((0.5, 0.05), abs=0.008)


def test_on_the_way_to_what_is_pressed_on_it_is_not_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    lab, touched = Lab(table_with(**PLATE)), []
    plan = lab.arm.plan_to

    def plan_to(pose, deadline, touch=frozenset(), then=()):
        if then:
            return MotionFailure("unreachable", "it gets along only part of the way")
        touched.append(touch)
        return plan(pose, deadline, touch, then)

    monkeypatch.setattr(lab.arm, "plan_to", plan_to)
    assert slide(lab, 0.5, 0.05).ok
    assert set(touched) == {frozenset()}


def test_it_is_slid_around_what_stands_in_its_way() -> None:
    lab = Lab(table_with(**PLATE, tin=("cylinder", (0.04, 0.04, 0.03), (0.45, 0.0))))
    before = at(lab, "tin")
    assert slide(lab, 0.45, 0.16).ok
    assert at(lab) == pytest.approx((0.45, 0.16), abs=0.008)
    assert at(lab, "tin") == pytest.approx(before, abs=0.003)


def test_what_is_led_around_may_not_be_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    lab, touched = Lab(with_rim(table_with(**PLATE, tin=("cylinder", (0.04, 0.04, 0.14), (0.45, 0.0))))), []
    plan = lab.arm.plan_line
    monkeypatch.setattr(lab.arm, "plan_line", lambda pose, deadline, speed, touch=frozenset(): (
        touched.append(touch) if lab.arm.attached else None) or plan(pose, deadline, speed, touch))
    before = at(lab, "tin")
    assert slide(lab, 0.45, 0.16).ok
    assert touched
    assert all("tin" not in touch for touch in touched)
    assert at(lab, "tin") == pytest.approx(before, abs=0.003)


@pytest.mark.parametrize("made", [Lab, lambda scene: Lab(with_rim(scene))], ids=["pressed on", "by its rim"])
def test_where_there_is_no_way_past_it_is_told_what_stands_there(made: Callable[[Scene], Lab]) -> None:
    lab = made(table_with(**PLATE, tin=("cylinder", (0.04, 0.04, 0.03), (0.45, 0.1))))
    outcome = slide(lab, 0.45, 0.12)
    assert outcome.status is Status.PLANNING
    assert outcome.cause.kind is CauseKind.BLOCKED
    assert outcome.blockers == ("tin",)
    assert at(lab) == pytest.approx((0.45, -0.15), abs=0.003)


def test_what_would_tip_over_is_not_pushed() -> None:
    lab = Lab(table_with(tower=("box", (0.1, 0.1, 0.2), (0.45, -0.1))))
    assert slide(lab, 0.5, 0.05, "tower").cause.kind is CauseKind.NO_GRASP


def test_what_did_not_come_along_is_reported_with_how_far_off_it_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Lab(with_rim(table_with(**PLATE)))
    arm, follow = lab.arm, lab.arm.follow
    monkeypatch.setattr(arm, "follow", lambda *told, **how: (
        Outcome(Status.SUCCESS) if arm.attached else follow(*told, **how)))
    outcome = slide(lab, 0.45, 0.16)
    assert outcome.status is Status.EXECUTION
    assert outcome.message == "Cannot slide the slab: it stays 31.0 cm from its goal."
    assert (outcome.cause.kind, outcome.cause.names) == (CauseKind.OFF_GOAL, ("slab",))
