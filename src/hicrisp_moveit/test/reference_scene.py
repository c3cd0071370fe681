"""A planning scene as move_group keeps it: collision objects, attached ones, allowed contacts; checked
with MuJoCo.
"""

from __future__ import annotations

from dataclasses import replace
from threading import RLock
from typing import Dict, FrozenSet, List, Optional, Sequence, Set, Tuple

import numpy as np
from hicrisp_core.config.files import config_file
from hicrisp_core.model import Pose, WorldObject, WorldState
from hicrisp_core.scene import Scene
from hicrisp_ros.conversions.geometry import pose_from_msg, pose_to_msg
from hicrisp_sim.arm_model import load_description
from hicrisp_sim.kinematics import Kinematics
from hicrisp_sim.planning_scene import PlanningScene as Checker
from moveit_msgs.msg import (
    AllowedCollisionEntry,
    AttachedCollisionObject,
    CollisionObject,
    PlanningScene,
)
from shape_msgs.msg import SolidPrimitive

ARM = load_description(config_file("robots", "panda_embedded"))
HAND = ARM.model.hand
SELF_CHECKED = "panda_hand_sc"
"""A link of franka_description whose contacts are allowed by default."""


class ReferenceScene:
    """What ``apply_planning_scene`` and ``get_planning_scene`` work on."""

    def __init__(self, scene: Scene, kinematics: Kinematics) -> None:
        self.lock = RLock()
        self.deaf = False
        self._scene = scene
        self._kinematics = kinematics
        self._objects: Dict[str, CollisionObject] = {}
        self._attached: Optional[AttachedCollisionObject] = None
        self._in_hand, self._held_at = Pose((0.0, 0.0, 0.0)), np.zeros(7)
        self._allowed: Set[FrozenSet[str]] = set()
        self._names: List[str] = [HAND, SELF_CHECKED]
        self.checker = self._rebuilt()

    def apply(self, scene: PlanningScene, joints: np.ndarray) -> bool:
        """Take a difference. Unknown names are ignored and the answer is that all is well, as the real one
        does.
        """
        if self.deaf:
            return True
        with self.lock:
            for thing in scene.world.collision_objects:
                if thing.operation == CollisionObject.REMOVE:
                    self._objects.pop(thing.id, None)
                    self._allowed = {pair for pair in self._allowed if thing.id not in pair}
                else:
                    self._objects[thing.id] = thing
            for attached in scene.robot_state.attached_collision_objects:
                self._attach(attached, joints)
            if scene.allowed_collision_matrix.entry_names:
                names = list(scene.allowed_collision_matrix.entry_names)
                self._names = names
                self._allowed = {frozenset((a, b))
                                 for a, row in zip(names, scene.allowed_collision_matrix.entry_values)
                                 for b, allowed in zip(names, row.enabled) if allowed and a != b}
            self.checker = self._rebuilt()
        return True

    def forget(self) -> None:
        """As after a new start."""
        with self.lock:
            self._objects, self._attached, self._allowed, self._names = {}, None, set(), [HAND, SELF_CHECKED]
            self.checker = self._rebuilt()

    def tell(self) -> PlanningScene:
        """The whole scene."""
        with self.lock:
            scene = PlanningScene()
            scene.world.collision_objects = list(self._objects.values())
            if self._attached is not None:
                scene.robot_state.attached_collision_objects = [self._attached]
            matrix = scene.allowed_collision_matrix
            matrix.entry_names = list(self._names)
            matrix.entry_values = [
                AllowedCollisionEntry(enabled=[frozenset((a, b)) in self._allowed for b in self._names])
                for a in self._names]
            matrix.default_entry_names, matrix.default_entry_values = [SELF_CHECKED], [True]
            return scene

    def names(self, link: str) -> FrozenSet[str]:
        """What a link may touch."""
        return frozenset(name for pair in self._allowed if link in pair for name in pair - {link})

    def touched(self, joints: np.ndarray) -> Tuple[str, ...]:
        """What a posture touches."""
        self.checker.allow(self.names(HAND))
        return self.checker.blockers(joints)

    def free(self, joints: np.ndarray) -> bool:
        """Whether a posture touches nothing."""
        self.checker.allow(self.names(HAND))
        return self.checker.free(joints)

    @property
    def touch(self) -> FrozenSet[str]:
        """What the hand may touch."""
        return self.names(HAND)

    def _attach(self, attached: AttachedCollisionObject, joints: np.ndarray) -> None:
        name, tool = attached.object.id, self._kinematics.tool_pose(joints)
        if attached.object.operation == CollisionObject.REMOVE:
            held = self._attached
            if held is not None and held.object.id == name:
                held.object.pose = pose_to_msg(tool.compose(self._in_hand))
                self._objects[name], self._attached = held.object, None
        elif name in self._objects:
            thing = self._objects.pop(name)
            self._in_hand = tool.inverse().compose(_place(thing))
            self._attached, self._held_at = attached, np.array(joints)
            self._attached.object = thing

    def _rebuilt(self) -> Checker:
        things = {name: _thing(thing) for name, thing in self._objects.items()}
        if self._attached is not None:
            thing = _thing(self._attached.object)
            place = self._kinematics.tool_pose(self._held_at).compose(self._in_hand)
            things[thing.name] = replace(thing, pose=place)
        checker = Checker(replace(self._scene, objects=things), ARM, 0.0)
        checker.sync(WorldState(things))
        if self._attached is not None:
            checker.attach(self._attached.object.id, self._held_at)
        return checker


def _thing(message: CollisionObject) -> WorldObject:
    """A collision object as the simulation's planner wants it."""
    kinds: Sequence[int] = [primitive.type for primitive in message.primitives]
    first = message.primitives[0].dimensions
    if len(kinds) > 1:  # A bowl: its first part is the floor.
        size = (2.0 * first[1] + first[0], 2.0 * first[1] + first[0], message.primitives[1].dimensions[2])
        return WorldObject(message.id, "thing", "bowl", size, pose=_place(message))
    if kinds[0] == SolidPrimitive.CYLINDER:
        size = (2.0 * first[1], 2.0 * first[1], first[0])
        return WorldObject(message.id, "thing", "cylinder", size, pose=_place(message))
    return WorldObject(message.id, "thing", "box", (first[0], first[1], first[2]), pose=_place(message))


def _place(message: CollisionObject) -> Pose:
    whole, part = pose_from_msg(message.pose), pose_from_msg(message.primitive_poses[0])
    assert whole is not None
    assert part is not None
    return whole.compose(part) if len(message.primitives) == 1 else whole
