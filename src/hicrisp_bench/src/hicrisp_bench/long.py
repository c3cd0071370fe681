"""Many random tasks with faults over the launched nodes: memory, lost tasks, orphans, failures."""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Callable, Dict, Iterable, List, Mapping, Sequence, Tuple

import rospy
from hicrisp_core.time import Deadline, wait_until
from hicrisp_nodes.cli.client import ENDED, STATES

from hicrisp_bench.faults.rig import Rig, World
from hicrisp_bench.launched import LaunchFailed
from hicrisp_bench.options import add_scenes, add_seed, at_least_one
from hicrisp_bench.suite import Chart, Report, Row, Runner, Section, count_bars

QUICK: Mapping[str, Any] = {"tasks": 6}
SELECTS = ("tasks", "scenes", "seed", "minutes")
_STATES = ("succeeded", "failed", "refused", "answered", "canceled", "interrupted")
_COLUMNS = ("scene", "n", "sim_hours", "minutes", *_STATES, "lost", "unexplained", "orphans", "tracebacks")
_NODES = ("scene", "node", "processes", "tasks", "mb_first", "mb_last", "growth")
_LONG = 300.0
_RATE = "6"
_NAME = b"__name:="
_LATER = 2.0
"""Wall seconds within which something happens to a task after it was submitted."""
_BOXES = ("Place the {0} next to the {1}", "Put the {1} left of the {0}", "Place the {0} behind the {1}",
          "Where is the {0}?", "Pick up the {0}", "Put the {0} down", "Put the teapot on the {0}",
          "Place the {0} in front of the {1}")
_TOWERS = (*_BOXES, "Stack the {0} on the {1}", "Put the {1} on the {0}", "Put the {0} down")
_DRIVES = ("Visit area 3, then area 2", "Drive to area 1", "Visit area 2, then area 1", "Where is the agv?",
           "Drive to the moon", "Visit area 1, then area 3")

Happening = Callable[[Rig, str, str], object]
"""Lets it happen to a task; the last argument is an object of the scene, empty where there is none."""
Sample = Tuple[int, Dict[str, Tuple[int, float]]]
"""The number of the task after which it was taken; a node's process and its MB, by the node's name."""


def _stopped(rig: Rig, task: str, item: str) -> None:
    """Stop everything, and let it go on when the task has ended."""
    rig.ask("estop")
    rig.ended(task)
    rig.ask("clear_estop")
    rig.ask("resume")


def _paused(rig: Rig, task: str, item: str) -> None:
    """Hold it back for a moment."""
    rig.ask("pause")
    time.sleep(0.5)
    rig.ask("resume")


def _killed(node: str) -> Happening:
    """Kill a node; the supervisor remembers the task, a world's end is waited for."""
    def kill(rig: Rig, task: str, item: str) -> None:
        rig.kill(node)
        if node == "embedded_world":
            rig.ended(task)
            rig.until_world_is_back()
        rig.until_ready()
        if node == "supervisor":
            rig.ask("get_task", "")

    return kill


def _resent(rig: Rig, task: str, item: str) -> None:
    """Submit the same words once more behind it, and cancel them."""
    again = rig.submit(rig.status(task).text)
    rig.ask("cancel_task", again)
    rig.ended(again)


def _taken(rig: Rig, task: str, item: str) -> None:
    """A hand takes an object away, and puts it back after the task."""
    rig.inject("vanish", item)
    rig.ended(task)
    rig.inject("return", item)


USUAL: Mapping[str, Happening] = {
    "nothing": lambda rig, task, item: None, "cancel": lambda rig, task, item: rig.ask("cancel_task", task),
    "emergency stop": _stopped, "pause": _paused, "resent": _resent,
    **{f"kill -9 of {node}": _killed(node) for node in ("brain", "body", "detector", "corrector", "supervisor")},
    "kill -9 of the world": _killed("embedded_world"),
}
"""In every world, by their names."""
AT_A_TABLE: Mapping[str, Happening] = {
    "slip": lambda rig, task, item: rig.inject("slip", "", (0.5,), count=1),
    "miss": lambda rig, task, item: rig.inject("place_offset", "", (0.03,), count=1),
    "moved by a hand": lambda rig, task, item: rig.inject("object_moved", item, (0.08,)), "taken away": _taken}
IN_AN_ARENA: Mapping[str, Happening] = {"lidar silent": lambda rig, task, item: rig.inject("scan_stops", "", (3.0,))}
_OFTEN = {"nothing": 5.0, "cancel": 1.0}
_SELDOM = 0.1
"""Of kills: a node's memory shows where it settles only in a life of many tasks."""


def drawn(dice: random.Random, here: Mapping[str, Happening]) -> str:
    """Draw what happens, of what may happen in a world beside the usual; most often nothing."""
    names = [*USUAL, *here]
    often = [_OFTEN.get(name, _SELDOM if name.startswith("kill") else 0.5) for name in names]
    return dice.choices(names, often)[0]


@dataclass(frozen=True)
class Place:
    """A scene of a long run.

    Args:
        things: those that tasks and hands move; none in an arena.
        tasks: some of them cannot be done, or are done already; ``{0}`` is one of the objects.
    """

    scene: str
    tasks: Sequence[str]
    things: Sequence[str] = ()

    def task(self, dice: random.Random) -> str:
        """Draw a task, in words."""
        objects = [name.replace("_", " ") for name in dice.sample(self.things, len(self.things))]
        return dice.choice(self.tasks).format(*objects)


PLACES: Mapping[str, Sequence[Place]] = {
    "tabletop": (Place("tabletop", _BOXES, ("box", "cylinder")),
                 Place("stack", _TOWERS, ("red_box", "blue_box")),
                 Place("tagged", _TOWERS, ("red_box", "blue_box"))),
    "agv": (Place("agv", _DRIVES), Place("agv_zone", _DRIVES)),
}
"""The scenes between which one launch changes, by the one that it begins with."""


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

    def key(self) -> str:
        """Name a trial."""
        return f"{self.scene}, {self.tasks} tasks, {self.seed}"

    def run(self) -> Dict[str, Any]:
        """Return a row's figures, with the tasks, what broke off and how the nodes' memory grew."""
        with TemporaryDirectory(prefix="hicrisp_long_") as folder:
            return self._run(Path(folder))

    def _run(self, folder: Path) -> Dict[str, Any]:
        dice, began = random.Random(self.seed), time.monotonic()
        places = PLACES[self.scene]
        place = places[0]
        rig = Rig(World(self.scene, place.task(dice), {"rate": _RATE}), self.config, folder)
        samples: List[Sample] = []
        tasks: List[Dict[str, Any]] = []
        problems: List[str] = []
        simulated = 0.0
        try:
            rig.start()
            for number in range(self.tasks):
                if time.monotonic() - began > 60.0 * self.minutes:
                    break
                since = rospy.get_time()
                try:
                    tasks.append(_one(rig, place, dice))
                except (LaunchFailed, OSError) as error:
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
        states = Counter(each["state"] for each in tasks)
        unexplained = sum(each["state"] in ("failed", "refused", "interrupted") and not each["said"] for each in tasks)
        lost = sum(states[state] for state in set(states) - {STATES[state] for state in ENDED}) + len(problems)
        return {"n": len(tasks), "sim_hours": simulated / 3600.0, "minutes": (time.monotonic() - began) / 60.0,
                **states, "lost": lost, "unexplained": unexplained,
                "orphans": 0 if gone else len(rig.launch.processes()),
                "tracebacks": len(rig.complaints()), "memory": growth(samples), "tasks": tasks, "problems": problems}


def add_options(parser: argparse.ArgumentParser) -> None:
    """How many tasks, where, and for how long."""
    parser.add_argument("--tasks", type=at_least_one, default=250, metavar="N", help="tasks in each scene (250)")
    parser.add_argument("--minutes", type=float, default=240.0, metavar="M",
                        help="of wall time in each scene, after which no further task is begun (240)")
    add_scenes(parser, tuple(PLACES), only=tuple(PLACES))
    add_seed(parser, "tasks and of what happens to them")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite."""
    scenes = options.scenes or list(PLACES)
    groups = [[LongTrial(options.config, scene, options.tasks, options.seed, options.minutes)] for scene in scenes]
    results = runner.run_together(groups, "long runs")
    rows: List[Row] = [{"scene": scene, **{column: result.get(column, 0) for column in _COLUMNS[1:]}}
                       for scene, result in zip(scenes, results)]
    nodes = [{"scene": scene, **row} for scene, result in zip(scenes, results) for row in result.get("memory", ())]
    happened = [{"scene": scene, "what": what, "n": number} for scene, result in zip(scenes, results)
                for what, number in sorted(Counter(each["happened"] for each in result.get("tasks", ())).items())]
    wrong = tuple(f"{row['scene']}: {row['lost']} lost, {row['unexplained']} unexplained, {row['orphans']} "
                  "orphans" for row in rows if row["lost"] or row["unexplained"] or row["orphans"])
    chart = Chart("ends", "How the tasks of a long run ended", count_bars(
        rows, "scene", [(state, state) for state in _STATES]), "Tasks", share=False)
    memory = Chart("memory", "Memory in the first and the last fifth of each node's longest life", count_bars(
        nodes, lambda row: f"{row['scene']}: {row['node']}",
        [("mb_first", "first fifth"), ("mb_last", "last fifth")]), "MB", share=False)
    return Report(rows, _COLUMNS, (), _NOTE, {"trials": results},
                  (Section("Memory", nodes, _NODES), Section("What happened", happened, ("scene", "what", "n"))),
                  charts=(chart, memory), failed=wrong)


def _one(rig: Rig, place: Place, dice: random.Random) -> Dict[str, Any]:
    """Submit one task, let something happen to it, and wait for its end."""
    here = AT_A_TABLE if place.things else IN_AN_ARENA
    words, happens, wait = place.task(dice), drawn(dice, here), dice.uniform(0.0, _LATER)
    item = dice.choice(place.things) if place.things else ""
    task = rig.submit(words)
    time.sleep(wait)
    {**USUAL, **here}[happens](rig, task, item)
    state = rig.ended(task, _LONG)
    return {"scene": place.scene, "task": words, "happened": happens, "state": state, "said": rig.status(task).message}


def resident(processes: Iterable[int]) -> Dict[str, Tuple[int, float]]:
    """Return the process and the MB of every node among some processes."""
    found: Dict[str, Tuple[int, float]] = {}
    for pid in processes:
        folder = Path("/proc") / str(pid)
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            status = (folder / "status").read_text()
        except OSError:
            continue  # It has just ended.
        name = next((word[len(_NAME):].decode() for word in words if word.startswith(_NAME)), "")
        if name:
            kilobytes = next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]
            found[name] = (pid, int(kilobytes) / 1024.0)
    return found


def growth(samples: Sequence[Sample]) -> List[Dict[str, object]]:
    """Return a row for each node: how its memory grew in the longest life of one of its processes, the first tenth
    of that life left out.
    """
    lives: Dict[Tuple[str, int], List[Tuple[int, float]]] = {}
    for number, sample in samples:
        for name, (pid, megabytes) in sample.items():
            lives.setdefault((name, pid), []).append((number, megabytes))
    rows: List[Dict[str, object]] = []
    for name in sorted({node for node, _ in lives}):
        own = [life for (node, _), life in lives.items() if node == name]
        life = max(own, key=len)
        settled = life[len(life) // 10:]
        part = max(1, len(settled) // 5)
        first = sum(value for _, value in settled[:part]) / part
        last = sum(value for _, value in settled[-part:]) / part
        rows.append({"node": name, "tasks": life[-1][0] - life[0][0] + 1, "mb_first": first, "mb_last": last,
                     "growth": last / first - 1.0, "processes": len(own)})
    return rows


_NOTE = ("Every node is real, the physics is simulated. Growth is from the first fifth to the last fifth of "
         "the longest life of a node's process, its first tenth left out; a node that is killed begins anew. "
         "Lost: a task that was taken and whose end nobody knows. Unexplained: a failure without a message.")
