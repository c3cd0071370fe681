"""A launched world with what a case does to it: tasks, signals, kills, and a look at the motion."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any, Dict, List, Mapping, Optional, Tuple
from xmlrpc.client import ServerProxy

import rosgraph
from hicrisp_core.time import Deadline, wait_until
from hicrisp_core.trace.event_log import read_events
from hicrisp_core.trace.events import CommandTried
from hicrisp_nodes.cli.client import STATES
from hicrisp_nodes.cli.launch import Launch

from hicrisp_bench.faults.places import MIND, ROBOT, TwoHosts
from hicrisp_bench.faults.watches import MotionWatch, WorldWatch
from hicrisp_bench.faults.wild_model import WildModel
from hicrisp_bench.launched import DEMO, LIMIT, NAMESPACE, Launched, LaunchFailed

CANARY = "sk-canary-8e1c55d07f"
"""The key of the endpoint on loopback; it must be in nothing that a run leaves."""
_UNDER_WAY = 0.7
"""Wall seconds from the first motion to its middle."""
_MASTER = "from rosmaster.main import rosmaster_main; rosmaster_main()"


@dataclass(frozen=True)
class World:
    """A launched world.

    Args:
        scene: file in ``config/scenes`` without its suffix.
        task: something that moves a robot for some seconds.
        arguments: of the launch, besides the usual ones.
        model: whether a language model's endpoint on loopback plans and corrects, as each case wants.
        launch: package and launch file; another one than the demo's has no simulation.
    """

    scene: str
    task: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    model: bool = False
    launch: Tuple[str, str] = DEMO


class Rig(Launched):
    """One launch in a process of its own.

    Args:
        config: the folder of configuration.
        folder: takes the log and the runs.
        hosts: where the robot and the nodes that think are on hosts of their own; this process is on the
            robot's then.
    """

    def __init__(self, world: World, config: Path, folder: Path, hosts: Optional[TwoHosts] = None) -> None:
        self.world, self.hosts = world, hosts
        self.model = WildModel() if world.model else None
        llm = {"llm": self.model.start(folder / "model", CANARY)} if self.model is not None else {}
        super().__init__(config, world.scene, folder, {**llm, **world.arguments}, world.launch,
                         "127.0.0.1" if hosts is None else ROBOT)
        self._log = folder / "launch.log"
        self._mind: Optional[Launch] = None
        if hosts is not None:
            os.environ["ROS_IP"] = ROBOT
            self.launch = Launch("demo.launch", {**self._arguments, "part": "robot"}, self._log, self.uri,
                                 address=ROBOT)
            self._mind = Launch("demo.launch", {**self._arguments, "part": "mind"}, folder / "mind.log", self.uri,
                                hosts.mind, MIND)
        self._ros = rosgraph.Master("/faults", self.uri)
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
            # A second roslaunch gives up that names the run while the first one does.
            self._await(lambda: self._ros.hasParam("/run_id"), "the robot's roslaunch does not come up")
            self._mind.start()
        self.connect()
        self.motion, self.seen = MotionWatch(), WorldWatch()

    def stop(self) -> None:
        """End everything that was started."""
        if self.model is not None:
            self.model.stop()
        if self._mind is not None:
            self._mind.stop()
        self.launch.stop()
        self.kill_master()

    def start_master(self) -> None:
        """Start a ROS master of one's own, which the launch uses and does not end."""
        port = self.uri.rpartition(":")[2]
        self._master = subprocess.Popen([sys.executable, "-c", _MASTER, "--core", "-p", port], cwd="/",
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._await(self._ros.is_online, "the ROS master does not start")

    def kill_master(self) -> None:
        """End one's own master the hard way."""
        if self._master is not None:
            self._master.kill()
            self._master.wait()

    def _read_terminal(self) -> None:
        """Show what roslaunch writes to nobody but the log, as long as the terminal is open."""
        with open(self._log, "ab") as log:
            while not self._closing.is_set():
                if select.select([self._terminal], [], [], 0.1)[0]:
                    log.write(os.read(self._terminal, 65536))
                    log.flush()

    def close_terminal(self) -> None:
        """Close the terminal in which roslaunch runs, as somebody does who closes its window."""
        self._closing.set()
        self._reader.join()  # A terminal that somebody reads stays open.
        os.close(self._terminal)

    def until_world_is_back(self) -> None:
        """Wait until a world that was killed just now shows its robots again."""
        since = time.monotonic() + 0.5
        self._await(lambda: self.motion.heard_at > since, "the world does not come back")

    def recover(self) -> None:
        """Bring the world back for the next case: nothing runs or waits, and everything is at its place."""
        self.until_world_is_back()
        self.until_ready()
        self.ask("clear_estop")
        self.ask("resume")
        answer = self.ask("get_task", "")
        for task in (*answer.queue, *([answer.status.task_id] if answer.found else [])):
            self.ask("cancel_task", task)
            self.ended(task)
        if f"/{NAMESPACE}/reset_world" in self._graph.services():
            self.reset(seconds=LIMIT)
        time.sleep(0.5)

    def in_motion(self) -> str:
        """Submit the world's task and wait until a robot moves for it; return its id."""
        task = self.submit(self.world.task)
        moves = self.motion.until_moving(LIMIT)
        time.sleep(_UNDER_WAY)
        if not (moves and self.motion.until_moving(LIMIT)):
            raise LaunchFailed(f"no robot moved for task {task}: {self.said(task)}")
        return task

    def said(self, task: str) -> str:
        """Return the state of a task and its message."""
        status = self.status(task)
        return f"{STATES[status.state]}: {status.message}"

    def events(self, task: str, kind: str) -> List[Dict[str, Any]]:
        """Return the events of one kind that a task's folder holds."""
        return [event for event in read_events(self.runs / task) if event["kind"] == kind]

    def commands(self, task: str) -> List[str]:
        """Return the commands of a task that were sent to a driver, in writing."""
        return [str(event["command"]) for event in self.events(task, CommandTried.kind)]

    def kill(self, node: str, number: int = signal.SIGKILL) -> int:
        """Send a signal to a node's process; return its id."""
        pid = self.process(node)
        os.kill(pid, number)
        return pid

    def process(self, node: str) -> int:
        """Return the id of a node's process, also of one that is only just being started again."""
        found: List[int] = []

        def asked() -> bool:
            try:
                process: Any = ServerProxy(self._ros.lookupNode(f"/{NAMESPACE}/{node}"))
                found.append(int(process.getPid("/faults")[2]))
            except (OSError, rosgraph.MasterError):
                return False
            return True

        self._await(asked, f"the node {node} does not answer")
        return found[-1]

    @property
    def parameters(self) -> str:
        """The whole tree of parameters, as text."""
        return str(self._ros.getParam("/"))

    def complaints(self) -> List[str]:
        """Return the lines of the launch's logs that a user takes for a crash."""
        launches = [self.launch, *([self._mind] if self._mind is not None else [])]
        return [line.strip() for launch in launches
                for line in launch.log.read_text(encoding="utf-8", errors="replace").splitlines()
                if "Traceback" in line or "closed topic" in line]

    def _await(self, holds: Any, otherwise: str) -> None:
        if not wait_until(holds, Deadline(LIMIT), period=0.05):
            raise LaunchFailed(otherwise)
