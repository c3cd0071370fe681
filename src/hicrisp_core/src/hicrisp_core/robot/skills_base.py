"""The skills of a base: drive to a place, carry a load there, dock, and wait."""

from __future__ import annotations

import math
from dataclasses import replace

from hicrisp_core.model import CauseKind, Command, Outcome, Status
from hicrisp_core.ports.kinds import BASE, Skill
from hicrisp_core.ports.robot import USUAL, Manner
from hicrisp_core.robot.base_robot import Drive
from hicrisp_core.robot.landmarks import Landmark

_DOCKINGS = 2
"""How often a base lines up before a dock: one that missed it backs out and drives in again."""


def _go_to(drive: Drive, command: Command) -> Outcome:
    del command  # The drive knows where it leads.
    goal = drive.goal()
    return goal if isinstance(goal, Outcome) else drive.to(goal)


def _carry_to(drive: Drive, command: Command) -> Outcome:
    """Drive as slowly as a load asks for."""
    del command
    goal = drive.goal()
    if isinstance(goal, Outcome):
        return goal
    loaded = drive.settings.carry_speed < drive.settings.speed
    return drive.to(goal, manner=Manner(speed=drive.settings.carry_speed) if loaded else USUAL)


def _dock(drive: Drive, command: Command) -> Outcome:
    """Line up before the dock, heading for it, then drive straight in and end nearer to it than to other
    goals.
    """
    del command
    goal = drive.goal()
    if isinstance(goal, Outcome):
        return goal
    place, name = goal
    if place.yaw is None:
        return Outcome.because(CauseKind.MALFORMED, Status.INVALID,
                               f"Cannot dock at {name}: it has no heading to dock with.", "target")
    away = drive.settings.approach
    before = Landmark(place.x - away * math.cos(place.yaw), place.y - away * math.sin(place.yaw), place.yaw)
    exact = drive.settings.dock_tolerance if place.tolerance is None else place.tolerance
    dock = replace(place, tolerance=exact), name
    outcome = Outcome(Status.EXECUTION)
    for _ in range(_DOCKINGS):
        outcome = drive.to((before, f"the pose before {name}"), lambda _, part: drive.progress("line up", part / 2))
        if not outcome.ok:
            return outcome
        outcome = drive.to(dock, lambda _, part: drive.progress("dock", 0.5 + part / 2),
                           Manner(speed=drive.settings.carry_speed, tolerance=exact))
        if outcome.status is not Status.EXECUTION or drive.interrupted():
            return outcome
    return outcome


def _wait(drive: Drive, command: Command) -> Outcome:
    """Stand still for as many seconds as the command's number says."""
    seconds = next((value for value in command.arguments.values() if not isinstance(value, str)), math.nan)
    if not 0.0 <= seconds < math.inf:
        return Outcome.because(CauseKind.MALFORMED, Status.INVALID,
                               f"{command} does not say for how many seconds, 0 or more.", "seconds")
    return drive.pause(drive, seconds) or Outcome(Status.SUCCESS)


GO_TO = Skill(BASE, _go_to)
CARRY_TO = Skill(BASE, _carry_to)
DOCK = Skill(BASE, _dock)
WAIT = Skill(BASE, _wait)
