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
) -> WorldState:
    """What is seen at ``now`` (seconds of the same clock as the stamps).

    Args:
        frames: every object is the frame of its own name; fixed furniture may keep the catalogue's pose.
        catalogue: what is known of the things beforehand: types, shapes, sizes.
        arms: the robots' frames, arms and bases.
        age_limit: age from which on a pose does not count as seen, seconds. A thing keeps an older pose as
            the place where it was last, but no fact follows from it; a robot does not.
        view: where a camera looks at the things: what it shows counts, and no frame of a movable thing.
    """
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
            objects[name] = replace(thing, pose=pose, pose_age=age, lost=age > age_limit and not fixed)
        else:
            objects[name] = thing if not thing.movable else replace(thing, pose=None, pose_age=float("inf"))
    fresh = {name: seen for name, seen in frames.items() if now - seen[1] <= age_limit}
    robots = {arm.name: arm.seen(fresh) for arm in arms}
    world = WorldState(objects, frozenset(), robots, now, None if view is None else view.stamp)
    return world.with_relations(frozenset(derive_relations(domain, world)))


def frames_of(name: str, body: RobotBody) -> RobotFrames:
    """The frames by which a robot is seen."""
    if body.kind == BASE:
        return BaseFrames(name, body.frames.base)
    return ArmFrames(name, body.frames.tool, body.frames.fingers)
