"""What the files of several kinds of scenes say: texts, tolerances, faults and cameras."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import Any, Mapping, Tuple

from pydantic import PositiveFloat
from pydantic.dataclasses import dataclass

from hicrisp_core.config.settings import STRICT, read_settings
from hicrisp_core.config.yaml_lines import Positions
from hicrisp_core.domain import Domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.scene.cameras import load_camera
from hicrisp_core.scene.scene import DEFAULT_CAMERA, EMBEDDED, Camera, Scene, SceneFault


@dataclass(frozen=True, config=STRICT)
class Heading:
    """The keys that every kind of scene has.

    Args:
        scene: name of the scene; the same as its file's.
        domain: name of its domain in ``config/domains``.
        world: what moves it, and which further keys it has.
        description: a sentence for people.
        task: the task that ``scripts/demo`` hands in when nobody names one.
    """

    scene: str
    domain: str
    world: str = EMBEDDED
    description: str = ""
    task: str = ""


@dataclass(frozen=True, config=STRICT)
class Tuning:
    """The keys of scenes with things that have poses.

    Args:
        tolerances: predicates of the domain with another tolerance here, metres (radians for ``lying``).
        faults: what goes wrong from the start; the kinds are those of ``inject_fault``.
        cameras: viewpoints of pictures for people, by name.
        camera: the depth camera, a file of ``config/cameras``.
        tags: whether the things wear AprilTags.
        markers: file of ``config/tags`` with tags on the robot and the table; empty for none.
        camera_error: how far off its place anything on the table may be seen before the camera counts as
            moved, metres.
    """

    tolerances: Mapping[str, float] = field(default_factory=dict)
    faults: Tuple[SceneFault, ...] = ()
    cameras: Mapping[str, Camera] = field(default_factory=dict)
    camera: str = DEFAULT_CAMERA
    tags: bool = False
    markers: str = ""
    camera_error: PositiveFloat = 0.01


def common_scene(path: Path, values: Mapping[str, Any], positions: Positions, domain: Domain,
                 seed: int) -> Scene:
    """A scene without robots and things, as far as its file says what is not of one kind of scene alone.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    faults = values.get("faults")
    told = {**values, "faults": [_listed(fault) for fault in faults]} if isinstance(faults, list) else values
    heading = read_settings(Heading, values, positions, others=tuple(values))
    tuning = read_settings(Tuning, told, positions, others=tuple(values))
    return Scene(name=heading.scene, domain=domain.name, robots=(), objects={},
                 description=heading.description,
                 task=heading.task, tolerances=tuning.tolerances, faults=tuning.faults,
                 cameras=tuning.cameras, camera=_camera(tuning.camera, path, positions), tags=tuning.tags,
                 markers=tuning.markers,
                 camera_error=tuning.camera_error, seed=seed, source=str(path))


def _camera(name: str, path: Path, positions: Positions) -> str:
    """The name of a camera, when its file can be read."""
    if name == DEFAULT_CAMERA:
        return name
    try:
        load_camera(name, beside=path)
    except ConfigError as error:
        raise positions.error(("camera",), str(error)) from error
    return name


def _listed(fault: Any) -> Any:
    """A fault whose magnitude may be a single number."""
    if not isinstance(fault, dict) or isinstance(fault.get("magnitude", []), list):
        return fault
    return {**fault, "magnitude": [fault["magnitude"]]}
