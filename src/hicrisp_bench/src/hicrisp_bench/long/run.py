"""One long run: a launch, tasks and what happens to them by chance, and what is left at the end."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Dict, Iterator, List, Mapping, Sequence

import rospy
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until

from hicrisp_bench.faults.case import World
from hicrisp_bench.faults.rig import Rig, RigFailed
from hicrisp_bench.long.happenings import AT_A_TABLE, IN_AN_ARENA, USUAL, drawn, waits
from hicrisp_bench.long.memory import Sample, growth, resident

_LONG = 300.0
_RATE = "6"
_ENDED = ("succeeded", "failed", "refused", "canceled", "answered", "interrupted")
_BOXES = ("Place the {0} next to the {1}", "Put the {1} left of the {0}", "Place the {0} behind the {1}",
          "Where is the {0}?", "Pick up the {0}", "Put the {0} down", "Put the teapot on the {0}",
          "Place the {0} in front of the {1}")
_TOWERS = ("Stack the {0} on the {1}", "Put the {1} on the {0}", "Put the {0} down")
_DRIVES = ("Visit area 3, then area 2", "Drive to area 1", "Visit area 2, then area 1", "Where is the agv?",
           "Drive to the moon", "Visit area 1, then area 3")


@dataclass(frozen=True)
class Place:
    """A scene of a long run.

    Args:
        things: those that tasks and hands move; none in an arena.
        tasks: some of them cannot be done, or are done already; ``{0}`` is one of the things.
    """

    scene: str
    tasks: Sequence[str]
    things: Sequence[str] = ()

    def task(self, dice: random.Random) -> str:
        """A task by chance, in words."""
        things = [name.replace("_", " ") for name in dice.sample(self.things, len(self.things))]
        return dice.choice(self.tasks).format(*things)


PLACES: Mapping[str, Sequence[Place]] = {
    "tabletop": (Place("tabletop", _BOXES, ("box", "cylinder")),
                 Place("stack", (*_BOXES, *_TOWERS), ("red_box", "blue_box")),
                 Place("tagged", (*_BOXES, *_TOWERS), ("red_box", "blue_box"))),
    "agv": (Place("agv", _DRIVES), Place("agv_zone", _DRIVES)),
}
"""The scenes between which one launch changes, by the one that it begins with."""
SCENES = tuple(PLACES)


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
    places = PLACES[trial.scene]
    place = places[0]
    rig = Rig(World(trial.scene, place.task(dice), "embedded_world", {"rate": _RATE}), trial.config, folder)
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
                tasks.append(_one(rig, place, dice))
            except (RigFailed, OSError) as error:
                problems.append(f"{type(error).__name__}: {error}")
                rig.recover()
            simulated += max(0.0, rospy.get_time() - since)
            samples.append((number, resident(rig.launch.processes())))
            if number % 3 == 2:
                place = dice.choice(places)
                rig.ask("reset_world", place.scene, dice.randint(1, 10_000))
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


def _one(rig: Rig, place: Place, dice: random.Random) -> Dict[str, Any]:
    """Hand one task in, let something happen to it, and wait for its end."""
    here = AT_A_TABLE if place.things else IN_AN_ARENA
    words, happens, wait = place.task(dice), drawn(dice, here), waits(dice)
    thing = dice.choice(place.things) if place.things else ""
    task = rig.submit(words)
    time.sleep(wait)
    {**USUAL, **here}[happens](rig, task, thing)
    state = rig.ended(task, _LONG)
    return {"scene": place.scene, "task": words, "happened": happens, "state": state,
            "said": rig.status(task).message}
