"""MoveIt's planning scene, kept equal to what the detector sees, and confirmed by reading it back."""

from __future__ import annotations

import time
from typing import Any, Dict, FrozenSet, Iterable, List, Optional, Set, Tuple

from geometry_msgs.msg import Point, Quaternion
from geometry_msgs.msg import Pose as PoseMsg
from hicrisp_core.model import Pose, WorldObject, WorldState
from hicrisp_core.model.geometry import distance, turn_between
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.conversions.geometry import pose_from_msg, pose_to_msg
from hicrisp_ros.service_client import ServiceClient
from moveit_msgs import msg, srv
from shape_msgs.msg import SolidPrimitive

from hicrisp_moveit.settings import MoveItSettings


def collision_object(item: WorldObject, pose: Pose, frame: str) -> Optional[msg.CollisionObject]:
    """Return an object as MoveIt's collision object, to be added.

    Args:
        item: shape and size.
        pose: of its middle, in the frame.
        frame: the planning frame.

    Returns:
        The message; ``None`` for what is no obstacle.
    """
    solids = item.form.solids(item.size) if min(item.size) > 0.0 else ()
    if not solids:
        return None
    message = msg.CollisionObject(id=item.name, operation=msg.CollisionObject.ADD, pose=pose_to_msg(pose))
    message.header.frame_id = frame
    for solid in solids:
        kind, dimensions = SolidPrimitive.BOX, list(solid.size)
        if solid.kind == "cylinder":
            kind, dimensions = SolidPrimitive.CYLINDER, [solid.size[2], solid.size[0] / 2.0]
        message.primitives.append(SolidPrimitive(type=kind, dimensions=dimensions))
        message.primitive_poses.append(pose_to_msg(solid.pose))
    return message


def removal(name: str, frame: str) -> msg.CollisionObject:
    """Return the message that takes an object out of the scene.

    Args:
        name: name of the object.
        frame: the planning frame.

    Returns:
        The message.
    """
    message = msg.CollisionObject(id=name, operation=msg.CollisionObject.REMOVE)
    message.pose = PoseMsg(Point(), Quaternion(0.0, 0.0, 0.0, 1.0))
    message.header.frame_id = frame
    return message


_SAME_PLACE, _SAME_TURN = 0.0005, 0.005
"""Metres and radians within which an object counts as where it was."""
_PERIOD = 0.02
_THINGS = msg.PlanningSceneComponents.WORLD_OBJECT_NAMES | msg.PlanningSceneComponents.WORLD_OBJECT_GEOMETRY \
    | msg.PlanningSceneComponents.ROBOT_STATE_ATTACHED_OBJECTS


class NotConfirmed(Exception):
    """The planning scene does not show what it was told."""


class SceneSync:
    """Adds, moves, removes, attaches and detaches; what somebody else put into the scene stays there.

    Args:
        frame: the planning frame, in which poses are given.
    """

    def __init__(self, settings: MoveItSettings, frame: str) -> None:
        self._settings = settings
        self._frame = frame
        self._apply = ServiceClient(settings.name("apply_planning_scene"), srv.ApplyPlanningScene)
        self._get = ServiceClient(settings.name("get_planning_scene"), srv.GetPlanningScene)
        self._ours: Dict[str, Tuple[WorldObject, Pose]] = {}
        self._pairs: FrozenSet[Tuple[str, str]] = frozenset()
        self._fresh = True
        self.attached: Optional[str] = None
        self._carried: Optional[msg.CollisionObject] = None
        """What is attached, where it was seen last."""

    @property
    def seen(self) -> FrozenSet[str]:
        """The names of the objects that were seen last."""
        return frozenset(self._ours) | ({self.attached} if self.attached else set())

    def sync(self, world: WorldState, place: Pose) -> None:
        """Make the scene equal to the observed world; what is attached stays in the hand.

        Args:
            place: the world frame as seen from the planning frame.

        Raises:
            NotConfirmed: when the scene does not show it in time.
        """
        deadline = Deadline(self._settings.service_wait)
        if self._fresh:
            for name in self._held(deadline) & set(world.objects):  # An earlier driver held it.
                self._hold(name, False, deadline)
            self._fresh = False
        wanted: Dict[str, Tuple[WorldObject, Pose]] = {}
        changes: List[msg.CollisionObject] = []
        scene = self._scene(_THINGS, deadline)
        there = _poses(scene)
        if self.attached is not None and self.attached not in _attached(scene):
            self.attached = self._carried = None  # move_group was started again.
        for name, item in world.objects.items():
            if item.pose is None or not item.pose.finite:
                continue
            pose = place.compose(item.pose)
            added = collision_object(item, pose, self._frame)
            if added is None:
                continue
            if name == self.attached:
                self._carried = added
                continue
            wanted[name] = (item, pose)
            before = self._ours.get(name)
            same_shape = before is not None and (before[0].shape, before[0].size) == (item.shape, item.size)
            if not same_shape or not _at(there.get(name), pose):
                changes.append(added)
        gone = (set(there) & (set(world.objects) | set(self._ours))) - set(wanted) - {self.attached}
        changes += [removal(name, self._frame) for name in sorted(gone)]
        if changes:
            self._send(msg.PlanningScene(is_diff=True), deadline, changes)
        self._ours = wanted

        def difference() -> str:
            now = _poses(self._scene(_THINGS, deadline))
            missing = sorted(name for name, (_, pose) in wanted.items() if not _at(now.get(name), pose))
            if missing:
                return f"{', '.join(missing)} is not where it was seen"
            left = sorted(gone & set(now))
            return f"{', '.join(left)} is still there" if left else ""

        self._confirm(difference, deadline)

    def attach(self, name: str) -> None:
        """Attach an object to the tool's link; the hand may touch it.

        One that is attached already, and has slipped in the hand, is attached as it was seen last.

        Args:
            name: name of the object.

        Raises:
            KeyError: when no object of that name was seen.
            NotConfirmed: when the scene does not show it in time.
        """
        if name not in self.seen:
            raise KeyError(f"'{name}' was not seen; seen are: {', '.join(sorted(self.seen)) or 'none'}")
        deadline, carried = Deadline(self._settings.service_wait), self._carried
        again = name == self.attached
        if self.attached:
            self.detach()
        if again and carried is not None:
            self._send(msg.PlanningScene(is_diff=True), deadline, [carried])
        self._hold(name, True, deadline)
        self.attached = name
        self._ours.pop(name, None)

    def detach(self) -> None:
        """Nothing is attached any more; what was is an object in the scene again.

        Raises:
            NotConfirmed: when the scene does not show it in time.
        """
        name, deadline = self.attached, Deadline(self._settings.service_wait)
        if name is None:
            return
        self._hold(name, False, deadline)
        self.attached = self._carried = None

    def allow(self, touch: FrozenSet[str]) -> None:
        """Allow the hand and what it carries to touch some objects, and nothing else.

        Args:
            touch: names of the objects.

        Raises:
            NotConfirmed: when the scene does not show it in time.
        """
        hand = {*self._settings.hand_links, *([self.attached] if self.attached else [])}
        pairs = frozenset((part, item) for part in hand for item in touch - {part})
        if not pairs and not self._pairs:
            return
        deadline, over = Deadline(self._settings.service_wait), self._pairs - pairs
        wanted = _with_pairs(self._matrix(deadline), pairs, over)
        if wanted is not None:
            self._send(msg.PlanningScene(is_diff=True, allowed_collision_matrix=wanted), deadline)
            self._confirm(lambda: "" if _with_pairs(self._matrix(deadline), pairs, over) is None else
                          f"contacts with {', '.join(sorted(touch)) or 'nothing'} alone should be allowed",
                          deadline)
        self._pairs = pairs

    def _hold(self, name: str, held: bool, deadline: Deadline) -> None:
        message = msg.AttachedCollisionObject(link_name=self._settings.tool_link,
                                              touch_links=list(self._settings.hand_links) if held else [])
        message.object.id = name
        message.object.operation = msg.CollisionObject.ADD if held else msg.CollisionObject.REMOVE
        message.object.header.frame_id = self._frame
        scene = msg.PlanningScene(is_diff=True)
        scene.robot_state.attached_collision_objects = [message]
        self._send(scene, deadline)
        self._confirm(lambda: "" if (name in self._held(deadline)) is held else
                      f"'{name}' is {'not' if held else 'still'} attached", deadline)

    def _send(self, scene: msg.PlanningScene, deadline: Deadline,
              objects: Iterable[msg.CollisionObject] = ()) -> None:
        scene.robot_state.is_diff = True
        scene.world.collision_objects = list(objects)
        reply = self._apply.call(srv.ApplyPlanningSceneRequest(scene=scene), deadline.remaining)
        if reply.response is None:
            raise NotConfirmed("the planning scene was not changed, for move_group gives no answer: "
                               f"{reply.message}")

    def _confirm(self, problem: Any, deadline: Deadline) -> None:
        """Wait until ``problem()`` is empty; its words are the reason when that does not come in time."""
        while True:
            wrong = problem()
            if not wrong:
                return
            if deadline.passed:
                raise NotConfirmed(f"the planning scene does not show what it was told: {wrong}")
            time.sleep(_PERIOD)

    def _scene(self, components: int, deadline: Deadline) -> msg.PlanningScene:
        request = srv.GetPlanningSceneRequest(components=msg.PlanningSceneComponents(components=components))
        reply = self._get.call(request, max(0.2, deadline.remaining))
        if reply.response is None:
            raise NotConfirmed("the planning scene cannot be read, for move_group gives no answer: "
                               f"{reply.message}")
        return reply.response.scene

    def _held(self, deadline: Deadline) -> Set[str]:
        return _attached(self._scene(_THINGS, deadline))

    def _matrix(self, deadline: Deadline) -> msg.AllowedCollisionMatrix:
        return self._scene(msg.PlanningSceneComponents.ALLOWED_COLLISION_MATRIX,
                           deadline).allowed_collision_matrix


def _poses(scene: msg.PlanningScene) -> Dict[str, Pose]:
    """The objects of a scene with the poses of their centres."""
    return {item.id: _centre(item) for item in scene.world.collision_objects}


def _attached(scene: msg.PlanningScene) -> Set[str]:
    """The names of what is attached in a scene."""
    return {attached.object.id for attached in scene.robot_state.attached_collision_objects}


def _centre(item: msg.CollisionObject) -> Pose:
    """Where the middle of an object of ours is, whether the scene gives it by the object's pose or by its parts'."""
    whole = pose_from_msg(item.pose)
    assert whole is not None
    if len(item.primitive_poses) != 1:
        return whole
    part = pose_from_msg(item.primitive_poses[0])
    return whole.compose(part) if part is not None and whole.finite else part or whole


def _at(there: Optional[Pose], pose: Pose) -> bool:
    if there is None or distance(there.position, pose.position) > _SAME_PLACE:
        return False
    return turn_between(there.orientation, pose.orientation) <= _SAME_TURN


def _with_pairs(
    matrix: msg.AllowedCollisionMatrix, pairs: Iterable[Tuple[str, str]], over: Iterable[Tuple[str, str]]
) -> Optional[msg.AllowedCollisionMatrix]:
    """The matrix with the contacts of some pairs allowed, and those of others no more.

    Returns:
        ``None`` when it is so already.
    """
    names = list(matrix.entry_names)
    rows = {name: dict(zip(names, entry.enabled)) for name, entry in zip(names, matrix.entry_values)}
    default = dict(zip(matrix.default_entry_names, matrix.default_entry_values))
    changed = False
    for allowed, which in ((True, pairs), (False, over)):
        for part, item in which:
            if rows.get(part, {}).get(item, False) != allowed:
                rows.setdefault(part, {})[item] = rows.setdefault(item, {})[part] = allowed
                changed = True
    if not changed:
        return None
    names += [name for name in rows if name not in names]
    answer = msg.AllowedCollisionMatrix(
        entry_names=names, default_entry_names=matrix.default_entry_names,
        default_entry_values=matrix.default_entry_values)
    # A pair that is not listed has the default of its names, and must keep it when it is listed from now on.
    answer.entry_values = [
        msg.AllowedCollisionEntry(enabled=[rows[a].get(b, default.get(a, False) or default.get(b, False))
                                           for b in names])
        for a in names]
    return answer
