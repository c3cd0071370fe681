"""What the tests over ROS share: the supervisor's services, its topics, and patience in wall time."""

from __future__ import annotations

import os
import signal
from typing import Any, Callable, Dict, List, Sequence
from unittest import TestCase
from xmlrpc.client import ServerProxy

import rosgraph
import rospy
from hicrisp_core.time import Deadline, wait_until
from std_srvs.srv import Trigger
from waiting import PATIENCE, until

from hicrisp_msgs.msg import Event, TaskStatus, WorldState
from hicrisp_msgs.srv import (
    AnswerQuestion,
    Approve,
    CancelTask,
    Explain,
    GetTask,
    InjectFault,
    SetAutonomy,
    SubmitTask,
    TellTask,
)

NAMESPACE = "/hicrisp"
ENDED = (TaskStatus.SUCCEEDED, TaskStatus.FAILED, TaskStatus.REFUSED, TaskStatus.CANCELED,
         TaskStatus.ANSWERED, TaskStatus.INTERRUPTED)
_AFTERWARDS = 3.0
"""Wall seconds in which the world is told of again, where it is always."""
_BETWEEN_QUESTIONS = 0.1
"""Wall seconds."""
_SERVICES = {
    "submit_task": SubmitTask, "cancel_task": CancelTask, "get_task": GetTask, "explain": Explain,
    "approve": Approve, "answer": AnswerQuestion, "tell": TellTask,
    "set_autonomy": SetAutonomy, "inject_fault": InjectFault, "pause": Trigger, "resume": Trigger,
    "estop": Trigger,
    "clear_estop": Trigger,
}


class Workspace:
    """The running workspace, as a user sees it.

    Args:
        without: services that only a simulated world has.
        namespace: of the workspace.
    """

    def __init__(self, patience: float = PATIENCE, without: Sequence[str] = (), namespace: str = NAMESPACE) -> None:
        self.patience = patience
        self._namespace = namespace
        self._without = frozenset(without)
        self.events: List[Event] = []
        self.world = WorldState()
        self.states = 0
        self._proxies: Dict[str, Any] = {}
        self._subscribers = [
            rospy.Subscriber(f"{namespace}/events", Event, self.events.append),
            rospy.Subscriber(f"{namespace}/world_state", WorldState, self._saw),
        ]
        self.connect()
        self.until(lambda: self.world.relations or any(
            thing.has_pose and thing.movable for thing in self.world.objects) or any(
            robot.kind == "base" and robot.has_pose for robot in self.world.robots), "sight of the world")

    def connect(self) -> None:
        """Wait until every service is there."""
        for name, service in _SERVICES.items():
            if name in self._without:
                continue
            rospy.wait_for_service(f"{self._namespace}/{name}", self.patience)
            self._proxies[name] = rospy.ServiceProxy(f"{self._namespace}/{name}", service)

    def __getattr__(self, name: str) -> Any:
        return self.__dict__["_proxies"][name]

    def _saw(self, message: WorldState) -> None:
        self.world = message
        self.states += 1

    def until(self, condition: Callable[[], Any], what: str, period: float = 0.01) -> Any:
        """Wait in wall time for something to become true."""
        return until(condition, what, self.patience,
                     lambda: f"; events: {[event.kind for event in self.events]}", period)

    def comes_to(self, task_id: str, *states: int) -> TaskStatus:
        """The status of a task once it has one of some states; the supervisor is asked, which costs both sides."""
        def status() -> Any:
            found = self.get_task(task_id).status
            return found if found.state in states else None
        return self.until(status, f"task {task_id} in one of the states {states}", _BETWEEN_QUESTIONS)

    def finished(self, task_id: str) -> TaskStatus:
        """The status of a task at its end; the world is then the one after it, where it is told of always and
        not only when it changes, as one of facts is.
        """
        ended = self.comes_to(task_id, *ENDED)
        before = self.states
        wait_until(lambda: self.states > before + 1, Deadline(_AFTERWARDS))
        return ended

    def run(self, task: str) -> TaskStatus:
        """Submit a task and wait for its end."""
        taken = self.submit_task(task)
        assert taken.accepted, taken.message
        return self.finished(taken.task_id)

    def kinds(self, task_id: str) -> List[str]:
        """The kinds of the events of a task so far."""
        return [event.kind for event in self.events if event.task_id == task_id]

    def moving(self, task_id: str) -> None:
        """Wait until a task has sent a command that has not ended yet."""
        self.until(lambda: self.kinds(task_id)[-1:] == ["command"], f"motion of {task_id}")

    def slow_down(self, test: TestCase) -> None:
        """Let the next motion take so long that only a stop ends it in time; one that is stopped before it begins must
        not leave that to a later test.
        """
        assert self.inject_fault(kind="slow", magnitude=[10.0 * PATIENCE], count=1).ok
        test.addCleanup(self.inject_fault, kind="slow", magnitude=[0.1], count=1)

    def holds(self, subject: str, predicate: str, object_: str) -> bool:
        """Whether a fact is seen now."""
        return any((fact.subject, fact.predicate, fact.object) == (subject, predicate, object_)
                   for fact in self.world.relations)


def kill(node: str) -> None:
    """End a node the hard way, as a crash would."""
    uri = rosgraph.Master("/test").lookupNode(node if node.startswith("/") else f"{NAMESPACE}/{node}")
    _, _, pid = ServerProxy(uri).getPid("/test")
    os.kill(pid, signal.SIGKILL)
