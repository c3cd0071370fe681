"""The joints of one arm in the physics: their references, where they are and what pushes against them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from hicrisp_sim.arm_model import ArmDescription

if TYPE_CHECKING:
    from hicrisp_sim.simulation import Simulation

_CONTACTS = int(mujoco.mjtConstraint.mjCNSTR_CONTACT_FRICTIONLESS)
"""The first kind of constraint that is a contact."""


class ArmJoints:
    """The joints, fingers and actuators of an arm in a simulation.

    Args:
        simulation: owns the model and its state.
        first: place of the arm's first joint among all joints and actuators; its others follow.
    """

    def __init__(self, simulation: "Simulation", description: ArmDescription, first: int) -> None:
        self._simulation, self._description = simulation, description
        self.dof = description.dof
        middle = first + len(description.joints)
        self._arm, self._fingers = slice(first, middle), slice(middle, first + self.dof)
        self.all = slice(first, first + self.dof)
        """Arm and fingers."""
        self._damping_time = description.model.damping_time

    def begin(self) -> None:
        """Put the arm into its posture of rest with open fingers, its controllers at rest."""
        data = self._simulation.data
        data.qpos[self._arm] = self._description.settings.rest
        data.qpos[self._fingers] = self._description.opening / 2.0
        data.ctrl[self.all] = data.qpos[self.all]

    def command(self, positions: np.ndarray, velocities: np.ndarray) -> None:
        """Set the reference of the joint controllers.

        Args:
            positions: array (joints,), rad.
            velocities: array (joints,), rad/s.
        """
        self._simulation.data.ctrl[self._arm] = positions + self._damping_time * velocities

    def command_fingers(self, opening: float, force: float) -> None:
        """Set the reference of the fingers.

        Args:
            opening: distance between them, metres.
            force: greatest force of each finger, newtons.
        """
        self._simulation.model.actuator_forcerange[self._fingers] = (-force, force)
        self._simulation.data.ctrl[self._fingers] = opening / 2.0

    @property
    def posture(self) -> np.ndarray:
        """Positions of joints and fingers, rad and metres."""
        return np.array(self._simulation.data.qpos[self.all])

    @property
    def positions(self) -> np.ndarray:
        """Joint positions of the arm, rad."""
        return np.array(self._simulation.data.qpos[self._arm])

    def lag(self, wanted: np.ndarray) -> np.ndarray:
        """Return what is missing to where the arm shall be.

        Args:
            wanted: array (joints,), rad.

        Returns:
            Array (joints,), rad.
        """
        return wanted - self.positions

    @property
    def pace(self) -> float:
        """How fast it can follow what was commanded last, as a share of the speed of that."""
        return 1.0

    @property
    def velocities(self) -> np.ndarray:
        """Joint velocities of the arm, rad/s."""
        return np.array(self._simulation.data.qvel[self._arm])

    @property
    def external_torques(self) -> np.ndarray:
        """External torques on the arm's joints from contacts, Nm, as the real arm estimates them: without dry
        friction and joint limits.
        """
        model, data = self._simulation.model, self._simulation.data
        found = np.zeros(model.nv)
        contacts = data.efc_type >= _CONTACTS
        mujoco.mj_mulJacTVec(model, data, found, np.where(contacts, data.efc_force, 0.0))
        return np.array(found[self._arm])

    @property
    def opening(self) -> float:
        """Distance between the fingers, metres."""
        return float(self._simulation.data.qpos[self._fingers].sum())

    @property
    def finger_force(self) -> float:
        """Greatest force of a finger's drive, newtons."""
        return float(np.abs(self._simulation.data.actuator_force[self._fingers]).max(initial=0.0))

    @property
    def finger_speed(self) -> float:
        """Speed of the faster finger, m/s."""
        return float(np.abs(self._simulation.data.qvel[self._fingers]).max())
