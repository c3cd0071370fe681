"""The robots of a scene as their drivers show them: what they were sent, how far they are, and making them stand."""

from __future__ import annotations

from threading import Event
from typing import Callable, Dict, Optional, Tuple

import rospy
from hicrisp_core.model import Command
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.conversions import command_from_msg
from hicrisp_ros.ports.robot import RosRobot
from hicrisp_ros.service_client import ServiceClient, offered
from std_srvs.srv import Trigger, TriggerRequest

from hicrisp_msgs.msg import ExecuteCommandActionFeedback, ExecuteCommandActionGoal


class WatchedRobot:
    """One robot's driver, listened to. Nothing of this asks the driver to help.

    Args:
        began: called with every command that is sent to it.
        phase: called with the command and the name of each of its phases.
    """

    def __init__(self, name: str, began: Callable[[Command], None],
                 phase: Callable[[Command, str], None]) -> None:
        self.name = name
        self._began, self._phase = began, phase
        self._commands: Dict[str, Command] = {}
        self._latest: Tuple[str, str] = ("", "")
        self._port = RosRobot(name, (), Event(), lambda _: None)
        action = f"robots/{name}/execute"
        self._reset = ServiceClient(f"robots/{name}/reset", Trigger)
        self._subscribers = [
            rospy.Subscriber(f"{action}/goal", ExecuteCommandActionGoal, self._on_goal, queue_size=5,
                             tcp_nodelay=True),
            rospy.Subscriber(f"{action}/feedback", ExecuteCommandActionFeedback, self._on_feedback,
                             queue_size=20,
                             tcp_nodelay=True),
        ]

    def stop(self) -> None:
        """Listen no more."""
        for subscriber in self._subscribers:
            subscriber.unregister()

    def halt(self, seconds: float) -> Optional[str]:
        """Cancel what it does and wait until its driver says that it has ended; why it has not."""
        ended = self._port.halt(seconds) or rospy.is_shutdown()
        return None if ended else f"{self.name} did not stop within {seconds:g} s"

    def send_home(self, action: str, seconds: float) -> Optional[str]:
        """Let an arm go to its rest pose; why it did not. One whose driver is away stays where it is."""
        if not self._port.connected:
            return None
        outcome = self._port.execute(Command(action, robot=self.name, time_limit=seconds), Deadline(seconds),
                                     Event())
        return None if outcome.ok else f"{self.name} did not go to its rest pose: {outcome.message}"

    def forget(self, seconds: float) -> Optional[str]:
        """Let a driver that has such a door forget what its hand held; why it did not."""
        if not offered(self._reset.name):
            return None
        reply = self._reset.call(TriggerRequest(), seconds)
        ok = reply.response is not None and reply.response.success
        return None if ok else f"{self.name} did not forget what it held: " \
                               f"{reply.response.message if reply.response is not None else reply.message}"

    def _on_goal(self, message: ExecuteCommandActionGoal) -> None:
        command = command_from_msg(message.goal.command)
        self._commands = {message.goal_id.id: command}
        self._began(command)

    def _on_feedback(self, message: ExecuteCommandActionFeedback) -> None:
        goal, phase = message.status.goal_id.id, message.feedback.phase
        command = self._commands.get(goal)
        if command is not None and (goal, phase) != self._latest:
            self._latest = (goal, phase)
            self._phase(command, phase)
