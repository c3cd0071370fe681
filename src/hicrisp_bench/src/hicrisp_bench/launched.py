"""A launch of the workspace that a suite drives: tasks, faults and resets through its services."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Mapping, Sequence, Tuple

from hicrisp_core.errors import HicrispError
from hicrisp_core.extensions import extensions
from hicrisp_core.scene import load_scene
from hicrisp_core.time import Deadline, wait_until
from hicrisp_nodes.cli.client import ENDED, STATES, Supervisor, become_node
from hicrisp_nodes.cli.graph import Graph, MasterPort
from hicrisp_nodes.cli.launch import Launch
from hicrisp_ros.service_client import ServiceClient

from hicrisp_msgs.msg import TaskStatus
from hicrisp_msgs.srv import InjectFault, InjectFaultRequest, ResetWorldRequest

NAMESPACE = "hicrisp"
DEMO = ("hicrisp_bringup", "demo.launch")
LIMIT = 120.0
"""Wall seconds in which whatever is waited for must come, on however busy a machine."""
_START_LIMIT = 300.0
_NEEDED = ("submit_task", "get_task", "detector/check", "body/aim")
_SIMULATED = ("reset_world", "inject_fault")


class LaunchFailed(HicrispError):
    """The launch is not as a trial needs it: nodes did not start, or one of them went away."""


class Launched:
    """One launch with one scene, of which this process becomes a node.

    Args:
        config: the folder of configuration.
        scene: file of its scenes, without the suffix.
        folder: takes the log and the runs.
        arguments: of the launch, beside the usual ones.
        launch: package and launch file; another one than the demo's has no simulation, and no ``inject_fault``.
        host: address at which the ROS master listens.
    """

    def __init__(self, config: Path, scene: str, folder: Path, arguments: Mapping[str, object],
                 launch: Tuple[str, str] = DEMO, host: str = "127.0.0.1") -> None:
        self.folder, self.runs = folder, folder / "runs"
        self._port = MasterPort()  # The port is claimed as long as this lives.
        self.uri = f"http://{host}:{self._port.number}"
        file = config.resolve() / "scenes" / f"{scene}.yaml"
        self._arguments = {
            "scene": file, "world": extensions().worlds.get(load_scene(file, 0).world).launch,
            "llm": config.resolve() / "llm" / "offline.yaml", "rate": 1, "autonomy": "full", "namespace": NAMESPACE,
            "runs_dir": self.runs, "memory": "off", "pictures": "false", **arguments}
        self._services = [f"/{NAMESPACE}/{name}" for name in (*_NEEDED, *(_SIMULATED if launch == DEMO else ()))]
        self._graph = Graph(self.uri)
        self.launch: Launch = Launch(launch[1], self._arguments, folder / "launch.log", self.uri, package=launch[0])

    def start(self) -> None:
        """Launch it and wait until it can take a task."""
        self.launch.start()
        self.connect()

    def connect(self) -> None:
        """Become a node of what was launched, once it can take a task."""
        self.until_ready(_START_LIMIT)
        become_node(self.uri)
        self.supervisor = Supervisor(NAMESPACE)
        self._faults = ServiceClient(f"/{NAMESPACE}/inject_fault", InjectFault)

    def stop(self) -> None:
        """End everything that was started."""
        self.launch.stop()

    def until_ready(self, seconds: float = LIMIT) -> None:
        """Wait until every service that a task needs is there.

        Args:
            seconds: wall time after which that has failed.

        Raises:
            LaunchFailed: when one stays missing, with the end of the log.
        """
        if not self._until(lambda: not self._graph.missing(self._services), seconds):
            tail = "\n".join(self.launch.tail())
            raise LaunchFailed(f"not there: {', '.join(self._graph.missing(self._services))}\n{tail}")

    def ask(self, service: str, *fields: Any) -> Any:
        """Return what a service of the supervisor answers."""
        return self.supervisor.ask(service, *fields, patience=LIMIT)

    def submit(self, text: str) -> str:
        """Submit a task and return its id."""
        answer = self.ask("submit_task", text)
        if not answer.accepted:
            raise LaunchFailed(f"the task was not accepted: {answer.message}")
        return str(answer.task_id)

    def inject(self, kind: str, target: str = "", magnitude: Sequence[float] = (), count: int = 0) -> None:
        """Let something go wrong in the simulation."""
        reply = self._faults.call(InjectFaultRequest(kind, target, list(magnitude), count), LIMIT)
        if reply.response is None or not reply.response.ok:
            raise LaunchFailed(f"no fault {kind}: {reply.response.message if reply.response else reply.message}")

    def reset(self, seed: int = 0, seconds: float = 0.0) -> None:
        """Put the world back.

        Args:
            seed: of its layout.
            seconds: wall time for which that is tried again where it is refused.
        """
        deadline = Deadline(seconds)
        while True:
            answer = self.ask("reset_world", "", seed or ResetWorldRequest.SEED_ZERO)
            if answer.ok:
                return
            if deadline.passed:
                raise LaunchFailed(f"the world was not put back: {answer.message}")
            time.sleep(0.5)

    def status(self, task: str) -> TaskStatus:
        """Return where a task stands.

        Raises:
            LaunchFailed: when the supervisor does not know it.
        """
        status = self.supervisor.status(task)
        if status is None:
            raise LaunchFailed(f"the supervisor knows no task {task}")
        return status

    def state(self, task: str) -> str:
        """Return the state of a task in a word."""
        return STATES[self.status(task).state]

    def ended(self, task: str, seconds: float = LIMIT) -> str:
        """Wait for the end of a task, at most some seconds of wall time; return its state in a word."""
        self._until(lambda: self.status(task).state in ENDED, seconds, period=0.05)
        return self.state(task)

    def _until(self, condition: Any, seconds: float, period: float = 0.1) -> bool:
        return wait_until(condition, Deadline(seconds), period=period, in_vain=lambda: not self.launch.alive)
