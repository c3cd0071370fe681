"""Trials over the launched nodes: the same settings and the same judges as in one process.

A launch serves all trials of one scene and policy, each after a reset of the world with the trial's seed.
rospy knows one master for the life of a process, so every launch has a process of its own.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Dict, Iterator, List, Mapping, Protocol, Sequence, Tuple, Type

from hicrisp_core.errors import HicrispError
from hicrisp_nodes.cli.client import ENDED, EventStream, Unreachable, WorldWatch
from hicrisp_nodes.cli.console import Console
from hicrisp_nodes.cli.follow import Follower
from hicrisp_nodes.cli.trials import result_of_task

from hicrisp_bench.launched import LIMIT, NAMESPACE, Launched, LaunchFailed
from hicrisp_bench.pool import Result

_TRIAL_LIMIT = 1800.0
"""Wall seconds for a trial to end."""
_FRESH_STATES = 5


class LaunchedTrial(Protocol):
    """What the nodes are told of a trial: those with the same files share a launch.

    Args:
        faults: kind, target and magnitude of what is injected into the world.
    """

    config: Path
    scene: str
    policy: str
    llm: str
    perception: str
    seed: int
    task: str
    faults: Sequence[Mapping[str, Any]]


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
    """Judges the trials of one launch by the simulation's own truth; made when the process is a node of it."""

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
            run: what the nodes reported.

        Returns:
            The same dictionary as that of the trial in one process.
        """


class TrialLaunch(Launched):
    """The workspace, launched for one scene and policy, with the judge of its trials."""

    def __init__(self, first: LaunchedTrial, folder: Path, judge: Type[Judge]) -> None:
        config = first.config.resolve()
        super().__init__(config, first.scene, folder, {
            "policy": config / "policies" / f"{first.policy}.yaml", "perception": first.perception,
            "llm": config / "llm" / f"{first.llm}.yaml", "seed": first.seed, "rate": 0, **judge.ARGUMENTS})
        self._judged_by = judge

    def start(self) -> None:
        """Launch it and wait until it can take a task."""
        super().start()
        events = EventStream(NAMESPACE)
        self._states, self._judge = WorldWatch(NAMESPACE), self._judged_by()
        silent = open("/dev/null", "w", encoding="utf-8")  # noqa: SIM115 - lives as long
        self._follower = Follower(self.supervisor, events, Console(silent, colour=False), lambda: self.launch.alive)
        if not events.wait(LIMIT):
            raise LaunchFailed("the supervisor's events do not come")

    def run(self, trial: LaunchedTrial) -> Result:
        """Run one trial in a world that was put back; the same dictionary as that of a trial in one process."""
        self.reset(trial.seed)
        for fault in trial.faults:
            self.inject(**fault)
        if not self._states.wait_for(_FRESH_STATES, LIMIT):
            raise LaunchFailed("no state of the world was seen after its reset")
        self._judge.begin(trial)
        began = time.perf_counter()
        task = self.submit(trial.task)
        told = self._follower.follow(task, _TRIAL_LIMIT)
        wall = time.perf_counter() - began
        self.ended(task)
        status = self.status(task)
        if status.state not in ENDED:
            raise LaunchFailed(f"the task {task} does not end")
        return self._judge.result(trial, Run(told, result_of_task(told, status.run_folder), status.message, wall))


def alike(trials: Sequence[LaunchedTrial]) -> List[List[int]]:
    """Return the places of the trials that one launch serves, launch by launch."""
    groups: Dict[Tuple[Path, str, str, str, str], List[int]] = {}
    for place, trial in enumerate(trials):
        groups.setdefault((trial.config, trial.scene, trial.policy, trial.llm, trial.perception), []).append(place)
    return list(groups.values())


def run_group(judge: Type[Judge], trials: Sequence[LaunchedTrial]) -> Iterator[Result]:
    """Run trials of one scene and policy in one launch; one that crashes is its own result.

    Args:
        judge: of which one is made for the launch.
        trials: alike in all that the launch depends on.
    """
    with TemporaryDirectory(prefix="hicrisp_bench_") as folder, ExitStack() as ending:
        launched = TrialLaunch(trials[0], Path(folder), judge)
        ending.callback(launched.stop)
        launched.start()
        for trial in trials:
            try:
                yield launched.run(trial)
            except (HicrispError, Unreachable, KeyError) as error:
                yield {"success": False, "seed": trial.seed, "crashed": f"{type(error).__name__}: {error}", "trace": ""}
