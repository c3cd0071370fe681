"""A mounting from views of a tag: found, with an honest uncertainty, or refused with the reason."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import List

import cv2
import numpy as np
import pytest
from hicrisp_core.model.geometry import Pose, facing, from_euler
from hicrisp_core.model.picture import Lens
from hicrisp_core.scene.tags import Tag
from hicrisp_perception.calibration.hand_eye import Calibration, NoCalibration, TagView, hand_eye, misplaced

LENS = Lens(640, 480, 615.0, 612.0, 321.0, 238.0, (0.1, -0.2, 0.001, -0.002, 0.05))
CAMERA = facing((1.05, 0.1, 0.88), (0.42, 0.0, 0.02))
WORN = Pose((0.034, 0.004, 0.03), from_euler(-1.5, 0.05, -1.6))
TAG = Tag(586, "panda_hand", 0.06, Pose((0.03, 0.0, 0.03), from_euler(-1.57, 0.0, -1.57)))


def seen(link: Pose, camera: Pose = CAMERA) -> np.ndarray:
    """The corners of the tag, without noise."""
    placed = camera.inverse().compose(link).compose(WORN)
    points = np.array([placed.apply(corner) for corner in TAG.corners])
    pixels, _ = cv2.projectPoints(points, np.zeros(3), np.zeros(3), LENS.matrix, np.array(LENS.distortion))
    return pixels.reshape(4, 2)


def views(count: int, noise: float, seed: int, tilt: float = 0.7) -> List[TagView]:
    """Views from different directions; with a tilt of 0 from one alone."""
    dice = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        depth = dice.uniform(0.5, 1.0)
        x, y = dice.uniform(-0.25, 0.25) * depth, dice.uniform(-0.2, 0.2) * depth
        turn = from_euler(math.pi + dice.uniform(-tilt, tilt), dice.uniform(-tilt, tilt),
                          dice.uniform(-tilt, tilt))
        link = CAMERA.compose(Pose((x, y, depth), turn)).compose(WORN.inverse())
        found.append(TagView(seen(link) + dice.normal(0.0, noise, (4, 2)), link))
    return found


def test_a_mounting_and_the_tags_place_are_found_without_a_guess() -> None:
    found = hand_eye(views(20, 0.1, 1), TAG, LENS)
    assert isinstance(found, Calibration)
    position, turn = misplaced(found.mounting, CAMERA)
    assert position < 0.0015
    assert turn < math.radians(0.1)
    assert misplaced(found.tag, WORN)[0] < 0.001


@pytest.mark.parametrize("count", [10, 25])
def test_the_uncertainty_is_that_of_the_errors(count: int) -> None:
    far, told = [], []
    for seed in range(12):
        found = hand_eye(views(count, 0.2, seed), TAG, LENS)
        assert isinstance(found, Calibration)
        far.append(misplaced(found.mounting, CAMERA))
        told.append((found.position, found.turn))
    true, said = np.sqrt(np.mean(np.square(far), axis=0)), np.sqrt(np.mean(np.square(told), axis=0))
    assert (true < 1.6 * said).all()
    assert (said < 3.0 * true).all()


def test_a_view_that_fits_with_no_other_is_left_out() -> None:
    taken = views(15, 0.1, 3)
    taken[6] = replace(taken[6], link=taken[6].link.shifted((0.02, 0.0, 0.01)))
    found = hand_eye(taken, TAG, LENS)
    assert isinstance(found, Calibration)
    assert found.left_out == (6,)
    assert misplaced(found.mounting, CAMERA)[0] < 0.002


def test_views_from_one_direction_are_refused() -> None:
    found = hand_eye(views(12, 0.1, 4, tilt=0.02), TAG, LENS)
    assert isinstance(found, NoCalibration)
    assert "direction" in found.reason


def test_too_few_views_are_refused_with_what_is_needed() -> None:
    found = hand_eye(views(4, 0.1, 5), TAG, LENS)
    assert isinstance(found, NoCalibration)
    assert "4 times" in found.reason


def test_a_tag_of_another_size_is_noticed() -> None:
    found = hand_eye(views(15, 0.1, 6), replace(TAG, size=0.075), LENS)
    assert isinstance(found, NoCalibration)
    assert "size" in found.reason
