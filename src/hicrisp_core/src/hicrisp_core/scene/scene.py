"""A scene as a value: the things of a lab, where they stand at first, cameras, and faults to inject."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import FrozenSet, Mapping, Tuple

from hicrisp_core.model import Relation, RobotState, Vector, WorldObject, WorldState

EMBEDDED = "embedded"
TABLE = "table"
"""Name of the surface that the robot stands at; its top is the plane z = 0."""


@dataclass(frozen=True)
class Camera:
    """A viewpoint in the world frame: where it is and what it looks at, metres; vertical opening in degrees."""

    position: Vector
    target: Vector
    opening: float = 45.0


@dataclass(frozen=True)
class SceneFault:
    """Something that goes wrong on purpose; what ``magnitude`` means is said by the kind."""

    kind: str
    target: str = ""
    magnitude: Tuple[float, ...] = ()
    count: int = 0
    """How often it happens; 0 for always."""


@dataclass(frozen=True)
class Scene:
    """A table with things on it, or a world of facts alone.

    Args:
        domain: name of the domain that the scene is made for.
        robots: names of the robots.
        objects: the table and the things, with their initial poses.
        masses: kilograms of the things that can move.
        task: the sentence that is tried when the user says nothing else.
        tolerances: the domain's predicates whose tolerance is another one here, metres.
        faults: what is injected at the beginning.
        seed: the number that the random layout was drawn with.
        source: the file that it was read from.
        world: what moves it: ``embedded`` (physics), ``symbolic`` (the domain's own effects) or ``virtualhome``.
        facts: what holds at first in a symbolic scene.
    """

    name: str
    domain: str
    robots: Tuple[str, ...]
    objects: Mapping[str, WorldObject]
    masses: Mapping[str, float] = field(default_factory=dict)
    description: str = ""
    task: str = ""
    tolerances: Mapping[str, float] = field(default_factory=dict)
    faults: Tuple[SceneFault, ...] = ()
    cameras: Mapping[str, Camera] = field(default_factory=dict)
    seed: int = 0
    source: str = ""
    world: str = EMBEDDED
    facts: FrozenSet[Relation] = frozenset()

    @property
    def symbolic(self) -> bool:
        """Whether the scene has facts in place of poses."""
        return self.world != EMBEDDED

    def first_state(self) -> WorldState:
        """The world of a scene without geometry as it is at first."""
        return WorldState(self.objects, self.facts, {name: RobotState(name) for name in self.robots})

    @property
    def table(self) -> WorldObject:
        return self.objects[TABLE]

    @property
    def things(self) -> Tuple[WorldObject, ...]:
        """The objects that can move, in the order of the file."""
        return tuple(thing for thing in self.objects.values() if thing.movable)
