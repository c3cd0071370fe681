"""What stood where during a run: ``scene.jsonl`` read back, leniently."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from hicrisp_core.trace.plain import json_lines
from hicrisp_core.trace.read_event import record_of
from hicrisp_core.trace.records import Numbers

FILE_NAME = "scene.jsonl"
_NAMED = frozenset({"name", "x", "y", "yaw"})
"""What an object or a robot must tell to be drawn."""


@dataclass(frozen=True)
class ThingSeen:
    """An object as it was seen: its middle in the world frame, metres, and its yaw in degrees; ``x`` is
    ``None`` if it was never seen.
    """

    name: str = ""
    type: str = ""
    shape: str = ""
    size: Numbers = ()
    colour: str = ""
    movable: bool = False
    lost: bool = False
    x: Optional[float] = None
    y: Optional[float] = None
    z: Optional[float] = None
    yaw: Optional[float] = None


@dataclass(frozen=True)
class RobotSeen:
    """A robot as it was seen: a base's middle or an arm's tool."""

    name: str = ""
    kind: str = ""
    x: Optional[float] = None
    y: Optional[float] = None
    yaw: Optional[float] = None


@dataclass(frozen=True)
class WallSeen:
    """A wall of the map."""

    start: Numbers = ()
    end: Numbers = ()
    width: float = 0.0


@dataclass(frozen=True)
class ZoneSeen:
    """Ground to be kept out of: a point, a line or a polygon, grown by a radius."""

    name: str = ""
    radius: float = 0.0
    corners: Tuple[Numbers, ...] = ()


@dataclass(frozen=True)
class BaseSeen:
    """What is known of a base: the radius of its footprint."""

    radius: float = 0.18


@dataclass(frozen=True)
class SceneSeen:
    """The scene that was loaded; ``bounds`` are its least x and y, and its greatest."""

    name: str = ""
    bounds: Numbers = ()
    known: Tuple[str, ...] = ()
    arms: Tuple[str, ...] = ()
    bases: Mapping[str, BaseSeen] = field(default_factory=dict)
    walls: Tuple[WallSeen, ...] = ()
    zones: Tuple[ZoneSeen, ...] = ()


@dataclass
class Sighted:
    """All that was seen up to a moment, by name."""

    things: Dict[str, ThingSeen] = field(default_factory=dict)
    robots: Dict[str, RobotSeen] = field(default_factory=dict)


@dataclass
class SceneStory:
    """A run's scene, and what was seen of it first and last."""

    scene: SceneSeen = field(default_factory=SceneSeen)
    first: Sighted = field(default_factory=Sighted)
    last: Sighted = field(default_factory=Sighted)


def scene_story(run: Path) -> Optional[SceneStory]:
    """Read what was observed in a run.

    Args:
        run: the run folder.

    Returns:
        The scene's story; ``None`` without a recording.
    """
    story = SceneStory()
    known = False
    for entry in scene_lines(run):
        if isinstance(entry.get("scene"), dict):
            story.scene, known = _scene(entry["scene"]), True
        for each in named(entry, "things"):
            thing = record_of(ThingSeen, each)
            story.last.things[thing.name] = thing
            if thing.x is not None:
                story.first.things.setdefault(thing.name, thing)
        for each in named(entry, "robots"):
            robot = record_of(RobotSeen, each)
            story.last.robots[robot.name] = robot
            if robot.x is not None:
                story.first.robots.setdefault(robot.name, robot)
    return story if known and len(story.scene.bounds) == 4 else None


def scene_lines(run: Path) -> Iterator[Dict[str, Any]]:
    """Yield the entries of a run's scene recording in order; damaged lines are skipped.

    Args:
        run: the run folder.

    Yields:
        The entries; none without a recording.
    """
    try:
        lines = (run / FILE_NAME).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    yield from (entry for _, entry in json_lines(lines) if entry is not None)


def named(entry: Mapping[str, Any], kind: str) -> List[Dict[str, Any]]:
    """Return the objects or robots of an entry that can be drawn.

    Args:
        entry: an entry of the recording.
        kind: ``things`` or ``robots``.

    Returns:
        Their JSON objects.
    """
    listed = entry.get(kind)
    return [
        each
        for each in (listed if isinstance(listed, list) else ())
        if isinstance(each, dict) and set(each) >= _NAMED and isinstance(each["name"], str)
    ]


def _scene(entry: Mapping[str, Any]) -> SceneSeen:
    walls = entry.get("walls")
    told = [
        {"start": wall.get("from"), "end": wall.get("to"), "width": wall.get("width")}
        for wall in (walls if isinstance(walls, list) else ())
        if isinstance(wall, dict)
    ]
    return record_of(SceneSeen, {**entry, "walls": told})
