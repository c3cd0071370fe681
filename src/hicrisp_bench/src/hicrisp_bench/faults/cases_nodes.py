"""Faults of the nodes: stops, cancels and kills, the end of the launch, too much of everything, a full disk."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import threading
import time
from functools import partial
from typing import Any, Callable
from xmlrpc.client import ServerProxy

import rosgraph
import yaml
from hicrisp_core.scene.loader import MOST_OBJECTS
from hicrisp_core.time import Deadline, wait_until
from hicrisp_nodes.supervisor.queue import MAX_WAITING
from hicrisp_nodes.supervisor.request import MAX_TEXT
from hicrisp_ros.action_client import ActionClient, Limits

from hicrisp_bench.faults import probe as at
from hicrisp_bench.faults.places import fill, make_room
from hicrisp_bench.faults.probe import LONG, QUESTION, FaultCase, Probe
from hicrisp_bench.faults.rig import Rig
from hicrisp_bench.launched import LIMIT, NAMESPACE
from hicrisp_msgs.msg import ExecuteTaskAction, ExecuteTaskGoal, WorldState

_GONE_WITHIN = 5.0
"""Wall seconds until every process of a launch must have ended."""
_CLIENTS = 50
_CROWD = 10_000
_LATENCY = 2.0
"""Wall seconds in which a submission is answered under load."""


def emergency_stop(case: Probe) -> None:
    """In mid-motion; then everything that could end it except clear_estop."""
    rig, waiting = case.moving().rig, case.rig.submit(case.rig.world.task)
    case.does(lambda: rig.ask("estop")).stands().ends("failed").refuses("then").waits(waiting, "then")
    case.triggers("resume", "resume is refused", success=False)
    case.kill("supervisor").refuses("after the supervisor was killed").unmoved("nothing moved meanwhile")
    case.kill("embedded_world").does(rig.until_world_is_back).refuses("after the world was killed")
    case.waits(waiting, "after both").triggers("clear_estop", "clear_estop ends it")
    case.does(lambda: time.sleep(1.0)).unmoved("and begins nothing").waits(waiting, "then too")
    case.does(lambda: rig.ask("resume")).begins(waiting, "resume begins the task in line")


def supervisor_killed(case: Probe) -> None:
    """In mid-motion, with a task in line."""
    waiting = case.moving().rig.submit(case.rig.world.task)
    case.kill("supervisor").stands().ready().ends("interrupted")
    case.begins(waiting, f"back after {case.took:.1f} s, the task in line begins").up()
    case.rig.ask("cancel_task", waiting)


def supervisor_hangs(case: Probe) -> None:
    """Stopped by the system in mid-motion until the robot stands: its sockets stay open."""
    case.moving().kill("supervisor", signal.SIGSTOP).stands(1.5)
    os.kill(case.pid, signal.SIGCONT)
    case.ends("succeeded", what="the task, with the supervisor back")


def driver_hangs(case: Probe) -> None:
    """Stopped by the system in mid-drive: move_base, which it no longer watches, would drive on to its goal."""
    case.moving().kill("move_base_driver", signal.SIGSTOP)
    said = case.rig.ask("estop").message
    case.note(f"an emergency stop: {said}", "agv has not ended its command and may still move" in said)
    case.stands(2.5)
    case.does(lambda: os.kill(case.pid, signal.SIGCONT)).ends("failed")


STOPS = (
    FaultCase("emergency stop in mid-motion",
              "stands within 1 s; latched until cleared", emergency_stop, quick=True),
    FaultCase("kill -9 of the supervisor", "stands within 1 s; task interrupted", supervisor_killed, quick=True),
    FaultCase("supervisor hangs", "stands within 1.5 s; step tried again", supervisor_hangs),
    FaultCase("base's driver hangs at an emergency stop", "stands within 2.5 s; answer names it", driver_hangs,
              (at.AGV,)),
    FaultCase("cancel in mid-motion, twice", "known to stand within 1 s",
              lambda case: case.moving().cancels().note(
                  "a second cancel says that it has ended, or is ending",
                  case.rig.ask("cancel_task", case.task).message != "").ends("canceled")),
    FaultCase("cancel while planning", "nothing moves",
              lambda case: case.submit().cancels().ends("canceled")),
    FaultCase("cancel in mid-grasp", "stands within 1 s",
              lambda case: case.moving().rest(2.5).cancels().ends("canceled", "succeeded"), worlds=(at.ARM, at.LAB)),
)


def thinker_killed(case: Probe, node: str) -> None:
    """A node without state, while a robot moves.

    Args:
        case: the launched world, and what is seen of it.
        node: its name below the namespace.
    """
    case.moving().kill(node).ends("succeeded")
    done = sum(event["status"] == "success" for event in case.rig.events(case.task, "outcome"))
    planned = max((len(event["steps"]) for event in case.rig.events(case.task, "plan")), default=0)
    case.note(f"{done} motions for {planned} steps of the plan", done <= planned).ready()


def move_base_back_late(case: Probe, seconds: float) -> None:
    """What drives for the driver, in mid-drive.

    Args:
        case: the launched world, and what is seen of it.
        seconds: for which it is gone.
    """
    case.moving().inject("move_base_gone", "", seconds).ends("succeeded")
    waits = [event["text"] for event in case.rig.events(case.task, "waiting") if "index" in event]
    case.note(f"said: {'; '.join(waits) or 'nothing'}", bool(waits)).corrected(1, 1)


def world_killed(case: Probe) -> None:
    """The world with its robots: a simulator that begins again."""
    case.moving().kill("embedded_world").ends("interrupted", "failed").does(case.rig.until_world_is_back).up()
    case.does(case.rig.recover).again("succeeded", what="the next task")


def master_restarted(case: Probe) -> None:
    """Killed in mid-motion, and started again three seconds later with nothing in it."""
    case.moving().does(case.rig.kill_master).rest(3.0)
    case.rig.start_master()
    case.does(case.rig.until_ready).note(f"every service is back {case.took:.1f} s after the master")
    case.ends("succeeded", what="the task that ran").again("succeeded", "answered")


_NAMES = {"dashboard": "the web page's node"}
KILLS = (
    *(FaultCase(f"kill -9 of {_NAMES.get(node, node)}", "goes on, no motion repeated",
                partial(thinker_killed, node=node), worlds, quick=node == "detector") for worlds, nodes in (
        (at.EVERYWHERE, ("brain", "body", "detector", "corrector")), ((at.CAMERA,), ("perception", "dashboard")))
      for node in nodes),
    FaultCase("kill -9 of the base's driver", "LOST; no blind resend",
              lambda case: case.moving().kill("move_base_driver").stands(LONG).ends("succeeded", "failed")
              .failures().up(), worlds=(at.AGV,)),
    *(FaultCase(f"move_base gone for {seconds:g} s", "waited for; one correction; done",
                partial(move_base_back_late, seconds=seconds), worlds=(at.AGV,)) for seconds in (4.8, 15.0)),
    FaultCase("kill -9 of the world", "the task ends as cut off; the next runs", world_killed, quick=True),
    FaultCase("ROS master killed and started again", "nodes register again; goes on",
              master_restarted, alone=True, own_master=True),
)


def ended(case: Probe, end: Callable[[Rig], object]) -> None:
    """The end of the launch in mid-motion.

    Args:
        case: the launched world, and what is seen of it.
        end: ends it.
    """
    rig = case.moving().rig
    case.does(lambda: end(rig))
    gone = wait_until(lambda: not rig.launch.processes(), Deadline(LIMIT))
    case.note(f"every process is gone after {case.took:.1f} s", gone and case.took <= _GONE_WITHIN)
    shown = rig.motion.heard_at - max(rig.motion.moved_at, case.since)
    last = max(0.0, rig.motion.moved_at - case.since)
    case.note(f"last motion seen after {last:.2f} s, standing for {shown:.2f} s more", shown > 0.0)
    try:
        result = json.loads((rig.runs / case.task / "result.json").read_text(encoding="utf-8"))
        case.note(f"{result['verdict']}: {result['message']}", result["verdict"] == "canceled")
    except (OSError, ValueError) as error:
        case.note(f"no result: {error}", ok=False)
    case.no_traceback()


ENDS = tuple(FaultCase(f"{name} in mid-motion", "known to stand; gone within 5 s", partial(ended, end=end), worlds,
                       alone=True, terminal=name == "terminal closed") for name, worlds, end in (
    ("Ctrl-C", (*at.EVERYWHERE, at.CAMERA), lambda rig: rig.launch.signal(signal.SIGINT)),
    ("SIGTERM", at.EVERYWHERE, lambda rig: rig.launch.signal(signal.SIGTERM)),
    ("terminal closed", at.EVERYWHERE, Rig.close_terminal)))


def same_request_twice(case: Probe) -> None:
    """Two goals with one request id, and a third after a restart of the supervisor."""
    client = ActionClient(f"/{NAMESPACE}/execute_task", ExecuteTaskAction)
    goal = ExecuteTaskGoal(task=QUESTION, request_id=f"the same {time.time()}")

    def task() -> str:
        reply = client.call(goal, Limits(LIMIT, LIMIT))
        return str(reply.result.task_id) if reply.result is not None else f"none ({reply.message})"

    ids = [task(), task()]
    case.kill("supervisor").rig.ask("get_task", "")
    ids.append(task())
    case.note(f"the ids: {', '.join(ids)}", len(set(ids)) == 1)
    unnamed = [case.rig.submit(QUESTION) for _ in range(2)]
    case.note(f"the same words by submit_task, which takes no request id, are two tasks: {', '.join(unnamed)}",
              len(set(unnamed)) == 2)
    for each in unnamed:
        case.rig.ended(each)


def hundred_tasks(case: Probe) -> None:
    """Behind a task that is held back; then one too many."""
    rig = case.does(lambda: case.rig.ask("pause")).submit().rig
    ids = [rig.submit(QUESTION) for _ in range(MAX_WAITING)]
    each = case.took / MAX_WAITING
    case.note(f"{len(ids)} taken, {1000.0 * each:.0f} ms each", each <= _LATENCY)
    case.note("in their order", list(rig.ask("get_task", "").queue)[-len(ids) + 1:] == ids[1:])
    more = [rig.ask("submit_task", QUESTION) for _ in range(2)]
    case.note(f"one too many: {more[-1].message}", not more[-1].accepted)


def huge_text(case: Probe) -> None:
    """A task of one megabyte."""
    answer = case.rig.ask("submit_task", "place the box " * 75000)
    case.note(f"after {case.took:.2f} s: {answer.message}", not answer.accepted and case.took <= _LATENCY)
    case.note(f"at most {MAX_TEXT} characters are taken")


def many_clients(case: Probe) -> None:
    """Fifty subscribers to the world's state, each with a connection of its own, one of which never reads."""
    clients = [_Listener(f"/{NAMESPACE}/world_state", WorldState, reads=bool(number)) for number in range(_CLIENTS)]
    try:
        heard = wait_until(lambda: all(each.heard for each in clients[1:]), Deadline(LIMIT))
        took = case.note(f"{_CLIENTS} clients are served", heard).submit(QUESTION).took
        case.note(f"a submission takes {1000.0 * took:.0f} ms", took <= _LATENCY).ends("answered")
    finally:
        for each in clients:
            each.close()


def many_things(case: Probe) -> None:
    """A scene of ten thousand, by ``reset_world``."""
    file = case.rig.folder / "crowd.yaml"
    item = {"shape": "box", "type": "box", "size": [0.02, 0.02, 0.02], "position": [0.4, 0.0, 0.01]}
    file.write_text(yaml.safe_dump({
        "scene": "crowd", "domain": "tabletop", "robots": ["panda"],
        "objects": {f"thing_{number}": dict(item) for number in range(_CROWD)}}), encoding="utf-8")
    case.since = time.monotonic()
    answer = case.rig.ask("reset_world", str(file), 0)
    case.note(f"after {case.took:.1f} s: {answer.message[:200]}", not answer.ok and str(MOST_OBJECTS) in answer.message)
    case.submit(QUESTION).ends("answered", what="a task afterwards")


class _Listener:
    """A raw subscriber: rospy would share one connection between all of a process."""

    def __init__(self, topic: str, kind: "type[WorldState]", reads: bool) -> None:
        self.heard = 0
        master = rosgraph.Master("/faults")
        publisher = next(nodes[0] for name, nodes in master.getSystemState()[0] if name == topic)
        node: Any = ServerProxy(master.lookupNode(publisher))
        _, host, port = node.requestTopic("/faults", topic, [["TCPROS"]])[2]
        self._socket = socket.create_connection((host, port), timeout=LIMIT)
        fields = [f"callerid=/faults_{id(self)}", f"topic={topic}", f"md5sum={kind._md5sum}", f"type={kind._type}"]
        packed = b"".join(len(each).to_bytes(4, "little") + each.encode() for each in fields)
        self._socket.sendall(len(packed).to_bytes(4, "little") + packed)
        if reads:
            threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            while got := self._socket.recv(65536):
                self.heard += len(got)
        except OSError:
            return

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


LOADS = (
    FaultCase("the same request twice", "one task, over a restart too", same_request_twice, quick=True),
    FaultCase("100 tasks in line", "order kept; the next refused with the limit", hundred_tasks),
    FaultCase("a task of 1 MB", "refused with the limit", huge_text, quick=True),
    FaultCase("a scene of 10,000 things", "refused with the limit", many_things, (at.ARM,)),
    FaultCase("50 clients on a topic", "all served", many_clients),
)


def _room_again(case: Probe, when: str = "there is room") -> Probe:
    return case.submit(QUESTION).ends("answered", what=f"once {when}")


def runs_unwritable(case: Probe) -> None:
    """The folder of runs is gone, and something else has its name: nothing can be written there."""
    runs, aside = case.rig.runs, case.rig.runs.with_name("runs_aside")
    runs.rename(aside)
    runs.touch()
    try:
        case.submit(QUESTION).ends("failed").stop_works()
    finally:
        runs.unlink()
        aside.rename(runs)
    _room_again(case, "it is back")


def disk_full(case: Probe) -> None:
    """In mid-motion: the system lets the supervisor write not one more byte to any file."""
    pid = case.moving().rig.process("supervisor")
    usual = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, usual[1]))
    try:
        case.explained("succeeded").stop_works()
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, usual)
    _room_again(case)


def really_full(case: Probe) -> None:
    """In mid-motion: the disk of the runs takes not one more byte."""
    case.moving().note(f"{fill(case.rig.runs) / 1e6:.1f} MB more, and the disk is full")
    try:
        case.explained("succeeded").stop_works().kill("supervisor").ready().submit()
        case.explained("succeeded", "answered", "failed", "refused",
                       what="a task on the full disk, by a supervisor that was killed")
    finally:
        make_room(case.rig.runs)
    _room_again(case).no_traceback()


def logs_moved(case: Probe) -> None:
    """In mid-motion, as a rotation does it."""
    logs = case.moving().rig.folder / "ros"
    logs.rename(case.rig.folder / "ros_before")
    logs.mkdir()
    case.ends("succeeded")


DISKS = (
    FaultCase("folder of runs not writable", "ends before motion; the stop works", runs_unwritable, quick=True),
    FaultCase("disk full in mid-motion", "goes on; loss named; the stop works", disk_full),
    FaultCase("disk of the runs really full in mid-motion",
              "goes on; loss named; the stop works", really_full, (at.ARM, at.AGV), place=at.SMALL_DISK),
    FaultCase("folder of logs moved away in mid-motion", "goes on", logs_moved, (at.ARM,)),
)
