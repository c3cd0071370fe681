"""What to draw in space: objects with names, goals, deviations, keep-outs, ways, the stack as text. ROS is not
known here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from textwrap import fill
from typing import Any, Dict, FrozenSet, Iterable, List, Mapping, Optional, Sequence, Set, Tuple

from hicrisp_core.model import Pose, Vector, WorldObject, WorldState
from hicrisp_core.scene.colours import paint_of
from hicrisp_core.scene.scene import Scene

Colour = Tuple[float, float, float, float]
"""Red, green, blue and opacity, 0 to 1."""
CUBE, CYLINDER, SPHERE, TEXT, STRIP, LINES = "cube", "cylinder", "sphere", "text", "strip", "lines"
"""The forms of marks."""
THINGS, NAMES, SURE, UNKNOWN = "things", "names", "uncertainty", "unknown"
GOALS, DEVIATIONS, KEEP_OUTS, AREAS = "goals", "deviations", "keep_outs", "areas"
WALLS, ROBOTS, DRIVEN, STACK = "walls", "robots", "driven", "stack"
"""The namespaces, which can be switched on and off one by one."""
_GREEN, _RED, _BLUE = (0.15, 0.6, 0.3, 1.0), (0.8, 0.2, 0.15, 1.0), (0.15, 0.35, 0.8, 1.0)
_PURPLE, _INK, _WALL = (0.75, 0.2, 0.65, 0.6), (0.1, 0.12, 0.15, 1.0), (0.35, 0.38, 0.42, 1.0)
_WHITE = (1.0, 1.0, 1.0, 1.0)
_LOST, _SEE_THROUGH = 0.25, 0.45
LETTERS, _LINE = 0.035, 0.006
"""Height of letters at a table, and width of lines, metres."""
_WIDEST = 60
"""Characters of a line of the stack's text."""
_FLAT = 0.002
_ROUND = frozenset({"cylinder", "bowl", "sphere", "disc"})
_MOST_DEVIATIONS = 20
_DEVIATIONS = 2.0
"""Standard deviations that the disc around an object's middle stands for."""
_NOWHERE = Pose((0.0, 0.0, 0.0))
_NONE: Mapping[str, float] = {}
_TOUCH = 0.05
"""Metres of free ground between two discs up to which they are sides of one object."""
_TALL = 0.15
"""Metres that a base is drawn high."""


@dataclass(frozen=True)
class Mark:
    """One shape.

    Args:
        space: its namespace, such as ``things``.
        name: what tells it from others of its space.
        form: ``cube``, ``cylinder``, ``sphere``, ``text``, ``strip`` (a polyline) or ``lines`` (pairs of points).
        pose: of its middle, in the world frame; of a text, where it stands.
        size: metres; of a text its last one is the letters' height, of lines the first one is their width.
        points: of a strip or of lines, metres in the world frame.
    """

    space: str
    name: str
    form: str
    pose: Pose = _NOWHERE
    size: Vector = (_LINE, _LINE, _LINE)
    colour: Colour = _INK
    text: str = ""
    points: Tuple[Vector, ...] = ()


def scene_marks(scene: Scene) -> List[Mark]:
    """Draw what stays as it is while a scene is loaded: walls and keep-outs.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.

    Returns:
        Marks in the world frame.
    """
    marks: List[Mark] = []
    if scene.arena is not None:
        for name, wall in {**scene.arena.walls, **scene.arena.border()}.items():
            ends = tuple((x, y, 0.1) for x, y in (wall.start, wall.end))
            marks.append(Mark(WALLS, name, STRIP, size=(max(wall.thickness, 0.01), 0.0, 0.0), colour=_WALL,
                              points=ends))
    for zone in scene.zones:
        corners = [(x, y, _FLAT) for x, y in (corner[:2] for corner in zone.corners)]
        if len(corners) == 1:
            marks.append(Mark(KEEP_OUTS, zone.name, CYLINDER, Pose(corners[0]),
                              (2.0 * zone.radius, 2.0 * zone.radius, _FLAT), (*_RED[:3], _SEE_THROUGH)))
        else:
            wide = max(2.0 * zone.radius, 0.03)
            marks.append(Mark(KEEP_OUTS, zone.name, STRIP, size=(wide, 0.0, 0.0),
                              colour=(*_RED[:3], _SEE_THROUGH), points=(*corners, corners[0])))
        middle = [sum(corner[axis] for corner in corners) / len(corners) for axis in (0, 1)]
        marks.append(_text(KEEP_OUTS, f"{zone.name} name", (middle[0], middle[1], 0.1),
                           f"keep out: {_spoken(zone.name)}", _RED, 3.0 * LETTERS))
    return marks


def world_marks(
    world: WorldState, known: Iterable[str], letters: float = LETTERS, radii: Mapping[str, float] = _NONE
) -> List[Mark]:
    """Draw objects with their names and uncertainty, and bases.

    Args:
        world: observed objects, robots and facts; poses in the world frame.
        known: names of the scene's objects; others are drawn as unknown.
        letters: height of names, metres.
        radii: radius of each base's footprint, metres.

    Returns:
        Marks in the world frame.
    """
    marks = [mark for robot in world.robots.values() if robot.pose is not None and robot.name in radii
             for mark in _base(robot.name, robot.pose, radii[robot.name], letters)]
    names = frozenset(known)
    told = _told(world, names)
    for item in world.objects.values():
        if item.pose is None:
            continue
        unknown = item.name not in names
        faded = _LOST if item.lost else 1.0
        area = item.shape == "region" and not unknown
        colour = _PURPLE if unknown else (*_GREEN[:3], 0.25) if area else paint_of(item)
        space = UNKNOWN if unknown else AREAS if area else THINGS
        length, width, height = item.size
        marks.append(Mark(space, item.name, CYLINDER if item.shape in _ROUND else CUBE, item.pose,
                          (length, width, max(height, _FLAT)), (*colour[:3], colour[3] * faded)))
        if item.name in told if unknown else item.movable or area:
            x, y, z = item.pose.position
            spot = (x, y, z + height / 2.0 + letters)
            marks.append(_text(NAMES, item.name, spot, _named(item), _PURPLE if unknown else _INK, letters))
        if item.uncertainty.position > 0.0:
            across = 2.0 * _DEVIATIONS * item.uncertainty.position
            marks.append(Mark(SURE, item.name, CYLINDER, Pose(item.pose.position),
                              (across, across, max(_FLAT, 2.0 * _DEVIATIONS * item.uncertainty.height)),
                              (*_BLUE[:3], 0.35)))
    return marks


def place_marks(places: Sequence[Mapping[str, Any]], letters: float = LETTERS) -> List[Mark]:
    """The goal of the latest command, and where the last ones ended beside theirs.

    Args:
        places: targets, aims and achieved points, as ``places_section`` gives them.
        letters: height of the command's text, metres.
    """
    marks: List[Mark] = []
    for each in places[-_MOST_DEVIATIONS:]:
        target, ended = _point(each.get("target")), _point(each.get("achieved"))
        if target is None or ended is None:
            continue
        colour = _GREEN if each.get("ok") else _RED
        marks.append(Mark(DEVIATIONS, f"{each['number']}", LINES, colour=colour, points=(target, ended)))
        marks.append(Mark(DEVIATIONS, f"{each['number']} end", SPHERE, Pose(ended), (0.012, 0.012, 0.012),
                          colour))
    latest = places[-1] if places else {}
    target, aim = _point(latest.get("target")), _point(latest.get("aim"))
    if target is not None:
        marks.append(Mark(GOALS, "target", SPHERE, Pose(target), (0.02, 0.02, 0.02), (*_BLUE[:3], 0.8)))
        marks.append(_text(GOALS, "text", (target[0], target[1], target[2] + 0.12),
                           str(latest.get("text", "")), _BLUE, letters))
        if aim is not None and aim != target:
            marks.append(Mark(GOALS, "aim", LINES, colour=_PURPLE, points=(target, aim)))
    return marks


def way_marks(ways: Mapping[str, Sequence[Tuple[float, float]]]) -> List[Mark]:
    """Draw the driven path of each base.

    Args:
        ways: x, y of its points by the base's name, metres in the world frame.

    Returns:
        Marks in the world frame.
    """
    return [Mark(DRIVEN, name, STRIP, size=(0.03, 0.0, 0.0), colour=_GREEN,
                 points=tuple((x, y, 0.01) for x, y in spots))
            for name, spots in ways.items() if len(spots) > 1]


def stack_marks(
    task: str, entries: Sequence[Tuple[str, str]], above: Vector, letters: float = LETTERS
) -> List[Mark]:
    """Write the task and the feedback stack, its top first.

    Args:
        task: the task's text.
        entries: command and error, bottom first.
        above: position of the text, metres in the world frame.
        letters: height of the text, metres.

    Returns:
        One mark; none without a task and entries.
    """
    lines = [task] if task else []
    lines += [f"{len(entries) - at}. {command}: {error}"
              for at, (command, error) in enumerate(reversed(entries))]
    text = "\n".join(fill(line, _WIDEST) for line in lines)
    return [_text(STACK, "stack", above, text, _RED if entries else _INK, letters)] if lines else []


class MarkBook:
    """Numbers marks, and says which of them are new, changed or gone."""

    def __init__(self) -> None:
        self._numbers: Dict[Tuple[str, str], int] = {}
        self._shown: Dict[Tuple[str, str], Mark] = {}

    def turn(self, marks: Sequence[Mark]) -> Tuple[List[Tuple[int, Mark]], List[Tuple[int, Mark]]]:
        """Compare marks with those that are shown.

        Args:
            marks: all marks of now.

        Returns:
            New or changed marks, and marks to delete, each with its number.
        """
        now = {(mark.space, mark.name): mark for mark in marks}
        for key in now:
            self._numbers.setdefault(key, len(self._numbers))
        fresh = [(self._numbers[key], mark) for key, mark in now.items() if self._shown.get(key) != mark]
        gone = [(self._numbers[key], mark) for key, mark in self._shown.items() if key not in now]
        self._shown = now
        return fresh, gone

    def forget(self) -> None:
        """Somebody new looks on: everything is to be drawn anew."""
        self._shown = {}


def _told(world: WorldState, known: FrozenSet[str]) -> FrozenSet[str]:
    """The names of what was not known before; of discs that touch, the largest one's alone."""
    left = [(item, item.pose.position) for item in world.objects.values()
            if item.pose is not None and item.name not in known]
    names: Set[str] = set()
    while left:
        parts = [left.pop(0)]
        for one, here in parts:
            touching = [each for each in left if not (one.movable or each[0].movable)
                        and math.dist(here[:2], each[1][:2]) - (_wide(one) + _wide(each[0])) / 2.0 <= _TOUCH]
            parts += touching
            left = [each for each in left if each not in touching]
        names.add(max((item for item, _ in parts), key=_wide).name)
    return frozenset(names)


def _wide(item: WorldObject) -> float:
    return max(item.size[:2])


def _base(name: str, pose: Pose, radius: float, letters: float) -> List[Mark]:
    """A base's footprint, where it heads, and its name."""
    x, y, z = pose.position
    top = z + _TALL + _LINE
    ahead = (x + radius * math.cos(pose.yaw), y + radius * math.sin(pose.yaw), top)
    return [
        Mark(ROBOTS, name, CYLINDER, Pose((x, y, z + _TALL / 2.0), pose.orientation),
             (2.0 * radius, 2.0 * radius, _TALL), (*_BLUE[:3], 0.8)),
        Mark(ROBOTS, f"{name} heading", LINES, size=(0.03, 0.0, 0.0), colour=_WHITE,
             points=((x, y, top), ahead)),
        _text(NAMES, name, (x, y, top + letters), _spoken(name), _INK, letters)]


def _named(item: WorldObject) -> str:
    sigma = 1000.0 * item.uncertainty.position
    seen = "" if item.visibility.value == "visible" else f", {item.visibility.value}"
    return f"{_spoken(item.name)}{f' +-{sigma:.1f} mm' if sigma > 0.0 else ''}{seen}"


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def _text(space: str, name: str, spot: Vector, text: str, colour: Colour, height: float = LETTERS) -> Mark:
    return Mark(space, name, TEXT, Pose(spot), (0.0, 0.0, height), (*colour[:3], 1.0), text)


def _point(told: Optional[Sequence[float]]) -> Optional[Vector]:
    return (told[0], told[1], told[2]) if told is not None and len(told) == 3 else None
