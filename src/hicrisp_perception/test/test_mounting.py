"""A camera that is not where it is told to be is noticed, with the deviation; one that nearly is, is not."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import distance, facing, from_euler, turn_between
from hicrisp_core.model.picture import Lens, Picture
from hicrisp_core.scene import load_scene
from hicrisp_perception.calibration.mounting import CameraMisplaced, CheckedTracker, mounting_check
from hicrisp_perception.calibration.table_edges import expected_table
from hicrisp_perception.view import along, matrix_of

LENS = Lens(640, 480, 615.0, 615.0, 319.5, 239.5)
CAMERA = facing((1.05, 0.0, 0.88), (0.42, 0.0, 0.02))
SCENE = load_scene("tabletop", 1)


def picture(camera: Pose, told: Pose = CAMERA, table: bool = True, seed: int = 1,
            stamp: float = 1.0) -> Picture:
    """A table above a floor as a noisy depth camera sees them, with a box that hides a part of an edge."""
    down = np.minimum(along(LENS, matrix_of(camera)[2]), -1e-6)
    depth = np.full((480, 640), (camera.position[2] + 0.75) / 1e-6)
    depth = np.minimum(depth, -(camera.position[2] + 0.75) / down)
    if table:
        on = expected_table(LENS, camera, np.array([0.1, -0.6]), np.array([0.9, 0.6]))
        depth = np.where(on, -camera.position[2] / down, depth)
        raised = replace(camera, position=(*camera.position[:2], camera.position[2] - 0.1))
        box = expected_table(LENS, raised, np.array([0.05, -0.3]), np.array([0.15, -0.1]))
        depth = np.where(box, (0.1 - camera.position[2]) / down, depth)
    dice = np.random.default_rng(seed)
    depth = depth + dice.normal(0.0, 0.002, depth.shape) * depth ** 2
    depth[(dice.random(depth.shape) < 0.05) | (depth > 3.0)] = 0.0
    return Picture(stamp, LENS, np.zeros((480, 640, 3), np.uint8), depth.astype(np.float32), told)


def knocked(metres: float, degrees: float, seed: int) -> Pose:
    """The camera a bit elsewhere, in a direction and about an axis by chance."""
    dice = np.random.default_rng(seed)
    way, axis = (each / np.linalg.norm(each) for each in dice.normal(size=(2, 3)))
    x, y, z = (float(value) for value in metres * way)
    roll, pitch, yaw = (float(value) for value in math.radians(degrees) * axis)
    return CAMERA.compose(Pose((x, y, z), from_euler(roll, pitch, yaw)))


@pytest.mark.parametrize("seed", range(6))
def test_two_centimetres_and_two_degrees_are_told(seed: int) -> None:
    true = knocked(0.02, 2.0, seed)
    misfit = mounting_check(picture(true, seed=seed), {}, SCENE)
    assert misfit is not None
    assert misfit.offset == pytest.approx(0.02, abs=0.006)
    assert math.degrees(misfit.turn) == pytest.approx(2.0, abs=0.4)
    assert misfit.camera is not None
    assert distance(misfit.camera.position, true.position) < 0.006
    assert turn_between(misfit.camera.orientation, true.orientation) < math.radians(0.4)
    assert f"{1000.0 * misfit.deviation:.0f} mm off" in misfit.reason


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("metres", [0.0, 0.003])
def test_three_millimetres_are_not(metres: float, seed: int) -> None:
    assert mounting_check(picture(knocked(metres, 0.0, seed), seed=seed), {}, SCENE) is None


def test_where_only_one_eye_of_the_camera_sees_the_table_does_not_end() -> None:
    seen = picture(CAMERA)
    for low, high in (([0.1, -0.55], [0.17, -0.32]), ([0.1, 0.0], [0.15, 0.5])):
        seen.depth[expected_table(LENS, CAMERA, np.array(low), np.array(high))] = 0.0
    assert mounting_check(seen, {}, SCENE) is None


def test_the_scene_says_how_far_off_it_may_be() -> None:
    seen = picture(knocked(0.02, 2.0, 1))
    assert mounting_check(seen, {}, replace(SCENE, camera_error=0.2)) is None


def test_a_table_that_is_not_there_is_told() -> None:
    misfit = mounting_check(picture(CAMERA, table=False), {}, SCENE)
    assert misfit is not None
    assert misfit.camera is None
    assert math.isinf(misfit.deviation)


def test_a_camera_that_looks_elsewhere_says_nothing() -> None:
    away = facing((1.05, 0.0, 0.88), (3.0, 0.0, 0.8))
    assert mounting_check(picture(away, told=away), {}, SCENE) is None


class Eyes:
    """Counts the pictures that it is shown."""

    def __init__(self) -> None:
        self.shown = self.forgotten = 0

    def look(self, picture: Picture, robots: object) -> tuple:
        self.shown += 1
        return ()

    def afterwards(self) -> None:
        pass

    def forget(self) -> None:
        self.forgotten += 1


def shown_to(checked: CheckedTracker, camera: Pose, stamp: float) -> None:
    """A picture that is looked at, and what can wait until then."""
    checked.look(picture(camera, stamp=stamp), {})
    checked.afterwards()


def test_nothing_is_looked_at_until_the_camera_is_in_its_place() -> None:
    eyes = Eyes()
    checked = CheckedTracker(eyes, SCENE)
    for stamp in (1.0, 1.2, 3.0):
        with pytest.raises(CameraMisplaced, match="mm off"):
            checked.look(picture(knocked(0.02, 2.0, 3), stamp=stamp), {})
    assert eyes.shown == 0
    checked.look(picture(CAMERA, stamp=5.0), {})
    checked.look(picture(knocked(0.02, 2.0, 3), stamp=6.0), {})
    assert eyes.shown == 2


def test_a_knock_while_things_are_looked_at_is_told_and_what_was_seen_is_forgotten() -> None:
    eyes = Eyes()
    checked = CheckedTracker(eyes, SCENE)
    shown_to(checked, CAMERA, 1.0)
    bumped = knocked(0.02, 2.0, 3)
    shown_to(checked, bumped, 6.5)
    with pytest.raises(CameraMisplaced, match="mm off"):
        checked.look(picture(bumped, stamp=6.7), {})
    assert eyes.forgotten == 1
    shown_to(checked, CAMERA, 9.0)
    assert eyes.shown == 3


def test_one_picture_that_does_not_fit_is_no_knock() -> None:
    checked = CheckedTracker(Eyes(), SCENE)
    for stamp, camera in ((1.0, CAMERA), (6.5, knocked(0.02, 2.0, 3)), (6.7, CAMERA), (6.9, CAMERA)):
        shown_to(checked, camera, stamp)
