"""Hands that move objects in the embedded physics."""

from __future__ import annotations

from dataclasses import replace
from typing import Dict

from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.scene.relocation import Relocation

from hicrisp_sim.mujoco_poses import pose_of, w_first
from hicrisp_sim.simulation import Simulation


def put(simulation: Simulation, name: str, pose: Pose) -> None:
    """Move an object, and stop it.

    Args:
        simulation: the simulation whose objects are moved.
        name: name of the object in the world.
        pose: world frame.
    """
    with simulation.edit() as data:
        joint = data.joint(name)
        joint.qpos[:] = (*pose.position, *w_first(pose.orientation))
        joint.qvel[:] = 0.0


def hands(simulation: Simulation) -> Relocation:
    """Return the means to move objects of a simulation.

    Args:
        simulation: the simulation whose objects are moved.

    Returns:
        The relocation.
    """

    def things() -> Dict[str, WorldObject]:
        found: Dict[str, WorldObject] = {}
        for thing in (*simulation.scene.things, *simulation.scene.unknown):
            placed = simulation.data.joint(thing.name).qpos
            found[thing.name] = replace(thing, pose=pose_of(placed[:3], placed[3:]))
        return found

    return Relocation(things, lambda: simulation.scene.table,
                      lambda name, pose: put(simulation, name, pose))
