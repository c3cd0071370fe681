"""A mobile base as a RobotPort: commands become drives to poses or landmarks, and every end of one is an Outcome."""

from __future__ import annotations

import math
from dataclasses import replace
from threading import Event
from typing import Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

from hicrisp_core.model import Command, Outcome, Pose, Status
from hicrisp_core.ports.robot import USUAL, Base, Constraints, Manner, Progress
from hicrisp_core.robot.landmarks import BaseSettings, Landmark
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.linked_event import LinkedEvent

_SETTLE, _SLICE = 1.0, 0.02
"""Seconds in which localisation may catch up with a base that has arrived, and between two looks at it."""
_DOCKINGS = 2
"""How often a base lines up before a dock: one that missed it backs out and drives in again."""

Where = Callable[[], Optional[Pose]]
"""Where the base is seen in the map frame; ``None`` while that is not known."""


class BaseRobot:
    """Carries out commands with ``go_to``, ``visit``, ``dock``, ``carry_to`` and ``wait`` over a ``Base``.

    A drive goes to the command's aim or target, else to the landmark that its last argument names. The base's word
    for having arrived is a claim: it is compared with where the base is seen.

    Args:
        skills: the skill by the domain's action name.
        where: where the base is seen; the map frame and the world frame are one.
    """

    def __init__(self, base: Base, skills: Mapping[str, str], where: Where, settings: BaseSettings) -> None:
        known: Dict[str, Callable[[_Run], Outcome]] = {
            "go_to": self._drive, "visit": self._drive, "carry_to": self._carry, "dock": self._dock, "wait": _wait}
        self.name = base.name
        self._base = base
        self._where = where
        self._settings = settings
        self._skills = {action: known[skill] for action, skill in skills.items() if skill in known}
        self._running: Optional[LinkedEvent] = None

    def capabilities(self) -> Sequence[str]:
        return tuple(self._skills)

    def execute(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress] = None
    ) -> Outcome:
        skill = self._skills.get(command.action)
        if skill is None:
            return Outcome(Status.INVALID, f"{self.name} cannot '{command.action}'; it can: "
                                           f"{', '.join(sorted(self._skills))}.")
        run = _Run(command, deadline, LinkedEvent(cancel), progress or _ignore)
        self._running = run.cancel
        try:
            outcome = run.interrupted() or skill(run)
        finally:
            self._running = None
        return outcome if outcome.ok or outcome.status is Status.INVALID else self._confirmed(outcome)

    def stop(self, deadline: Deadline) -> Outcome:
        running = self._running
        if running is not None:
            running.set()
        return self._base.stop(deadline)

    def reset(self) -> None:
        """Nothing to forget: every drive begins afresh."""

    def _drive(self, run: "_Run") -> Outcome:
        goal = self._goal(run.command)
        if isinstance(goal, Outcome):
            return goal
        return self._to(goal, run, run.progress)

    def _carry(self, run: "_Run") -> Outcome:
        """Drive as slowly as a load asks for."""
        goal = self._goal(run.command)
        if isinstance(goal, Outcome):
            return goal
        loaded = self._settings.carry_speed < self._settings.speed
        return self._to(goal, run, run.progress, Manner(speed=self._settings.carry_speed) if loaded else USUAL)

    def _dock(self, run: "_Run") -> Outcome:
        """Line up before the dock, heading for it, then drive straight in and end nearer to it than to other goals."""
        goal = self._goal(run.command)
        if isinstance(goal, Outcome):
            return goal
        place, name = goal
        if place.yaw is None:
            return Outcome(Status.INVALID, f"Cannot dock at {name}: it has no heading to dock with.")
        away = self._settings.approach
        before = Landmark(place.x - away * math.cos(place.yaw), place.y - away * math.sin(place.yaw), place.yaw)
        exact = self._settings.dock_tolerance if place.tolerance is None else place.tolerance
        dock = replace(place, tolerance=exact), name
        outcome = Outcome(Status.EXECUTION)
        for _ in range(_DOCKINGS):
            outcome = self._to((before, f"the pose before {name}"), run,
                               lambda _, part: run.progress("line up", part / 2))
            if not outcome.ok:
                return outcome
            outcome = self._to(dock, run, lambda _, part: run.progress("dock", 0.5 + part / 2),
                               Manner(speed=self._settings.carry_speed, tolerance=exact))
            if outcome.status is not Status.EXECUTION or run.interrupted():
                return outcome
        return outcome

    def _goal(self, command: Command) -> Union[Tuple[Landmark, str], Outcome]:
        """Where a command leads and what that place is called, or why it leads nowhere."""
        pose = command.aim or command.target
        if pose is not None:
            x, y, _ = pose.position
            if not pose.finite:
                return Outcome(Status.INVALID, f"The goal of {command} is not a finite pose: {pose.position}.")
            return Landmark(x, y, pose.yaw), f"({x:.2f}, {y:.2f})"
        names = [str(value) for key, value in command.arguments.items()
                 if isinstance(value, str) and key != "item" and value != self.name]
        known = ", ".join(sorted(self._settings.landmarks)) or "none"
        if not names:
            return Outcome(Status.INVALID, f"{command} does not say where to; {self.name} knows: {known}.")
        if names[-1] not in self._settings.landmarks:
            return Outcome(Status.INVALID, f"{self.name} knows no place '{names[-1]}'; it knows: {known}.")
        return self._settings.landmarks[names[-1]], names[-1]

    def _to(
        self, goal: Tuple[Landmark, str], run: "_Run", progress: Progress, manner: Manner = USUAL
    ) -> Outcome:
        """Drive to a place within the time that its distance allows, and look whether the base is there."""
        place, name = goal
        start = self._where()
        pose = place.pose(_bearing(start, place))
        limit = run.deadline.remaining
        if start is not None:
            limit = min(limit, self._settings.time_limit(start, pose, manner.speed))
        outcome = self._base.go_to(pose, Deadline(limit), run.cancel, progress, manner, run.constraints)
        if outcome.status in (Status.CANCELED, Status.LOST, Status.SAFETY):
            return outcome
        if outcome.status is Status.TIMEOUT:
            return replace(outcome, message=f"Cannot reach {name} within {limit:.0f} s: "
                                            f"{_sentence(outcome.message or 'the time limit passed')}")
        if not outcome.ok:
            return replace(outcome, message=f"Cannot reach {name}: {_sentence(outcome.message)}")
        return self._arrival(place, name, run)

    def _arrival(self, place: Landmark, name: str, run: "_Run") -> Outcome:
        """SUCCESS when the base is seen at a place; where it is seen when it is not there."""
        settled = Deadline(_SETTLE)
        fault = self._settings.miss(place, self._where())
        while fault and not settled.passed and not run.cancel.wait(_SLICE):
            fault = self._settings.miss(place, self._where())
        if not fault:
            return Outcome(Status.SUCCESS)
        return run.interrupted() or Outcome(
            Status.EXECUTION, f"Cannot tell that {name} was reached: {self.name} says so, but {fault}.")

    def _confirmed(self, outcome: Outcome) -> Outcome:
        """The outcome of a failed command, after the base was seen to stand still."""
        halted = self._base.stop(Deadline(self._settings.stop_limit))
        if halted.ok:
            return outcome
        lost = outcome.status is Status.LOST and halted.status is Status.LOST
        return Outcome(Status.LOST if lost else Status.SAFETY,
                       f"{outcome.message} The base does not confirm that it stands: {halted.message}")


class _Run:
    """One command on its way."""

    def __init__(self, command: Command, deadline: Deadline, cancel: LinkedEvent, progress: Progress) -> None:
        self.command = command
        self.deadline = deadline
        self.cancel = cancel
        self.progress = progress

    @property
    def constraints(self) -> Constraints:
        """What every trajectory of the command must respect."""
        return Constraints(self.command.keep_out, self.command.clearance)

    def interrupted(self) -> Optional[Outcome]:
        """The outcome of a command whose end is wished or whose time is up."""
        if self.cancel.is_set():
            return Outcome(Status.CANCELED, "The command was canceled; the base stands still.")
        if self.deadline.passed:
            return Outcome(Status.TIMEOUT, "The time limit passed; the base stands still.")
        return None


def _wait(run: _Run) -> Outcome:
    """Stand still for as many seconds as the command's number says."""
    seconds = next((value for value in run.command.arguments.values() if not isinstance(value, str)), math.nan)
    if not 0.0 <= seconds < math.inf:
        return Outcome(Status.INVALID, f"{run.command} does not say for how many seconds, 0 or more.")
    end = Deadline(seconds)
    while not end.passed and not run.deadline.passed and not run.cancel.is_set():
        run.progress("wait", 1.0 - end.remaining / seconds)
        run.cancel.wait(min(0.2, end.remaining, run.deadline.remaining))
    return Outcome(Status.SUCCESS) if end.passed and not run.cancel.is_set() else \
        run.interrupted() or Outcome(Status.SUCCESS)


def _bearing(start: Optional[Pose], place: Landmark) -> float:
    """The heading in which a straight drive to a place ends, radians."""
    if start is None:
        return 0.0
    dx, dy = place.x - start.position[0], place.y - start.position[1]
    return math.atan2(dy, dx) if math.hypot(dx, dy) > 1e-3 else start.yaw


def _sentence(text: str) -> str:
    """A driver's text at the end of a sentence."""
    return text.strip().rstrip(".") + "."


def _ignore(phase: str, fraction: float) -> None:
    """Nobody wants to know how far the command is."""
