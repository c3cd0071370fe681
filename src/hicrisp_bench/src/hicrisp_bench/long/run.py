"""One long run: a launch, tasks and what happens to them by chance, and what is left at the end."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Dict, Iterator, List, Sequence

import rospy
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until

from hicrisp_bench.faults.case import World
from hicrisp_bench.faults.rig import Rig, RigFailed
from hicrisp_bench.long.happenings import USUAL, drawn, waits
from hicrisp_bench.long.memory import Sample, growth, resident

_LONG = 300.0
_RATE = "6"
_ENDED = ("succeeded", "failed", "refused", "canceled", "answered", "interrupted")
_TASKS = {
    "tabletop": ("Place the box next to the cylinder", "Put the cylinder left of the box",
                 "Place the box behind the cylinder", "Where is the box?", "Pick up the box",
                 "Put the box down", "Put the teapot on the box", "Place the box in front of the cylinder"),
    "agv": ("Visit area 3, then area 2", "Drive to area 1", "Visit area 2, then area 1", "Where is the agv?",
            "Drive to the moon", "Visit area 1, then area 3"),
}
"""Some of them cannot be done, or are done already."""
SCENES = tuple(_TASKS)


@dataclass(frozen=True)
class LongTrial:
    """A world, and how many tasks it gets.

    Args:
        minutes: of wall time after which no further task is begun.
    """

    config: Path
    scene: str
    tasks: int
    seed: int
    minutes: float


def key_of(trial: LongTrial) -> str:
    """Names a trial."""
    return f"{trial.scene}, {trial.tasks} tasks, {trial.seed}"


def run_together(trials: Sequence[LongTrial]) -> Iterator[Dict[str, Any]]:
    """Run each in a launch of its own."""
    for trial in trials:
        with TemporaryDirectory(prefix="hicrisp_long_") as folder:
            yield _run(trial, Path(folder))


def _run(trial: LongTrial, folder: Path) -> Dict[str, Any]:
    dice, began = random.Random(trial.seed), time.monotonic()
    rig = Rig(World(trial.scene, _TASKS[trial.scene][0], "embedded_world", {"rate": _RATE}), trial.config,
              folder)
    samples: List[Sample] = []
    tasks: List[Dict[str, Any]] = []
    problems: List[str] = []
    simulated = 0.0
    try:
        rig.start()
        for number in range(trial.tasks):
            if time.monotonic() - began > 60.0 * trial.minutes:
                break
            since = rospy.get_time()
            try:
                tasks.append(_one(rig, trial, dice))
            except (RigFailed, OSError) as error:
                problems.append(f"{type(error).__name__}: {error}")
                rig.recover()
            simulated += max(0.0, rospy.get_time() - since)
            samples.append((number, resident(rig.launch.processes())))
            if number % 3 == 2:
                rig.ask("reset_world", "", dice.randint(1, 10_000))
    finally:
        rig.launch.stop()
        gone = wait_until(lambda: not rig.launch.processes(), Deadline(_LONG))
        rig.stop()
    ends = Counter(each["state"] for each in tasks)
    return {
        "n": len(tasks), "sim_hours": simulated / 3600.0, "minutes": (time.monotonic() - began) / 60.0,
        "ends": dict(ends), "lost": [each for each in tasks if each["state"] not in _ENDED],
        "unexplained": [each for each in tasks
                        if each["state"] in ("failed", "refused", "interrupted") and not each["said"]],
        "orphans": 0 if gone else len(rig.launch.processes()), "problems": problems,
        "happened": dict(Counter(each["happened"] for each in tasks)), "memory": growth(samples),
        "tracebacks": len(rig.complaints()), "tasks": tasks,
    }


def _one(rig: Rig, trial: LongTrial, dice: random.Random) -> Dict[str, Any]:
    """Hand one task in, let something happen to it, and wait for its end."""
    words, happens, wait = dice.choice(_TASKS[trial.scene]), drawn(dice), waits(dice)
    task = rig.submit(words)
    time.sleep(wait)
    USUAL[happens](rig, task)
    state = rig.ended(task, _LONG)
    return {"task": words, "happened": happens, "state": state, "said": rig.status(task).message}
