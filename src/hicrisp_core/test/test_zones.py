"""Zones that no base may enter: as scenes have them, as shapes on the ground, as ways that they close, as a guard."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Tuple

import numpy as np
import pytest
from agv_world import CONFIG, DOMAIN, PLACES
from hicrisp_core.body.decoder import ActionDecoder
from hicrisp_core.detector.state_estimator import StateEstimator
from hicrisp_core.domain import load_domain
from hicrisp_core.domain.schema import zones_of
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import CauseKind, Command, Feedback, KeepOut, Pose, WorldObject, keep_out
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.model.keep_out import crossed, disc, overlapped, space_to, zone
from hicrisp_core.model.offsets import DecoderOffsets
from hicrisp_core.model.scan import Scan
from hicrisp_core.robot.drive_goals import FreeSpace, drive_space_of
from hicrisp_core.robot.safety import ZoneGuard
from hicrisp_core.scene import Scene, load_scene

RADIUS = 0.18
BAND = "keep_off: {type: no_go, position: [2.2, 1.5], size: [0.4, 2.0], yaw: 0}"
GAP = "keep_off: {type: no_go, position: [2.2, 1.1], size: [0.4, 1.2], yaw: 0}"


def scene_with(folder: Path, area: str) -> Scene:
    """The papers' arena without obstacles and with one more area."""
    text = (CONFIG / "scenes" / "agv.yaml").read_text(encoding="utf-8").split("\nobstacles:")[0]
    text = text.replace("areas:\n", f"areas:\n  {area}\n")
    file = folder / "scene.yaml"
    file.write_text(text + "\n", encoding="utf-8")
    return load_scene(file)


def lawn(x: float, y: float, size: Tuple[float, float], yaw: float = 0.0) -> KeepOut:
    found = zone(WorldObject("lawn", "no_go", "region", (*size, 0.002),
                             pose=Pose((x, y, 0.0), from_yaw(yaw))))
    assert found is not None
    return found


def test_a_zone_is_its_rectangle_with_its_yaw_and_not_the_disc_around_it() -> None:
    turned = lawn(2.0, 1.0, (0.4, 2.0), math.radians(90.0))
    assert turned.ground.bounds == pytest.approx((1.0, 0.8, 3.0, 1.2))
    assert space_to(turned, (2.0, 1.5), RADIUS) == pytest.approx(0.3 - RADIUS)
    assert space_to(turned, (2.0, 1.1), RADIUS) == pytest.approx(-0.1 - RADIUS)


@pytest.mark.parametrize("shape", [
    lawn(2.0, 1.0, (0.4, 1.2), 0.5), disc(2.0, 1.0, 0.3), KeepOut(((1.5, 0.5), (2.5, 1.5)), 0.2),
    KeepOut(((1.0, 0.0), (3.0, 0.0), (3.0, 2.0), (2.0, 0.5), (1.0, 2.0)))])
def test_what_is_painted_into_a_grid_is_the_shape_itself(shape: KeepOut) -> None:
    from shapely.geometry import Point

    x, y = np.meshgrid(np.linspace(0.5, 3.5, 25), np.linspace(-0.5, 2.5, 25))
    expected = [[shape.ground.distance(Point(*spot)) for spot in zip(*row)] for row in zip(x, y)]
    assert shape.distance(x, y) == pytest.approx(np.array(expected), abs=2e-3)


@pytest.mark.parametrize("shape", [
    lawn(2.0, 1.0, (0.4, 1.2), 0.5), disc(1.2, 0.5, 0.3), KeepOut(((-1.0, 0.5), (2.5, 1.5)), 0.2), disc(9.0, 9.0, 1.0),
    lawn(0.0, 0.0, (20.0, 20.0))])
def test_a_shape_is_painted_into_its_own_window_of_a_grid_as_into_all_of_it(
    shape: KeepOut, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keep_out, "_AT_ONCE", 200)
    corner, size, within = (0.5, -0.5), 0.05, 0.05
    x, y = np.meshgrid(*(low + (np.arange(count) + 0.5) * size for low, count in zip(corner, (60, 40))))
    cells = np.zeros((40, 60), dtype=np.int8)
    shape.paint(cells, corner, size, within, 7)
    assert np.array_equal(cells == 7, shape.distance(x, y) <= within)


def test_a_path_is_compared_by_the_footprint_and_a_base_may_leave_where_it_stands() -> None:
    band = (lawn(2.0, 1.0, (0.4, 1.0)),)
    assert crossed([(1.0, 1.0), (3.0, 1.0)], RADIUS, band) is band[0]
    assert crossed([(1.0, 1.6), (3.0, 1.6)], RADIUS, band) is band[0]
    assert crossed([(1.0, 1.7), (3.0, 1.7)], RADIUS, band) is None
    assert crossed([(2.0, 1.4), (2.0, 1.6), (2.0, 1.8)], RADIUS, band) is None
    assert crossed([(2.0, 1.4), (2.0, 1.8), (2.0, 1.5)], RADIUS, band) is band[0]
    assert overlapped(Pose((2.37, 1.0, 0.0)), RADIUS, band) is band[0]
    assert overlapped(Pose((2.39, 1.0, 0.0)), RADIUS, band) is None


def test_which_zone_closes_a_way_is_known_before_anything_moves(tmp_path: Path) -> None:
    arena = scene_with(tmp_path, BAND).arena
    assert arena is not None
    floor, start, goal = FreeSpace(arena, RADIUS), (1.4, 0.9), [PLACES["area_3"]]
    band, half = lawn(2.2, 1.5, (0.4, 2.0)), lawn(2.2, 1.0, (0.4, 1.2))
    assert floor.closed_by(start, goal, (band,)) == ("lawn",)
    assert floor.closed_by(start, goal, (half,)) == ()
    rest = replace(lawn(2.2, 2.1, (0.4, 0.6)), name="rest")
    assert set(floor.closed_by(start, goal, (half, rest))) == {"lawn", "rest"}
    narrow = lawn(2.2, 1.33, (0.4, 1.66))  # A gap of 34 cm for a base of 36.
    assert floor.closed_by(start, goal, (narrow,)) == ("lawn",)


def test_a_command_to_an_area_behind_a_band_is_refused_with_the_zone_and_one_with_a_gap_carries_it(
    tmp_path: Path
) -> None:
    command = Command("visit", {"robot": "agv", "area": "area_3"}, "agv")
    frames = {"agv/base_link": (Pose((1.4, 0.9, 0.0)), 1.0)}
    closed, open_ = scene_with(tmp_path, BAND), scene_with(tmp_path, GAP)
    refused = ActionDecoder(DOMAIN, drive=drive_space_of(closed)).decode(
        command, StateEstimator(closed, DOMAIN).see(frames, 1.0), DecoderOffsets())
    assert isinstance(refused, Feedback)
    assert refused.cause is not None
    assert (refused.cause.kind, refused.cause.names) == (CauseKind.FORBIDDEN, ("keep_off",))
    aimed = ActionDecoder(DOMAIN, drive=drive_space_of(open_)).decode(
        command, StateEstimator(open_, DOMAIN).see(frames, 1.0), DecoderOffsets())
    assert isinstance(aimed, Command)
    assert [each.name for each in aimed.keep_out] == ["keep_off"]


def test_no_goal_is_chosen_where_the_footprint_would_be_over_a_zone(tmp_path: Path) -> None:
    scene = scene_with(tmp_path, "keep_off: {type: no_go, position: [3.206, 1.8], size: [0.6, 0.4]}")
    world = StateEstimator(scene, DOMAIN).see({"agv/base_link": (Pose((1.4, 0.9, 0.0)), 1.0)}, 1.0)
    aimed = ActionDecoder(DOMAIN, drive=drive_space_of(scene)).decode(
        Command("visit", {"robot": "agv", "area": "area_3"}, "agv"), world, DecoderOffsets())
    assert isinstance(aimed, Command)
    assert aimed.target is not None
    assert all(space_to(each, aimed.target.position, RADIUS) >= 0.05 for each in scene.zones)


def test_the_guard_stops_before_a_zone_in_the_direction_of_travel_and_lets_a_base_leave() -> None:
    band = [lawn(2.0, 1.0, (0.4, 4.0))]
    guard = ZoneGuard(band, RADIUS, deceleration=0.5)
    assert guard.ahead(Pose((1.0, 1.0, 0.0)), 0.5) is None
    assert guard.ahead(Pose((1.40, 1.0, 0.0)), 0.5) is band[0]
    assert guard.ahead(Pose((1.40, 1.0, 0.0), from_yaw(math.pi)), 0.5) is None
    assert guard.ahead(Pose((1.40, 1.0, 0.0), from_yaw(math.pi)), -0.5) is band[0]
    assert guard.ahead(Pose((1.58, 1.0, 0.0)), 0.0, 1.0) is None
    inside = ZoneGuard(band, RADIUS)
    assert inside.ahead(Pose((1.7, 1.0, 0.0), from_yaw(math.pi)), 0.2) is None
    assert inside.ahead(Pose((1.65, 1.0, 0.0), from_yaw(math.pi)), 0.2) is None
    assert inside.ahead(Pose((1.7, 1.0, 0.0)), 0.2) is band[0]


def test_a_scan_shows_what_no_map_explains_until_a_later_ray_goes_through_it(tmp_path: Path) -> None:
    scene = scene_with(tmp_path, GAP)
    eyes, angles = StateEstimator(scene, DOMAIN), np.linspace(-np.pi, np.pi, 360, endpoint=False)
    at, walls = Pose((2.9, 1.5, 0.0)), np.full(360, np.inf)
    near = np.where(np.abs(angles) < 0.15, 0.4, walls)
    frames = {"agv/base_link": (at, 1.0)}
    eyes.follow(frames, Scan(1.0, at, angles, near))
    world = eyes.see(frames, 1.0)
    seen = [thing for thing in world.objects.values() if thing.type == "obstacle"]
    assert seen
    assert all(math.dist(thing.pose.position[:2], (3.3, 1.5)) < 0.15 for thing in seen if thing.pose)
    assert world.robots["agv"].motion is not None
    assert world.robots["agv"].motion.clearance == pytest.approx(0.22, abs=0.01)
    eyes.follow(frames, Scan(1.1, at, angles, np.where(np.abs(angles) < 0.15, 1.12, walls)))
    assert not [thing for thing in eyes.see(frames, 1.1).objects.values() if thing.type == "obstacle"]


OWN_WORDS = """
domain: hall
extends: [lab]
types: {bench: surface, cart: tray, clutter: obstacle}
predicates: {}
roles: {surface: bench, tray: cart, obstacle: clutter}
actions: {}
"""


def test_tables_trays_and_obstacles_have_the_domains_own_types(tmp_path: Path) -> None:
    for folder in ("domains", "scenes"):
        (tmp_path / folder).mkdir()
    (tmp_path / "domains" / "hall.yaml").write_text(OWN_WORDS)
    lab = (CONFIG / "scenes" / "lab.yaml").read_text().replace("domain: lab", "domain: hall")
    scene_file = tmp_path / "scenes" / "hall.yaml"
    scene_file.write_text(f"{lab}\nobstacles:\n  bin: {{radius: 0.1, position: [0.8, -1.6]}}\n")
    scene, domain = load_scene(scene_file), load_domain(tmp_path / "domains" / "hall.yaml")
    assert {name: scene.objects[name].type for name in ("table", "tray", "bin")} == {
        "table": "bench", "tray": "cart", "bin": "clutter"}
    eyes, at, angles = StateEstimator(scene, domain), Pose((1.6, -1.0, 0.0)), np.linspace(-0.1, 0.1, 30)
    eyes.follow({"agv/base_link": (at, 1.0)}, Scan(1.0, at, angles, np.full(30, 0.5)))
    assert {thing.type for thing in eyes.obstacles().values()} == {"clutter"}


def test_zones_come_from_the_scene_by_the_domains_own_type(tmp_path: Path) -> None:
    scene = scene_with(tmp_path, BAND)
    assert [each.name for each in scene.zones] == ["keep_off"]
    assert zones_of(DOMAIN, scene.objects.values()) == scene.zones


def test_a_base_that_starts_in_a_zone_is_refused_with_the_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"scene.yaml:\d+: areas.keep_off: agv starts in keep_off"):
        scene_with(tmp_path, "keep_off: {type: no_go, position: [1.7, 0.9], size: [0.4, 0.4]}")


@pytest.mark.parametrize(("scene", "more", "told"), [
    ("tabletop", "areas: {lawn: {position: [0.5, 0.0]}}\n",
     r"scene.yaml:\d+: areas: the world 'embedded' has no 'areas': "
      "it is for scenes with world: arena or lab"),
    ("barman", "obstacles: {}\n", r"scene.yaml:\d+: obstacles: the world 'symbolic' has no 'obstacles'"),
    ("agv", "cameras: {}\n", r"scene.yaml:\d+: cameras: the world 'arena' has no 'cameras'")])
def test_a_key_that_a_world_cannot_honour_is_refused_with_its_line_and_the_worlds_name(
    tmp_path: Path, scene: str, more: str, told: str
) -> None:
    file = tmp_path / "scene.yaml"
    file.write_text((CONFIG / "scenes" / f"{scene}.yaml").read_text(encoding="utf-8") + more,
                    encoding="utf-8")
    with pytest.raises(ConfigError, match=told):
        load_scene(file)


def test_a_zone_among_the_things_on_a_table_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "scene.yaml"
    file.write_text("scene: t\ndomain: lab\nobjects:\n  lawn: {type: no_go, shape: box, size: [0.05, 0.05, "
                    "0.05], position: [0.5, 0.0]}\n", encoding="utf-8")
    with pytest.raises(ConfigError,
                       match=r"scene.yaml:4: objects.lawn: .*the world 'embedded' cannot honour it"):
        load_scene(file)
