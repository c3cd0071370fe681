"""An arm that misses: by how much, reproducibly, and nothing else."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import pstdev
from threading import Event
from typing import List, Tuple

from hicrisp_core.model import Command, Pose
from hicrisp_core.robot.arm_robot import ArmRobot
from hicrisp_core.robot.grasps import DOWN
from hicrisp_core.robot.noisy_arm import Approaches, NoisyArm
from hicrisp_core.time.deadline import Deadline
from panda_body import HAND
from test_skills import BOX, GOAL, SKILLS, ScriptedArm

PICK = Command("pick", {"item": "box"}, "panda")
PLACE = Command("put_down", {"item": "box"}, "panda", GOAL, GOAL)


def placements(sigma: float, seed: int, count: int) -> List[Tuple[float, float]]:
    """How far beside the goal things end up."""
    arm = ScriptedArm(BOX)
    robot = ArmRobot(NoisyArm(arm, sigma, seed), SKILLS, arm.observe, hand=HAND)
    found = []
    for _ in range(count):
        arm.things["box"] = BOX
        for command in (PICK, PLACE):
            assert robot.execute(command, Deadline(10.0), Event()).ok
        pose = arm.things["box"].pose or Pose((math.inf, math.inf, 0.0))
        found.append((pose.position[0] - GOAL.position[0], pose.position[1] - GOAL.position[1]))
    return found


def test_things_end_up_beside_their_goal_by_the_deviation_that_was_asked_for() -> None:
    misses = placements(0.02, 1, 200)
    assert abs(pstdev(x for x, _ in misses) - 0.02) < 0.004
    assert abs(pstdev(y for _, y in misses) - 0.02) < 0.004


def test_the_same_seed_misses_in_the_same_way() -> None:
    assert placements(0.02, 3, 3) == placements(0.02, 3, 3)
    assert placements(0.02, 3, 3) != placements(0.02, 4, 3)


def test_only_what_goes_straight_down_from_where_an_approach_ended_is_no_new_one() -> None:
    approaches = Approaches()
    above, below = Pose((0.5, 0.0, 0.2), DOWN), Pose((0.5, 0.0, 0.1), DOWN)
    assert not approaches.only_lowers(above, below)
    approaches.ended(above)
    assert approaches.only_lowers(above, below)
    aside = above.shifted((0.004, 0.0, 0.0))
    assert not approaches.only_lowers(above, aside)
    assert not approaches.only_lowers(aside, replace(aside, position=(0.504, 0.0, 0.1)))
    step = above.shifted((0.0015, 0.0, 0.0))
    assert not approaches.only_lowers(step, step.shifted((0.0015, 0.0, 0.0)))
    approaches.begin()
    assert not approaches.only_lowers(above, below)
