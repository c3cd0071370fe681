"""A scene file from what was seen on a table."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

from hicrisp_core.config.files import write_whole
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.scene import Scene, domain_of, load_scene
from hicrisp_core.scene.layout import off_the_table, overlapping, standing
from hicrisp_core.scene.scene import DEFAULT_CAMERA, DEFAULT_SOURCE

from hicrisp_perception.scene_scan.describing import Described

_STEP, _STEPS = 0.0005, 30
"""Metres by which objects that seem to overlap are moved apart, and how often at most."""
_HANDLED = 0.075
"""Greatest width of what a task is made about, metres."""
_SHIFT = 0.01
"""Offset from the middle of its support above which it is written, metres."""


@dataclass(frozen=True)
class SeenScene:
    """The objects that go into a scene file, and what is left out.

    Args:
        things: whose poses do not overlap.
        left_out: names, and why.
    """

    things: Tuple[Described, ...]
    left_out: Tuple[Tuple[str, str], ...] = ()


def arrange(found: Sequence[Described], table: WorldObject) -> SeenScene:
    """Adjust described objects to a valid scene: on the table or on each other, without overlap.

    Args:
        found: the objects as observed.
        table: the table with its pose and size.

    Returns:
        The arranged objects, and those left out with reasons.
    """
    placed: Dict[str, WorldObject] = {table.name: table}
    kept: List[Described] = []
    left: List[Tuple[str, str]] = []
    for each in found:
        if each.below and each.below not in placed:
            left.append((each.thing.name, f"it stands on {each.below}, which is left out"))
            continue
        item = _in_place(each, placed)
        for _ in range(_STEPS):
            other = overlapping(item, placed)
            if not other or each.below:
                break
            item = _apart(item, placed[other])
        other = overlapping(item, placed)
        inside = each.below and placed[each.below].form.hollow
        if other and not (inside and other == each.below):
            left.append((item.name, f"it overlaps {other}"))
        elif off_the_table(item, table):
            left.append((item.name, "it is not on the table"))
        else:
            placed[item.name] = item
            kept.append(replace(each, thing=item))
    return SeenScene(tuple(kept), tuple(left))


def _in_place(each: Described, placed: Dict[str, WorldObject]) -> WorldObject:
    """Return the object as the scene's file will put it."""
    item = each.thing
    x, y = item.pose.position[:2] if item.pose is not None else (0.0, 0.0)
    yaw = item.pose.yaw if item.pose is not None else 0.0
    below = placed.get(each.below) if each.below else None
    if below is None or below.pose is None:
        return standing(item, round(x, 4), round(y, 4), yaw)
    top = below.pose.position[2] + below.size[2] / 2.0
    return standing(item, *below.pose.position[:2], yaw, top)


def _apart(item: WorldObject, other: WorldObject) -> WorldObject:
    if item.pose is None or other.pose is None:
        return item
    (x, y, _), (ox, oy, _) = item.pose.position, other.pose.position
    away = math.hypot(x - ox, y - oy) or 1.0
    moved = item.pose.shifted((_STEP * (x - ox) / away, _STEP * (y - oy) / away, 0.0))
    return replace(item, pose=moved)


def save_scene(seen: SeenScene, found: Sequence[Described], base: Scene, target: Path, heading: str) -> Scene:
    """Write a scene file that loads, atomically.

    Args:
        seen: the arranged objects.
        found: the objects as observed.
        base: the scene with the table, the robots, the domain and the camera.
        target: the file to write.
        heading: a comment for its first line.

    Returns:
        The scene as it loads.

    Raises:
        ConfigError: when it cannot be written, or the domain has no such objects.
    """
    domain = domain_of(base)
    wrong = sorted({each.thing.type for each in seen.things} - set(domain.types))
    if wrong:
        raise ConfigError(f"the domain {base.domain} has no type '{wrong[0]}'; look with a scene of another "
                          "domain, as --scene tabletop")
    text = _text(seen, found, base, re.sub(r"\W+", "_", target.stem).lower() or "seen", heading)
    scene = write_whole(target, text, load_scene)
    return replace(scene, source=str(target))


def _text(seen: SeenScene, found: Sequence[Described], base: Scene, name: str, heading: str) -> str:
    table = base.table
    x, y = table.pose.position[:2] if table.pose is not None else (0.0, 0.0)
    count = len(seen.things)
    lines = [f"# {heading}", f"scene: {name}",
             f"description: {count} object{'' if count == 1 else 's'} on a table, as a camera saw "
             f"{'it' if count == 1 else 'them'}.",
             f"domain: {base.domain}", f"robots: [{', '.join(base.robots)}]", f"task: {_task(seen.things)}"]
    if base.camera != DEFAULT_CAMERA:
        lines.append(f"camera: {base.camera}")
    if base.perception != DEFAULT_SOURCE:
        lines.append(f"perception: {base.perception}")
    lines += [f"table: {{size: [{_numbers(table.size)}], position: [{_numbers((x, y))}]}}", ""]
    lines += [f"# Left out: {other}, for {why}." for other, why in seen.left_out]
    lines.append("objects:" if seen.things else "objects: {}")
    poses = {each.thing.name: each.thing.pose for each in found}
    for each in seen.things:
        lines += _entry(each, poses.get(each.thing.name))
    return "\n".join([*lines, ""])


def _entry(each: Described, seen: "Pose | None") -> List[str]:
    item = each.thing
    pose = item.pose or Pose((0.0, 0.0, 0.0))
    doubts = list(doubts_of(each))
    if each.below and seen is not None:
        shift = math.dist(seen.position[:2], pose.position[:2])
        if shift > _SHIFT:
            doubts.append(f"stands {100.0 * shift:.0f} cm off the middle of {each.below}")
    entry = [f"  {item.name}:" + (f"   # unsure: {'; '.join(doubts)}" if doubts else ""),
             f"    type: {item.type}", f"    size: [{_numbers(item.size)}]",
             f"    attributes: {json.dumps(dict(item.attributes))}",
             f"    on: {each.below}" if each.below else f"    position: [{_numbers(pose.position[:2])}]"]
    if not item.form.round:
        entry.append(f"    yaw: {math.degrees(pose.yaw):.1f}")
    return entry


def doubts_of(each: Described) -> Sequence[str]:
    """Word the doubts about an object.

    Args:
        each: the object as observed.

    Returns:
        Clauses for a message.
    """
    doubts = each.doubts
    found = []
    if doubts.fit:
        found.append("fits no shape well")
    if doubts.hidden:
        found.append("partly hidden")
    if doubts.shape:
        found.append(f"may be a {doubts.shape}")
    if doubts.colour:
        found.append(f"may be {doubts.colour}")
    return found


def _task(objects: Sequence[Described]) -> str:
    """Return a task that can be tried: the first object that a hand can take, next to another one; else a question."""
    under = {each.below for each in objects}
    free = [each for each in objects if each.thing.name not in under and not each.below]
    taken = [each for each in free if not each.thing.form.hollow and min(each.thing.size[:2]) < _HANDLED]
    for each in sorted(taken, key=lambda one: not one.sure):
        for other in free:
            if other is not each:
                return f"Place the {_words(each)} next to the {_words(other)}"
    return "What can you do?"


def _words(each: Described) -> str:
    return each.thing.name.replace("_", " ")


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(f"{round(value, 4) + 0.0:g}" for value in values)
