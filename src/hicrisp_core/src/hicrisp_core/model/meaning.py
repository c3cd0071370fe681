"""What a request means: a goal, a question back, an answer or a refusal; and the turns of a conversation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Optional, Tuple, Union

from hicrisp_core.model.goal import Goal
from hicrisp_core.model.world import Relation

ENDING = ("stop", "cancel", "abort", "halt", "stop it", "cancel it", "stop now", "stop that", "stop everything",
          "stop the task", "cancel the task", "cancel that")
"""The words that end a task without any model: the one fixed list."""
_ASIDE = ("please", "no", "now", "ok", "okay")
"""Words that change nothing about an order to stop."""


class Speaker(Enum):
    """Who said something."""

    USER = "user"
    ROBOT = "robot"


@dataclass(frozen=True)
class Turn:
    """One sentence of a conversation."""

    speaker: Speaker
    text: str


@dataclass(frozen=True)
class Choice:
    """One answer to a question: its words, and the goal that it means, if that is known already."""

    text: str
    goal: Optional[Goal] = None


@dataclass(frozen=True)
class Question:
    """What the user is asked if a request has several readings; an answer in other words is one, too."""

    text: str
    choices: Tuple[Choice, ...] = ()

    def chosen(self, said: str) -> Optional[Choice]:
        """Find the choice that an answer means.

        Args:
            said: its number from 1, or its words.

        Returns:
            The choice; ``None`` for other words.
        """
        words = " ".join(said.replace("_", " ").lower().split())
        if words.isdigit():
            return self.choices[int(words) - 1] if 0 < int(words) <= len(self.choices) else None
        bare = words[4:] if words.startswith("the ") else words
        return next((each for each in self.choices if each.text.lower() in (words, bare)), None)


@dataclass(frozen=True)
class Answer:
    """The request is a question about the world or the robots, and needs no motion.

    Args:
        facts: the facts that the answer rests on.
    """

    text: str
    facts: Tuple[Relation, ...] = ()


class Reason(Enum):
    """Why a request is refused."""

    UNKNOWN_OBJECT = "unknown_object"
    """It names an object that is not there."""
    IMPOSSIBLE = "impossible"
    """No action of the domain leads to it."""
    UNSAFE = "unsafe"
    """It would hurt somebody or break something."""
    NOTHING_TO_DO = "nothing_to_do"
    """It asks for nothing that a robot does."""


@dataclass(frozen=True)
class Refusal:
    """The request is not carried out.

    Args:
        text: why, for the user.
        alternatives: sentences that would work.
    """

    reason: Reason
    text: str = ""
    alternatives: Tuple[str, ...] = ()


Meaning = Union[Goal, Question, Answer, Refusal]
"""What a request means."""


def wants_end(text: str) -> bool:
    """Check whether words only say that the task is to end: "Stop!", "no, cancel it please".

    Args:
        text: a remark of the user.

    Returns:
        Whether the task is to end.
    """
    words = re.sub(r"[^\w\s']", " ", text.lower()).split()
    return " ".join(words) in ENDING or " ".join(word for word in words if word not in _ASIDE) in ENDING
