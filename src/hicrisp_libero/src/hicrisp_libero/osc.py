"""The benchmark's own terms: seven numbers for its operational space controller, 20 times a second."""

from __future__ import annotations

import mujoco
import numpy as np
from hicrisp_core.errors import ConfigError
from hicrisp_sim.arm_model import ArmDescription
from hicrisp_sim.kinematics import Kinematics
from hicrisp_sim.mujoco_poses import w_first

JOINT, OSC = "joint", "osc"
PERIOD = 0.05
"""Seconds of an action."""
_LIMITS = {"libero_spatial": 220, "libero_object": 280, "libero_goal": 300, "libero_10": 520, "libero_90": 400}
"""Actions of an episode, as published evaluations count them."""
_METRES, _RADIANS = 0.05, 0.5
"""Of an action of 1."""
_STIFFNESS = 150.0
_DRAG = 2.0 / _STIFFNESS**0.5
"""The controller's stiffness, 1/s2, and its damping by it, s: it is critically damped."""
_LEAD, _PUSH = _DRAG + PERIOD / 2.0, 1.0 / _STIFFNESS + _DRAG * PERIOD / 2.0
"""By how much the controller trails a goal, in speeds, s, and in accelerations of it, s2."""
_PACE, _QUICKER = (0.2, 1.0), 1.25
"""Least and greatest share of the planned speed, and by how much it grows in an action."""
_LEVERS = np.array([0.5] * 3 + [1.0] * 3)
"""Metres by which the tool moves, and radians by which it turns, where a joint turns by a radian."""
_TRAILS = np.array([1.0] * 3 + [0.5] * 3)
"""Shares of what is missing of a move and a turn that count: a hand that turns fast trails behind, and comes after."""
_GAIN = 2.0
"""On what is missing: dry friction holds the joints back."""
_FULL, _FINGER = 0.04, 0.005
"""Metres of a finger from the middle that are all it opens, and by how much an action moves its reference."""


def limit_of(suite: str) -> int:
    """Return how many actions an episode has.

    Args:
        suite: of the benchmark, or one with its tasks disturbed.

    Returns:
        The number.

    Raises:
        ConfigError: for a suite of which none is published.
    """
    found = [steps for name, steps in _LIMITS.items() if suite == name or suite.startswith(f"{name}_")]
    if not found:
        raise ConfigError(f"no number of actions is published for '{suite}'; it is for: {', '.join(_LIMITS)}")
    return found[0]


class DeltaPose:
    """Makes actions of where the joints shall be.

    Args:
        arm: with the benchmark's hand.
    """

    def __init__(self, arm: ArmDescription) -> None:
        self._kinematics = Kinematics(arm)
        self._speeds: np.ndarray = np.zeros(len(arm.joints))
        self._finger = _FULL
        self.pace = 1.0
        """Share of the planned speed at which no action is cut off: an action's limits keep the tool below 0.3 m/s."""

    def action(self, wanted: np.ndarray, finger: float, measured: np.ndarray) -> np.ndarray:
        """Return the action that leads there.

        Args:
            wanted: array (14,): positions and velocities of the joints, rad and rad/s.
            finger: where each finger shall be, metres from the middle.
            measured: array (7,): positions of the joints, rad.

        Returns:
            Array (7,), each from -1 to 1: translation, turn about the world's axes, and the gripper, which -1 opens,
            1 closes and 0 leaves.
        """
        gained, self._speeds = (wanted[7:] - self._speeds) / PERIOD, wanted[7:]
        ahead = wanted[:7] + _LEAD * wanted[7:] + _PUSH * gained
        away = self._apart(ahead, wanted[:7]) + _GAIN * self._apart(wanted[:7], measured)
        parts = [away[:3] / _METRES, away[3:] / _RADIANS]
        most = [float(np.abs(part).max()) for part in parts]
        self.pace = float(np.clip(self.pace / max(*most, 1.0 / _QUICKER), *_PACE))
        within = [part / max(1.0, each) for part, each in zip(parts, most)]  # The direction stays.
        return np.concatenate([*within, [self._grip(finger)]])

    def lag(self, wanted: np.ndarray, measured: np.ndarray) -> np.ndarray:
        """Return what is missing of a motion of the tool, of a turn the half: where the elbow goes is the controller's
        affair.

        Args:
            wanted: array (7,): positions of the joints, rad.
            measured: array (7,): where they are.

        Returns:
            Array (6,), rad: turns of joints that would bring the tool as far, also where the arm is stretched.
        """
        return self._apart(wanted, measured) / _LEVERS * _TRAILS

    def speeds(self, measured: np.ndarray, speeds: np.ndarray) -> np.ndarray:
        """Return how fast the tool moves: it stands while the controller still brings the elbow back.

        Args:
            measured: array (7,): positions of the joints, rad.
            speeds: array (7,): of the joints, rad/s.

        Returns:
            Array (6,), rad/s: of what ``lag`` returns.
        """
        return np.array(self._kinematics.jacobian(measured)) @ speeds / _LEVERS

    def _apart(self, joints: np.ndarray, others: np.ndarray) -> np.ndarray:
        """From where the tool is with other joints to where it is with some: metres, and a turn, rad, world axes."""
        goal, here = self._kinematics.tool_pose(joints), self._kinematics.tool_pose(others)
        turn, axes, own = np.zeros(3), np.zeros(3), np.array(w_first(here.orientation))
        mujoco.mju_subQuat(turn, np.array(w_first(goal.orientation)), own)
        mujoco.mju_rotVecQuat(axes, turn, own)
        return np.concatenate([np.subtract(goal.position, here.position), axes])

    def _grip(self, finger: float) -> float:
        """Bring the fingers' reference, which an action moves by a step, next to where they shall be."""
        if 0.0 < finger < _FULL:
            told = float(np.sign(self._finger - finger)) if abs(self._finger - finger) > _FINGER / 2.0 else 0.0
        else:
            told = 1.0 if finger <= 0.0 else -1.0  # All the way, also where something is in between.
        self._finger = min(_FULL, max(0.0, self._finger - told * _FINGER))
        return told
