"""A second witness: what is asked whether facts hold, and answers from pictures alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol, Sequence, Tuple

from hicrisp_core.model import WorldState
from hicrisp_core.ports.brain import Usage
from hicrisp_core.time.deadline import Deadline


class Ruling(Enum):
    """What pictures show of a statement."""

    YES = "yes"
    NO = "no"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True)
class Finding:
    """The answer to one statement.

    Args:
        why: the model's words, quoted for people; no code reads them.
    """

    answer: Ruling
    why: str = ""


@dataclass(frozen=True)
class Testimony:
    """What came of a question.

    Args:
        said: an answer for each statement, in their order; none where there was trouble.
        trouble: why there are none, as a sentence.
        reason: why a command failed, and
        suggestion: what to do about it, if that was asked: the model's words, for people and other models.
        usage: what it cost, with its exchanges.
    """

    said: Tuple[Finding, ...] = ()
    trouble: str = ""
    reason: str = ""
    suggestion: str = ""
    usage: Usage = Usage()


class Witness(Protocol):
    """Looks at pictures from before and after, and knows no measurement."""

    def keep(self, moment: str, world: WorldState) -> bool:
        """Keep the picture of now.

        Args:
            moment: what the picture is called; it replaces an earlier one of that name.
            world: says where in the picture which object is.

        Returns:
            Whether there is one.
        """

    def ask(self, moment: str, statements: Sequence[str], names: Sequence[str], deadline: Deadline) -> Testimony:
        """Ask whether statements hold now.

        Args:
            moment: of the kept picture that shows what it was like before.
            statements: clauses in plain words.
            names: the objects that they are about, which are marked in the picture from before.
            deadline: wall-clock limit of the call.

        Returns:
            The answers, or why there are none.
        """

    def explain(self, moment: str, failure: Sequence[str], names: Sequence[str], deadline: Deadline) -> Testimony:
        """Ask why a command failed, and what to do about it.

        Args:
            moment: of the kept picture that shows what it was like before.
            failure: the command and what was measured, as sentences.
            names: the objects that they are about, which are marked in the picture from before.
            deadline: wall-clock limit of the call.

        Returns:
            Reason and suggestion, or why there are none.
        """
