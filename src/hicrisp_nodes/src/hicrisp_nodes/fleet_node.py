"""One door for several bases, each of which has nodes of its own: one stop for all, and one order that they share."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import RLock
from typing import Any, Dict, Mapping, Sequence, Tuple

import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_core.executive.task_order import itinerary_of
from hicrisp_core.model.goal import Goal
from hicrisp_core.robot.turns import TURNS, Turns, divided
from hicrisp_core.scene import load_scene
from hicrisp_core.time import Deadline, wait_until
from hicrisp_core.trace.events import CommandTried, VerdictGiven
from hicrisp_ros.config_files import Configuration, config_file, domain_of, parameter
from hicrisp_ros.conversions import PLAN, UNDERSTOOD, WORLD
from hicrisp_ros.node import run
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.scene_change import SceneFollower, let_all_follow, let_all_forget
from hicrisp_ros.service_client import ServiceClient, ServiceReply
from hicrisp_ros.supervisor_services import SupervisorServices
from hicrisp_ros.wall_clock import WallTimer
from std_msgs.msg import String
from std_srvs.srv import Trigger, TriggerRequest

from hicrisp_msgs import srv
from hicrisp_msgs.msg import Event, TaskStatus, WorldState
from hicrisp_nodes.cli.client import ENDED

_SIGHT, _READING = 5.0, 5.0
"""Wall seconds in which every base must be seen, and in which words are read."""
_LOOK_EVERY = 0.5
"""Wall seconds between two looks how the tasks of an order stand."""
_ORDER = "~order"
"""Parameter that keeps the order for a node that is started again."""


class Fleet:
    """Serves in its own namespace, for all bases, what each supervisor serves in that of its base.

    A task is one order of visits: each area goes to a base, and on ``turns`` the drivers read whose turn it is.

    Args:
        names: of the bases; the nodes of each are in a namespace of its name.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._space = rospy.get_namespace()
        self._domain = domain_of(load_scene(config_file("scenes", str(parameter("scene")))))
        self._supervisors = {name: SupervisorServices(f"{self._space}{name}".strip("/")) for name in names}
        self._reading = ServiceClient(f"{names[0]}/brain/read", srv.ReadTask)
        self._worlds: Dict[str, WorldState] = {}
        self._doing: Dict[str, Sequence[Any]] = {}
        """What the command of each base names."""
        self._lock = RLock()
        self._published = Publisher(TURNS, String, queue_size=1, latch=True)
        kept = rospy.get_param(_ORDER, {})
        self._order = [(str(area), str(name)) for area, name in kept.get("order", ())]
        self._turns = Turns(self._order[len(self._order) - int(kept.get("left", 0)):])
        self._tasks: Dict[str, str] = dict(kept.get("tasks", {}))
        """The ids of the tasks that carry out the order, by base."""
        self._keep()
        self._subscribers = [subscriber for name in names for subscriber in (
            rospy.Subscriber(f"{name}/world_state", WorldState, partial(self._worlds.__setitem__, name)),
            rospy.Subscriber(f"{name}/events", Event, partial(self._hear, name)))]
        self._services = [
            *(rospy.Service(name, Trigger, partial(self._everybody, name))
              for name in ("estop", "clear_estop", "pause", "resume")),
            rospy.Service("submit_task", srv.SubmitTask, self._submit),
            rospy.Service("cancel_task", srv.CancelTask, self._cancel),
            rospy.Service("get_task", srv.GetTask, self._get),
            rospy.Service("hold_tasks", srv.HoldTasks, self._hold),
        ]
        self._follower = SceneFollower(self._follow, self._forget)
        self._timer = WallTimer(_LOOK_EVERY, self._look, "order")

    def _ask(self, fields: Mapping[str, Sequence[Any]], service: str) -> Dict[str, ServiceReply]:
        """Call one service of several supervisors at once: one that hangs does not keep the others waiting."""
        with ThreadPoolExecutor(max(1, len(fields))) as pool:
            calls = {name: pool.submit(self._supervisors[name].call, service, *own) for name, own in fields.items()}
            return {name: call.result() for name, call in calls.items()}

    def _everybody(self, service: str, _: TriggerRequest) -> Tuple[bool, str]:
        replies = self._ask(dict.fromkeys(self._supervisors, ()), service)
        return all(each.response is not None and each.response.success for each in replies.values()), _said(replies)

    def _hold(self, request: srv.HoldTasksRequest) -> Tuple[bool, str]:
        replies = self._ask(dict.fromkeys(self._supervisors, (request.hold,)), "hold_tasks")
        refused = {name: each for name, each in replies.items() if each.response is None or not each.response.ok}
        if refused and request.hold:
            self._ask(dict.fromkeys(self._supervisors, (False,)), "hold_tasks")
        return not refused, _said(refused or replies)

    def _cancel(self, _: Any) -> Tuple[bool, str]:
        replies = self._ask(dict.fromkeys(self._supervisors, ("",)), "cancel_task")
        return any(each.response is not None and each.response.ok for each in replies.values()), _said(replies)

    def _get(self, _: srv.GetTaskRequest) -> srv.GetTaskResponse:
        """Return the task that is least done, with what every base says."""
        replies = self._ask(dict.fromkeys(self._supervisors, ("",)), "get_task")
        found = {name: each.response for name, each in replies.items()
                 if each.response is not None and each.response.found}
        if not found:
            return srv.GetTaskResponse(found=False, message=_said(replies))
        least = min(found.values(),
                    key=lambda each: (each.status.state in ENDED, each.status.state == TaskStatus.SUCCEEDED))
        least.status.message = "; ".join(
            f"{name}: {each.status.message or each.message}" for name, each in found.items())
        return least

    def _submit(self, request: srv.SubmitTaskRequest) -> Tuple[bool, str, str]:
        wait_until(lambda: all(any(robot.has_pose for robot in self._worlds.get(name, WorldState()).robots)
                               for name in self._supervisors), Deadline(_SIGHT))
        with self._lock:
            if self._tasks:
                return False, "", "an order is under way; wait for its end, or end it: cancel_task"
            worlds = {name: WORLD.from_msg(world) for name, world in self._worlds.items()}
            bases = {name: world.robots[name].pose for name, world in worlds.items() if name in world.robots}
            spots = {name: pose.position[:2] for name, pose in bases.items() if pose is not None}
            unseen = sorted(set(self._supervisors) - set(spots))
            if unseen:
                return False, "", f"no pose of {' or '.join(unseen)} is known yet: check that its nodes run"
            first = next(iter(self._supervisors))
            reply = self._reading.call(srv.ReadTaskRequest(request.task, self._worlds[first], False), _READING)
            read = None if reply.response is None else UNDERSTOOD.from_msg(reply.response.meaning).meaning
            itinerary = itinerary_of(read, self._domain) if isinstance(read, Goal) else None
            if itinerary is None:
                return False, "", (
                    "several bases can only share visits, as in 'visit area 6, then area 1'. Submit any other task to "
                    f"one base: {self._space}{first}/submit_task. {reply.message}")
            poses = {name: item.pose for name, item in worlds[first].objects.items()}
            places = {name: pose.position[:2] for name, pose in poses.items() if pose is not None}
            return self._begin(divided(itinerary.remaining, places, spots), itinerary.ordered)

    def _begin(self, order: Sequence[Tuple[str, str]], ordered: bool) -> Tuple[bool, str, str]:
        """Submit to each base its own part, once the drivers can know whose turn it is."""
        parts = {name: [area for area, who in order if who == name] for name in self._supervisors}
        words = {name: "visit " + ", then ".join(area.replace("_", " ") for area in areas)
                 for name, areas in parts.items() if areas}
        self._order, self._turns = list(order) if ordered else [], Turns(order if ordered else ())
        self._keep()
        replies = self._ask({name: (text,) for name, text in words.items()}, "submit_task")
        self._tasks = {name: each.response.task_id for name, each in replies.items()
                       if each.response is not None and each.response.accepted}
        self._keep()
        if len(self._tasks) < len(words):
            self._give_up(f"not every base took its part: {_said(replies)}")
            return False, "", _said(replies)
        return True, next(iter(self._tasks.values())), "; ".join(f"{name}: {text}" for name, text in words.items())

    def _hear(self, name: str, message: Event) -> None:
        """Count the visits of a base by the detector's verdicts."""
        if message.kind not in (CommandTried.kind, VerdictGiven.kind) or message.task_id != self._tasks.get(name):
            return
        event = json.loads(message.json)
        with self._lock:
            if message.kind == CommandTried.kind:
                self._doing[name] = list(event["arguments"].values())
            elif event["ok"]:
                self._visited(name, self._doing.get(name, ()))

    @property
    def _counted(self) -> Sequence[Tuple[str, str]]:
        """The visits of the order that were made."""
        return self._order[:len(self._order) - len(self._turns.left)]

    def _visited(self, name: str, places: Sequence[Any]) -> None:
        before = len(self._turns.left)
        for place in places:
            self._turns.visited(name, str(place))
        if len(self._turns.left) < before:
            self._keep()

    def _look(self) -> None:
        """Count visits of which no event was heard, and those that a plan leaves out where the base is. Who is done
        keeps none waiting; who failed ends the order.
        """
        with self._lock:
            for name, reply in self._ask({name: (task,) for name, task in self._tasks.items()}, "get_task").items():
                if reply.response is None or not reply.response.found or name not in self._tasks:
                    continue  # A supervisor that is started again answers later.
                status, steps = reply.response.status, PLAN.from_msg(reply.response.plan).steps
                own = [area for area, who in self._order if who == name]
                due = sum(any(area in own for area in step.arguments.values()) for step in steps[status.step_index:])
                self._visited(name, own[sum(who == name for _, who in self._counted):len(own) - due if steps else 0])
                if status.state in ENDED:
                    del self._tasks[name]
                    left = [each for each in self._turns.left if each[1] != name]
                    self._order, self._turns = [*self._counted, *left], Turns(left)
                    self._keep()
                    if status.state != TaskStatus.SUCCEEDED:
                        self._give_up(f"{name} did not do its part: {status.message}")

    def _give_up(self, why: str) -> None:
        rospy.logwarn("the order of visits is given up, and the tasks of the other bases are canceled: %s", why)
        self._ask({name: (task,) for name, task in self._tasks.items()}, "cancel_task")
        self._order, self._tasks, self._turns = [], {}, Turns()
        self._keep()

    def _keep(self) -> None:
        """Tell the drivers whose turn it is, and keep the order."""
        rospy.set_param(_ORDER, {"order": [list(each) for each in self._order], "left": len(self._turns.left),
                                 "tasks": self._tasks})
        rospy.set_param(TURNS, [list(each) for each in self._turns.left])
        self._published.publish(String(json.dumps(self._turns.left)))

    def _follow(self, configuration: Configuration) -> None:
        scene = configuration.scene
        self._tell(lambda space: let_all_follow(scene.source or scene.name, scene.seed, space))

    def _forget(self) -> None:
        self._tell(let_all_forget)

    def _tell(self, tell: Any) -> None:
        """Let the nodes of each base follow the world; these are in other namespaces than the world's own."""
        problems = [f"{name}: {each}" for name in self._supervisors for each in tell(f"{self._space}{name}/")]
        if problems:
            raise ConfigError("; ".join(problems))


def _said(replies: Mapping[str, ServiceReply]) -> str:
    """Return what every base says, in one line."""
    return "; ".join(f"{name}: {each.message if each.response is None else each.response.message}"
                     for name, each in replies.items())


def main() -> None:
    """Run the node."""
    run("fleet", lambda: Fleet(str(parameter("robots")).split()))
