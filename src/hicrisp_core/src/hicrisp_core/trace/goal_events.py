"""The events of a task's meaning: its goal, what the user was asked and said, what earlier
runs gave.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Optional, Tuple

from hicrisp_core.trace.event import Event
from hicrisp_core.trace.records import FeedbackRecord


@dataclass(frozen=True)
class GoalUnderstood(Event):
    """What the task was understood to mean, before anything moves: in words, and its conditions in writing.

    ``known`` is false where nobody could say what the task means as a whole; then its steps alone are judged.
    """

    kind: ClassVar[str] = "goal"
    known: bool = False
    said: str = ""
    source: str = ""
    first: Tuple[str, ...] = ()
    end: Tuple[str, ...] = ()
    keep: Tuple[str, ...] = ()
    goal_robot: str = ""


@dataclass(frozen=True)
class QuestionAsked(Event):
    """The user was asked what is meant, with choices; ``answer`` is empty where none came in time."""

    kind: ClassVar[str] = "question"
    text: str = ""
    choices: Tuple[str, ...] = ()
    answer: str = ""


@dataclass(frozen=True)
class UserSaid(Event):
    """What the user said while the task ran.

    ``effect`` is ``changed`` (goal and plan are others from here on), ``kept`` (the task goes on as it was;
    ``reply`` says why) or ``canceled``. ``stopped`` are the commands that were stopped in their motion for
    it.
    """

    kind: ClassVar[str] = "said"
    text: str = ""
    effect: str = ""
    reply: str = ""
    stopped: Tuple[str, ...] = ()
    feedback: Optional[FeedbackRecord] = None


@dataclass(frozen=True)
class GoalJudged(Event):
    """What the detector sees of the goal once the steps are done; ``missing`` in words."""

    kind: ClassVar[str] = "goal_judged"
    seen: bool = False
    missing: str = ""


@dataclass(frozen=True)
class Recalled(Event):
    """What earlier runs gave this one: ``what`` is ``examples`` or ``offsets``; ``ids`` are the memory's,
    ``texts`` the requests or the keys of the offsets.
    """

    kind: ClassVar[str] = "recalled"
    what: str = ""
    ids: Tuple[str, ...] = ()
    texts: Tuple[str, ...] = ()
