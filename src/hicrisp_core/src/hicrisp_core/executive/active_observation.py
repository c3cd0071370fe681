"""Looking on purpose: where a view supports no verdict, the arm moves out of sight, and the camera looks
again.
"""

from __future__ import annotations

from threading import Event
from typing import Callable, Iterable, Mapping, Set, Tuple

from hicrisp_core.executive.run_log import RunLog
from hicrisp_core.model import Command, Feedback, FeedbackKind, WorldState
from hicrisp_core.model.track import Visibility
from hicrisp_core.ports.kinds import ARM
from hicrisp_core.ports.robot import CLEAR_VIEW, RobotPort
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.events import LookedAgain

LOOKS = 4
"""Further looks after which it stays as it was seen last."""
_CLEAR_LIMIT = 90.0
"""Wall seconds for an arm to move out of sight."""
_TIME_LIMIT = 30.0
"""Seconds of the robot's clock for the same."""
_NOT_IN_VIEW = frozenset((FeedbackKind.NOT_SEEN, FeedbackKind.STALE_POSE, FeedbackKind.CANNOT_TELL))


class ActiveObserver:
    """Looks again, at most ``LOOKS`` times for one question: first without moving anything, then with the arms out of
    sight.

    Args:
        observe: looks once, at what is newer than the call.
        canceled: returns whether the result is no longer needed.
    """

    def __init__(
        self, robots: Mapping[str, RobotPort], ledger: RunLog, observe: Callable[[], WorldState],
        canceled: Event,
    ) -> None:
        self._robots = robots
        self._ledger = ledger
        self._observe = observe
        self._canceled = canceled
        self._cleared: Set[str] = set()
        self._vain: Set[str] = set()
        """What was looked for long enough since a robot moved last."""

    def within(
        self, ledger: RunLog, observe: Callable[[], WorldState]
    ) -> "ActiveObserver":
        """Return a view for one attempt; arms moved out of sight are shared by all views.

        Args:
            ledger: counters and event log of the attempt's step.
            observe: returns the current world.

        Returns:
            The view.
        """
        view = ActiveObserver(self._robots, ledger, observe, self._canceled)
        view._cleared, view._vain = self._cleared, self._vain
        return view

    def moved(self, robot: str) -> None:
        """Record that a robot got another command: it may be in the camera's view again.

        Args:
            robot: name of the robot.
        """
        self._cleared.discard(robot)
        self._vain.clear()

    def until(
        self, world: WorldState, doubt: Callable[[WorldState], Iterable[str]], robots: Iterable[str]
    ) -> WorldState:
        """Look until no doubt is left, or for long enough.

        Args:
            doubt: names what a world does not show; nothing where it shows all that is asked.
            robots: those that may be moved out of sight.

        Returns:
            The world as it was seen last; at once the given one without a camera.
        """
        mine = tuple(robots)
        names = () if world.viewed is None else tuple(doubt(world))
        names = () if self._vain.issuperset(names) else names
        for number in range(LOOKS):
            if not names or self._canceled.is_set():
                break
            cleared = self._clear(world, mine) if number > 0 or self._hidden(world, names) else ()
            world = self._observe()
            wanted, names = names, tuple(doubt(world))
            self._ledger.looked()
            self._ledger.tell(LookedAgain(names=wanted, cleared=cleared, seen=not names))
            if world.trouble:
                break  # The camera shows nothing newer, however often it is asked.
        self._vain.update(names)
        return world

    def _hidden(self, world: WorldState, names: Iterable[str]) -> bool:
        """Check whether some of it is out of view, so that the same look shows no more."""
        return any(name in world.objects and world.objects[name].visibility is not Visibility.VISIBLE
                   for name in names)

    def _clear(self, world: WorldState, robots: Iterable[str]) -> Tuple[str, ...]:
        """Move arms out of sight; those that went."""
        went = []
        for name in robots:
            seen = world.robots.get(name)
            if seen is None or seen.kind != ARM or name in self._cleared or name not in self._robots:
                continue
            command = Command(CLEAR_VIEW, {}, name, time_limit=_TIME_LIMIT)
            if self._robots[name].execute(command, Deadline(_CLEAR_LIMIT), self._canceled).ok:
                self._cleared.add(name)
                went.append(name)
        return tuple(went)


def out_of_view(feedback: Feedback) -> bool:
    """Check whether a failure only states that something is not visible.

    Args:
        feedback: the failure.

    Returns:
        True if another observation may resolve it.
    """
    return feedback.kind in _NOT_IN_VIEW


def not_in_view(world: WorldState) -> Tuple[str, ...]:
    """Return the movable objects whose current pose the camera does not show.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Their names, sorted.
    """
    return out_of_sight(world, sorted(world.objects))


def out_of_sight(world: WorldState, names: Iterable[str]) -> Tuple[str, ...]:
    """Select the movable objects whose current pose the camera does not show.

    Args:
        world: observed objects, robots and facts; poses in the world frame.
        names: the objects to check.

    Returns:
        Their names.
    """
    things = (world.objects[name] for name in names if name in world.objects)
    return tuple(thing.name for thing in things if thing.movable
                 and (thing.unseen or thing.visibility is Visibility.HIDDEN))
