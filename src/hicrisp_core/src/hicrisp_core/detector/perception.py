"""From TF frames and tracks to a WorldState: poses, their age, and the facts that they show."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Dict, Mapping, Optional, Tuple, Union

from hicrisp_core.detector.relations import derive_relations
from hicrisp_core.domain.schema import ANYTHING, Domain
from hicrisp_core.model import RobotState, Track, Tracks, Visibility, WorldObject, WorldState
from hicrisp_core.model.geometry import distance
from hicrisp_core.model.world import Reach
from hicrisp_core.ports.kinds import BASE
from hicrisp_core.ports.observer import Frames
from hicrisp_core.robot.description import RobotBody
from hicrisp_core.time.stamps import lead

_RIM = 0.015
"""Metres around an object within which the middle of what shows of it lies."""
_PICKS, _OPENS = "pick", "open"
"""The skills by which an arm takes an object, and opens one."""
NONE_AHEAD: Mapping[str, float] = {}
"""No frame is stamped ahead of the clock."""


def tracked(view: Tracks, catalogue: Mapping[str, WorldObject], now: float,
            age_limit: float = math.inf) -> Dict[str, WorldObject]:
    """Return what a view shows of a catalogue's movable objects and parts, and of unknown objects.

    Args:
        view: tracks of one or more cameras with their stamp.
        catalogue: the known objects by name: types, shapes, sizes.
        now: seconds of the clock of the view's stamps.
        age_limit: greatest age of an image whose poses count as observed, seconds. An object keeps an older
            pose as its last place, but no fact follows from it; the same holds for an image stamped in the
            future.

    Returns:
        Objects by name.
    """
    old, ahead = now - view.stamp > age_limit, lead(view.stamp, now)
    tracks = {track.name: track for track in view.tracks}
    found = {name: _placed(item, tracks.get(name), now, old, ahead) for name, item in catalogue.items()
             if item.movable or item.joint is not None and name in tracks}
    covered = [item for item in found.values()
               if item.movable and item.visibility in (Visibility.HIDDEN, Visibility.HELD) and item.pose is not None]
    for name, track in tracks.items():
        if track.unknown is None or name in catalogue:
            continue
        # What shows of a partly hidden or held object is no other one.
        local = (item.pose.seen(track.pose.position) for item in covered if item.pose is not None)
        if not any(all(abs(along) <= size / 2.0 + _RIM for along, size in zip(at, item.size))
                   for at, item in zip(local, covered)):
            found[name] = _placed(replace(track.unknown, name=name), track, now, old, ahead)
    return found


def _placed(item: WorldObject, track: Optional[Track], now: float, old: bool, ahead: float) -> WorldObject:
    if track is None or not track.pose.finite:
        return replace(item, pose=None, pose_age=math.inf)
    if ahead > 0.0:
        return replace(item, pose=track.pose, pose_age=math.inf, lost=True, ahead=ahead, uncertainty=track.uncertainty)
    age = max(0.0, now - track.stamp)
    if track.visibility is Visibility.GONE:
        return replace(item, pose=None, pose_age=age, visibility=Visibility.GONE)
    return replace(item, pose=track.pose, pose_age=age, lost=old, uncertainty=track.uncertainty,
                   visibility=track.visibility)


def with_type(found: WorldObject, domain: Domain, opening: float) -> WorldObject:
    """Give an unknown object a type of the domain.

    An object that hands can take may be picked up if the domain has a general type for such objects, and what is hollow
    is what the domain puts objects into; it never gets a more specific type. What has a joint is what the domain opens,
    of the type that it looks like if there is one. Any other is an obstacle.

    Args:
        found: the object as segmented.
        domain: types, predicates and actions of the application.
        opening: widest object that a hand takes, metres; 0 without a hand.

    Returns:
        The object with its type.
    """
    item = _handled(domain, _PICKS)
    in_the_way = domain.roles.obstacle or ANYTHING
    opened = _handled(domain, _OPENS) if found.joint is not None else ""
    if opened:
        alike = found.type in domain.types and domain.is_a(found.type, opened)
        return replace(found, type=found.type if alike else opened, movable=False)
    general = item in domain.types.values() and found.joint is None
    form = found.form
    parts = [found.size] if form.grips is None else [part.size for part in form.grips(found.size)]
    fits = general and (bool(form.walls) or form.rim or any(min(size[:2]) <= opening for size in parts))
    if not fits and not domain.roles.obstacle and item:
        in_the_way = domain.types.get(item) or ANYTHING
    inside = domain.predicates.get(domain.roles.inside)
    holder = inside.arguments[1] if form.hollow and inside is not None else ""
    if holder and (not fits or domain.is_a(holder, item)):
        return replace(found, type=holder, movable=fits)
    return replace(found, type=item if fits else in_the_way, movable=fits)


def opens(domain: Domain) -> bool:
    """Check whether robots open something in a domain.

    Args:
        domain: types, predicates and actions of the application.

    Returns:
        Whether one of its actions does.
    """
    return bool(_handled(domain, _OPENS))


def _handled(domain: Domain, skill: str) -> str:
    """Return the type of the objects that a skill handles; empty without the skill."""
    return next((domain.actions[name].parameters[use.item].type for name, use in domain.skills.items()
                 if use.skill == skill and use.item in domain.actions[name].parameters), "")


@dataclass(frozen=True)
class ArmFrames:
    """The TF frames by which an arm is seen; empty for the usual names, ``<name>_hand_tcp``,
    ``<name>_leftfinger`` and ``<name>_rightfinger``.

    Args:
        apart: how far the origins of the fingers' frames are apart when the fingers meet, metres.
        reach: where the arm takes and places objects.
    """

    name: str
    tool: str = ""
    fingers: Tuple[str, str] = ("", "")
    apart: float = 0.0
    reach: Optional[Reach] = None

    @property
    def frames(self) -> Tuple[str, ...]:
        """The names of the frames: of the tool and of the two fingers."""
        left, right = self.fingers
        return (self.tool or f"{self.name}_hand_tcp", left or f"{self.name}_leftfinger",
                right or f"{self.name}_rightfinger")

    def seen(self, frames: Frames) -> RobotState:
        """Return the state of the arm from its frames.

        Args:
            frames: pose and stamp of each frame by name, world frame.

        Returns:
            Tool pose and finger distance (m); both missing if their frames are.
        """
        tool, left, right = (found if found and found[0].finite else None for found in map(frames.get, self.frames))
        opening = max(0.0, distance(left[0].position, right[0].position) - self.apart) if left and right else None
        return RobotState(self.name, "arm", tool[0] if tool else None, opening, reach=self.reach)


@dataclass(frozen=True)
class BaseFrames:
    """The TF frame by which a mobile base is seen; empty for ``<name>/base_link``."""

    name: str
    body: str = ""

    @property
    def frames(self) -> Tuple[str, ...]:
        """The name of the frame."""
        return (self.body or f"{self.name}/base_link",)

    def seen(self, frames: Frames) -> RobotState:
        """Return the state of the base from its frame.

        Args:
            frames: pose and stamp of each frame by name, map frame.

        Returns:
            The state; without a pose if the frame is missing or not finite.
        """
        found = frames.get(self.frames[0])
        return RobotState(self.name, "base", found[0] if found and found[0].finite else None)


RobotFrames = Union[ArmFrames, BaseFrames]
"""The frames by which a robot is seen."""


def perceive(
    frames: Frames, catalogue: Mapping[str, WorldObject], domain: Domain, now: float, arms: Tuple[RobotFrames, ...],
    age_limit: float = math.inf, view: Optional[Tracks] = None, ahead: Mapping[str, float] = NONE_AHEAD,
) -> WorldState:
    """Return the world as observed at a time.

    Args:
        frames: pose and stamp of each frame by name; an object's frame has its name. Fixed furniture may keep
            the catalogue's pose.
        catalogue: what is known of the objects beforehand: types, shapes, sizes.
        domain: types, predicates and actions of the application.
        now: seconds of the clock of the stamps.
        arms: the robots' frames, arms and bases.
        age_limit: greatest age of an observed pose, seconds. An object keeps an older pose as its last place,
            but no fact follows from it; a robot does not.
        view: tracks of the cameras; if given, frames of movable objects are ignored.
        ahead: frames whose newest poses are stamped in the future, with the lead in seconds.

    Returns:
        Objects and robots, with the facts that their poses show.
    """
    leads = {name: lead(stamp, now) for name, (_, stamp) in frames.items()}
    ahead = {**ahead, **{name: by for name, by in leads.items() if by > 0.0}}
    frames = {name: found for name, found in frames.items() if leads[name] == 0.0}
    objects: Dict[str, WorldObject] = {}
    if view is not None:
        objects.update(tracked(view, catalogue, now, age_limit))
    for name, item in catalogue.items():
        if name in objects:
            continue
        if name in frames and frames[name][0].finite:
            pose, stamp = frames[name]
            age = max(0.0, now - stamp)
            fixed = not item.movable and stamp == 0.0  # A static frame is true for ever.
            lost = age > age_limit and not fixed
            objects[name] = replace(item, pose=pose, pose_age=age, lost=lost,
                                    ahead=ahead.get(name, 0.0) if lost else 0.0)
        else:
            objects[name] = item if not item.moves else replace(
                item, pose=None, pose_age=math.inf, ahead=ahead.get(name, 0.0))
    fresh = {name: seen for name, seen in frames.items() if now - seen[1] <= age_limit}
    robots = {arm.name: replace(arm.seen(fresh), ahead=max(
        (ahead.get(frame, 0.0) for frame in arm.frames if frame not in fresh), default=0.0)) for arm in arms}
    world = WorldState(objects, frozenset(), robots, now, None if view is None else view.stamp)
    return world.with_relations(frozenset(derive_relations(domain, world)))


def frames_of(name: str, body: RobotBody) -> RobotFrames:
    """Return the frames that show a robot.

    Args:
        name: of the robot.
        body: its description.

    Returns:
        The reader of its frames.
    """
    if body.kind == BASE:
        return BaseFrames(name, body.frames.base)
    reach = Reach(body.origin, *body.reach) if body.reach is not None else None
    return ArmFrames(name, body.frames.tool, body.frames.fingers, body.frames.apart, reach)
