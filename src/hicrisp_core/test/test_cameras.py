"""Camera files: the shipped one loads, the mounting is a pose, and what is wrong is named with its line."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import facing, from_axes, from_euler
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.cameras import load_camera

GOOD = """\
lens: {width: 640, height: 480, fx: 615.0, fy: 615.0, cx: 319.5, cy: 239.5}
mounting: {position: [1.0, 0.0, 1.0], target: [0.0, 0.0, 0.0]}
"""
SCENE = """\
scene: test
domain: tabletop
camera: %s
objects:
  box: {type: box, size: [0.05, 0.05, 0.05], position: [0.4, 0.0]}
"""


def written(folder: Path, text: str, name: str = "cell.yaml") -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_the_default_camera_has_the_names_of_realsense() -> None:
    camera = load_camera("d435_fixed")
    assert camera.name == "d435_fixed"
    assert camera.topics.colour == "camera/color/image_raw"
    assert camera.frame == "camera_color_optical_frame"
    assert (camera.intrinsics.width, camera.intrinsics.height) == (640, 480)
    assert not camera.mounting.in_hand


def test_what_a_file_leaves_out_keeps_its_default(tmp_path: Path) -> None:
    camera = load_camera(written(tmp_path, GOOD))
    assert camera.topics.info == "camera/color/camera_info"
    assert camera.rate > 0.0


@pytest.mark.parametrize(("text", "said"), [
    (GOOD + "lense: 3\n", "unknown key 'lense' (did you mean 'lens'?); valid are: colour, depth, frame"),
    (GOOD.replace("640", "0"), "more than 0 is needed, got 0"),
    (GOOD.replace("cx: 319.5", "cx: 700.0"), "outside the picture of 640 x 480 pixels"),
    (GOOD.replace(", target: [0.0, 0.0, 0.0]", ""), "exactly one of 'target' and 'orientation'"),
    (GOOD.replace("target: [0.0, 0.0, 0.0]", "target: [1.0, 0.0, 1.0]"), "stands where it looks"),
    (GOOD.replace("target: [0.0, 0.0, 0.0]", "orientation: [0.0, 0.0, 0.0, 0.0]"), "no unit quaternion"),
    (GOOD + "rate: 0\n", "more than 0 is needed"),
    (GOOD + "depth: {near: 3.0, far: 1.0}\n", "near (3 m) is less than far (1 m)"),
    (GOOD + "topics: {color: x}\n", "unknown key 'color' (did you mean 'colour'?)"),
])
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(ConfigError, match="cell.yaml:") as error:
        load_camera(file)
    assert said in str(error.value)


def test_an_unknown_camera_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no 'd435_fixd' in config/cameras; there are: .*d435_fixed"):
        load_camera("d435_fixd")
    with pytest.raises(ConfigError, match=r"test.yaml:3: camera: there is no 'nowhere' in config/cameras"):
        load_scene(written(tmp_path, SCENE % "nowhere", "test.yaml"))


def test_a_scene_names_the_camera_beside_it(tmp_path: Path) -> None:
    written(tmp_path / "cameras", GOOD)
    scene = load_scene(written(tmp_path / "scenes", SCENE % "cell", "test.yaml"))
    assert scene.camera == "cell"
    assert load_camera(scene.camera, beside=scene.source).mounting.position == (1.0, 0.0, 1.0)
    assert load_scene("tabletop").camera == "d435_fixed"


def test_an_optical_frame_looks_ahead_with_up_upwards() -> None:
    pose = facing((1.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    right, down, ahead = pose.axes
    assert ahead == pytest.approx((-math.sqrt(0.5), 0.0, -math.sqrt(0.5)))
    assert right == pytest.approx((0.0, 1.0, 0.0), abs=1e-9)
    assert down[2] < 0.0
    assert facing((0.4, 0.1, 1.0), (0.4, 0.1, 0.0)).axes[2] == pytest.approx((0.0, 0.0, -1.0))
    with pytest.raises(ValueError, match="apart"):
        facing((1.0, 1.0, 1.0), (1.0, 1.0, 1.0))


@pytest.mark.parametrize("angles", [(0.0, 0.0, 0.0), (3.1, 0.1, 0.2), (0.1, 0.2, 3.1), (0.3, -1.4, -2.0),
                                    (math.pi, 0.0, 0.0), (0.0, math.pi, 0.0), (0.0, 0.0, math.pi),
                                    (2.0, 3.0, 1.0)])
def test_axes_give_their_quaternion_back(angles: tuple) -> None:
    orientation = from_euler(*angles)
    found = from_axes(*Pose((0.0, 0.0, 0.0), orientation).axes)
    assert abs(sum(a * b for a, b in zip(found, orientation))) == pytest.approx(1.0)
