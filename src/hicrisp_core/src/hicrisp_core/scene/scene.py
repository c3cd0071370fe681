"""A scene as a value: what stands where at first, cameras, faults; and the keys that the files of all scenes have."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, FrozenSet, Mapping, Optional, Tuple

import numpy as np
from pydantic import ConfigDict, PositiveFloat
from pydantic.dataclasses import dataclass as pydantic_dataclass

from hicrisp_core.config.settings import STRICT, read_settings
from hicrisp_core.config.yaml_files import Positions
from hicrisp_core.domain import Domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import extensions
from hicrisp_core.model import KeepOut, Pose, Relation, RobotState, Vector, WorldObject, WorldState
from hicrisp_core.ports.kinds import ARM
from hicrisp_core.scene.cameras import load_camera
from hicrisp_core.scene.floor_plan import Arena

EMBEDDED = "embedded"
DEFAULT_CAMERA = "d435_fixed"
DEFAULT_SOURCE = "shapes"
TABLE = "table"
"""Name of the surface that the robot stands at; its top is the plane z = 0."""
ROOM_FLOOR = -0.75
"""Height of the floor of a room with a table, below the table's top, metres; an arena's floor is the plane
z = 0.
"""
PEDESTAL, PEDESTAL_WIDTH = (-0.04, 0.0), 0.26
"""Middle and width of the round pedestal that an arm stands on beside the table, metres."""


@pydantic_dataclass(frozen=True, config=STRICT)
class SceneCamera:
    """A viewpoint in the world frame: where it is and what it looks at, metres; vertical opening in
    degrees.

    Args:
        position: where it is, metres.
        target: the point that it looks at, metres.
        opening: vertical opening, degrees.
    """

    position: Vector
    target: Vector
    opening: float = 45.0


@dataclass(frozen=True)
class SceneFault:
    """Something that goes wrong on purpose; what ``magnitude`` means is said by the kind.

    In a scene file it is read strictly; one that comes at run time is checked with the faults of its world.

    Args:
        kind: what goes wrong.
        target: object, robot or frame that it concerns; empty if the kind needs none.
        magnitude: how much, as the kind says.
        count: how often it happens; 0 for always.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    kind: str
    target: str = ""
    magnitude: Tuple[float, ...] = ()
    count: int = 0


@dataclass(frozen=True)
class Stand:
    """Where a scene puts an arm.

    Args:
        body: the robot whose files describe the arm; its frames have the arm's own name before theirs, unless it is
            the same name.
        pose: of the arm's first link, world frame.
    """

    body: str
    pose: Pose


@dataclass(frozen=True)
class Scene:
    """A table with objects on it, an arena for a base, or a world of facts alone.

    Args:
        domain: name of the domain that the scene is made for.
        robots: names of the robots.
        objects: the table and the objects, with their initial poses.
        masses: kilograms of the objects that can move.
        task: the sentence that is tried when the user says nothing else.
        tolerances: the domain's predicates whose tolerance is another one here, metres.
        faults: what is injected at the beginning.
        cameras: viewpoints of pictures for people.
        camera: name of the depth camera in ``config/cameras`` that watches.
        perception: name of the registered source that recognises objects in its images.
        tags: whether the objects wear AprilTags (``scene.tags``).
        markers: name of a file of ``config/tags`` with tags on links of the robot and on the table; none for
            no such tags.
        camera_error: how far off its place anything on the table may be seen for the camera's mounting,
            metres.
        unknown: further objects on the table that are not announced.
        undescribed: name of a file of ``config/worlds`` with objects that only the simulator reads and puts on the
            table; empty for none.
        seed: the number that the random layout was drawn with.
        source: the file that it was read from.
        world: what moves it: ``embedded``, ``arena`` (both physics), ``lab`` (one physics for both),
            ``symbolic`` (the domain itself), ``virtualhome``.
        facts: what holds at first in a symbolic scene.
        zones: the ground that no base may enter; part of ``objects`` too.
        arena: the floor, the walls and the bases of a scene for mobile robots; ``None`` at a table.
        stands: where the arms stand, by name; one that is not named stands at the world's origin.
        looks: how objects look of which a model is known: array (n, 9) of points on their surfaces in their own frames,
            metres, the red, green and blue of each, 0 to 255, and its normal.
        described: where objects stand at first by a description in words, metres; tells apart only what looks the same.
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
    cameras: Mapping[str, SceneCamera] = field(default_factory=dict)
    camera: str = DEFAULT_CAMERA
    perception: str = DEFAULT_SOURCE
    tags: bool = False
    markers: str = ""
    camera_error: float = 0.01
    unknown: Tuple[WorldObject, ...] = ()
    undescribed: str = ""
    seed: int = 0
    source: str = ""
    world: str = EMBEDDED
    facts: FrozenSet[Relation] = frozenset()
    kind: str = ARM
    """Of the robots of a scene without geometry: ``arm`` or ``base``."""
    zones: Tuple[KeepOut, ...] = ()
    arena: Optional[Arena] = None
    stands: Mapping[str, Stand] = field(default_factory=dict)
    looks: Mapping[str, np.ndarray] = field(default_factory=dict)
    described: Mapping[str, Tuple[float, float]] = field(default_factory=dict)

    @property
    def symbolic(self) -> bool:
        """Whether the scene has facts instead of poses."""
        return self.arena is None and all(item.pose is None for item in self.objects.values())

    def body_of(self, robot: str) -> str:
        """Return the robot whose files describe one of this scene.

        Args:
            robot: its name in the scene.

        Returns:
            The name of the files.
        """
        starts = self.arena.starts if self.arena is not None else {}
        told = self.stands[robot].body if robot in self.stands else starts[robot].body if robot in starts else ""
        return told or robot

    def alone(self, robot: str) -> "Scene":
        """Return the scene as one robot among others has it: the others move in it, and others command them.

        Args:
            robot: name of the robot; empty for all of them.

        Returns:
            The scene.

        Raises:
            ConfigError: if there is no such robot; lists those that there are.
        """
        if robot and robot not in self.robots:
            raise ConfigError(f"the scene '{self.name}' has no robot '{robot}'; its robots: {', '.join(self.robots)}")
        return replace(self, robots=(robot,)) if robot else self

    @property
    def has_table(self) -> bool:
        """Whether objects stand on a table."""
        return TABLE in self.objects and not self.symbolic

    def first_state(self) -> WorldState:
        """Return the initial world of a scene without geometry.

        Returns:
            Objects, robots and facts.
        """
        robots = {name: RobotState(name, self.kind) for name in self.robots}
        return WorldState(self.objects, self.facts, robots)

    @property
    def table(self) -> WorldObject:
        """The table."""
        return self.objects[TABLE]

    @property
    def pedestals(self) -> Tuple[Tuple[float, float], ...]:
        """The middles of the pedestals on which its arms stand, metres in the world's plane."""
        return tuple(stand.pose.apply((*PEDESTAL, 0.0))[:2] for stand in self.stands.values()) or (PEDESTAL,)

    @property
    def things(self) -> Tuple[WorldObject, ...]:
        """The movable objects, in the order of the file."""
        return tuple(item for item in self.objects.values() if item.movable)


@pydantic_dataclass(frozen=True, config=STRICT)
class Heading:
    """The keys that every kind of scene has.

    Args:
        scene: name of the scene; the same as its file's.
        domain: name of its domain in ``config/domains``.
        world: what moves it, and which further keys it has.
        description: a sentence for people.
        task: the task that ``scripts/demo`` submits by default.
    """

    scene: str
    domain: str
    world: str = EMBEDDED
    description: str = ""
    task: str = ""


@pydantic_dataclass(frozen=True, config=STRICT)
class Tuning:
    """The keys of scenes with objects that have poses.

    Args:
        tolerances: predicates of the domain with another tolerance here, metres (radians for ``lying``).
        faults: what goes wrong from the start; the kinds are those of ``inject_fault``.
        cameras: viewpoints of pictures for people, by name.
        camera: the depth camera, a file of ``config/cameras``.
        perception: what recognises objects in its images: a registered source.
        tags: whether the objects wear AprilTags.
        markers: file of ``config/tags`` with tags on the robot and the table; empty for none.
        camera_error: how far off its place anything on the table may be seen before the camera counts as
            moved, metres.
    """

    tolerances: Mapping[str, float] = field(default_factory=dict)
    faults: Tuple[SceneFault, ...] = ()
    cameras: Mapping[str, SceneCamera] = field(default_factory=dict)
    camera: str = DEFAULT_CAMERA
    perception: str = DEFAULT_SOURCE
    tags: bool = False
    markers: str = ""
    camera_error: PositiveFloat = 0.01


def common_scene(path: Path, values: Mapping[str, Any], positions: Positions, domain: Domain, seed: int) -> Scene:
    """Read the keys that all kinds of scenes share.

    Args:
        path: the file that is read; names it in error messages.
        values: content of the scene's file.
        positions: where each key stands in the file, for error messages.
        domain: types, predicates and actions of the application.
        seed: of the random layout.

    Returns:
        A scene without robots and objects.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    faults = values.get("faults")
    told = dict(values)
    if isinstance(faults, list):  # A magnitude may be a single number.
        told["faults"] = [{**fault, "magnitude": [fault["magnitude"]]} if isinstance(fault, dict)
                          and not isinstance(fault.get("magnitude", []), list) else fault for fault in faults]
    heading = read_settings(Heading, values, positions, others=tuple(values))
    tuning = read_settings(Tuning, told, positions, others=tuple(values))
    if tuning.perception not in extensions().sources:
        raise positions.error(("perception",), extensions().sources.unknown(tuning.perception))
    if tuning.camera != DEFAULT_CAMERA:
        try:
            load_camera(tuning.camera, beside=path)
        except ConfigError as error:
            raise positions.error(("camera",), str(error)) from error
    return Scene(name=heading.scene, domain=domain.name, robots=(), objects={}, description=heading.description,
                 task=heading.task, seed=seed, source=str(path),
                 **{each.name: getattr(tuning, each.name) for each in fields(Tuning)})
