"""What happens to a task of a long run, drawn by chance."""

from __future__ import annotations

import random
import time
from typing import Callable, Mapping

from hicrisp_bench.faults.rig import LIMIT, Rig

_LATER = 2.0
"""Wall seconds within which it happens after the task was handed in."""


Happening = Callable[[Rig, str, str], None]
"""Lets it happen to a task; the last argument is a thing of the scene, empty where there is none."""


def nothing(rig: Rig, task: str, thing: str) -> None:
    """Let it run."""


def canceled(rig: Rig, task: str, thing: str) -> None:
    """Cancel it."""
    rig.ask("cancel_task", task)


def stopped(rig: Rig, task: str, thing: str) -> None:
    """Stop everything, and clear that once the task has ended."""
    rig.trigger("estop")
    rig.ended(task)
    rig.trigger("clear_estop")
    rig.trigger("resume")


def paused(rig: Rig, task: str, thing: str) -> None:
    """Hold it back for a moment."""
    rig.trigger("pause")
    time.sleep(0.5)
    rig.trigger("resume")


def killed(node: str) -> Happening:
    """Kill a node."""
    def kill(rig: Rig, task: str, thing: str) -> None:
        rig.kill(node)
        rig.until_ready()
    return kill


def supervisor_killed(rig: Rig, task: str, thing: str) -> None:
    """Kill the supervisor, which remembers the task."""
    rig.kill("supervisor")
    rig.until_ready()
    rig.ask("get_task", "")


def world_killed(rig: Rig, task: str, thing: str) -> None:
    """Kill the world, and wait until it is back."""
    rig.kill("embedded_world")
    rig.ended(task, LIMIT)
    rig.until_world_is_back()
    rig.until_ready()


def resent(rig: Rig, task: str, thing: str) -> None:
    """Hand the same words in once more behind it, and take them back."""
    again = rig.submit(rig.status(task).text)
    rig.ask("cancel_task", again)
    rig.ended(again)


def slipped(rig: Rig, task: str, thing: str) -> None:
    """Whatever is carried next slips out of the gripper."""
    rig.inject("slip", "", 0.5, count=1)


def missed(rig: Rig, task: str, thing: str) -> None:
    """The next placement misses."""
    rig.inject("place_offset", "", 0.03, count=1)


def moved(rig: Rig, task: str, thing: str) -> None:
    """A hand moves a thing."""
    rig.inject("object_moved", thing, 0.08)


def taken(rig: Rig, task: str, thing: str) -> None:
    """A hand takes a thing away, and puts it back after the task."""
    rig.inject("vanish", thing)
    rig.ended(task)
    rig.inject("return", thing)


def blind(rig: Rig, task: str, thing: str) -> None:
    """The lidar is silent for a moment."""
    rig.inject("scan_stops", "", 3.0)


USUAL: Mapping[str, Happening] = {
    "nothing": nothing, "cancel": canceled, "emergency stop": stopped, "pause": paused, "resent": resent,
    "kill -9 of brain": killed("brain"), "kill -9 of body": killed("body"),
    "kill -9 of detector": killed("detector"), "kill -9 of corrector": killed("corrector"),
    "kill -9 of supervisor": supervisor_killed, "kill -9 of the world": world_killed,
}
"""In every world, by their names."""
AT_A_TABLE: Mapping[str, Happening] = {
    "slip": slipped, "miss": missed, "moved by a hand": moved, "taken away": taken}
IN_AN_ARENA: Mapping[str, Happening] = {"lidar silent": blind}
_OFTEN = {"nothing": 5.0, "cancel": 1.0}
_SELDOM = 0.1
"""Of kills: a node's memory shows where it settles only in a life of many tasks."""


def drawn(dice: random.Random, here: Mapping[str, Happening]) -> str:
    """What happens, of what may happen in a world beside the usual; most often nothing."""
    names = [*USUAL, *here]
    often = [_OFTEN.get(name, _SELDOM if name.startswith("kill") else 0.5) for name in names]
    return dice.choices(names, often)[0]


def waits(dice: random.Random) -> float:
    """Wall seconds until it happens."""
    return dice.uniform(0.0, _LATER)
