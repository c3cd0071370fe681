"""AprilTags on objects: which tag is where on what, from a file of ``config/tags`` or made for a scene."""

from __future__ import annotations

import math
from dataclasses import dataclass as plain_dataclass
from dataclasses import field
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Sequence, Set, Tuple, Union

from annotated_types import Ge, Gt, Le
from pydantic.dataclasses import dataclass
from typing_extensions import Annotated, Literal

from hicrisp_core.config.files import config_file
from hicrisp_core.config.settings import STRICT, read_settings
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.geometry import Vector, from_axes, from_euler
from hicrisp_core.model.shapes import BOWL_WALL, rectangle
from hicrisp_core.scene.scene import Scene

FAMILY = "36h11"
NUMBERS = 587
"""Tags of the family: 0 to 586."""
MODULES = 8
"""Squares along the edge of a tag's black square; the white margin around it is one wide."""
_WHOLE = (MODULES + 2) / MODULES
_FACES = 5
"""Tags that an object may wear: on its top and on four sides."""
_TOP, _SIDE, _ROUND = 0.96, 0.84, 0.8
"""Greatest part of a face that a tag with its margin takes: an object's own colour stays visible; of a round
side, part of the radius."""
_LEAST = 0.012
"""Edge of the smallest black square, metres."""
_PAPER = 0.0003
"""Thickness of a tag, metres."""


@plain_dataclass(frozen=True)
class Tag:
    """One tag on an object.

    Args:
        number: in the family.
        thing: the name of what wears it.
        size: edge of its black square, metres.
        pose: of its middle in the frame of the object, whose origin is the middle of its bounding box: z out
            of the picture, x to its right, y up.
    """

    number: int
    thing: str
    size: float
    pose: Pose

    @property
    def to_middle(self) -> Pose:
        """The object's frame in the tag's frame: the object's pose from an observed tag."""
        return self.pose.inverse()

    @property
    def whole(self) -> float:
        """Edge with the white margin, metres."""
        return self.size * _WHOLE

    @property
    def corners(self) -> Tuple[Vector, Vector, Vector, Vector]:
        """The corners of the black square in the tag's frame, in the order of detectors: top left, top right,
        bottom right, bottom left; metres.
        """
        half = self.size / 2.0
        return ((-half, half, 0.0), (half, half, 0.0), (half, -half, 0.0), (-half, -half, 0.0))


@dataclass(frozen=True, config=STRICT)
class _Entry:
    """A tag in a file: metres, and turns about the object's fixed x, y and z axis in degrees.

    Args:
        number: the tag's number in its family.
        thing: the object, or the link of a robot, that wears it.
        size: edge of the black square, metres.
        position: the tag's middle in the object's frame, metres.
        rotation: the tag's turn, degrees.
    """

    number: Annotated[int, Ge(0), Le(NUMBERS - 1)]
    thing: str
    size: Annotated[float, Gt(0.0), Le(1.0)]
    position: Vector
    rotation: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True, config=STRICT)
class _TagFile:
    """A file of tags.

    Args:
        tags: the tags; an object may wear several.
        family: the AprilTag family.
    """

    tags: Tuple[_Entry, ...]
    family: Literal["36h11"] = field(default="36h11")


def load_tags(path_or_name: Union[str, Path], objects: Optional[Sequence[str]] = None,
              beside: Union[str, Path, None] = None) -> Tuple[Tag, ...]:
    """Load the tags of a file, or by its name in ``config/tags``.

    Args:
        path_or_name: path of a YAML file, or the name of one in ``config/tags``.
        objects: names of the known objects; ``None`` accepts any.
        beside: another configuration file, a scene's; ``tags`` next to its folder is looked through first.

    Returns:
        The tags.

    Raises:
        ConfigError: with file, line, key and what is valid; also for a number that is there twice, and for a
            tag on an object that is not known.
    """
    values, positions = read_yaml(config_file("tags", path_or_name, beside=beside))
    numbers: Set[int] = set()
    found: List[Tag] = []
    for index, entry in enumerate(read_settings(_TagFile, values, positions).tags):
        if entry.number in numbers:
            raise positions.error(("tags", index), f"tag {entry.number} stands here twice; each number is on "
                                                   "one object, at one place")
        if objects is not None and entry.thing not in objects:
            raise positions.error(("tags", index), f"tag {entry.number} is on '{entry.thing}', which the "
                                                   "scene does not hold; it holds: "
                                                   f"{', '.join(sorted(objects))}")
        numbers.add(entry.number)
        roll, pitch, yaw = map(math.radians, entry.rotation)
        found.append(Tag(entry.number, entry.thing, entry.size, Pose(entry.position, from_euler(roll, pitch, yaw))))
    return tuple(found)


def tags_of(scene: Scene) -> Tuple[Tag, ...]:
    """Return tags for all objects of a scene: one on the top of each and four around it, as large as possible.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.

    Returns:
        The tags.

    Raises:
        ConfigError: for an object that is too small for any, and for more tags than the family has.
    """
    if len(scene.things) * _FACES > NUMBERS:
        raise ConfigError(f"the scene '{scene.name}' has {len(scene.things)} objects, and the tags suffice "
                          f"for {NUMBERS // _FACES}")
    found: Dict[str, List[Tag]] = {}
    for index, item in enumerate(scene.things):
        found[item.name] = [Tag(_FACES * index + face, item.name, size, pose)
                            for face, size, pose in _faces(item) if size >= _LEAST]
        if not found[item.name]:
            raise ConfigError(f"the scene '{scene.name}': {item.name} is too small for a tag of "
                              f"{1000.0 * _LEAST:g} mm; leave 'tags' out, or make it larger")
    return tuple(tag for tags in found.values() for tag in tags)


def _faces(item: WorldObject) -> Iterator[Tuple[int, float, Pose]]:
    """Number, size of the black square, and place of each tag that an object may wear."""
    x, y, z = item.size
    outline = item.form.outline(item.size)
    boxy = set(outline) == set(rectangle(item.size))
    pairs = zip(outline, [*outline[1:], outline[0]])
    circle = min(abs(ax * by - ay * bx) / math.hypot(bx - ax, by - ay) for (ax, ay), (bx, by) in pairs)
    inside = min(x, y) if boxy else math.sqrt(2.0) * circle  # The circle that fits into the outline.
    top = -z / 2.0 + BOWL_WALL if item.form.hollow else z / 2.0
    yield 0, _black(_TOP * inside), Pose((0.0, 0.0, top + _PAPER))
    if not boxy and not item.form.round:
        return
    for side in range(_FACES - 1):
        out = tuple(round(turn) for turn in (math.cos(side * math.pi / 2.0), math.sin(side * math.pi / 2.0)))
        width = _SIDE * (y if out[0] else x) if boxy else _ROUND * x / 2.0
        away = (x if out[0] else y) / 2.0 + _PAPER
        turned = from_axes((-out[1], out[0], 0.0), (0.0, 0.0, 1.0), (out[0], out[1], 0.0))
        yield side + 1, _black(min(width, _SIDE * z)), Pose((out[0] * away, out[1] * away, 0.0), turned)


def _black(whole: float) -> float:
    """Return the black square of a tag with its margin, in whole tenths of a millimetre."""
    return math.floor(1e4 * whole / _WHOLE) / 1e4
