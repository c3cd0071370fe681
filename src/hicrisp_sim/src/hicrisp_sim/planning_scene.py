"""The planner's own picture of the world: what was observed, what the hand carries, and what collides."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Callable, Dict, FrozenSet, Mapping, Optional, Sequence, Tuple

import mujoco
import numpy as np
from hicrisp_core.model import Pose, Vector, WorldObject, WorldState
from hicrisp_core.model.geometry import IDENTITY
from hicrisp_core.model.screwing import SCREWED_ON
from hicrisp_core.scene import Scene

from hicrisp_sim.arm_model import ArmDescription
from hicrisp_sim.models import CARRIED, DISTAL, PROXIMAL, THING, planning_model
from hicrisp_sim.mujoco_poses import pose_of, w_first

Solid = Tuple[str, Vector, bool]
"""What an object's geometry depends on: its shape and size, and whether a hand may carry it."""
_AWAY = (0.0, 0.0, -5.0)
"""Where objects are put that were not seen."""


class PlanningScene:
    """Collision checks against the observed world; it never reads the physics.

    Args:
        margin: space kept to every object and every other arm, metres.
        others: the other arms, obstacles that stand as ``stand_aside`` says.
    """

    def __init__(
        self, scene: Scene, arm: ArmDescription, margin: float, others: Sequence[ArmDescription] = ()
    ) -> None:
        self._scene, self._arm, self._margin, self._others = scene, arm, margin, tuple(others)
        self._hand, self._dof = arm.hand, len(arm.joints)
        self._postures: Sequence[np.ndarray] = ()
        self._owners = {link: other.name for other in others for link in other.links()}
        self._touch: FrozenSet[str] = frozenset()
        self._caps: FrozenSet[str] = frozenset()
        self.attached: Optional[str] = None
        self._seen: FrozenSet[str] = frozenset()
        self._strangers: Dict[str, Solid] = {}
        self._compile({})

    def _compile(self, strangers: Mapping[str, WorldObject]) -> None:
        """Make room for the objects of the scene, and for those that were seen and are not in it."""
        objects = {**self._scene.objects,
                   **{name: replace(item, pose=None) for name, item in strangers.items()}}
        self._names = tuple(objects)
        self._strangers = {name: _solid(item) for name, item in strangers.items()}
        self._model = planning_model(replace(self._scene, objects=objects), self._arm, self._margin, self._others)
        self._data = mujoco.MjData(self._model)
        self.stand_aside(self._postures)
        self._set_bits()

    def _welcome(self, world: WorldState) -> None:
        """Plan around what is seen and not in the scene; the model is rebuilt if that has changed."""
        seen = world.objects if world.viewed is not None else {}
        found = {name: item for name, item in seen.items()
                 if name not in self._scene.objects and item.pose is not None and not item.form.ground
                 and item.form.solids(item.size)}
        if {name: _solid(item) for name, item in found.items()} == self._strangers:
            return
        if self.attached is not None and self.attached not in (*self._scene.objects, *found):
            return  # What is in the hand stays there until it is let go.
        if self.attached is None:
            self._compile(found)
            return
        body = self._model.body(CARRIED + self.attached).id
        held = pose_of(self._model.body_pos[body], self._model.body_quat[body])
        self._compile(found)
        self._carry(self.attached, held)

    def sync(self, world: WorldState) -> None:
        """Place every object where it was observed; unobserved and unknown ones are left out. Caps on bottles are in
        nobody's way: they move with them.

        Args:
            world: observed objects, robots and facts; poses in the world frame.
        """
        self._welcome(world)
        caps = frozenset(fact.subject for fact in world.relations if fact.predicate == SCREWED_ON)
        if caps != self._caps:
            self._caps = caps
            self._set_bits()
        seen = set()
        for name in self._names:
            item = world.objects.get(name)
            mocap = self._model.body(name).mocapid[0]
            pose = item.pose if item is not None and item.pose is not None and item.pose.finite else None
            self._data.mocap_pos[mocap] = pose.position if pose else _AWAY
            self._data.mocap_quat[mocap] = w_first(pose.orientation if pose else IDENTITY)
            if pose:
                seen.add(name)
        self._seen = frozenset(seen)

    def attach(self, name: str, joints: np.ndarray) -> None:
        """Move an object with the hand, starting at its observed pose.

        Args:
            name: name of the object in the world.
            joints: array (joints,), current posture, radians.

        Raises:
            KeyError: if the object was not observed.
        """
        if name not in self._seen:
            raise KeyError(f"'{name}' was not seen; seen are: {', '.join(sorted(self._seen)) or 'none'}")
        self._place(joints)
        mocap = self._model.body(name).mocapid[0]
        hand = self._data.body(self._hand)
        self._carry(name, pose_of(hand.xpos, hand.xquat).inverse().compose(
            pose_of(self._data.mocap_pos[mocap], self._data.mocap_quat[mocap])))
        self.attached = name
        self._set_bits()

    def _carry(self, name: str, in_hand: Pose) -> None:
        body = self._model.body(CARRIED + name).id
        self._model.body_pos[body] = in_hand.position
        self._model.body_quat[body] = w_first(in_hand.orientation)

    def detach(self, joints: np.ndarray) -> None:
        """Leave the carried object where the hand is.

        Args:
            joints: array (joints,), current posture, radians.
        """
        if self.attached is not None:
            self._place(joints)
            carried = self._data.body(CARRIED + self.attached)
            mocap = self._model.body(self.attached).mocapid[0]
            self._data.mocap_pos[mocap], self._data.mocap_quat[mocap] = carried.xpos, carried.xquat
        self.attached = None
        self._set_bits()

    def allow(self, touch: FrozenSet[str]) -> None:
        """Allow contacts of the hand and the carried object; other links still keep clear.

        Args:
            touch: names of objects that may be touched.
        """
        if touch != self._touch:
            self._touch = touch
            self._set_bits()

    def set_opening(self, opening: float) -> None:
        """Set the opening of the hand for collision checks.

        Args:
            opening: distance between the fingers, metres.
        """
        self._data.qpos[self._dof:self._arm.dof] = opening / 2.0

    def stand_aside(self, postures: Sequence[np.ndarray]) -> None:
        """Set where the other arms are.

        Args:
            postures: for each other arm an array of its joints and fingers, radians and metres.
        """
        self._postures = postures
        if len(postures):
            self._data.qpos[self._arm.dof:] = np.concatenate(postures)

    def tilt(self, joints: np.ndarray) -> Optional[float]:
        """Return how far an open vessel in the hand is tilted.

        Args:
            joints: array (joints,), radians.

        Returns:
            Radians from upright; ``None`` without such a vessel.
        """
        vessel = self._vessel
        if vessel is None:
            return None
        self._place(joints)
        return float(np.arccos(np.clip(self._data.xmat[vessel, 8], -1.0, 1.0)))

    @property
    def loaded(self) -> bool:
        """Whether the hand has something on which things lie, and which must stay level, or what hangs by its rim."""
        item = self._scene.objects.get(self.attached or "")
        return item is not None and (item.form.rim or item.form.grips is not None or item.form.pinched)

    @property
    def _vessel(self) -> Optional[int]:
        """The body in the hand that has to stay upright: an open vessel, a dish, or one with a load."""
        item = self._scene.objects.get(self.attached or "")
        upright = item is not None and (
            item.form.open or item.form.rim or item.form.grips is not None and not item.form.rod)
        return self._model.body(CARRIED + item.name).id if item is not None and upright else None

    def checker(self, upright: float = math.pi) -> Callable[[np.ndarray], bool]:
        """Return a fast collision check.

        Args:
            upright: how far an open vessel in the hand may be tilted, radians.

        Returns:
            A function of an array (joints,), radians; true for a free posture.
        """
        vessel, least = self._vessel, math.cos(upright)
        model, data, arm = self._model, self._data, slice(0, self._dof)
        positions, forward, collide = data.qpos, mujoco.mj_kinematics, mujoco.mj_collision

        def free(joints: np.ndarray) -> bool:
            positions[arm] = joints
            forward(model, data)
            if vessel is not None and data.xmat[vessel, 8] < least:
                return False
            collide(model, data)
            return data.ncon == 0

        return free

    def free(self, joints: np.ndarray) -> bool:
        """Check whether a posture is free of collisions.

        Args:
            joints: array (joints,), radians.

        Returns:
            True without contacts.
        """
        return self.checker()(joints)

    def blockers(self, joints: np.ndarray) -> Tuple[str, ...]:
        """Return the objects that the arm would touch.

        Args:
            joints: array (joints,), radians.

        Returns:
            Their names, and those of other arms; the empty name stands for the arm itself.
        """
        self._place(joints)
        mujoco.mj_collision(self._model, self._data)
        found = set()
        for number in range(self._data.ncon):
            contact = self._data.contact[number]
            bodies = [self._model.body(self._model.geom_bodyid[geom]).name
                      for geom in (contact.geom1, contact.geom2)]
            found.add(next((self._owners.get(name, name) for name in bodies
                            if name in self._names or name in self._owners), ""))
        return tuple(sorted(found))

    def depth(self, joints: np.ndarray) -> float:
        """Return how deep the arm would be in what it touches.

        Args:
            joints: array (joints,), radians.

        Returns:
            Metres, negative for what it only comes near; minus infinity for a free posture.
        """
        self._place(joints)
        mujoco.mj_collision(self._model, self._data)
        return max((-float(contact.dist) for contact in self._data.contact), default=-math.inf)

    def movable(self, name: str) -> bool:
        """Check whether something that is in the way can be moved away.

        Args:
            name: as ``blockers`` returns it.

        Returns:
            True for objects that a hand may carry.
        """
        item = self._scene.objects.get(name)
        return item.movable if item is not None else name in self._strangers and self._strangers[name][2]

    def _place(self, joints: np.ndarray) -> None:
        self._data.qpos[:self._dof] = joints
        mujoco.mj_kinematics(self._model, self._data)

    def _set_bits(self) -> None:
        for name in self._names:
            bits = DISTAL if name in self._touch else THING
            if name == self.attached or name in self._caps:
                bits = 0
            for geom in self._geoms(name):
                self._model.geom_contype[geom] = bits
            for geom in self._geoms(CARRIED + name):
                self._model.geom_conaffinity[geom] = THING | PROXIMAL if name == self.attached else 0

    def _geoms(self, body: str) -> range:
        number = mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_BODY, body)
        if number < 0:
            return range(0)
        first = int(self._model.body_geomadr[number])
        return range(first, first + int(self._model.body_geomnum[number]))


def _solid(item: WorldObject) -> Solid:
    return item.shape, item.size, item.movable
