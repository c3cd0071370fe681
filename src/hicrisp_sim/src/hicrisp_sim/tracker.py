"""Where objects are, as a tracking system would tell: the poses of all frames at a snapshot of the simulation."""

from __future__ import annotations

from threading import Lock
from typing import Dict, Optional, Tuple

import mujoco
from hicrisp_core.model import Pose

from hicrisp_sim.mujoco_poses import pose_of
from hicrisp_sim.simulation import Snapshot


class Tracker:
    """Reads frames from snapshots; any thread may ask.

    Args:
        robot: the names of the robot's frames.
    """

    def __init__(self, robot: Tuple[str, ...]) -> None:
        self._robot = robot
        self._lock = Lock()
        self._model: Optional[mujoco.MjModel] = None

    def read(self, snapshot: Snapshot) -> Tuple[Dict[str, Pose], Dict[str, Pose]]:
        """Return the frames of robot and movable objects.

        Args:
            snapshot: state of the simulation.

        Returns:
            Poses in the world frame by name: of the robot, and of the objects.
        """
        with self._lock:
            if self._model is not snapshot.model:
                self._model = model = snapshot.model
                self._data = mujoco.MjData(model)
                self._things = tuple(model.joint(number).name for number in range(model.njnt)
                                     if model.joint(number).name == model.body(model.jnt_bodyid[number]).name)
            self._data.qpos[:] = snapshot.positions
            mujoco.mj_kinematics(snapshot.model, self._data)
            robot, objects = ({name: pose_of(self._data.body(name).xpos, self._data.body(name).xquat)
                               for name in names} for names in (self._robot, self._things))
            return robot, objects
