"""A running system's camera and arm as what a camera is calibrated with."""

from __future__ import annotations

from threading import Condition, Event
from typing import Any, Dict, Optional, Sequence, Tuple

import rospy
from hicrisp_core.errors import HicrispError
from hicrisp_core.model import Command, Outcome, Pose
from hicrisp_core.ports.robot import MOVE_TOOL
from hicrisp_core.scene.cameras import CameraSettings
from hicrisp_core.time import Deadline, wait_on, wait_until
from hicrisp_ros.conversions.picture import colour_from_msg, lens_from_msg
from hicrisp_ros.ports.robot import RosRobot
from hicrisp_ros.tf_world import TfWorld
from sensor_msgs.msg import CameraInfo, Image

from hicrisp_msgs.msg import EstopState
from hicrisp_perception.calibration.procedure import Look

_MOTION = 90.0
"""Wall seconds for a motion, with what the driver needs to plan it."""
_REST = 0.4
"""Seconds of the ROS clock that an arm stands before a picture counts."""
_PATIENCE = 15.0
"""Wall seconds in which a picture and the frames of its moment come."""
_BUFFER = 2 ** 24
"""Bytes that rospy reads at once: with less, old images queue up in the socket."""


class RosRig:
    """An arm behind its driver and a camera behind its topics.

    Args:
        robot: the arm's name.
        frames: those of the robot that are needed with a picture.
    """

    def __init__(self, camera: CameraSettings, robot: str, frames: Sequence[str]) -> None:
        self._frames: Tuple[str, ...] = tuple(frames)
        self._tf, self._estop = TfWorld(), Event()
        self._robot = RosRobot(robot, (MOVE_TOOL,), self._estop, lambda _: None)
        self._latest: Dict[type, Any] = {}
        self._news = Condition()
        topics = camera.topics
        self.missing = ""
        """Why there was no picture, in a sentence that names topic or frame; empty after one."""
        self._topics = tuple(map(rospy.resolve_name, (topics.colour, topics.info)))
        self._subscribers = (
            rospy.Subscriber(topics.colour, Image, self._take, queue_size=1, buff_size=_BUFFER),
            rospy.Subscriber(topics.info, CameraInfo, self._take, queue_size=1),
            rospy.Subscriber("estop_state", EstopState, self._on_estop, queue_size=1))

    def move(self, tool: Pose) -> Outcome:
        """Move the tool to a pose around obstacles.

        Args:
            tool: tool pose, world frame.

        Returns:
            What the driver reports.
        """
        return self._robot.execute(Command(MOVE_TOOL, {}, self._robot.name, target=tool), Deadline(_MOTION),
                                   Event())

    def look(self) -> Optional[Look]:
        """Take an image.

        Returns:
            The image with the pose of the moving link; ``None`` without one.
        """
        deadline = Deadline(_PATIENCE)
        since = rospy.get_time() + _REST
        image, info = self._wait(since, deadline)
        if image is None or info is None:
            silent = self._topics[0] if image is None else self._topics[1]
            self.missing = (f"Nothing new comes on {silent}; check that the camera runs, and its topics in "
                            "config/cameras.")
            return None
        moment = image.header.stamp.to_sec()
        wait_until(lambda: len(self._tf.frames_at(self._frames, moment)) == len(self._frames), deadline,
                   in_vain=rospy.is_shutdown)
        frames = self._tf.frames_at(self._frames, moment)
        unplaced = [name for name in self._frames if name not in frames]
        if unplaced:
            self.missing = (f"TF does not place {', '.join(unplaced)} at the moment of a picture; check the "
                            "arm's driver.")
            return None
        try:
            look = Look(colour_from_msg(image), lens_from_msg(info), frames)
        except HicrispError as error:
            self.missing = f"{self._topics[0]}: {error}"
            return None
        self.missing = ""
        return look

    def _wait(self, since: float, deadline: Deadline) -> Tuple[Optional[Image], Optional[CameraInfo]]:
        """Return the first image from after a moment, and the lens."""
        def fresh() -> Optional[Image]:
            image = self._latest.get(Image)
            return image if image is not None and image.header.stamp.to_sec() >= since else None

        wait_on(self._news, lambda: fresh() and CameraInfo in self._latest, deadline, in_vain=rospy.is_shutdown)
        return fresh(), self._latest.get(CameraInfo)

    def _take(self, message: Any) -> None:
        with self._news:
            self._latest[type(message)] = message
            self._news.notify_all()

    def _on_estop(self, state: EstopState) -> None:
        if state.active:
            self._estop.set()
        else:
            self._estop.clear()
