"""What is asked and answered when a user says something while a task runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Protocol, Tuple

from hicrisp_core.model import Task, WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.ports.brain import Question, Usage
from hicrisp_core.time.deadline import Deadline


@dataclass(frozen=True)
class RemarkRequest:
    """A remark is to be understood together with the task that it is made about.

    Args:
        task: the request as it was understood so far.
        said: the remark, with the answers that were given when it was asked back.
        world: what was seen last.
        goal: what is left of the task's goal, where that is known.
        about: the things that the robots are handling now: what "that one" means.
    """

    task: Task
    said: str
    world: WorldState
    goal: Optional[Goal] = None
    about: Tuple[str, ...] = ()


@dataclass(frozen=True)
class RemarkAnswer:
    """What the task means from now on, or a question to the user, or why the task stays as it is.

    Exactly one of ``goal``, ``question`` and ``refusal`` is set.
    """

    goal: Optional[Goal] = None
    question: Optional[Question] = None
    refusal: str = ""
    usage: Usage = field(default_factory=Usage)


class Interpreter(Protocol):
    """Understands what users say while a task runs."""

    def understand(self, request: RemarkRequest, deadline: Deadline) -> RemarkAnswer:
        """The task's goal as the remark changes it."""
