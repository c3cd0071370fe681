"""What happens to a task of a long run, drawn by chance."""

from __future__ import annotations

import random
import time
from typing import Callable, Mapping

from hicrisp_bench.faults.rig import LIMIT, Rig

_LATER = 2.0
"""Wall seconds within which it happens after the task was handed in."""


def nothing(rig: Rig, task: str) -> None:
    """Let it run."""


def canceled(rig: Rig, task: str) -> None:
    """Cancel it."""
    rig.ask("cancel_task", task)


def stopped(rig: Rig, task: str) -> None:
    """Stop everything, and clear that once the task has ended."""
    rig.trigger("estop")
    rig.ended(task)
    rig.trigger("clear_estop")


def paused(rig: Rig, task: str) -> None:
    """Hold it back for a moment."""
    rig.trigger("pause")
    time.sleep(0.5)
    rig.trigger("resume")


def killed(node: str) -> Callable[[Rig, str], None]:
    """Kill a node."""
    def kill(rig: Rig, task: str) -> None:
        rig.kill(node)
        rig.until_ready()
    return kill


def supervisor_killed(rig: Rig, task: str) -> None:
    """Kill the supervisor, which remembers the task."""
    rig.kill("supervisor")
    rig.until_ready()
    rig.ask("get_task", "")


def world_killed(rig: Rig, task: str) -> None:
    """Kill the world, and wait until it is back."""
    rig.kill("embedded_world")
    rig.ended(task, LIMIT)
    rig.until_world_is_back()
    rig.until_ready()


def resent(rig: Rig, task: str) -> None:
    """Hand the same words in once more behind it, and take them back."""
    again = rig.submit()
    rig.ask("cancel_task", again)
    rig.ended(again)


USUAL: Mapping[str, Callable[[Rig, str], None]] = {
    "nothing": nothing, "cancel": canceled, "emergency stop": stopped, "pause": paused, "resent": resent,
    "kill -9 of brain": killed("brain"), "kill -9 of body": killed("body"),
    "kill -9 of detector": killed("detector"), "kill -9 of corrector": killed("corrector"),
    "kill -9 of supervisor": supervisor_killed, "kill -9 of the world": world_killed,
}
"""In every world, by their names."""
_OFTEN = {"nothing": 6, "cancel": 2, "kill -9 of the world": 1}


def drawn(dice: random.Random) -> str:
    """What happens; most often nothing."""
    names = list(USUAL)
    return dice.choices(names, [_OFTEN.get(name, 1) for name in names])[0]


def waits(dice: random.Random) -> float:
    """Wall seconds until it happens."""
    return dice.uniform(0.0, _LATER)
