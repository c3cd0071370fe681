"""Too much of everything: requests, tasks, text, things, clients."""

from __future__ import annotations

import socket
import threading
import time
from typing import Any
from xmlrpc.client import ServerProxy

import rosgraph
import yaml
from hicrisp_core.scene.loader import MOST_OBJECTS
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until
from hicrisp_nodes.supervisor.queue import MAX_WAITING
from hicrisp_nodes.supervisor.request import MAX_TEXT
from hicrisp_ros.action_client import ActionClient, Limits

from hicrisp_bench.faults.case import ARM, FaultCase, Seen
from hicrisp_bench.faults.rig import LIMIT, Rig
from hicrisp_bench.over_ros import NAMESPACE
from hicrisp_msgs.msg import ExecuteTaskAction, ExecuteTaskGoal, WorldState

_QUESTION = "What is there?"
_CLIENTS = 50
_CROWD = 10_000
_LATENCY = 2.0
"""Wall seconds in which a submission is answered under load."""


def same_request_twice(rig: Rig, seen: Seen) -> None:
    """Two goals with one request id, and a third after a restart of the supervisor."""
    client = ActionClient(f"/{NAMESPACE}/execute_task", ExecuteTaskAction)
    goal = ExecuteTaskGoal(task=_QUESTION, request_id=f"the same {time.time()}")
    ids = [_task_of(client, goal) for _ in range(2)]
    rig.kill("supervisor")
    rig.ask("get_task", "")
    ids.append(_task_of(client, goal))
    seen.note(f"the ids: {', '.join(ids)}", len(set(ids)) == 1)
    unnamed = [rig.submit(_QUESTION) for _ in range(2)]
    seen.note(f"the same words by submit_task, which takes no request id, are two tasks: "
              f"{', '.join(unnamed)}", len(set(unnamed)) == 2)
    for task in unnamed:
        rig.ended(task)


def _task_of(client: ActionClient, goal: ExecuteTaskGoal) -> str:
    reply = client.call(goal, Limits(LIMIT, LIMIT))
    return str(reply.result.task_id) if reply.result is not None else f"none ({reply.message})"


def hundred_tasks(rig: Rig, seen: Seen) -> None:
    """Behind a task that is held back; then one too many."""
    rig.trigger("pause")
    rig.submit()
    began = time.monotonic()
    ids = [rig.submit(_QUESTION) for _ in range(MAX_WAITING)]
    each = (time.monotonic() - began) / MAX_WAITING
    seen.note(f"{len(ids)} taken, {1000.0 * each:.0f} ms each", each <= _LATENCY)
    queue = list(rig.ask("get_task", "").queue)
    seen.note("in their order", queue[-len(ids) + 1:] == ids[1:])
    more = [rig.ask("submit_task", _QUESTION) for _ in range(2)]
    seen.note(f"one too many: {more[-1].message}", not more[-1].accepted)


def huge_text(rig: Rig, seen: Seen) -> None:
    """A task of one megabyte."""
    began = time.monotonic()
    answer = rig.ask("submit_task", "place the box " * 75000)
    took = time.monotonic() - began
    seen.note(f"after {took:.2f} s: {answer.message}", not answer.accepted and took <= _LATENCY)
    seen.note(f"at most {MAX_TEXT} characters are taken", True)


def many_clients(rig: Rig, seen: Seen) -> None:
    """Fifty subscribers to the world's state, each with a connection of its own, one of which never reads."""
    clients = [_Listener(f"/{NAMESPACE}/world_state", WorldState, reads=bool(number))
               for number in range(_CLIENTS)]
    try:
        heard = wait_until(lambda: all(each.heard for each in clients[1:]), Deadline(LIMIT))
        seen.note(f"{_CLIENTS} clients are served", heard)
        began = time.monotonic()
        task = rig.submit(_QUESTION)
        took = time.monotonic() - began
        seen.note(f"a submission takes {1000.0 * took:.0f} ms", took <= _LATENCY)
        seen.note(f"the task: {rig.ended(task)}", rig.state(task) == "answered")
    finally:
        for each in clients:
            each.close()


def many_things(rig: Rig, seen: Seen) -> None:
    """A scene of ten thousand, by ``reset_world``."""
    file = rig.folder / "crowd.yaml"
    place = {"shape": "box", "type": "box", "size": [0.02, 0.02, 0.02]}
    file.write_text(yaml.safe_dump({
        "scene": "crowd", "domain": "tabletop", "robots": ["panda"],
        "objects": {f"thing_{number}": {**place, "position": [0.4, 0.0, 0.01]}
                    for number in range(_CROWD)}}), encoding="utf-8")
    began = time.monotonic()
    answer = rig.ask("reset_world", str(file), 0)
    seen.note(f"after {time.monotonic() - began:.1f} s: {answer.message[:200]}",
              not answer.ok and str(MOST_OBJECTS) in answer.message)
    task = rig.submit(_QUESTION)
    seen.note(f"a task afterwards: {rig.ended(task)}", rig.state(task) == "answered")


class _Listener:
    """A raw subscriber: rospy would share one connection between all of a process."""

    def __init__(self, topic: str, kind: "type[WorldState]", reads: bool) -> None:
        self.heard = 0
        master = rosgraph.Master("/faults")
        publisher = next(nodes[0] for name, nodes in master.getSystemState()[0] if name == topic)
        node: Any = ServerProxy(master.lookupNode(publisher))
        _, host, port = node.requestTopic("/faults", topic, [["TCPROS"]])[2]
        self._socket = socket.create_connection((host, port), timeout=LIMIT)
        fields = [f"callerid=/faults_{id(self)}", f"topic={topic}", f"md5sum={kind._md5sum}",
                  f"type={kind._type}"]
        packed = b"".join(len(each).to_bytes(4, "little") + each.encode() for each in fields)
        self._socket.sendall(len(packed).to_bytes(4, "little") + packed)
        if reads:
            threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            while True:
                got = self._socket.recv(65536)
                if not got:
                    return
                self.heard += len(got)
        except OSError:
            return

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


CASES = (
    FaultCase("the same request twice", "one task, over a restart too", same_request_twice, quick=True),
    FaultCase("100 tasks in line", "order kept; the next refused with the limit", hundred_tasks),
    FaultCase("a task of 1 MB", "refused with the limit", huge_text, quick=True),
    FaultCase("a scene of 10,000 things", "refused with the limit", many_things, (ARM,)),
    FaultCase("50 clients on a topic", "all served", many_clients),
)
