"""Where the tool is for given joints, and the joints for a wanted tool pose (damped least squares)."""

from __future__ import annotations

import math
from itertools import islice
from typing import Iterator, List, Optional, Sequence

import mujoco
import numpy as np
from hicrisp_core.model import Pose, Vector
from hicrisp_core.model.geometry import heading

from hicrisp_sim.arm_model import ArmDescription
from hicrisp_sim.mujoco_poses import pose_of, w_first

_POSITION_ERROR, _ROTATION_ERROR = 1e-4, 1e-3
_DAMPING = 1e-4 * np.eye(6)
_LARGEST_STEP = 0.4
_STOP_MARGIN, _ROOM_TO_MOVE = 0.02, 0.10
"""Radians that every posture keeps away from the joints' stops; and those that must leave room to move on from."""
_MARGIN_SEEDS, COMFORTABLE = 4, 0.3
"""Postures that are looked at for the distance from the limits, and the radians with which the first will do."""
_WRIST_TURNS = (0.0, -math.pi / 2.0, math.pi / 2.0, -math.pi, math.pi)


class Kinematics:
    """The arm alone, for one thread.

    Args:
        rest: a comfortable posture (rad), from which solutions are sought and towards which they lean; that
            of the robot's file by default.
    """

    def __init__(self, description: ArmDescription, rest: Sequence[float] = ()) -> None:
        spec = description.spec()
        for geom in list(spec.geoms):
            spec.delete(geom)
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)
        self._site = self._model.site(description.tool).id
        self._to_base = description.base.inverse()
        self.rest = np.asarray(rest or description.settings.rest, dtype=float)
        self._least = description.settings.dexterity
        self.joints = description.joints
        self._dof = len(self.joints)
        limits = self._model.jnt_range[:self._dof]
        self.lower, self.upper = limits[:, 0] + _STOP_MARGIN, limits[:, 1] - _STOP_MARGIN
        self._jacobian = np.zeros((6, self._model.nv))
        self._forward(self.rest)
        x, y, z = self._data.xanchor[min(1, self._dof - 1)].tolist()
        self.shoulder: Vector = (x, y, z)
        """Where the second joint is, from which the arm reaches, metres in the world frame."""

    def tool_pose(self, joints: np.ndarray) -> Pose:
        """Return the tool centre point.

        Args:
            joints: array (joints,), radians.

        Returns:
            Pose in the world frame.
        """
        self._forward(joints)
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, self._data.site_xmat[self._site])
        return pose_of(self._data.site_xpos[self._site], quaternion)

    def tool_position(self, joints: np.ndarray) -> Vector:
        """Return the position of the tool centre point.

        Args:
            joints: array (joints,), radians.

        Returns:
            World frame, metres.
        """
        self._forward(joints)
        x, y, z = self._data.site_xpos[self._site].tolist()
        return (x, y, z)

    def jacobian(self, joints: np.ndarray) -> np.ndarray:
        """Return the Jacobian of the tool.

        Args:
            joints: array (joints,), radians.

        Returns:
            Array (6, joints): linear above angular velocity, world axes.
        """
        self._forward(joints)
        mujoco.mj_jacSite(self._model, self._data, self._jacobian[:3], self._jacobian[3:], self._site)
        return self._jacobian[:, :self._dof]

    def solve(
        self, pose: Pose, seed: np.ndarray, iterations: int = 60, lean: float = 0.2, room: float = 0.0
    ) -> Optional[np.ndarray]:
        """Find joints that bring the tool to a pose, starting from a seed.

        Args:
            pose: tool pose in the world frame.
            seed: array (joints,), radians.
            iterations: limit of the iterations.
            lean: strength with which the first iterations pull the elbow towards the rest posture; 0 stays near
                the seed.
            room: distance that the joints keep from their limits, radians.

        Returns:
            Array (joints,), radians; ``None`` if the search does not converge.
        """
        target = np.array(pose.position)
        wanted, here, turn, error = np.array(w_first(pose.orientation)), np.zeros(4), np.zeros(3), np.zeros(6)
        joints, lower, upper = np.array(seed, dtype=float), self.lower + room, self.upper - room
        here_at, here_turned = self._data.site_xpos[self._site], self._data.site_xmat[self._site]
        for iteration in range(iterations):
            jacobian = self.jacobian(joints)
            error[:3] = target - here_at
            mujoco.mju_mat2Quat(here, here_turned)
            mujoco.mju_subQuat(turn, wanted, here)
            mujoco.mju_rotVecQuat(error[3:], turn, here)
            off = np.abs(error).tolist()
            if max(off[:3]) < _POSITION_ERROR and max(off[3:]) < _ROTATION_ERROR:
                return joints
            pull = (self.rest - joints) * lean * 0.8 ** iteration
            step = pull + jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + _DAMPING, error - jacobian @ pull)
            largest = max(np.abs(step).tolist())
            if largest > _LARGEST_STEP:
                step *= _LARGEST_STEP / largest
            joints = np.minimum(np.maximum(joints + step, lower), upper)
        return None

    def solutions(
        self, pose: Pose, near: np.ndarray, dice: np.random.Generator, tries: int = 14
    ) -> Iterator[np.ndarray]:
        """Yield distinct solutions from a list of seeds: ``near`` first, some random ones last.

        Args:
            pose: tool pose in the world frame.
            near: array (joints,), the current posture, radians.
            dice: random generator.
            tries: number of seeds.

        Yields:
            Arrays (joints,), radians.
        """
        found: List[np.ndarray] = []
        for seed in islice(self._seeds(pose, near, dice), tries):
            joints = self.solve(pose, seed, room=_ROOM_TO_MOVE)
            if joints is None or self.stretched(joints):
                continue
            if all(np.abs(joints - other).max() > 0.05 for other in found):
                found.append(joints)
                yield joints

    def stretched(self, joints: np.ndarray) -> bool:
        """Check whether the arm is so near to a singular posture that it may end up in another one.

        Args:
            joints: array (joints,), radians.

        Returns:
            True if it is nearer than its settings allow.
        """
        return self._least > 0.0 and float(np.linalg.svd(self.jacobian(joints), compute_uv=False)[-1]) < self._least

    def room(self, joints: np.ndarray) -> float:
        """Return how far a posture is from the nearest limit of a joint.

        Args:
            joints: array (joints,), radians.

        Returns:
            Radians.
        """
        return float(min((joints - self.lower).min(), (self.upper - joints).min()))

    def margin(self, pose: Pose, near: np.ndarray) -> Optional[float]:
        """Return the least joint margin in the most comfortable of a few likely postures.

        Args:
            pose: tool pose in the world frame.
            near: array (joints,), the current posture, radians.

        Returns:
            Radians; ``None`` without a posture.
        """
        best: Optional[float] = None
        for seed in islice(self._likely(pose, near), _MARGIN_SEEDS):
            joints = self.solve(pose, seed, room=_ROOM_TO_MOVE)
            if joints is not None:
                best = self.room(joints) if best is None else max(best, self.room(joints))
                if best >= COMFORTABLE:
                    break
        return best

    def _seeds(self, pose: Pose, near: np.ndarray, dice: np.random.Generator) -> Iterator[np.ndarray]:
        yield from self._likely(pose, near)
        facing = self._facing(pose)
        while True:
            yield np.clip(facing + dice.normal(0.0, 0.5, self._dof), self.lower, self.upper)

    def _likely(self, pose: Pose, near: np.ndarray) -> Iterator[np.ndarray]:
        yield near
        for turn in _WRIST_TURNS:
            seed = self._facing(pose)
            seed[-1] += turn
            if self.lower[-1] <= seed[-1] <= self.upper[-1]:
                yield seed

    def _facing(self, pose: Pose) -> np.ndarray:
        """Return the posture of rest, turned towards a pose."""
        facing = self.rest.copy()
        facing[0] = heading(self._to_base.apply(pose.position))
        return facing

    def _forward(self, joints: np.ndarray) -> None:
        self._data.qpos[:self._dof] = joints
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
