"""Every arm brings its tool to a pose on request, around what is there."""

from __future__ import annotations

from threading import Event

import pytest
from hicrisp_core.model import Command, Pose, Status
from hicrisp_core.model.geometry import distance, turn_between
from hicrisp_core.ports.robot import MOVE_TOOL
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.embedded import EmbeddedWorld

DOWN = (1.0, 0.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def world() -> EmbeddedWorld:
    return EmbeddedWorld("tabletop", 1)


def test_the_tool_goes_where_it_is_sent(world: EmbeddedWorld) -> None:
    goal = Pose((0.45, 0.2, 0.35), DOWN)
    outcome = world.robot.execute(Command(MOVE_TOOL, {}, "panda", target=goal), Deadline(30.0), Event())
    assert outcome.ok, outcome.message
    there = world.arm.tool_pose()
    assert distance(there.position, goal.position) < 0.003
    assert turn_between(there.orientation, goal.orientation) < 0.02


@pytest.mark.parametrize(("command", "status"), [
    (Command(MOVE_TOOL, {}, "panda"), Status.INVALID),
    (Command(MOVE_TOOL, {}, "panda", target=Pose((2.0, 0.0, 0.3), DOWN)), Status.PLANNING),
    (Command(MOVE_TOOL, {}, "panda", target=Pose((0.5, 0.0, -0.1), DOWN)), Status.PLANNING)])
def test_where_it_cannot_go_it_says_so(world: EmbeddedWorld, command: Command, status: Status) -> None:
    assert world.robot.execute(command, Deadline(30.0), Event()).status is status
