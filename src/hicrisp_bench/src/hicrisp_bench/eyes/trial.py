"""One layout: pictures are taken and looked at, and what was seen is compared with the truth."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, List, Mapping

import cv2
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.model.track import Track, Visibility

from hicrisp_bench.eyes.layouts import differently_coloured, layout
from hicrisp_bench.eyes.table import watched
from hicrisp_perception import SceneSight

SHAPES, TAGS = "shapes", "tags"
METHODS = (TAGS, SHAPES)
_HALF = 0.5
_NEAR = 0.03
"""Metres from where a thing is, in which it counts as found there."""
_LIKE = 0.0025


@dataclass(frozen=True)
class EyesTrial:
    """What one layout is looked at with.

    Args:
        method: ``tags`` where the things wear some, which are used beside the shapes; ``shapes`` without.
        pictures: how many are looked at; poses are judged after the first.
        light: factor on the usual light.
    """

    config: Path
    scene: str
    method: str
    seed: int
    pictures: int = 3
    light: float = 1.0


def key_of(trial: EyesTrial) -> str:
    """What tells a layout from the others of the suite."""
    return f"{trial.scene}, {trial.method}, {trial.seed}"


def run_eyes_trial(trial: EyesTrial) -> Dict[str, Any]:
    """What was found, how exactly, and how long a picture took."""
    cv2.setNumThreads(1)
    scene = replace(layout(trial.config, trial.scene, trial.seed), tags=trial.method == TAGS)
    sight = SceneSight(scene)
    milliseconds: List[float] = []
    first: Dict[str, Track] = {}
    with watched(scene, trial.seed, trial.light) as table:
        robot, truth = table.frames()
        for number in range(trial.pictures):
            picture = table.camera.take()
            if picture is None:
                continue
            began = time.thread_time()
            tracks = sight.look(picture, robot)
            milliseconds.append(1000.0 * (time.thread_time() - began))
            if number == 0:
                first = {track.name: track for track in tracks}
                visible = table.visible_parts(picture)
    things = {thing.name: thing for thing in scene.things}
    return {"seed": trial.seed, "ms": milliseconds, **judged(first, things, truth, visible)}


def judged(tracks: Mapping[str, Track], things: Mapping[str, WorldObject], truth: Mapping[str, Pose],
           visible: Mapping[str, float]) -> Dict[str, Any]:
    """Found, confused and exact: what is at least half visible counts as to be found."""
    expected = [name for name, part in visible.items() if part >= _HALF]
    seen = {name: track for name, track in tracks.items()
            if track.visibility is Visibility.VISIBLE and track.unknown is None}
    at = {name: _where(seen[name].pose, name, things, truth) for name in seen}
    found = [name for name in expected if name in at and not differently_coloured(things, name, at[name])
             and _near(seen[name].pose, truth[at[name]])]
    confused = [name for name in seen if differently_coloured(things, name, at[name])
                and not _near(seen[name].pose, truth[name])]
    position = [1000.0 * math.dist(seen[name].pose.position, truth[at[name]].position) for name in found]
    yaw = [math.degrees(_turned(things[name], seen[name].pose, truth[at[name]])) for name in found
           if not things[name].form.round]
    unknown = [name for name, track in tracks.items() if track.unknown is not None]
    return {"expected": len(expected), "found": len(found), "confused": confused, "position_mm": position,
            "yaw_deg": yaw, "missed": sorted(set(expected) - set(found)), "unknown": len(unknown)}


def _where(pose: Pose, name: str, things: Mapping[str, WorldObject], truth: Mapping[str, Pose]) -> str:
    """The thing that truly is where one was seen; of those that look the same any will do."""
    alike = [other for other in things if not differently_coloured(things, name, other)
             and things[other].shape == things[name].shape and things[other].size == things[name].size]
    best = min(alike, key=lambda other: math.dist(pose.position, truth[other].position))
    if _near(pose, truth[best]):
        return best
    return min(truth, key=lambda other: math.dist(pose.position, truth[other].position))


def _near(pose: Pose, other: Pose) -> bool:
    return planar_distance(pose.position, other.position) < _NEAR and abs(
        pose.position[2] - other.position[2]) < _NEAR


def _turned(thing: WorldObject, pose: Pose, other: Pose) -> float:
    """The angle between two yaws of a thing that looks the same after a half or a quarter turn, radians."""
    period = math.pi / 2.0 if abs(thing.size[0] - thing.size[1]) < _LIKE else math.pi
    turn = (pose.yaw - other.yaw) % period
    return min(turn, period - turn)
