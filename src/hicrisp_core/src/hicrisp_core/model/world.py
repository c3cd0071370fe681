"""What is known of the world: objects with poses and attributes, relations as triplets, robots."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Dict, FrozenSet, Mapping, NamedTuple, Optional, Tuple

from hicrisp_core.errors import ConfigError
from hicrisp_core.model.geometry import Pose, Vector
from hicrisp_core.model.joint import TURN, Joint, within
from hicrisp_core.model.shapes import SHAPES, Shape
from hicrisp_core.model.way import Way


class Visibility(Enum):
    """Whether the last picture showed an object, and if not, why."""

    VISIBLE = "visible"
    """The last picture shows it."""
    HIDDEN = "hidden"
    """Something stands between it and the camera: it is taken to be where it was."""
    HELD = "held"
    """It is in a hand and moves with it: its pose is the hand's and the grasp's."""
    GONE = "gone"
    """The camera sees the place where it was, and it is not there."""


@dataclass(frozen=True)
class Uncertainty:
    """How far a measured pose may be off, one standard deviation each.

    Args:
        position: metres, along the horizontal direction that is known worst.
        height: metres.
        yaw: radians, modulo what turns leave the object looking the same.
    """

    position: float = 0.0
    height: float = 0.0
    yaw: float = 0.0


EXACT = Uncertainty()


@dataclass(frozen=True)
class Motion:
    """What a base was seen to do, in all.

    Args:
        touches: how often it touched something.
        near_misses: how often it passed something too closely.
        entered: how often any part of it came over a zone that it must not enter, by the zone's name.
        clearance: the least space to anything so far, metres; infinite before anything was seen.
        path: length of its way, metres.
        way: its last part, point by point, for those who draw it.
    """

    touches: int = 0
    near_misses: int = 0
    entered: Mapping[str, int] = field(default_factory=dict)
    clearance: float = math.inf
    path: float = 0.0
    way: Way = Way()

    def since(self, before: "Motion") -> "Motion":
        """Return what happened after an earlier observation.

        Args:
            before: the earlier observation.

        Returns:
            The difference; everything if the counters were reset in between.
        """
        if (self.path < before.path - 1e-6 or self.touches < before.touches or self.near_misses < before.near_misses):
            return self
        entered = {name: count - before.entered.get(name, 0) for name, count in self.entered.items()}
        return Motion(self.touches - before.touches, self.near_misses - before.near_misses,
                      {name: count for name, count in entered.items() if count > 0}, self.clearance,
                      self.path - before.path, self.way)

    @property
    def zones(self) -> Tuple[str, ...]:
        """The zones that it was over, by name."""
        return tuple(sorted(name for name, count in self.entered.items() if count > 0))


class Relation(NamedTuple):
    """A fact as a triplet (subject, predicate, object); a fact about one object has an empty object."""

    subject: str
    predicate: str
    object: str = ""


@dataclass(frozen=True)
class WorldObject:
    """One object in the world.

    Args:
        name: unique name, lower case with underscores.
        type: a type of the domain, for example ``box``.
        shape: name of its shape, such as ``box``; decides how footprints are measured.
        size: extents along the object's own x, y, z axes in metres (a cylinder has equal x and y).
        attributes: what language may call it by, for example ``{"colour": "red"}``.
        pose: centre of the bounding box in the world frame; ``None`` when it was never seen.
        pose_age: seconds since the pose was observed; infinite when it was never seen.
        movable: whether a robot may move it.
        lost: whether the pose is too old to count as seen: it is where the object was last, kept clear of by
            motions, and no fact follows from it.
        uncertainty: how far the pose may be off; exact where nobody says.
        visibility: whether it is seen now. What is hidden keeps its pose; what is gone has none.
        ahead: seconds by which its newest poses are stamped ahead of the clock, for which they do not count;
            0 where they are not.
        own_form: the shape itself, if a package of one's own brings it.
        joint: what it hangs on, if it is a part of a fixture, such as a door.
    """

    name: str
    type: str
    shape: str = "box"
    size: Vector = (0.05, 0.05, 0.05)
    attributes: Mapping[str, str] = field(default_factory=dict)
    pose: Optional[Pose] = None
    pose_age: float = 0.0
    movable: bool = True
    lost: bool = False
    uncertainty: Uncertainty = EXACT
    visibility: Visibility = Visibility.VISIBLE
    ahead: float = 0.0
    own_form: Optional[Shape] = field(default=None, repr=False, compare=False)
    joint: Optional[Joint] = None

    @property
    def whole(self) -> str:
        """Name of what it is a part of; empty if it is none."""
        return self.joint.fixture if self.joint is not None else self.attributes.get("of", "")

    @property
    def moves(self) -> bool:
        """Whether it may be elsewhere than it was: a robot may move it, or it hangs on a joint."""
        return self.movable or self.joint is not None

    @property
    def shut(self) -> bool:
        """Whether it is a part that is seen closed: it takes the least room, and hides what is behind it."""
        return self.joint is not None and self.pose is not None and self.joint.shut(self.pose)

    @property
    def closed_around(self) -> bool:
        """Whether fingers are seen to be closed around it whose shape was only seen: it may be wider than that."""
        return self.own_form is not None and self.visibility is Visibility.HELD

    @property
    def grips(self) -> Tuple["WorldObject", ...]:
        """What hands take it by: the parts that its shape has for that, where it was seen; or else all of it."""
        pose, form = self.pose, self.form
        return (self,) if pose is None or form.grips is None else tuple(
            replace(self, shape=part.kind, own_form=None, size=part.size, pose=pose.compose(part.pose))
            for part in form.grips(self.size))

    @cached_property
    def form(self) -> Shape:
        """Its shape."""
        if self.own_form is None and self.shape not in SHAPES:
            raise ConfigError(f"unknown shape '{self.shape}'; valid are: {', '.join(SHAPES)}")
        return self.own_form or SHAPES[self.shape]

    def at(self, pose: Pose) -> "WorldObject":
        """Return the object as it would be if it were seen at a pose in the world frame."""
        moved = object.__new__(type(self))  # With its shape, which need not be looked up again.
        moved.__dict__.update(self.__dict__, pose=pose, lost=False)
        return moved

    @property
    def unseen(self) -> bool:
        """Whether nobody knows where it is now: it was never seen, or not for too long, or it is gone."""
        gone = self.visibility is Visibility.GONE
        return self.lost or gone or (self.pose is None and math.isinf(self.pose_age))

    @property
    def sight(self) -> str:
        """Why it does not count as seen, as the end of a sentence: "has not been seen for 9.1 s"."""
        if self.ahead > 0.0:
            return f"has a pose that is stamped {self.ahead:.1f} s ahead of the clock"
        if self.visibility is Visibility.GONE:
            return "is not where the camera last saw it"
        return (f"has not been seen for {self.pose_age:.1f} s" if math.isfinite(self.pose_age) else "was never seen")


def inside_of(objects: Mapping[str, WorldObject], shut: bool = True) -> Dict[str, str]:
    """Return what is in drawers and cupboards.

    Args:
        objects: all objects by name, with their poses.
        shut: whether only those count that are closed, whose contents nobody sees or reaches.

    Returns:
        The drawer or cupboard by the name of what is in it.
    """
    found: Dict[str, str] = {}
    for part in objects.values():
        if part.joint is None or part.joint.kind == TURN or part.pose is None:
            continue
        around = part if part.form.hollow else objects[part.joint.fixture]
        if around.pose is None or shut and not part.joint.shut(part.pose):
            continue
        found.update({name: around.name for name, item in objects.items() if item.movable and item.pose is not None
                      and within(around.size, around.pose, item.pose.position)})
    return found


HELD_UP_AT = 0.75
"""Share of its ring, counted from within, at which an arm works best on what another one holds up to it."""


@dataclass(frozen=True)
class Reach:
    """The ring in which an arm takes and places objects, metres in the world's plane.

    Args:
        origin: where the arm stands.
        least: distance from there below which it does not reach.
        greatest: distance above which it does not.
    """

    origin: Tuple[float, float]
    least: float
    greatest: float

    def holds(self, position: Vector) -> bool:
        """Check whether a point lies in the ring.

        Args:
            position: world frame, metres.

        Returns:
            True within both distances, ends included.
        """
        return self.least <= math.dist(position[:2], self.origin) <= self.greatest

    def stretch(self, position: Vector, out: float = 0.5) -> float:
        """Return how far a point is from where the arm works with ease.

        Args:
            position: world frame, metres.
            out: where that is, as a share of the way from the ring's inner edge to its outer one.

        Returns:
            Metres, at least 0.
        """
        return abs(math.dist(position[:2], self.origin) - self.least - out * (self.greatest - self.least))


@dataclass(frozen=True)
class RobotState:
    """One robot as it is seen: its kind (``arm`` or ``base``), the pose of its tool (arm) or body (base)."""

    name: str
    kind: str = "arm"
    pose: Optional[Pose] = None
    opening: Optional[float] = None
    """Distance between the fingers in metres; ``None`` for a base."""
    motion: Optional[Motion] = None
    """What was seen of its way; ``None`` for an arm."""
    ahead: float = 0.0
    """Seconds by which its frames are stamped ahead of the clock, for which they do not count; 0 where they
    are not.
    """
    reach: Optional[Reach] = None
    """Where an arm takes and places objects; ``None`` for a base, and for an arm of which that is not known."""
    off_floor: float = 0.0
    """Metres by which a base is seen above its floor, negative below it, where its pose does not count; 0 where it
    stands on it.
    """

    @property
    def sight(self) -> str:
        """Why it does not count as seen, as the end of a sentence."""
        if self.ahead > 0.0:
            return f"has poses that are stamped {self.ahead:.1f} s ahead of the clock"
        if self.off_floor:
            return f"is {abs(self.off_floor):.1f} m {'above' if self.off_floor > 0.0 else 'below'} its floor"
        return "is not seen"


@dataclass(frozen=True)
class WorldState:
    """A snapshot of everything that was observed at one instant of simulated or real time (seconds).

    Args:
        viewed: when the picture was taken that shows the objects, seconds of the same clock; ``None`` where
            poses come without pictures.
        trouble: why the camera shows nothing newer, in words; empty where nothing is wrong with it.
        eye: where the camera is, world frame, metres; ``None`` where nobody says.
    """

    objects: Mapping[str, WorldObject] = field(default_factory=dict)
    relations: FrozenSet[Relation] = frozenset()
    robots: Mapping[str, RobotState] = field(default_factory=dict)
    stamp: float = 0.0
    viewed: Optional[float] = None
    trouble: str = ""
    eye: Optional[Vector] = None

    def holds(self, predicate: str, subject: str, object_: str = "") -> bool:
        """Check whether a fact is among the relations.

        Args:
            predicate: the fact's predicate.
            subject: its first argument.
            object_: its second argument; empty for a fact about one object.

        Returns:
            Whether the fact holds; facts that are not listed do not.
        """
        return Relation(subject, predicate, object_) in self.relations

    @property
    def unseen(self) -> Tuple[WorldObject, ...]:
        """The objects of which nobody knows where they are now, by name."""
        return tuple(item for _, item in sorted(self.objects.items()) if item.unseen)

    def part(self, name: str) -> Optional[WorldObject]:
        """Return what moves where an object is opened or closed: the object itself, or the part that hangs on it.

        Args:
            name: of the object, such as a cupboard or its door.

        Returns:
            The part with its joint; ``None`` where nothing is to be opened.
        """
        return next((item for item in self.objects.values()
                     if item.joint is not None and name in (item.name, item.joint.fixture)), None)

    def about(self, subject: str) -> Tuple[Relation, ...]:
        """Return the facts about a subject.

        Args:
            subject: name of an object or robot.

        Returns:
            The facts with this subject, sorted.
        """
        return tuple(sorted(fact for fact in self.relations if fact.subject == subject))

    def with_relations(self, relations: FrozenSet[Relation]) -> "WorldState":
        """Return the same objects and robots with other facts.

        Args:
            relations: the facts that hold.

        Returns:
            The new state.
        """
        return replace(self, relations=relations)

    def types(self) -> Mapping[str, str]:
        """Type by name, for objects and robots (a robot's type is its kind)."""
        return self._types

    @cached_property
    def _types(self) -> Mapping[str, str]:
        return {
            **{name: item.type for name, item in self.objects.items()},
            **{name: robot.kind for name, robot in self.robots.items()},
        }
