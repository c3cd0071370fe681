"""The port of whoever understands what users say: a request in, its meaning out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Optional, Protocol, Sequence, Tuple

from hicrisp_core.model import Goal, Meaning, Remembered, Turn, WorldState
from hicrisp_core.ports.brain import Usage
from hicrisp_core.time.deadline import Deadline

Look = Callable[[Sequence[str]], bytes]
"""Returns the camera's newest picture as a JPEG file, with the objects of these names drawn in by their numbers from 1;
empty if there is none.
"""


@dataclass(frozen=True)
class Request:
    """Something that the user said, with all that it may refer to.

    Args:
        text: the user's words: a new task, an answer, or a remark while a task runs.
        world: what is observed now.
        conversation: the turns about the same task before it, oldest first.
        history: lines about earlier tasks, oldest first (see :mod:`hicrisp_core.brain.agents`).
        goal: what is left of the running task's goal; ``None`` if no task runs or its goal is unknown.
        handled: the objects that the robots handle now.
        examples: earlier tasks that went well, the most alike last.
    """

    text: str
    world: WorldState
    conversation: Tuple[Turn, ...] = ()
    history: Tuple[str, ...] = ()
    goal: Optional[Goal] = None
    handled: Tuple[str, ...] = ()
    examples: Tuple[Remembered, ...] = ()


@dataclass(frozen=True)
class Understood:
    """The meaning of a request, and what it cost.

    Args:
        meaning: of the whole conversation: after a remark, the complete new goal. ``None`` if the model gave
            no usable answer.
        trouble: why there is no meaning, for the user.
        sure: how likely the model found its answer, 0 to 1; ``None`` if the endpoint does not report it.
    """

    meaning: Optional[Meaning] = None
    trouble: str = ""
    usage: Usage = field(default_factory=Usage)
    sure: Optional[float] = None


class Interpreter(Protocol):
    """Understands what users say. One is configured; nothing reads the words a second time."""

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        """Interpret a request together with its conversation.

        Args:
            request: what the user said, and what it may refer to.
            deadline: wall time by which the answer is due.

        Returns:
            The meaning of the whole conversation, or why there is none, with the cost.
        """
