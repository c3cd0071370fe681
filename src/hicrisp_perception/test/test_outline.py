"""Outlines say where things stand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from drawn import CAMERA, LENS, bowl, box, cylinder
from hicrisp_perception.shapes.outline import Projection, fit_outline
from hicrisp_perception.shapes.shape_models import lies_of
from hicrisp_perception.view import Rays

RAYS = Rays(LENS, CAMERA)


def contour(thing, place, count=90, part=slice(None), seed=0):
    """Pixels along the true outline, just within and a little off."""
    lie = lies_of(thing)[0]
    _, polygon = Projection(lie.corners(), lie.height / 2.0, RAYS).outline(np.array(place))
    closed = np.vstack([polygon, polygon[:1]])
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    where = np.linspace(0.0, length[-1], count, endpoint=False)[part]
    points = np.stack([np.interp(where, length, closed[:, axis]) for axis in range(2)], axis=1)
    inwards = polygon.mean(axis=0) - points
    points += 0.5 * inwards / np.linalg.norm(inwards, axis=1, keepdims=True)
    return lie, points + np.random.default_rng(seed).normal(0.0, 0.3, points.shape)


@pytest.mark.parametrize("thing", [box("box"), cylinder("can"), bowl(), box("tea", size=(0.07, 0.05, 0.09))])
def test_a_thing_is_found_from_a_rough_start(thing):
    place = (0.47, 0.15, 0.0 if thing.form.round else 0.4)
    lie, points = contour(thing, place)
    found = fit_outline(lie, (0.455, 0.163, place[2] - 0.15 * bool(place[2])), lie.height / 2.0, points, RAYS)
    assert math.dist((found.x, found.y), place[:2]) < 0.001
    assert abs(found.yaw - place[2]) < math.radians(1.5)


def test_half_an_outline_is_less_sure_and_says_so():
    lie, whole = contour(box("box"), (0.47, 0.15, 0.4))
    _, half = contour(box("box"), (0.47, 0.15, 0.4), part=slice(0, 40))
    sure, unsure = (fit_outline(lie, (0.47, 0.15, 0.4), 0.025, points, RAYS) for points in (whole, half))
    assert np.trace(unsure.covariance[:2, :2]) > 1.5 * np.trace(sure.covariance[:2, :2])


def test_what_others_show_is_left_out():
    place = (0.47, 0.15, 0.4)
    lie, points = contour(box("box"), place)
    stray = np.random.default_rng(1).uniform((380, 180), (450, 260), (25, 2))
    found = fit_outline(lie, (0.472, 0.148, 0.42), 0.025, np.vstack([points, stray]), RAYS)
    assert math.dist((found.x, found.y), place[:2]) < 0.002


def test_too_few_points_say_nothing():
    lie, points = contour(box("box"), (0.47, 0.15, 0.4), count=5)
    assert not np.isfinite(fit_outline(lie, (0.47, 0.15, 0.4), 0.025, points, RAYS).covariance).all()
