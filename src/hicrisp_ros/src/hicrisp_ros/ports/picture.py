"""A plan waits for a whole picture of the world: every object and every robot seen, or known to be lost."""

from __future__ import annotations

import math
from threading import Event
from typing import Callable, Iterable, List, Optional, Protocol, Tuple

from hicrisp_core.model import RobotState, WorldState
from hicrisp_core.time.deadline import Deadline

_SLICE = 0.2
"""Period of the check for a cancellation, wall seconds."""
_MOST = 6


class StateFeed(Protocol):
    """Where states of the world arrive."""

    def next(self, seen: int, seconds: float) -> Tuple[int, Optional[WorldState]]:
        """Wait for another state of the world.

        Args:
            seen: number of states that the caller knows.
            seconds: limit in wall time, seconds.

        Returns:
            The number of states received so far, and the newest; ``None`` before the first.
        """


def wait_for_picture(
    sight: StateFeed, robots: Iterable[str], deadline: Deadline, cancel: Event, tell: Callable[[str], None]
) -> str:
    """Wait until everything was seen.

    Args:
        robots: their names; where the world has no poses, none of them is waited for.
        deadline: in wall time; then the plan is made with what there is.
        tell: hears what is waited for, in words, whenever that changes.

    Returns:
        What is not seen now, as a sentence; empty when the picture is whole.
    """
    count, told, wanted = -1, "", tuple(robots)
    while True:
        count, world = sight.next(count, min(_SLICE, deadline.remaining))
        missing = ["any state of the world"] if world is None else _never_seen(world, wanted)
        if not missing or deadline.passed or cancel.is_set():
            break
        why = world.trouble if world is not None else ""
        said = f"waiting to see {_listed(missing)}" + (f": {why}" if why else "")
        if said != told:
            told = said
            tell(said)
    if world is None:
        return "No state of the world has arrived."
    unseen = [f"the {item.name.replace('_', ' ')} {item.sight}" for item in world.unseen]
    unseen += [f"the robot {name} {world.robots.get(name, RobotState(name)).sight}"
               for name in missing if name in wanted]
    sentences = [f"Not in the picture: {_listed(unseen)}."] if unseen else []
    return " ".join([*sentences, world.trouble] if world.trouble else sentences)


def _never_seen(world: WorldState, robots: Iterable[str]) -> List[str]:
    """Return the objects and robots that may still come into view; what was seen once and is lost now is not one of
    them.
    """
    objects = [item.name for item in world.unseen if math.isinf(item.pose_age)]
    geometry = bool(objects) or any(item.pose is not None for item in world.objects.values())
    seen = {name for name, robot in world.robots.items() if robot.pose is not None}
    return objects + [name for name in robots if geometry and name not in seen]


def _listed(names: List[str]) -> str:
    shown = [name.replace("_", " ") for name in names[:_MOST]]
    return "; ".join(shown) + (f" and {len(names) - _MOST} more" if len(names) > _MOST else "")
