"""Trials over the launched nodes: the same settings and the same judges as in one process.

A launch serves all trials of one scene and policy, each after a reset of the world with the trial's seed.
rospy knows one master for the life of a process, so every launch has a process of its own.
"""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from typing import Any, Callable, Dict, Iterator, List, Mapping, Protocol, Sequence, Tuple, Type

from hicrisp_core.errors import HicrispError
from hicrisp_core.extensions import extensions
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until
from hicrisp_nodes.cli.client import ENDED, EventStream, Supervisor, Unreachable, WorldWatch, become_node
from hicrisp_nodes.cli.console import Console
from hicrisp_nodes.cli.follow import Follower
from hicrisp_nodes.cli.graph import Graph, MasterPort
from hicrisp_nodes.cli.launch import Launch
from hicrisp_nodes.cli.trials import result_of_task
from hicrisp_ros.service_client import ServiceClient

from hicrisp_bench.pool import Progress, Result, ignore
from hicrisp_msgs.msg import TaskStatus
from hicrisp_msgs.srv import InjectFault, InjectFaultRequest, ResetWorldRequest

NAMESPACE = "hicrisp"
ANSWER_LIMIT = 120.0
"""Wall seconds in which a service answers, or what is waited for comes."""
_NEEDED = ("submit_task", "get_task", "detector/check", "reset_world", "inject_fault")
_START_LIMIT, _TRIAL_LIMIT = 300.0, 1800.0
"""Wall seconds for a launch to be ready, and for a trial to end."""
_FRESH_STATES = 5
_LOOK_EVERY = 0.5
"""Wall seconds between two looks at what the launches have told."""


class LaunchFailed(HicrispError):
    """The nodes did not start, or one of them went away."""


class Trial(Protocol):
    """What every trial says of itself."""

    @property
    def config(self) -> Path: ...
    @property
    def scene(self) -> str: ...
    @property
    def task(self) -> str: ...
    @property
    def policy(self) -> str: ...
    @property
    def llm(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def perception(self) -> str: ...
    @property
    def faults(self) -> Sequence[Mapping[str, Any]]: ...


@dataclass(frozen=True)
class Run:
    """A task that has ended.

    Args:
        events: all of them, in order.
        found: the result that its folder holds.
        wall_s: seconds from its submission to its end.
    """

    events: Sequence[Mapping[str, Any]]
    found: Mapping[str, Any]
    message: str
    wall_s: float


class Judge(Protocol):
    """Judges the trials of one launch by the simulation's own truth; made when the process is a node of
    it.
    """

    ARGUMENTS: Mapping[str, str]
    """Further arguments of the launch."""

    def __init__(self) -> None: ...

    def begin(self, trial: Any) -> None:
        """Prepare for a trial in a world that was reset for it.

        Args:
            trial: settings of the trial.
        """

    def result(self, trial: Any, run: Run) -> Result:
        """Judge a trial as in one process.

        Args:
            trial: settings of the trial.
            run: what the nodes reported, and the true poses.

        Returns:
            The same dictionary as that of the trial in one process.
        """


class Launched:
    """The workspace, launched for one scene and policy."""

    def __init__(self, first: Trial, folder: Path, judge: Type[Judge]) -> None:
        self._port = MasterPort()
        self._uri = f"http://127.0.0.1:{self._port.number}"
        self._judged_by = judge
        config = first.config.resolve()
        scene = load_scene(config / "scenes" / f"{first.scene}.yaml", first.seed)
        self._launch = Launch("demo.launch", {
            "scene": config / "scenes" / f"{first.scene}.yaml",
            "world": extensions().worlds.get(scene.world).launch,
            "policy": config / "policies" / f"{first.policy}.yaml", "perception": first.perception,
            "llm": config / "llm" / f"{first.llm}.yaml",
            "seed": first.seed, "rate": 0, "autonomy": "full", "namespace": NAMESPACE,
            "runs_dir": folder / "runs", "memory": "off",
            "pictures": "false", **judge.ARGUMENTS,
        }, folder / "launch.log", self._uri)

    def __enter__(self) -> "Launched":
        self._launch.start()
        graph, wanted = Graph(self._uri), [f"/{NAMESPACE}/{name}" for name in _NEEDED]
        if not wait_until(lambda: not graph.missing(wanted), Deadline(_START_LIMIT), period=0.1,
                          in_vain=lambda: not self._launch.alive):
            tail = "\n".join(self._launch.tail())
            self._launch.stop()
            raise LaunchFailed(f"the nodes did not start: {', '.join(graph.missing(wanted))} missing\n{tail}")
        become_node(self._uri)
        self._supervisor = Supervisor(NAMESPACE)
        self._events = EventStream(NAMESPACE)
        self._states, self._judge = WorldWatch(NAMESPACE), self._judged_by()
        self._faults = ServiceClient(f"/{NAMESPACE}/inject_fault", InjectFault)
        console = Console(open("/dev/null", "w", encoding="utf-8"),
                          colour=False)  # noqa: SIM115 - lives as long
        self._follower = Follower(self._supervisor, self._events, console, lambda: self._launch.alive)
        if not self._events.wait(ANSWER_LIMIT):
            raise LaunchFailed("the supervisor's events do not come")
        return self

    def __exit__(self, *_: object) -> None:
        self._launch.stop()

    def run(self, trial: Trial) -> Result:
        """Run one trial in a reset world.

        Args:
            trial: settings of the trial.

        Returns:
            The same dictionary as that of the trial in one process.
        """
        self._begin(trial)
        self._judge.begin(trial)
        began = time.perf_counter()
        answer = self._supervisor.ask("submit_task", trial.task, patience=ANSWER_LIMIT)
        if not answer.accepted:
            raise LaunchFailed(f"the task was not accepted: {answer.message}")
        told = self._follower.follow(answer.task_id, _TRIAL_LIMIT)
        wall = time.perf_counter() - began
        status = self._ended(answer.task_id)
        found = result_of_task(told, status.run_folder)
        return self._judge.result(trial, Run(told, found, status.message, wall))

    def _begin(self, trial: Trial) -> None:
        reset = self._supervisor.ask(
            "reset_world", "", trial.seed or ResetWorldRequest.SEED_ZERO, patience=ANSWER_LIMIT)
        if not reset.ok:
            raise LaunchFailed(f"the world was not put back: {reset.message}")
        for fault in trial.faults:
            reply = self._faults.call(InjectFaultRequest(**fault), ANSWER_LIMIT)
            if reply.response is None or not reply.response.ok:
                raise LaunchFailed("no fault: "
                                   f"{reply.message if reply.response is None else reply.response.message}")
        if not self._states.wait_for(_FRESH_STATES, ANSWER_LIMIT):
            raise LaunchFailed("no state of the world was seen after its reset")

    def _ended(self, task_id: str) -> TaskStatus:
        """Where a task stands once its run folder is complete and the next one may begin."""
        def ended() -> bool:
            status = self._supervisor.status(task_id)
            return status is not None and status.state in ENDED

        if not wait_until(ended, Deadline(ANSWER_LIMIT), period=0.05, in_vain=lambda: not self._launch.alive):
            raise LaunchFailed(f"the task {task_id} does not end")
        return self._supervisor.status(task_id)


def run_all_over_ros(trials: Sequence[Trial], jobs: int, what: str, judge: Type[Judge],
                     each: Callable[[int, Result], None] = ignore) -> List[Result]:
    """Run trials through launched nodes, ``jobs`` launches side by side; results in the order of the
    trials.

    Args:
        each: called in this process with the place and the result of each trial as soon as it has ended.
    """
    groups: Dict[Tuple[Path, str, str, str, str], List[int]] = {}
    for index, trial in enumerate(trials):
        alike = (trial.config, trial.scene, trial.policy, trial.llm, trial.perception)
        groups.setdefault(alike, []).append(index)
    results: List[Result] = [{} for _ in trials]
    progress = Progress(f"{what} over ROS", len(trials))

    def take(index: int, result: Result) -> None:
        results[index] = result
        each(index, result)
        progress.step()

    context = get_context("spawn")
    with context.Manager() as manager, ProcessPoolExecutor(
            jobs, mp_context=context, max_tasks_per_child=1) as pool:
        told: "Queue[Tuple[int, Result]]" = manager.Queue()
        groups_left = {pool.submit(run_group, [(index, trials[index]) for index in group], judge, told): group
                       for group in groups.values()}
        while groups_left:
            ended, _ = wait(groups_left, _LOOK_EVERY, FIRST_COMPLETED)
            while not told.empty():
                take(*told.get())
            for future in ended:
                error = future.exception()
                for index in groups_left.pop(future):
                    if not results[index]:
                        take(index, {"success": False, "crashed": f"{type(error).__name__}: {error}",
                                     "trace": ""})
    progress.end()
    return results


def run_group(trials: Sequence[Tuple[int, Trial]], judge: Type[Judge],
              told: "Queue[Tuple[int, Result]]") -> None:
    """Run trials of one scene and policy in one launch; one that crashes is its own result.

    Args:
        trials: each with its place.
        told: takes each result as soon as it is there.
    """
    for (index, _), result in zip(trials, _run_group([trial for _, trial in trials], judge)):
        told.put((index, result))


def _run_group(trials: Sequence[Trial], judge: Type[Judge]) -> Iterator[Result]:
    with TemporaryDirectory(prefix="hicrisp_bench_") as folder, Launched(trials[0], Path(folder),
                                                                         judge) as launched:
        for trial in trials:
            try:
                yield launched.run(trial)
            except (HicrispError, Unreachable, KeyError) as error:
                yield {"success": False, "seed": trial.seed, "crashed": f"{type(error).__name__}: {error}",
                       "trace": ""}
