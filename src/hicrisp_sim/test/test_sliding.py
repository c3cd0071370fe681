"""What is too wide for the hand is pressed on and slid along the table, past what stands there, and is looked at."""

from __future__ import annotations

from threading import Event

import pytest
from acting import LIMIT, Lab, table_with
from hicrisp_core.extensions import extensions
from hicrisp_core.model import CauseKind, Command, Outcome, Pose, Status
from hicrisp_core.robot.skilled import SkillUse
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


def test_a_flat_object_wider_than_the_hand_is_slid_to_its_goal() -> None:
    lab = Lab(table_with(**PLATE))
    assert slide(lab, 0.5, 0.05).ok
    assert at(lab) == pytest.approx((0.5, 0.05), abs=0.008)


def test_it_is_slid_around_what_stands_in_its_way() -> None:
    lab = Lab(table_with(**PLATE, tin=("cylinder", (0.04, 0.04, 0.03), (0.45, 0.0))))
    before = at(lab, "tin")
    assert slide(lab, 0.45, 0.16).ok
    assert at(lab) == pytest.approx((0.45, 0.16), abs=0.008)
    assert at(lab, "tin") == pytest.approx(before, abs=0.003)


def test_where_there_is_no_way_past_it_is_told_what_stands_there() -> None:
    lab = Lab(table_with(**PLATE, tin=("cylinder", (0.04, 0.04, 0.03), (0.45, 0.1))))
    outcome = slide(lab, 0.45, 0.12)
    assert outcome.status is Status.PLANNING
    assert outcome.cause.kind is CauseKind.BLOCKED
    assert outcome.blockers == ("tin",)
    assert at(lab) == pytest.approx((0.45, -0.15), abs=0.003)


def test_what_would_tip_over_is_not_pushed() -> None:
    lab = Lab(table_with(tower=("box", (0.1, 0.1, 0.2), (0.45, -0.1))))
    assert slide(lab, 0.5, 0.05, "tower").cause.kind is CauseKind.NO_GRASP
