"""A base, three areas and a station as they are seen, without physics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Dict, Sequence, Tuple

from hicrisp_core.detector.perception import BaseFrames, perceive
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.model import Motion, Pose, WorldObject, WorldState
from hicrisp_core.model.geometry import from_yaw

CONFIG = Path(__file__).resolve().parents[3] / "config"
DOMAIN = load_domain(CONFIG / "domains" / "agv.yaml")
PLACES = {"area_1": (2.604, 1.266), "area_2": (1.496, 1.642), "area_3": (3.206, 2.103)}


def region(name: str, x: float, y: float, type_: str = "area", size: float = 0.5) -> WorldObject:
    return WorldObject(name, type_, "region", (size, size, 0.002), pose=Pose((x, y, 0.001)), movable=False)


def disc(name: str, x: float, y: float, radius: float) -> WorldObject:
    size = (2 * radius, 2 * radius, 0.4)
    return WorldObject(name, "obstacle", "cylinder", size, pose=Pose((x, y, 0.2)), movable=False)


CATALOGUE: Dict[str, WorldObject] = {name: region(name, *place) for name, place in PLACES.items()}
CATALOGUE["dock"] = region("dock", 3.65, 0.75, "station", 0.3)


def seen(
    x: float = 1.4, y: float = 0.9, yaw: float = 0.0, things: Sequence[WorldObject] = (),
    domain: Domain = DOMAIN,
    facts: Sequence[Tuple[str, str, str]] = ()
) -> WorldState:
    """The world with the base at a pose."""
    from hicrisp_core.model import Relation

    frames = {"agv/base_link": (Pose((x, y, 0.0), from_yaw(yaw)), 10.0)}
    catalogue = {**CATALOGUE, **{thing.name: thing for thing in things}}
    world = perceive(frames, catalogue, domain, 10.0, (BaseFrames("agv"),))
    return replace(world, relations=world.relations | {Relation(*fact) for fact in facts})


def at(area: str, **more: object) -> WorldState:
    """The world with the base in the middle of an area."""
    return seen(*PLACES[area], **more)  # type: ignore[arg-type]


def after_motion(world: WorldState, motion: Motion) -> WorldState:
    """The world after what was seen of the base's way."""
    return replace(world, robots={"agv": replace(world.robots["agv"], motion=motion)})
