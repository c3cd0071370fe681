"""A launched world with what a case does to it: tasks, signals, kills, and a look at the motion."""

from __future__ import annotations

import os
import pty
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from threading import Event, Thread
from typing import Any, Dict, List, Optional
from xmlrpc.client import ServerProxy

import rosgraph
from hicrisp_core.errors import HicrispError
from hicrisp_core.extensions import extensions
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until
from hicrisp_core.trace.event_log import read_events
from hicrisp_core.trace.events import CommandTried
from hicrisp_nodes.cli.client import ENDED, STATES, Supervisor, become_node
from hicrisp_nodes.cli.graph import Graph
from hicrisp_nodes.cli.launch import Launch
from hicrisp_ros.service_client import ServiceClient
from std_srvs.srv import Trigger, TriggerRequest

from hicrisp_bench.faults.case import DEMO, World
from hicrisp_bench.faults.hosts import MIND, ROBOT, TwoHosts
from hicrisp_bench.faults.motion import MotionWatch
from hicrisp_bench.faults.wild_model import WildModel
from hicrisp_bench.faults.world_watch import WorldWatch
from hicrisp_bench.over_ros import NAMESPACE
from hicrisp_msgs.msg import TaskStatus
from hicrisp_msgs.srv import InjectFault, InjectFaultRequest, ResetWorldRequest

LIMIT = 120.0
"""Wall seconds in which whatever is waited for must come, on however busy a machine."""
_START_LIMIT = 300.0
CANARY = "sk-canary-8e1c55d07f"
"""The key of the endpoint on loopback; it must be in nothing that a run leaves."""
_UNDER_WAY = 0.7
"""Wall seconds from the first motion to its middle."""
_NEEDED = ("submit_task", "get_task", "detector/check", "body/aim")
_SIMULATED = ("reset_world", "inject_fault")
_TRIGGERS = ("pause", "resume", "estop", "clear_estop")
_MASTER = "from rosmaster.main import rosmaster_main; rosmaster_main()"


class RigFailed(HicrispError):
    """The launch is not as a case needs it."""


class Rig:
    """One launch in a process of its own.

    Args:
        config: the folder of configuration.
        folder: takes the log and the runs.
        runs: where the runs go, if not there.
        hosts: where the robot and the nodes that think are on hosts of their own; this process is on the
            robot's then.
    """

    def __init__(self, world: World, config: Path, folder: Path, runs: Optional[Path] = None,
                 hosts: Optional[TwoHosts] = None) -> None:
        self.world = world
        self.hosts = hosts
        self.folder = folder
        self.model = WildModel() if world.model else None
        llm = self.model.start(folder / "model", CANARY) if self.model is not None else \
            config.resolve() / "llm" / "offline.yaml"
        self.log = folder / "launch.log"
        self.runs = runs or folder / "runs"
        here = "127.0.0.1" if hosts is None else ROBOT
        self._uri = f"http://{here}:{_any_port()}"
        file = config.resolve() / "scenes" / f"{world.scene}.yaml"
        launched = extensions().worlds.get(load_scene(file, 0).world).launch
        arguments = {
            "scene": file, "world": launched, "llm": llm, "rate": 1,
            "autonomy": "full", "namespace": NAMESPACE, "runs_dir": self.runs, "memory": "off",
            "pictures": "false", **world.arguments}
        self.launch = Launch(world.launch[1], arguments, self.log, self._uri, package=world.launch[0])
        self._mind: Optional[Launch] = None
        if hosts is not None:
            os.environ["ROS_IP"] = ROBOT
            self.launch = Launch("demo.launch", {**arguments, "part": "robot"}, self.log, self._uri,
                                 address=ROBOT)
            self._mind = Launch("demo.launch", {**arguments, "part": "mind"}, folder / "mind.log", self._uri,
                                hosts.mind, MIND)
        self._terminal, self._closing = -1, Event()
        self._reader = Thread(target=self._read_terminal, daemon=True)
        self._master: "Optional[subprocess.Popen[bytes]]" = None

    def start(self, own_master: bool = False, terminal: bool = False) -> None:
        """Launch it and wait until it can take a task.

        Args:
            own_master: whether it gets a ROS master that it does not start itself.
            terminal: whether roslaunch runs in a terminal of its own.
        """
        if own_master or self._mind is not None:
            self.start_master()
        if terminal:
            self._terminal, inside = pty.openpty()
            self.launch.start(inside)
            os.close(inside)
            self._reader.start()
        else:
            self.launch.start()
        if self._mind is not None:
            self._until_named()
            self._mind.start()
        self._graph = Graph(self._uri)
        self.until_ready(_START_LIMIT)
        become_node(self._uri)
        self.supervisor = Supervisor(NAMESPACE)
        self.motion = MotionWatch()
        self.seen = WorldWatch()
        self._triggers = {name: ServiceClient(f"/{NAMESPACE}/{name}", Trigger) for name in _TRIGGERS}
        self._faults = ServiceClient(f"/{NAMESPACE}/inject_fault", InjectFault)

    def _until_named(self) -> None:
        """Wait until the first roslaunch named the run: a second one that names it meanwhile gives up."""
        master = rosgraph.Master("/faults", self._uri)
        if not wait_until(lambda: master.hasParam("/run_id"), Deadline(LIMIT), period=0.1):
            raise RigFailed("the robot's roslaunch does not come up")

    def _read_terminal(self) -> None:
        """Show what roslaunch writes to nobody but the log, as long as the terminal is open."""
        with open(self.log, "ab") as log:
            while not self._closing.is_set():
                if select.select([self._terminal], [], [], 0.1)[0]:
                    log.write(os.read(self._terminal, 65536))
                    log.flush()

    def close_terminal(self) -> None:
        """Close the terminal in which roslaunch runs, as somebody does who closes its window."""
        self._closing.set()
        self._reader.join()  # A terminal that somebody reads stays open.
        os.close(self._terminal)

    def until_ready(self, seconds: float = LIMIT) -> None:
        """Wait until every service that a task needs is there."""
        wanted = [f"/{NAMESPACE}/{name}" for name in (*_NEEDED, *(_SIMULATED if self.world.launch == DEMO else ()))]
        if not wait_until(lambda: not self._graph.missing(wanted), Deadline(seconds), period=0.1,
                          in_vain=lambda: not self.launch.alive):
            tail = "\n".join(self.launch.tail())
            raise RigFailed(f"not there: {', '.join(self._graph.missing(wanted))}\n{tail}")

    def until_world_is_back(self) -> None:
        """Wait until a world that was killed just now shows its robots again."""
        since = time.monotonic() + 0.5
        if not wait_until(lambda: self.motion.heard_at > since, Deadline(LIMIT)):
            raise RigFailed("the world does not come back")

    def stop(self) -> None:
        """End everything that was started."""
        if self.model is not None:
            self.model.stop()
        if self._mind is not None:
            self._mind.stop()
        self.launch.stop()
        if self._master is not None:
            self._master.kill()
            self._master.wait()

    def start_master(self) -> None:
        """Start a ROS master of one's own, which the launch uses and does not end."""
        port = self._uri.rpartition(":")[2]
        self._master = subprocess.Popen([sys.executable, "-c", _MASTER, "--core", "-p", port], cwd="/",
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        master = rosgraph.Master("/faults", self._uri)
        if not wait_until(master.is_online, Deadline(LIMIT)):
            raise RigFailed("the ROS master does not start")

    def kill_master(self) -> None:
        """End the master the hard way."""
        if self._master is not None:
            self._master.kill()
            self._master.wait()

    def submit(self, text: str = "") -> str:
        """Hand a task in; its id."""
        answer = self.ask("submit_task", text or self.world.task)
        if not answer.accepted:
            raise RigFailed(f"the task was not taken: {answer.message}")
        return str(answer.task_id)

    def ask(self, service: str, *fields: Any) -> Any:
        """What a service of the supervisor answers."""
        return self.supervisor.ask(service, *fields, patience=LIMIT)

    def trigger(self, name: str) -> Any:
        """What a service without arguments answers."""
        reply = self._triggers[name].call(TriggerRequest(), LIMIT)
        if reply.response is None:
            raise RigFailed(f"{name}: {reply.message}")
        return reply.response

    def inject(self, kind: str, target: str = "", *magnitude: float, count: int = 0) -> None:
        """Let something go wrong in the simulation."""
        reply = self._faults.call(InjectFaultRequest(kind, target, list(magnitude), count), LIMIT)
        if reply.response is None or not reply.response.ok:
            raise RigFailed(f"no fault {kind}: {reply.response.message if reply.response else reply.message}")

    def in_motion(self, text: str = "") -> str:
        """Hand a task in and wait until a robot moves for it; its id."""
        task = self.submit(text)
        moves = self.motion.until_moving(LIMIT)
        time.sleep(_UNDER_WAY)
        if not (moves and self.motion.until_moving(LIMIT)):
            raise RigFailed(f"no robot moved for task {task}: {self.said(task)}")
        return task

    def status(self, task: str) -> TaskStatus:
        """Where a task stands.

        Raises:
            RigFailed: when the supervisor does not know it.
        """
        status = self.supervisor.status(task)
        if status is None:
            raise RigFailed(f"the supervisor knows no task {task}")
        return status

    def state(self, task: str) -> str:
        """The state of a task in a word."""
        return STATES[self.status(task).state]

    def said(self, task: str) -> str:
        """The state of a task and its message."""
        status = self.status(task)
        return f"{STATES[status.state]}: {status.message}"

    def ended(self, task: str, seconds: float = LIMIT) -> str:
        """Wait for the end of a task; its state in a word."""
        wait_until(lambda: self.status(task).state in ENDED, Deadline(seconds), period=0.05)
        return self.state(task)

    def questions(self, task: str) -> int:
        """The requests to a language model that a run's folder holds, with those that were tried again."""
        try:
            lines = (self.runs / task / "llm.jsonl").read_text(encoding="utf-8").splitlines()
        except OSError:
            return 0
        return sum(1 for line in lines if line.strip())

    def outcomes(self, task: str) -> List[str]:
        """What the drivers, or those who wait for them, said at the end of each command of a task."""
        return [f"{event['status']}: {event['message']}" for event in self._events(task)
                if event["kind"] == "outcome" and event["status"] != "success"]

    def waits(self, task: str) -> List[str]:
        """What a task said that it waited for, after it had begun."""
        return [event["text"] for event in self._events(task) if event["kind"] == "waiting" and "index" in event]

    def tried(self, task: str) -> int:
        """How many commands of a task were sent to a driver."""
        return len(self.commands(task))

    def commands(self, task: str) -> List[str]:
        """The commands of a task that were sent to a driver, in writing."""
        return [str(event["command"]) for event in self._events(task) if event["kind"] == CommandTried.kind]

    def carried_out(self, task: str) -> int:
        """How many motions of a task came to their end."""
        return sum(1 for event in self._events(task)
                   if event["kind"] == "outcome" and event["status"] == "success")

    def planned(self, task: str) -> int:
        """How many steps its plan has; a plan may visit a place twice."""
        return max((len(event["steps"]) for event in self._events(task) if event["kind"] == "plan"),
                   default=0)

    def _events(self, task: str) -> List[Dict[str, Any]]:
        return read_events(self.runs / task)

    def kill(self, node: str, number: int = signal.SIGKILL) -> int:
        """Send a signal to a node's process; its id."""
        pid = self.process(node)
        os.kill(pid, number)
        return pid

    def process(self, node: str) -> int:
        """The id of a node's process, also of one that is only just being started again."""
        found: List[int] = []

        def asked() -> bool:
            try:
                address = rosgraph.Master("/faults", self._uri).lookupNode(f"/{NAMESPACE}/{node}")
                process: Any = ServerProxy(address)
                found.append(int(process.getPid("/faults")[2]))
            except (OSError, rosgraph.MasterError):
                return False
            return True

        if not wait_until(asked, Deadline(LIMIT), period=0.1):
            raise RigFailed(f"the node {node} does not answer")
        return found[-1]

    @property
    def parameters(self) -> str:
        """The whole tree of parameters, as text."""
        return str(rosgraph.Master("/faults", self._uri).getParam("/"))

    def recover(self) -> None:
        """Bring the world back for the next case: nothing runs or waits, and everything is at its place."""
        self.until_world_is_back()
        self.until_ready()
        self.trigger("clear_estop")
        self.trigger("resume")
        answer = self.ask("get_task", "")
        for task in (*answer.queue, *([answer.status.task_id] if answer.found else [])):
            self.ask("cancel_task", task)
            self.ended(task)
        seed = ResetWorldRequest.SEED_ZERO
        deadline, answer = Deadline(LIMIT), None
        while answer is None or not (answer.ok or deadline.passed):
            answer = self.ask("reset_world", "", seed)
            time.sleep(0.0 if answer.ok else 0.5)
        if not answer.ok:
            raise RigFailed(f"the world was not put back: {answer.message}")
        time.sleep(0.5)

    def complaints(self) -> List[str]:
        """The lines of the launch's logs that a user takes for a crash."""
        launches = [self.launch, *([self._mind] if self._mind is not None else [])]
        return [line.strip() for launch in launches
                for line in launch.log.read_text(encoding="utf-8", errors="replace").splitlines()
                if "Traceback" in line or "closed topic" in line]


def _any_port() -> int:
    """A free port; two launches that begin at once must not both take the default one."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])
