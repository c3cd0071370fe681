"""The physics' own truth of an embedded base on the topic ``ground_truth``, for judges: no node listens."""

from __future__ import annotations

import rospy
from hicrisp_ros.conversions.geometry import pose_to_msg
from hicrisp_ros.publisher import Publisher
from std_msgs.msg import Header

from hicrisp_msgs.msg import TrueMotion
from hicrisp_sim.agv.base import EmbeddedBase

_QUEUE = 10000
"""Moments that may wait for a judge: each one counts, so none is dropped."""


class AgvTruth:
    """Publishes one base; ``publish`` is called while the physics stands, after every control period."""

    def __init__(self, base: EmbeddedBase) -> None:
        self._base = base
        self._truth = Publisher("ground_truth", TrueMotion, queue_size=_QUEUE)

    def publish(self) -> None:
        """Publish the current true state if there are subscribers."""
        if self._truth.get_num_connections() == 0:
            return
        simulation, goal = self._base.simulation, self._base.goal
        self._truth.publish(TrueMotion(
            header=Header(stamp=rospy.Time.from_sec(simulation.time), frame_id="world"),
            robot=self._base.name,
            pose=pose_to_msg(simulation.base_pose), speed=simulation.base_speed,
            turning=simulation.base_turning, touching=simulation.touching, driving=self._base.driving,
            has_goal=goal is not None, goal=pose_to_msg(goal)))
