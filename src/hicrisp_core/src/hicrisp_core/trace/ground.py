"""The report's view from above, to scale: what stood where, and for a base where it drove."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import List, Optional, Sequence, Tuple, Union

from hicrisp_core.trace.events import BaseDrove
from hicrisp_core.trace.ground_shapes import Disc, Ground, Label, Line, Stranger, achieved, strangers_in
from hicrisp_core.trace.scene_lines import SceneSeen, SceneStory, ThingSeen
from hicrisp_core.trace.story import AttemptRecord, Story

Shape = Union[Line, Disc]
_SIZE = 620.0
_MOVED = 0.01
"""Metres by which an object must be elsewhere at the end to be drawn twice."""
_MOST_TOLD = 6
"""Objects that were not known before and have their names in the drawing and in the words."""
_PAINTS = {
    "red": "#cf4a42", "green": "#3f9a5d", "blue": "#3d74c4", "yellow": "#d9ae2e", "orange": "#dd8435",
    "purple": "#8a63b8", "pink": "#d97aa6", "white": "#e9ecef", "black": "#3a3f45", "grey": "#8b949c",
    "gray": "#8b949c", "brown": "#8d6748", "cyan": "#3aa3ad"}
_KEYS = {
    "wall": "wall", "zone": "keep out", "area": "area", "unknown": "seen, not known before",
    "before": "where it was at first", "planned": "planned", "driven": "driven", "stop": "footprint at a stop",
    "touched": "touched something", "near_miss": "near miss", "entered": "came over a keep-out",
    "target": "target", "achieved": "where it ended"}
"""What the legend says, by the classes of shapes."""


@dataclass(frozen=True)
class GroundDrawing:
    """The drawing in pixels, its legend as classes with words, and what it shows in words."""

    width: float
    height: float
    """Of the ground; the scale stands below it."""
    shapes: Tuple[Shape, ...]
    labels: Tuple[Label, ...]
    rule: Tuple[float, str]
    """The length of the scale in pixels, and what it stands for."""
    legend: Tuple[Tuple[str, str], ...]
    words: Tuple[str, ...]


def lay_out_ground(seen: Optional[SceneStory], story: Story) -> Optional[GroundDrawing]:
    """Lay out the map of a run.

    Args:
        seen: observed scene; may be ``None``.
        story: the run.

    Returns:
        The drawing; ``None`` if no poses were recorded.
    """
    if seen is None:
        return None
    scene = seen.scene
    ground = Ground(scene.bounds, bool(scene.arms) and not scene.bases, _SIZE)
    things = [thing for thing in seen.last.things.values() if thing.x is not None]
    things.sort(key=lambda thing: (thing.z or 0.0) - (thing.size[2] / 2.0 if len(thing.size) > 2 else 0.0))
    strangers = strangers_in(things, scene.known)
    shapes = [*_still(ground, scene, things), *_moving(ground, seen, things),
              *(each for drove in story.drives for each in _way(ground, scene, drove)),
              *_stops(ground, scene, seen, story.drives), *_placed(ground, story.attempts)]
    metres = 10.0 ** math.floor(math.log10(ground.long / 2.0)) if ground.long > 0.2 else 0.05
    rule = (metres * ground.scale, f"{100 * metres:g} cm" if metres < 1.0 else f"{metres:g} m")
    kinds = {each.kind.split()[0] for each in shapes}
    return GroundDrawing(
        ground.width, ground.height, tuple(shapes), tuple(_labels(ground, scene, things, strangers)), rule,
        tuple((kind, words) for kind, words in _KEYS.items() if kind in kinds),
        tuple(_words(scene, strangers, story.drives)))


def _still(ground: Ground, scene: SceneSeen, things: Sequence[ThingSeen]) -> List[Shape]:
    """Return the static parts: table, areas, keep-outs, walls."""
    shapes: List[Shape] = [ground.thing("area" if thing.shape == "region" else "place", thing, thing.name)
                           for thing in things if not thing.movable and thing.name in scene.known]
    for zone in scene.zones:
        title, wide = f"keep out: {zone.name}", max(1.5, 2.0 * zone.radius * ground.scale)
        corners = [corner for corner in zone.corners if len(corner) >= 2]
        if len(corners) == 1:
            shapes.append(ground.disc("zone", corners[0][0], corners[0][1], zone.radius, title))
        elif corners:
            shapes.append(ground.line("zone", corners, closed=True, width=wide, title=title))
    return shapes + [ground.line("wall", (wall.start, wall.end), width=max(1.0, wall.width * ground.scale))
                     for wall in scene.walls if min(len(wall.start), len(wall.end)) >= 2]


def _moving(ground: Ground, seen: SceneStory, things: Sequence[ThingSeen]) -> List[Shape]:
    """Return the objects where they were at first, where that was elsewhere, and where they were last."""
    before: List[Shape] = []
    now: List[Shape] = []
    for thing in things:
        first = seen.first.things.get(thing.name)
        if thing.movable and first is not None and first.x is not None and _apart(first, thing) > _MOVED:
            before.append(ground.thing("before", first, f"{thing.name}, at first"))
        lost = ", not seen for a while" if thing.lost else ""
        if thing.name not in seen.scene.known:
            now.append(ground.thing("unknown", thing, f"{thing.name}: not known before{lost}"))
        elif thing.movable:
            paint = _PAINTS.get(thing.colour, "#9aa7b4")
            now.append(ground.thing("thing lost" if lost else "thing", thing, f"{thing.name}{lost}", paint))
    return [*before, *now]


def _way(ground: Ground, scene: SceneSeen, drove: BaseDrove) -> List[Shape]:
    """One drive: the path that was planned, the way that was driven, and what happened on it."""
    ways = {"planned": drove.planned, "driven": drove.driven}
    spots = {kind: [spot for spot in way if len(spot) >= 2] for kind, way in ways.items()}
    shapes: List[Shape] = [ground.line(kind, way, title=f"{drove.robot}: {kind}")
                           for kind, way in spots.items() if len(way) > 1]
    for mark in drove.marks:
        title = f"{drove.robot}: {_KEYS.get(mark.what, mark.what)}"
        shapes.extend(ground.cross(mark.what, mark.x, mark.y, title=title))
        shapes.append(ground.disc(f"{mark.what} ring", mark.x, mark.y, _radius(scene, drove.robot), title))
    return shapes


def _stops(ground: Ground, scene: SceneSeen, seen: SceneStory, drives: Sequence[BaseDrove]) -> List[Shape]:
    """Return the footprints where the bases began and where each drive ended."""
    stops: List[Tuple[str, str, Sequence[float], str]] = []
    for name in scene.bases:
        first = seen.first.robots.get(name)
        if first is not None and first.x is not None and first.y is not None:
            stops.append(("stop first", name, (first.x, first.y, math.radians(first.yaw or 0.0)), f"{name}, at first"))
    stops += [("stop", drove.robot, drove.stop, f"{drove.robot} after drive {number}")
              for number, drove in enumerate(drives, start=1) if len(drove.stop) == 3]
    shapes: List[Shape] = []
    for kind, robot, (x, y, yaw), title in stops:
        radius = _radius(scene, robot)
        ahead = (x + radius * math.cos(yaw), y + radius * math.sin(yaw))
        shapes += [ground.disc(kind, x, y, radius, title), ground.line("heading", ((x, y), ahead))]
    return shapes


def _placed(ground: Ground, attempts: Sequence[AttemptRecord]) -> List[Shape]:
    """Return where commands were to put objects, and where these ended."""
    shapes: List[Shape] = []
    for each in attempts:
        target = each.command.target
        if not target or len(target) < 2 or not each.command.arguments.get("item"):
            continue
        shapes += ground.cross("target", target[0], target[1], 4.0, f"target of command {each.number}")
        ended = achieved(target, each.command.turn, each.deviation)
        if ended is not None:
            good, title = ("good", "accepted") if each.ok else ("bad", "not accepted")
            shapes += [ground.line("achieved", (target, ended)), ground.pin(
                f"achieved {good}", ended[0], ended[1], 3.5, f"command {each.number}, {title}")]
    return shapes


def _labels(
    ground: Ground, scene: SceneSeen, things: Sequence[ThingSeen], strangers: Sequence[Stranger]
) -> List[Label]:
    """Names beside their objects, where no other name stands."""
    taken: List[Tuple[float, float, float, float]] = []
    labels: List[Label] = []
    told = {each.name for each in strangers} if len(strangers) <= _MOST_TOLD else frozenset()
    for thing in things:
        stranger, region = thing.name not in scene.known, thing.shape == "region"
        if thing.name not in told if stranger else not (thing.movable or region):
            continue
        text = thing.name.replace("_", " ")
        x, y = ground.point(thing.x or 0.0, thing.y or 0.0)
        half, off = 3.1 * len(text), max(6.0, ground.scale * max((*thing.size[:2], 0.0)) / 2.0)
        beside = half + off + 3.0
        spots = [(0.0, off + 11.0), (0.0, -off - 4.0), (beside, 4.0), (-beside, 4.0), (0.0, off + 23.0)]
        boxes = [(x + dx - half, y + dy - 10.0, x + dx + half, y + dy + 2.0)
                 for dx, dy in ([(0.0, 4.0)] if region else spots)]
        free = next((box for box in boxes if box[0] >= 0.0 and box[2] <= ground.width
                     and not any(_overlap(box, other) for other in taken)), boxes[0])
        taken.append(free)
        labels.append(Label("unknown" if stranger else "", (free[0] + free[2]) / 2.0, free[3] - 2.0, text))
    return labels


def _words(scene: SceneSeen, strangers: Sequence[Stranger], drives: Sequence[BaseDrove]) -> List[str]:
    """Return what the drawing shows, in sentences."""
    words: List[str] = []
    for name in dict.fromkeys(drove.robot for drove in drives):
        own = [drove for drove in drives if drove.robot == name]
        metres = sum(math.dist(a[:2], b[:2]) for drove in own for a, b in zip(drove.driven, drove.driven[1:]))
        happened = [mark.what for drove in own for mark in drove.marks]
        counts = [_counted(happened.count(what), one, more) for what, one, more in (
            ("touched", "touch", "touches"), ("near_miss", "near miss", "near misses"),
            ("entered", "keep-out entered", "keep-outs entered"))]
        words.append(f"{name} drove {metres:.1f} m in {_counted(len(own), 'drive', 'drives')}: {', '.join(counts)}.")
    if strangers:
        more = len(strangers) - _MOST_TOLD
        told = [each.measured for each in strangers[:_MOST_TOLD]] + ([f"and {more} more"] if more > 0 else [])
        words.append(f"Seen, and not known before ({len(strangers)}): {'; '.join(told)}.")
    return words


def _counted(count: int, one: str, more: str) -> str:
    return f"{count or 'no'} {one if count == 1 else more}"


def _radius(scene: SceneSeen, base: str) -> float:
    found = scene.bases.get(base)
    return found.radius if found is not None else 0.18


def _apart(first: ThingSeen, last: ThingSeen) -> float:
    return math.hypot((first.x or 0.0) - (last.x or 0.0), (first.y or 0.0) - (last.y or 0.0))


def _overlap(a: Tuple[float, float, float, float], b: Tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
