"""The table top's trials over the launched nodes: the same settings and the same judge as in one process.

A launch serves all trials of one scene and policy, each after a reset of the world with the trial's seed. rospy knows
one master for the life of a process, so every launch has a process of its own.
"""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple

import rospy
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.errors import HicrispError
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Pose
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until
from hicrisp_nodes.cli.client import ENDED, EventStream, Supervisor, Unreachable, WorldWatch, become_node
from hicrisp_nodes.cli.console import Console
from hicrisp_nodes.cli.follow import Follower
from hicrisp_nodes.cli.graph import Graph, free_port
from hicrisp_nodes.cli.launch import Launch
from hicrisp_nodes.cli.trials import result_of_task
from hicrisp_ros.service_client import ServiceClient
from tf2_msgs.msg import TFMessage

from hicrisp_bench.arrangement import holds_in_truth
from hicrisp_bench.pool import Progress
from hicrisp_bench.trial import TrialSettings
from hicrisp_msgs.msg import TaskStatus
from hicrisp_msgs.srv import InjectFault, InjectFaultRequest, ResetWorldRequest

NAMESPACE = "hicrisp"
_NEEDED = ("submit_task", "get_task", "detector/check", "reset_world", "inject_fault")
_START_LIMIT, _ANSWER_LIMIT, _TRIAL_LIMIT = 300.0, 120.0, 1800.0
"""Wall seconds for a launch to be ready, for a service to answer, and for a trial to end."""
_FRESH_STATES = 5
_SETTLING = 1.0
"""Seconds of the world's clock after which everything is taken to lie still."""

Result = Dict[str, Any]


class LaunchFailed(HicrispError):
    """The nodes did not start, or one of them went away."""


class TruePoses:
    """The newest true poses, which the simulation publishes for judges only."""

    def __init__(self) -> None:
        self._frames: Mapping[str, Tuple[Pose, float]] = {}
        self._subscriber = rospy.Subscriber(f"/{NAMESPACE}/ground_truth", TFMessage, self._on_frames, queue_size=1)

    def _on_frames(self, message: TFMessage) -> None:
        found = {}
        for transform in message.transforms:
            moved, turned = transform.transform.translation, transform.transform.rotation
            pose = Pose((moved.x, moved.y, moved.z), (turned.x, turned.y, turned.z, turned.w))
            found[transform.child_frame_id] = (pose, transform.header.stamp.to_sec())
        self._frames = found

    def at_rest(self) -> Mapping[str, Tuple[Pose, float]]:
        """The frames once the world's clock has gone on long enough for everything to lie still.

        Raises:
            LaunchFailed: when no such poses come.
        """
        since = rospy.get_time() + _SETTLING
        if not wait_until(lambda: self._now() >= since, Deadline(_ANSWER_LIMIT)):
            raise LaunchFailed(f"no true poses came on /{NAMESPACE}/ground_truth within {_ANSWER_LIMIT:g} s")
        return self._frames

    def _now(self) -> float:
        return max((stamp for _, stamp in self._frames.values()), default=0.0)


class Launched:
    """The workspace, launched for one scene and policy."""

    def __init__(self, first: TrialSettings, folder: Path) -> None:
        self._port = free_port()
        self._uri = f"http://127.0.0.1:{self._port}"
        config = first.config.resolve()
        scene = load_scene(config / "scenes" / f"{first.scene}.yaml", first.seed)
        self._launch = Launch("demo.launch", {
            "scene": config / "scenes" / f"{first.scene}.yaml", "world": extensions().worlds.get(scene.world).launch,
            "policy": config / "policies" / f"{first.policy}.yaml", "llm": config / "llm" / f"{first.llm}.yaml",
            "seed": first.seed, "rate": 0, "autonomy": "full", "namespace": NAMESPACE, "runs_dir": folder / "runs",
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
        self._states, self._truth = WorldWatch(NAMESPACE), TruePoses()
        self._faults = ServiceClient(f"/{NAMESPACE}/inject_fault", InjectFault)
        console = Console(open("/dev/null", "w", encoding="utf-8"), colour=False)  # noqa: SIM115 - lives as long
        self._follower = Follower(self._supervisor, self._events, console, lambda: self._launch.alive)
        if not self._events.wait(_ANSWER_LIMIT):
            raise LaunchFailed("the supervisor's events do not come")
        return self

    def __exit__(self, *_: object) -> None:
        self._launch.stop()

    def run(self, trial: TrialSettings) -> Result:
        """One trial in a world that was put back; the same dictionary as that of a trial in one process."""
        self._begin(trial)
        began = time.perf_counter()
        answer = self._supervisor.ask("submit_task", trial.task, patience=_ANSWER_LIMIT)
        if not answer.accepted:
            raise LaunchFailed(f"the task was not accepted: {answer.message}")
        told = self._follower.follow(answer.task_id, _TRIAL_LIMIT)
        wall = time.perf_counter() - began
        status = self._ended(answer.task_id)
        found = result_of_task(told, status.run_folder)
        return {
            "task": trial.task, "scene": trial.scene, "seed": trial.seed, "policy": trial.policy, "llm": trial.llm,
            "success": self._judge(trial), "claimed": bool(found["success"]),
            "message": status.message, "plan": found["plan"],
            "steps_executed": found["steps_executed"], "corrections": found["corrections"],
            "failures": found["failures"],
            "attempts": sum(1 for e in told if e["kind"] == "command" and str(e["command"]).startswith("place")),
            "replans": sum(1 for e in told if e["kind"] == "plan") - 1,
            "placement_error_m": found["placement_error_m"], "llm_calls": found["llm_calls"],
            "tokens": found["tokens"], "wall_s": wall, "sim_s": found["sim_s"]}

    def _begin(self, trial: TrialSettings) -> None:
        reset = self._supervisor.ask(
            "reset_world", "", trial.seed or ResetWorldRequest.SEED_ZERO, patience=_ANSWER_LIMIT)
        if not reset.ok:
            raise LaunchFailed(f"the world was not put back: {reset.message}")
        for fault in trial.faults:
            reply = self._faults.call(InjectFaultRequest(**fault), _ANSWER_LIMIT)
            if reply.response is None or not reply.response.ok:
                raise LaunchFailed(f"no fault: {reply.message if reply.response is None else reply.response.message}")
        if not self._states.wait_for(_FRESH_STATES, _ANSWER_LIMIT):
            raise LaunchFailed("no state of the world was seen after its reset")

    def _ended(self, task_id: str) -> TaskStatus:
        """Where a task stands once its run folder is complete and the next one may begin."""
        def ended() -> bool:
            status = self._supervisor.status(task_id)
            return status is not None and status.state in ENDED

        if not wait_until(ended, Deadline(_ANSWER_LIMIT), period=0.05, in_vain=lambda: not self._launch.alive):
            raise LaunchFailed(f"the task {task_id} does not end")
        return self._supervisor.status(task_id)

    def _judge(self, trial: TrialSettings) -> bool:
        scene = load_scene(trial.config / "scenes" / f"{trial.scene}.yaml", trial.seed)
        domain = load_domain(trial.config / "domains" / f"{scene.domain}.yaml")
        frames = self._truth.at_rest()
        return holds_in_truth(trial.goal, frames, scene.objects, domain, rospy.get_time())


def run_all_over_ros(trials: Sequence[TrialSettings], jobs: int, what: str) -> List[Result]:
    """Run trials through launched nodes, ``jobs`` launches side by side; results in the order of the trials."""
    groups: Dict[Tuple[Path, str, str, str], List[int]] = {}
    for index, trial in enumerate(trials):
        groups.setdefault((trial.config, trial.scene, trial.policy, trial.llm), []).append(index)
    results: List[Result] = [{} for _ in trials]
    progress = Progress(f"{what} over ROS, launches", len(groups))
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        futures = {pool.submit(run_group, [trials[index] for index in group]): group for group in groups.values()}
        for future in as_completed(futures):
            group = futures[future]
            error = future.exception()
            crash = {"success": False, "crashed": f"{type(error).__name__}: {error}", "trace": ""}
            for index, result in zip(group, [crash] * len(group) if error is not None else future.result()):
                results[index] = result
            progress.step()
    progress.end()
    return results


def run_group(trials: Sequence[TrialSettings]) -> List[Result]:
    """Run trials of one scene and policy in one launch; one that crashes is its own result."""
    return list(_run_group(trials))


def _run_group(trials: Sequence[TrialSettings]) -> Iterator[Result]:
    with TemporaryDirectory(prefix="hicrisp_bench_") as folder, Launched(trials[0], Path(folder)) as launched:
        for trial in trials:
            try:
                yield launched.run(trial)
            except (HicrispError, Unreachable, KeyError) as error:
                yield {"success": False, "seed": trial.seed, "crashed": f"{type(error).__name__}: {error}", "trace": ""}
