"""The camera in Gazebo: a sensor where the scene's camera is, with its lens and its topics."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import from_euler
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.cameras import load_camera
from hicrisp_gazebo.depth_camera import EXACT, LINK, PLUGIN
from hicrisp_gazebo.scene_models import scenery

SETTINGS = load_camera("d435_fixed")
OTHER = """\
lens: {width: 320, height: 240, fx: 300.0, fy: %s, cx: 159.5, cy: 119.5}
mounting: {position: [1.0, 0.0, 1.0], target: [0.4, 0.0, 0.0]%s}
"""


def link_of(sdf: str) -> Element:
    link = ElementTree.fromstring(sdf).find(f"model/link[@name='{LINK}']")
    assert link is not None
    return link


def test_it_looks_where_the_scenes_camera_looks() -> None:
    link = link_of(scenery(load_scene("tabletop")))
    x, y, z, roll, pitch, yaw = map(float, link.findtext("pose", "").split())
    pose = Pose((x, y, z), from_euler(roll, pitch, yaw))
    ahead, _, up = pose.axes
    optical = SETTINGS.mounting.pose
    assert (x, y, z) == pytest.approx(optical.position)
    assert ahead == pytest.approx(optical.axes[2], abs=1e-6)
    assert up == pytest.approx([-value for value in optical.axes[1]], abs=1e-6)


def test_it_has_the_lens_and_publishes_under_the_names_of_realsense_in_the_namespace() -> None:
    sensor = link_of(scenery(load_scene("tabletop"), "/hicrisp/")).find("sensor")
    assert sensor is not None
    assert sensor.get("type") == "depth"
    assert float(sensor.findtext("update_rate", "")) == SETTINGS.rate
    lens = SETTINGS.lens
    view = float(sensor.findtext("camera/horizontal_fov", ""))
    assert lens.width / (2.0 * math.tan(view / 2.0)) == pytest.approx(lens.fx)
    assert sensor.findtext("camera/image/width") == "640"
    plugin = sensor.find("plugin")
    assert plugin is not None
    assert plugin.get("filename") == PLUGIN
    assert plugin.findtext("imageTopicName") == "/hicrisp/camera/color/image_raw"
    assert plugin.findtext("cameraInfoTopicName") == "/hicrisp/camera/color/camera_info"
    assert plugin.findtext("depthImageTopicName") == f"/hicrisp/{EXACT}"
    assert plugin.findtext("frameName") == "camera_color_optical_frame"
    assert float(plugin.findtext("pointCloudCutoff", "")) == SETTINGS.depth.near
    told = [float(plugin.findtext(name, "")) for name in ("Cx", "CxPrime", "Cy")]
    assert told == [319.5, 319.5, 239.5], "a pixel off is 3 mm on the table, and no look of its own notices"
    assert told[::2] == [lens.cx, lens.cy]


def test_an_arena_has_none() -> None:
    assert LINK not in scenery(load_scene("agv", 1))


@pytest.mark.parametrize(("fy", "besides", "said"), [
    ("300.0", ", link: panda_hand", "mounted on 'panda_hand', and in Gazebo a scene's camera stands still"),
    ("280.0", "", "fx 300 and fy 280"),
])
def test_a_camera_that_gazebo_cannot_have_is_refused(
        tmp_path: Path, fy: str, besides: str, said: str) -> None:
    (tmp_path / "cameras").mkdir()
    (tmp_path / "cameras/cell.yaml").write_text(OTHER % (fy, besides), encoding="utf-8")
    scene = replace(load_scene("tabletop"), camera="cell", source=str(tmp_path / "scenes/test.yaml"))
    with pytest.raises(ConfigError, match=said):
        scenery(scene)
