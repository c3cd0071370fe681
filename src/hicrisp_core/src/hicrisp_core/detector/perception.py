"""From TF frames and tracks to a WorldState: poses, their age, and the facts that they show."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Dict, Mapping, Optional, Protocol, Tuple

from hicrisp_core.detector.relations import derive_relations
from hicrisp_core.detector.tracked import tracked
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import RobotState, WorldObject, WorldState
from hicrisp_core.model.geometry import distance
from hicrisp_core.model.track import View
from hicrisp_core.ports.eyes import Frames
from hicrisp_core.ports.kinds import BASE
from hicrisp_core.robot.description import RobotBody
from hicrisp_core.time.stamps import lead

NONE_AHEAD: Mapping[str, float] = {}
"""No frame is stamped ahead of the clock."""


@dataclass(frozen=True)
class ArmFrames:
    """The TF frames by which an arm is seen; empty for the usual names, ``<name>_hand_tcp``,
    ``<name>_leftfinger`` and ``<name>_rightfinger``."""

    name: str
    tool: str = ""
    fingers: Tuple[str, str] = ("", "")

    @property
    def frames(self) -> Tuple[str, ...]:
        """The names of the frames: of the tool and of the two fingers."""
        left, right = self.fingers
        return (self.tool or f"{self.name}_hand_tcp", left or f"{self.name}_leftfinger",
                right or f"{self.name}_rightfinger")

    def seen(self, frames: Frames) -> RobotState:
        """The robot as its frames show it; without a pose when they are missing."""
        tool, left, right = (found if found and found[0].finite else None
                             for found in map(frames.get, self.frames))
        opening = distance(left[0].position, right[0].position) if left and right else None
        return RobotState(self.name, "arm", tool[0] if tool else None, opening)


class RobotFrames(Protocol):
    """The frames by which a robot is seen."""

    @property
    def name(self) -> str:
        """The robot's name."""

    @property
    def frames(self) -> Tuple[str, ...]:
        """The names of the frames."""

    def seen(self, frames: Frames) -> RobotState:
        """The robot as its frames show it."""


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
        """The base as its frame shows it; without a pose when that is missing or is no pose."""
        found = frames.get(self.frames[0])
        return RobotState(self.name, "base", found[0] if found and found[0].finite else None)


def perceive(
    frames: Frames,
    catalogue: Mapping[str, WorldObject],
    domain: Domain,
    now: float,
    arms: Tuple[RobotFrames, ...],
    age_limit: float = math.inf,
    view: Optional[View] = None,
    ahead: Mapping[str, float] = NONE_AHEAD,
) -> WorldState:
    """What is seen at ``now`` (seconds of the same clock as the stamps).

    Args:
        frames: every object is the frame of its own name; fixed furniture may keep the catalogue's pose.
        catalogue: what is known of the things beforehand: types, shapes, sizes.
        arms: the robots' frames, arms and bases.
        age_limit: age from which on a pose does not count as seen, seconds. A thing keeps an older pose as
            the place where it was last, but no fact follows from it; a robot does not.
        view: where a camera looks at the things: what it shows counts, and no frame of a movable thing.
        ahead: the frames of which newer poses than the given ones are stamped ahead of the clock, by how many
            seconds; a given pose that is does not count either.
    """
    ahead = {**ahead, **{name: by for name, by in ((name, lead(stamp, now))
                                                  for name, (_, stamp) in frames.items()) if by > 0.0}}
    frames = {name: found for name, found in frames.items() if lead(found[1], now) == 0.0}
    objects: Dict[str, WorldObject] = {}
    if view is not None:
        objects.update(tracked(view, catalogue, now, age_limit))
    for name, thing in catalogue.items():
        if name in objects:
            continue
        if name in frames and frames[name][0].finite:
            pose, stamp = frames[name]
            age = max(0.0, now - stamp)
            fixed = not thing.movable and stamp == 0.0  # A static frame is true for ever.
            lost = age > age_limit and not fixed
            objects[name] = replace(thing, pose=pose, pose_age=age, lost=lost,
                                    ahead=ahead.get(name, 0.0) if lost else 0.0)
        else:
            objects[name] = thing if not thing.movable else replace(
                thing, pose=None, pose_age=math.inf, ahead=ahead.get(name, 0.0))
    fresh = {name: seen for name, seen in frames.items() if now - seen[1] <= age_limit}
    robots = {arm.name: _robot(arm, fresh, ahead) for arm in arms}
    world = WorldState(objects, frozenset(), robots, now, None if view is None else view.stamp)
    return world.with_relations(frozenset(derive_relations(domain, world)))


def _robot(robot: RobotFrames, fresh: Frames, ahead: Mapping[str, float]) -> RobotState:
    seen = robot.seen(fresh)
    return replace(seen, ahead=max((ahead.get(frame, 0.0) for frame in robot.frames if frame not in fresh),
                                   default=0.0))


def frames_of(name: str, body: RobotBody) -> RobotFrames:
    """The frames by which a robot is seen."""
    if body.kind == BASE:
        return BaseFrames(name, body.frames.base)
    return ArmFrames(name, body.frames.tool, body.frames.fingers)
