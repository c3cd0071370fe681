"""Cameras from ``config/cameras``: topics, frame, lens, mounting, how well they measure; and writing a new mounting."""

from __future__ import annotations

import math
import re
from dataclasses import field
from pathlib import Path
from typing import List, Optional, Sequence, Union

import yaml
from annotated_types import Ge, Gt, Le
from pydantic import NonNegativeFloat, PositiveFloat
from pydantic.dataclasses import dataclass
from typing_extensions import Annotated

from hicrisp_core.config.files import config_file, write_whole
from hicrisp_core.config.settings import STRICT, fixed, read_settings
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.model.geometry import Pose, Quaternion, Vector, facing
from hicrisp_core.model.picture import Lens

_Pixels = Annotated[int, Gt(0), Le(4096)]
_KEY = "mounting"


@dataclass(frozen=True, config=STRICT)
class CameraTopics:
    """Where a camera publishes; the names are those of realsense2_camera.

    Args:
        colour: topic of the colour picture, ``rgb8``.
        info: topic of its ``CameraInfo``.
        depth: topic of the depth picture: ``16UC1`` millimetres or ``32FC1`` metres, registered to the
            colour.
    """

    colour: str = "camera/color/image_raw"
    info: str = "camera/color/camera_info"
    depth: str = "camera/aligned_depth_to_color/image_raw"


@dataclass(frozen=True, config=STRICT)
class Intrinsics:
    """A pinhole without distortion, pixels; of a real camera its ``CameraInfo`` counts instead.

    Args:
        width: of a picture.
        height: of a picture.
        fx: focal length along x.
        fy: focal length along y.
        cx: the principal point's x.
        cy: the principal point's y.
    """

    width: _Pixels
    height: _Pixels
    fx: PositiveFloat
    fy: PositiveFloat
    cx: NonNegativeFloat
    cy: NonNegativeFloat

    def __post_init__(self) -> None:
        if self.cx >= self.width or self.cy >= self.height:
            raise ValueError(f"the middle ({self.cx:g}, {self.cy:g}) lies outside the picture of "
                             f"{self.width} x {self.height} pixels")


@dataclass(frozen=True, config=STRICT)
class Mounting:
    """Where the optical frame is (REP-103: z ahead, x right, y down), metres.

    Args:
        position: of the optical frame, metres.
        link: the robot's link that carries it; empty for the world frame, where the camera stands still.
        target: the point that it looks at, with z of the parent frame up in the picture.
        orientation: in place of a target: the quaternion (x, y, z, w).
    """

    position: Vector
    link: str = ""
    target: Optional[Vector] = None
    orientation: Optional[Quaternion] = None

    def __post_init__(self) -> None:
        if (self.target is None) == (self.orientation is None):
            raise ValueError("exactly one of 'target' and 'orientation' says where it looks")
        if self.orientation is not None and not Pose(self.position, self.orientation).finite:
            raise ValueError(f"the orientation {list(self.orientation)} is no unit quaternion (x, y, z, w)")
        if self.target is not None and math.dist(self.target, self.position) < 1e-3:
            raise ValueError("the camera stands where it looks; move 'position' or 'target'")

    @property
    def pose(self) -> Pose:
        """The optical frame in its link, or in the world."""
        if self.orientation is not None:
            return Pose(self.position, self.orientation)
        return facing(self.position, self.target or (0.0, 0.0, 0.0))

    @property
    def in_hand(self) -> bool:
        """Whether a robot carries the camera."""
        return bool(self.link)


@dataclass(frozen=True, config=STRICT)
class DepthSensing:
    """How a stereo camera measures depth; what simulation follows.

    Args:
        near: least distance that is measured, metres.
        far: greatest distance that is measured, metres.
        baseline: distance between the two imagers, metres; points visible to only one of them have no depth.
        noise: standard deviation of the disparity, pixels; depth scatters with the square of the distance.
        step: quantum of the disparity, pixels; 0 for none.
        edge_holes: the part of the pixels at edges of objects that has no depth.
        grazing: surfaces that are seen under a smaller angle than this have no depth, degrees.
    """

    near: PositiveFloat = 0.28
    far: PositiveFloat = 3.0
    baseline: PositiveFloat = fixed(0.05)
    noise: NonNegativeFloat = fixed(0.06)
    step: NonNegativeFloat = fixed(0.03)
    edge_holes: Annotated[float, Ge(0.0), Le(1.0)] = fixed(0.6)
    grazing: Annotated[float, Ge(0.0), Le(60.0)] = fixed(12.0)

    def __post_init__(self) -> None:
        if not self.near < self.far:
            raise ValueError(f"near ({self.near:g} m) is less than far ({self.far:g} m)")


@dataclass(frozen=True, config=STRICT)
class ColourSensing:
    """How the colour sensor answers to light; what simulation follows.

    Args:
        exposure: factor on the light that it gathers; 1 shows the scene's paint as it is.
        noise: standard deviation of a pixel's value, of 255, in the middle of the range.
    """

    exposure: Annotated[float, Gt(0.0), Le(16.0)] = 1.0
    noise: Annotated[float, Ge(0.0), Le(64.0)] = fixed(2.0)


@dataclass(frozen=True, config=STRICT)
class CameraSettings:
    """A camera.

    Args:
        frame: the TF frame of the colour picture, an optical frame.
        lens: intrinsics of the colour picture, to which the depth is registered.
        rate: pictures a second.
        mounting: where it is.
        topics: where it publishes.
        depth: how well it measures distances.
        colour: how it shows colours.
        name: its name; the file's.
    """

    lens: Intrinsics
    mounting: Mounting
    frame: str = "camera_color_optical_frame"
    topics: CameraTopics = field(default_factory=CameraTopics)
    rate: Annotated[float, Gt(0.0), Le(90.0)] = 6.0
    depth: DepthSensing = field(default_factory=DepthSensing)
    colour: ColourSensing = field(default_factory=ColourSensing)
    name: str = "camera"

    @property
    def intrinsics(self) -> Lens:
        """The lens as images carry it."""
        lens = self.lens
        return Lens(lens.width, lens.height, lens.fx, lens.fy, lens.cx, lens.cy)


def load_camera(path_or_name: Union[str, Path], beside: Union[str, Path, None] = None) -> CameraSettings:
    """Load a camera from its file, or by its name in ``config/cameras``.

    Args:
        path_or_name: path of a YAML file, or the name of one in ``config/cameras``.
        beside: another configuration file, a scene's; ``cameras`` next to its folder is looked through first.

    Returns:
        The settings.

    Raises:
        ConfigError: with file, line, key and what is valid; for an unknown name with those that there are.
    """
    file = config_file("cameras", path_or_name, beside=beside)
    values, positions = read_yaml(file)
    return read_settings(CameraSettings, {"name": file.stem, **values}, positions)


def save_mounting(camera: Union[str, Path], pose: Pose, target: Union[str, Path], note: str = "",
                  beside: Union[str, Path, None] = None) -> Path:
    """Write a camera's file with a new pose on the same link; the target is replaced atomically.

    Args:
        camera: the file to start from, or the name of one in ``config/cameras``.
        pose: optical frame in the world frame, or in the frame of the link that carries it.
        target: the file to write; may be the same.
        note: a comment beside the mounting.
        beside: another configuration file, as in ``load_camera``.

    Returns:
        Path of the written file.

    Raises:
        ConfigError: when the camera's file cannot be read, or the target not be written.
    """
    source, target = config_file("cameras", camera, beside=beside), Path(target)
    link = load_camera(source).mounting.link
    text = source.read_text(encoding="utf-8")
    block = [f"{_KEY}:" + (f"   # {note}" if note else ""), *([f"  link: {link}"] if link else []),
             f"  position: [{_numbers(pose.position)}]",
             f"  orientation: [{_numbers(pose.orientation)}]   # x, y, z, w"]
    write_whole(target, "\n".join([*_replaced(text, block), ""]), load_camera)
    return target


def _replaced(text: str, block: List[str]) -> List[str]:
    """Return the lines of a file with the block of the mounting replaced."""
    lines = text.splitlines()
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    for key, value in root.value if root is not None else ():
        if key.value == _KEY:
            first, last = key.start_mark.line, _last_line(value)
            comment = re.search(r"(?<=\s)#.*$", lines[first])
            if comment and "#" not in block[0] and value.start_mark.line != first:
                block = [f"{block[0]}   {comment.group()}", *block[1:]]
            return [*lines[:first], *block, *lines[last + 1:]]
    return [*lines, *block]


def _last_line(node: yaml.Node) -> int:
    """Return where a value ends, without the comments and empty lines after it."""
    if isinstance(node, yaml.MappingNode) and not node.flow_style:
        return max(_last_line(value) for _, value in node.value)
    return int(node.end_mark.line)


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(f"{value + 0.0:.6f}" for value in values)
