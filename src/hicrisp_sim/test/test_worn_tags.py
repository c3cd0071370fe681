"""Tags in the embedded world: a detector finds them where the map says that they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.tags import tags_of
from hicrisp_sim.embedded import EmbeddedWorld


@pytest.mark.parametrize(("name", "seed"), [("tabletop", 1), ("blocks", 0), ("clutter", 3)])
def test_the_tags_are_seen_at_the_corners_that_the_map_tells(name: str, seed: int) -> None:
    scene = replace(load_scene(name, seed), tags=True)
    world = EmbeddedWorld(scene, seed)
    picture = world.camera.take()
    assert picture is not None
    tags = {tag.number: tag for tag in tags_of(scene)}
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11))
    large = cv2.resize(cv2.cvtColor(picture.colour, cv2.COLOR_RGB2GRAY), None, fx=2, fy=2,
                       interpolation=cv2.INTER_CUBIC)
    found, numbers, _ = detector.detectMarkers(large)
    recognised = {tags[number].thing for number in numbers.ravel().tolist()}
    assert recognised >= {"box", "cylinder"} & set(scene.objects)
    assert len(numbers) >= len(scene.things)
    for seen, number in zip(found, numbers.ravel().tolist()):
        tag = tags[number]
        placed = world.true_frames()[tag.thing][0].compose(tag.pose)
        for corner, (column, row) in zip(tag.corners, (seen.reshape(4, 2) + 0.5) / 2.0 - 0.5):
            x, y, z = picture.camera.inverse().apply(placed.apply(corner))
            told = (picture.lens.cx + picture.lens.fx * x / z, picture.lens.cy + picture.lens.fy * y / z)
            assert np.hypot(told[0] - column, told[1] - row) < 2.5, (tag.thing, number)


def test_tags_change_nothing_that_moves() -> None:
    plain = load_scene("tabletop", 1)
    bare, wearing = EmbeddedWorld(plain, 1), EmbeddedWorld(replace(plain, tags=True), 1)
    for name, (pose, _) in bare.true_frames().items():
        assert wearing.true_frames()[name][0].position == pytest.approx(pose.position, abs=1e-9)


def test_a_marker_on_what_is_not_there_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("tags: [{number: 3, thing: panda_nose, size: 0.05, position: [0, 0, 0]}]\n")
    with pytest.raises(ConfigError, match=r"'panda_nose'.*there are: table, panda_link0"):
        EmbeddedWorld(replace(load_scene("tabletop", 1), markers=str(file)), 1)
