"""What was recognised is drawn where the picture shows it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn import LENS, at, box, cylinder, draw
from hicrisp_core.model import WorldObject
from hicrisp_core.model.track import Track, Uncertainty, Visibility
from hicrisp_perception.annotating import annotated, as_jpeg, cut_out, numbered

RED, BLUE = box("red_box"), cylinder("cylinder")
SPOT, AWAY = at(0.45, 0.1, 0.025), at(0.5, -0.2, 0.045)
SURE = Uncertainty(0.002, 0.001, 0.01)


@pytest.fixture(scope="module")
def picture():
    return draw([(RED, SPOT), (BLUE, AWAY)])


def changed(picture, *tracks):
    """Where the picture is another one with these tracks drawn in, (height, width)."""
    drawn = annotated(picture, tracks, {"red_box": RED, "cylinder": BLUE})
    assert drawn.shape == picture.colour.shape
    return np.abs(drawn.astype(int) - picture.colour.astype(int)).sum(axis=2) > 60


def test_an_outline_is_around_the_thing_that_the_picture_shows(picture):
    rows, columns = np.nonzero(changed(picture, Track("red_box", SPOT, SURE, 0.0)))
    own_rows, own_columns = np.nonzero(
        picture.colour[..., 0].astype(int) - picture.colour[..., 1:].max(axis=2) > 60)
    assert columns.min() == pytest.approx(own_columns.min(), abs=30)  # Its name is wider.
    assert rows.max() == pytest.approx(own_rows.max(), abs=4)
    assert rows.min() < own_rows.min(), "its name stands above it"


def test_what_is_gone_or_behind_the_camera_is_not_drawn_and_what_is_hidden_is_dashed(picture):
    track = Track("cylinder", AWAY, SURE, 0.0)
    assert not changed(picture, replace(track, visibility=Visibility.GONE)).any()
    assert not changed(picture, replace(track, pose=at(3.0, 0.0, 0.5))).any()
    hidden = changed(picture, replace(track, visibility=Visibility.HIDDEN))
    assert hidden.any()


def test_an_unknown_thing_is_drawn_from_what_was_measured_of_it(picture):
    jug = WorldObject("unknown_1", "?", "box", (0.1, 0.05, 0.2))
    assert changed(picture, Track("unknown_1", at(0.4, 0.0, 0.1), SURE, 0.0, unknown=jug)).any()
    assert not changed(picture, Track("who", SPOT, SURE, 0.0)).any()


def test_a_lens_with_distortion_moves_the_outline_with_the_picture(picture):
    bent = replace(picture, lens=replace(LENS, distortion=(-0.3, 0.1, 0.0, 0.0, 0.0)))
    far = Track("red_box", at(0.2, 0.5, 0.025), SURE, 0.0)
    straight, curved = (np.nonzero(changed(each, far))[1].mean() for each in (picture, bent))
    assert abs(straight - curved) > 3.0


def test_a_picture_goes_out_as_a_small_jpeg(picture):
    data = as_jpeg(annotated(picture, [Track("red_box", SPOT, SURE, 0.0)], {"red_box": RED}))
    assert len(data) < 120_000
    assert cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR).shape == (480, 640, 3)


def test_the_part_that_shows_the_object_that_is_named_is_cut_out_small(picture):
    tracks = [Track("red_box", SPOT, SURE, 0.0), Track("cylinder", AWAY, SURE, 0.0)]
    known = {"red_box": RED, "cylinder": BLUE}
    for words in ("red box", "the Red box, on the left", "red_box"):
        part = cut_out(picture, words, tracks, known)
        shown = cv2.imdecode(np.frombuffer(part, np.uint8), cv2.IMREAD_COLOR)[..., ::-1].astype(int)
        assert len(part) < 60_000
        assert max(shown.shape) == 240
        assert (shown[..., 0] - shown[..., 1:].max(axis=2) > 60).mean() > 0.15
    assert not cut_out(picture, "put the red box next to the cylinder", tracks, known), "one of two would mislead"
    assert not cut_out(picture, "the box", tracks, known)
    assert not cut_out(picture, "red box", [replace(tracks[0], pose=at(3.0, 0.0, 0.5))], known)


def test_only_the_objects_that_are_asked_for_are_numbered(picture):
    tracks = [Track(own, at(0.4, y, 0.1), SURE, 0.0, unknown=WorldObject(own, "?", "box", (0.1, 0.05, 0.2)))
              for own, y in (("mug", -0.1), ("unknown_2", 0.1))]
    both, one, none = (numbered(picture, tracks, names) for names in (["mug", "unknown_2"], ["mug"], ["salt"]))
    assert (none == picture.colour).all()
    assert (one != both).any()
    assert (one != none).any()
