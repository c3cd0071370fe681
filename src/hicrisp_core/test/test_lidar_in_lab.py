"""What the lidar of the lab's AGV sees of robots and furniture, and what that means for the arm."""

from __future__ import annotations

import math
from typing import Dict, List, Optional, Tuple

import numpy as np
import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.detector.state_estimator import StateEstimator
from hicrisp_core.domain import load_domain
from hicrisp_core.model import Pose, Relation, WorldObject, WorldState
from hicrisp_core.model.geometry import from_euler, from_yaw
from hicrisp_core.model.keep_out import vertical_span
from hicrisp_core.model.scan import Scan
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.lab import tray_in_base

SCENE = load_scene(config_file("scenes", "lab"), 0)
DOMAIN = load_domain(config_file("domains", SCENE.domain))
FLOOR = -0.25
DOCKED = Pose((0.32, -0.48, FLOOR), from_yaw(math.pi))
LIDAR = 0.22


def look(
    *ends: Tuple[float, float], base: Pose = DOCKED, links: Optional[Dict[str, Pose]] = None, tilt: float = 0.0,
) -> Tuple[StateEstimator, WorldState]:
    """The world after one scan whose rays ended at some points of the map, at the lidar's height."""
    eyes = StateEstimator(SCENE, DOMAIN)
    lidar = Pose((*base.position[:2], base.position[2] + LIDAR), from_euler(0.0, tilt, base.yaw))
    away = np.array(ends) - np.array(base.position[:2])
    angles = np.arctan2(away[:, 1], away[:, 0]) - base.yaw
    frames = {name: (pose, 1.0) for name, pose in {
        "agv/base_link": base, "tray": base.compose(tray_in_base()), **(links or {})}.items()}
    eyes.follow(frames, Scan(1.0, lidar, angles, np.hypot(*away.T)))
    return eyes, eyes.see(frames, 1.0)


def seen(
    *ends: Tuple[float, float], base: Pose = DOCKED, links: Optional[Dict[str, Pose]] = None, tilt: float = 0.0,
) -> List[WorldObject]:
    """What then stands about."""
    return list(look(*ends, base=base, links=links, tilt=tilt)[0].obstacles().values())


def around(x: float, y: float, radius: float = 0.03) -> List[Tuple[float, float]]:
    return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in np.linspace(0.0, 6.0, 12)]


def test_what_the_arm_and_the_table_stand_on_is_no_obstacle() -> None:
    assert not seen(*around(0.05, -0.08), *around(-0.16, 0.02, 0.01), *around(0.75, 0.4), *around(0.3, -0.19, 0.01))


def test_what_is_seen_stands_on_the_floor_and_is_as_high_as_the_lidar() -> None:
    found = seen(*around(1.2, -0.6))
    assert found
    for thing in found:
        assert thing.pose is not None
        assert vertical_span(thing, thing.pose) == pytest.approx((FLOOR, FLOOR + LIDAR))


def test_what_stands_beside_a_docked_base_is_not_aboard_it_and_its_tray_is() -> None:
    _, world = look(*around(0.32 + 0.22, -0.48, 0.02))
    assert any(thing.type == "obstacle" for thing in world.objects.values())
    assert [fact for fact in world.relations if fact.predicate == "aboard"] == [Relation("tray", "aboard", "agv")]


def test_a_base_does_not_see_itself() -> None:
    eyes, world = look(*around(0.32, -0.48, 0.1), (1.5, -0.48), (1.5, -0.47), (1.5, -0.46), (1.5, -0.45))
    assert not [thing for thing in eyes.obstacles().values() if math.dist(thing.pose.position[:2], (0.32, -0.48)) < 0.2]
    motion = world.robots["agv"].motion
    assert motion is not None
    assert motion.touches == 0
    assert motion.clearance > 0.9


def test_an_arm_that_reaches_down_into_the_lidars_plane_is_no_obstacle_where_its_links_are() -> None:
    hand = Pose((0.9, -0.6, FLOOR + LIDAR), from_euler(math.pi, 0.0, 0.0))
    reaching = around(0.9, -0.6, 0.02)
    assert seen(*reaching)
    assert not seen(*reaching, links={"panda_hand": hand})
    assert seen(*reaching, links={"panda_hand": Pose((0.9, -0.6, 0.6))})


def test_a_lidar_that_is_tilted_does_not_take_the_floor_for_a_thing() -> None:
    level = Pose((0.3, -1.6, FLOOR))
    ahead = [(0.3 + LIDAR / math.sin(0.2), -1.6 + 0.02 * side) for side in range(-4, 5)]
    assert seen(*ahead, base=level)
    assert not seen(*ahead, base=level, tilt=0.2)


@pytest.mark.parametrize(("height", "told"), [
    (-270.25, "is 270.0 m below its floor"), (0.55, "is 0.8 m above its floor")])
def test_a_base_that_is_not_on_its_floor_is_nowhere(height: float, told: str) -> None:
    eyes = StateEstimator(SCENE, DOMAIN)
    fallen = Pose((*DOCKED.position[:2], height), DOCKED.orientation)
    world = eyes.see({"agv/base_link": (fallen, 1.0)}, 1.0)
    assert world.robots["agv"].pose is None
    assert world.robots["agv"].sight == told
    assert not [fact for fact in world.relations if "agv" in fact]
    stands = eyes.see({"agv/base_link": (DOCKED, 2.0)}, 2.0)
    assert stands.holds("docked", "agv", "dock")
    assert stands.robots["agv"].off_floor == 0.0
