"""Scenes as models: shapes, masses and surfaces of what Gazebo gets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import List, Tuple
from xml.etree import ElementTree

import numpy as np
import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.scene import load_scene
from hicrisp_gazebo.scene_models import SCENERY, models_of, solids_of, thing_sdf, walls, world
from hicrisp_gazebo.world import agv_model

PACKAGE = Path(__file__).parents[1]
SCENES = [name for name in sorted(file.stem for file in (PACKAGE.parents[1] / "config/scenes").glob("*.yaml"))
          for scene in (load_scene(name, 3),) if not (scene.symbolic or scene.undescribed)]
BOWL = WorldObject("bowl", "bowl", "bowl", (0.15, 0.15, 0.055))


def collisions(sdf: str) -> List[ElementTree.Element]:
    return list(ElementTree.fromstring(sdf).iter("collision"))


def numbers(text: str) -> Tuple[float, ...]:
    return tuple(map(float, text.split()))


@pytest.mark.parametrize("name", SCENES)
def test_every_scene_with_geometry_becomes_models(name: str) -> None:
    scene = load_scene(name, 3)
    models = models_of(scene)
    assert list(models) == [SCENERY, *(thing.name for thing in scene.things)]
    for thing in scene.things:
        assert models[thing.name].pose == thing.pose
        link = ElementTree.fromstring(models[thing.name].sdf).find("model/link")
        assert link is not None
        assert float(link.findtext("inertial/mass", "")) == pytest.approx(scene.masses[thing.name])
        moments = np.diag([float(link.findtext(f"inertial/inertia/{axis}", ""))
                           for axis in ("ixx", "iyy", "izz")])
        assert (np.linalg.eigvalsh(moments) > 0.0).all()


def test_a_thing_without_a_mass_weighs_what_wood_does() -> None:
    cube = WorldObject("cube", "box", "box", (0.1, 0.1, 0.1))
    assert ElementTree.fromstring(thing_sdf(cube)).findtext(".//mass") == "0.6"


def test_a_bowl_is_open_at_the_top_and_closed_around() -> None:
    solids = solids_of(BOWL)
    floor, staves = solids[0], solids[1:]
    inside = BOWL.size[0] / 2.0 - 0.006
    assert floor.pose.position[2] + floor.size[2] / 2.0 < 0.0
    for stave in staves:
        x, y, z = stave.pose.position
        assert np.hypot(x, y) - stave.size[0] / 2.0 == pytest.approx(inside)
        assert z + stave.size[2] / 2.0 == pytest.approx(BOWL.size[2] / 2.0)
        assert stave.size[1] * len(staves) >= 2.0 * np.pi * inside


def test_what_a_gripper_holds_grips_better_than_what_stands_on_the_floor() -> None:
    cube = WorldObject("cube", "box", "box", (0.05, 0.05, 0.05))
    held, barrel = collisions(thing_sdf(cube, 0.15))[0], collisions(thing_sdf(cube, 8.0))[0]
    assert float(held.findtext(".//mu", "")) > float(barrel.findtext(".//mu", ""))
    assert held.find(".//torsional") is not None
    assert barrel.find(".//torsional") is None


def test_the_table_stands_where_the_scene_has_it() -> None:
    scene = load_scene("tabletop", 0)
    shapes = {element.get("name"): element for element in collisions(models_of(scene)[SCENERY].sdf)}
    top = shapes["top_collision"]
    assert numbers(top.findtext("pose", ""))[:3] == pytest.approx(scene.table.pose.position)
    assert numbers(top.findtext("geometry/box/size", "")) == pytest.approx(scene.table.size)


def test_an_arena_is_closed_and_its_areas_are_paint() -> None:
    scene = load_scene("agv", 1)
    assert scene.arena is not None
    model = ElementTree.fromstring(models_of(scene)[SCENERY].sdf)
    assert len(walls(scene.arena)) == 4
    paint = model.find("model/link[@name='paint']")
    assert paint is not None
    assert paint.find("collision") is None
    assert len(paint.findall("visual")) == 4


def test_a_name_that_the_scenery_has_is_refused() -> None:
    scene = load_scene("tabletop", 0)
    taken = replace(scene, objects={**scene.objects, SCENERY: scene.objects["box"]})
    with pytest.raises(ConfigError, match="taken"):
        models_of(taken)


def test_a_name_is_never_markup() -> None:
    hostile = WorldObject('x"/><plugin filename="evil.so"/><y z="', "box", "box", (0.1, 0.1, 0.1))
    assert ElementTree.fromstring(thing_sdf(hostile)).find(".//plugin") is None


def test_the_base_has_the_footprint_and_the_name_of_the_scene() -> None:
    scene = load_scene("agv", 1)
    assert scene.arena is not None
    start = replace(scene.arena.starts["agv"], radius=0.21)
    model = agv_model(PACKAGE / "models/agv/model.sdf", "cart", start)
    root = ElementTree.fromstring(model.sdf)
    assert root.find("model").get("name") == "cart"  # type: ignore[union-attr]
    assert root.findtext("model/link/collision[@name='chassis_collision']/geometry/cylinder/radius") == "0.21"
    assert model.pose == start.pose


@pytest.mark.parametrize(("text", "told"), [("<sdf", "cannot be read"), ("<sdf/>", "no model"),
                                            ("<sdf><model name='a'/></sdf>", "no cylinders")])
def test_a_base_that_cannot_be_used_is_refused(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "model.sdf"
    file.write_text(text, encoding="utf-8")
    scene = load_scene("agv", 1)
    assert scene.arena is not None
    with pytest.raises(ConfigError, match=told):
        agv_model(file, "agv", scene.arena.starts["agv"])


def test_the_base_turns_and_sees_as_the_plugins_are_told() -> None:
    model = ElementTree.parse(str(PACKAGE / "models/agv/model.sdf")).getroot()
    plugins = {plugin.get("filename"): plugin for plugin in model.iter("plugin")}
    wheels = plugins["libgazebo_ros_diff_drive.so"]
    apart = [numbers(model.findtext(f".//link[@name='{side}_wheel']/pose", ""))[1]
             for side in ("left", "right")]
    assert float(wheels.findtext("wheelSeparation", "")) == pytest.approx(apart[0] - apart[1])
    radius = float(model.findtext(".//collision[@name='left_wheel_collision']/geometry/sphere/radius", ""))
    assert float(wheels.findtext("wheelDiameter", "")) == pytest.approx(2.0 * radius)
    assert model.findtext(".//horizontal/samples") == "360"
    assert model.findtext(".//sensor/update_rate") == "10"
    assert {wheels.findtext("odometryFrame"), wheels.findtext("robotBaseFrame")} == {"odom", "base_link"}


def test_a_world_file_holds_the_scene_where_it_stands() -> None:
    scene = load_scene("tabletop", 5)
    text = world((PACKAGE / "worlds/hicrisp.world").read_text(encoding="utf-8"), scene)
    models = {model.get("name"): model for model in ElementTree.fromstring(text).iter("model")}
    assert set(models) == {SCENERY, "box", "cylinder"}
    box = scene.objects["box"].pose or Pose((0.0, 0.0, 0.0))
    assert numbers(models["box"].findtext("pose", "")) == pytest.approx((*box.position, 0.0, 0.0, box.yaw))
