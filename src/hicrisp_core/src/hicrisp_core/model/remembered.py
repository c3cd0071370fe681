"""What the memory offers for a task: earlier ones like it, and corrections that worked, in today's names.

Both are proposals: whoever uses one checks it as if a stranger had made it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

from hicrisp_core.model.goal import Goal
from hicrisp_core.model.task import Step


@dataclass(frozen=True)
class Remembered:
    """An earlier task that went well.

    Args:
        id: of the memory's entry.
        text: the request; untrusted, as every request is.
        steps: what was carried out for it.
        goal: what it meant, where that is known.
        likeness: to today's request, from 0 to 1.
    """

    id: str
    text: str
    steps: Tuple[Step, ...]
    goal: Optional[Goal] = None
    likeness: float = 0.0


@dataclass(frozen=True)
class KnownWay:
    """Steps after which a failed command once worked.

    Args:
        id: of the memory's entry.
        steps: to carry out before the failed command is tried again.
        instead: whether the last of them takes the failed command's place.
        times: how often it worked.
    """

    id: str
    steps: Tuple[Step, ...]
    instead: bool = False
    times: int = 1
