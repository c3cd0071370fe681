"""What a base's driver knows of where its trajectories lead, for those who choose goals and areas."""

from __future__ import annotations

from dataclasses import replace
from typing import Dict, Sequence

from hicrisp_core.model import Pose
from hicrisp_core.ports.robot import UNCONSTRAINED, Constraints
from hicrisp_core.robot.drive_goals import DriveSpace, Reached, drive_space_of
from hicrisp_core.scene import Scene

from hicrisp_msgs.srv import FirstReached, FirstReachedRequest
from hicrisp_ros.conversions import KEEP_OUTS, pose_to_msg
from hicrisp_ros.service_client import ServiceClient

_LIMIT = 4.0
"""Seconds of wall time for an answer; after them nothing is known."""
_STEP = 0.06
"""Distance of the places in an area that are asked for, metres: each costs a plan."""


class RosReach:
    """Asks ``robots/<name>/first_reached``; a driver that does not offer it knows nothing."""

    def __init__(self) -> None:
        self._clients: Dict[str, ServiceClient] = {}

    def __call__(self, robot: str, poses: Sequence[Pose],
                 constraints: Constraints = UNCONSTRAINED) -> Reached:
        """Return the first pose that is reached."""
        client = self._clients.setdefault(robot, ServiceClient(f"robots/{robot}/first_reached", FirstReached))
        if not robot or not client.offered:
            return Reached(known=False)
        request = FirstReachedRequest([pose_to_msg(pose) for pose in poses], 0.8 * _LIMIT,
                                      KEEP_OUTS.to_msg(constraints.keep_out), constraints.clearance)
        answer = client.call(request, _LIMIT).response
        if answer is None or not answer.known or answer.first >= len(poses):
            return Reached(known=False)
        return Reached(poses[answer.first] if answer.first >= 0 else None)


def drive_space(scene: Scene) -> DriveSpace:
    """Return what goals of the scene's base must respect, including what its driver knows.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.

    Returns:
        The limits; reachability is asked from the driver.
    """
    return replace(drive_space_of(scene), step=_STEP, first_reached=RosReach())
