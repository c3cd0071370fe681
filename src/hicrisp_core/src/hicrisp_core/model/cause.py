"""Why a command failed in the first place: one cause with its names and its age, as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Optional, Tuple


class CauseKind(Enum):
    """What began a failure. The comment says what ``names``, ``seconds`` and ``metres`` of the cause hold."""

    UNKNOWN = "unknown"
    """Nobody knows; ``said`` may hold the driver's words."""
    STALE_SENSOR = "stale_sensor"
    """A sensor fell silent or sends old data: its topic or name; the age of its latest data."""
    AHEAD = "ahead"
    """Data are stamped ahead of the clock and do not count: the topic, frame or objects; by how much."""
    NOT_SEEN = "not_seen"
    """Something is not in view: the objects; the age of their latest pose, where there was one."""
    HIDDEN = "hidden"
    """Something stands between the camera and them: the objects; the age of their latest pose."""
    GONE = "gone"
    """They are not where they were seen last: the objects; the age of their latest pose."""
    NO_PICTURE = "no_picture"
    """The camera shows nothing that can be used; ``said`` has what is wrong with it."""
    IMPRECISE = "imprecise"
    """Poses are not known exactly enough: the objects."""
    DISPUTED = "disputed"
    """Two witnesses disagree, or the only one cannot tell: the objects; ``said`` quotes them."""
    REFUSED = "refused"
    """The driver refused the command before anything moved: the driver, where it is known by name."""
    UNSUPPORTED = "unsupported"
    """The driver cannot honour a constraint of the command: which (``keep_out``, ``clearance``,
    ``manner``).
    """
    NO_PATH = "no_path"
    """The planner found no path or motion: the goal; the time it was given, where that was the limit."""
    OUT_OF_REACH = "out_of_reach"
    """The goal is outside what the robot reaches: the goal."""
    BLOCKED = "blocked"
    """Something is in the way: the objects, where they are known."""
    FORBIDDEN = "forbidden"
    """A zone that must not be entered is in the way: the zones."""
    TOUCHED = "touched"
    """The robot touched something and stopped: the objects, where they are known."""
    SLIPPED = "slipped"
    """The item left the gripper: the item."""
    NOT_GRIPPED = "not_gripped"
    """The gripper closed on nothing: the item."""
    NO_GRASP = "no_grasp"
    """The fingers fit nowhere around the item: the item."""
    OFF_GOAL = "off_goal"
    """What the hand holds was seen beside its goal and was not let go, or what it reached for was seen
    elsewhere: the item; how far off."""
    STUCK = "stuck"
    """A door or drawer holds fast: it; how far it went before."""
    NOT_HELD = "not_held"
    """The hand does not hold what it should: the item."""
    HAND_FULL = "hand_full"
    """The hand holds something already: what it holds."""
    STILL_MOVING = "still_moving"
    """The robot does not come to a stand: what shows that it moves, a robot or a topic."""
    OFF_COURSE = "off_course"
    """The motion ended elsewhere than it should: the joint, finger or frame that is off."""
    OUT_OF_TIME = "out_of_time"
    """The time limit passed: who took it; the limit."""
    TAKEN_OVER = "taken_over"
    """Somebody else commanded the robot or canceled its goal: who, where it is known."""
    UNREACHABLE_NODE = "unreachable_node"
    """A driver, server or node does not answer: its name; for how long."""
    LOCALISATION = "localisation"
    """The robot does not know where it is: the frame or topic; the age of its latest data."""
    HARDWARE = "hardware"
    """The robot reports an error of its own, such as a reflex: the component."""
    STOPPED = "stopped"
    """An emergency stop, a user stop or a person's hand: which one."""
    CANCELED = "canceled"
    """The task or the command was canceled: by whom, where it is known."""
    MALFORMED = "malformed"
    """The command names something that does not exist or does not fit: the parameter."""
    NOT_APPROVED = "not_approved"
    """A person did not approve the command: who, where it is known."""
    SAID = "said"
    """A person wants it otherwise: ``said`` holds the words."""


SUPERVISOR = "supervisor"
"""Who commands the robots, where a driver names it."""


@dataclass(frozen=True)
class Cause:
    """The first cause of a failure.

    Args:
        kind: what began it.
        names: who or what it was, as :class:`CauseKind` says; names of the world, of topics or of nodes.
        seconds: the age or the limit that belongs to it, seconds; ``None`` where there is none.
        said: the words of a driver or a person, quoted for people and models; no code reads them.
        metres: the distance that belongs to it; ``None`` where there is none.
    """

    kind: CauseKind
    names: Tuple[str, ...] = ()
    seconds: Optional[float] = None
    said: str = ""
    metres: Optional[float] = None

    @property
    def supervisor_away(self) -> bool:
        """Whether the supervisor was not heard and the robot was stopped and stands. Who reads that is the
        supervisor, so that it is back: such a stop protects, and is no emergency stop.
        """
        return self.kind is CauseKind.UNREACHABLE_NODE and self.names == (SUPERVISOR,)
