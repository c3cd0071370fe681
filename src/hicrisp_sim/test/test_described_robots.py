"""A robot is what its files say: another name, other links and other limits need no code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from acting import Lab, pointing_down
from hicrisp_core.config.files import config_file
from hicrisp_core.errors import ConfigError
from hicrisp_core.ports.robot import Trajectory
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.agv.world import AgvWorld
from hicrisp_sim.arm_model import load_description
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.lab.world import LabWorld
from waiting import PATIENCE

OURS = config_file("robots", "panda").parent


def write(folder: Path, kind: str, name: str, text: str) -> Path:
    """A file of a configuration of one's own."""
    (folder / kind).mkdir(exist_ok=True)
    (folder / kind / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder / kind / f"{name}.yaml"


@pytest.fixture
def ada(tmp_path: Path) -> Path:
    """The table for an arm called ada: the links of its URDF are called after it, and it is slower."""
    theirs = load_description(OURS / "panda_embedded.yaml")
    description = tmp_path / "robots" / "ada"
    for file in (theirs.model.urdf, theirs.model.srdf):
        renamed = description / file.replace("panda", "ada")
        renamed.parent.mkdir(parents=True)
        text = (theirs.folder / file).read_text(encoding="utf-8")
        renamed.write_text(text.replace("panda_", "ada_"), encoding="utf-8")
    (description / "meshes").symlink_to(theirs.folder / "meshes")
    for end in ("", "_embedded"):
        text = (OURS / f"panda{end}.yaml").read_text(encoding="utf-8").replace(theirs.model.folder, "ada")
        write(tmp_path, "robots", f"ada{end}", text.replace("panda", "ada").replace("2.175,", "1.0,"))
    scene = (OURS.parent / "scenes" / "tabletop.yaml").read_text(encoding="utf-8")
    return write(tmp_path, "scenes", "adas", scene.replace("robots: [panda]", "robots: [ada]"))


def test_an_arm_of_another_name_picks_and_places(ada: Path) -> None:
    lab = Lab(ada, seed=3)
    assert lab.world.robot.name == "ada"
    assert "ada_hand_tcp" in lab.world.frames()
    assert not [name for name in lab.world.frames() if "panda" in name]
    result, _ = lab.run("place the box next to the cylinder")
    assert result.success, result.message


def change_urdf(scene: Path, old: str, new: str) -> None:
    """Describe the arm of a scene otherwise."""
    urdf = next(scene.parent.parent.glob("robots/ada/**/*.urdf"))
    text = urdf.read_text(encoding="utf-8")
    assert old in text
    urdf.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize("friction", ["1.0", "4.0"])
def test_the_dry_friction_of_an_arms_joints_is_no_touch(ada: Path, friction: str) -> None:
    change_urdf(ada, 'friction="0.0"', f'friction="{friction}"')
    lab = Lab(ada, seed=3)
    result, _ = lab.run("place the box next to the cylinder")
    assert result.success, result.message
    assert not result.corrections


def test_fingers_that_turn_are_refused_by_name_where_only_sliding_ones_move(ada: Path) -> None:
    change_urdf(ada, 'type="prismatic"', 'type="revolute"')
    with pytest.raises(ConfigError, match="finger joint ada_finger_joint1 of ada turns"):
        Lab(ada, seed=3)


def test_an_arms_own_limits_hold(ada: Path) -> None:
    lab = Lab(ada, seed=3)
    lab.arm.sync(lab.see())
    motion = lab.arm.plan_to(pointing_down(0.5, 0.3, 0.3), Deadline(PATIENCE))
    assert isinstance(motion, Trajectory)
    assert motion.joints[0] == "ada_joint1"
    fastest = np.abs(motion.velocities).max(axis=0)
    assert (fastest[:4] <= 0.5 * 1.0 + 1e-6).all()


@pytest.mark.parametrize(("world", "scene", "robot", "use"), [
    (EmbeddedWorld, "tabletop", "panda", "embedded"), (AgvWorld, "agv", "agv", "embedded"),
    (LabWorld, "lab", "agv", "lab")])
def test_a_robot_that_nothing_describes_is_refused_with_those_that_are(
    tmp_path: Path, world: type, scene: str, robot: str, use: str
) -> None:
    text = (OURS.parent / "scenes" / f"{scene}.yaml").read_text(encoding="utf-8")
    named = text.replace(f"robots: [{robot}]", "robots: [eve]").replace(f"  {robot}: {{", "  eve: {")
    assert named != text
    with pytest.raises(ConfigError) as refused:
        world(write(tmp_path, "scenes", "eves", named))
    assert "'eve'" in str(refused.value)
    assert f"config/robots/eve_{use}.yaml" in str(refused.value)
    assert str(refused.value).endswith(f"take one of: {robot}")


def test_a_file_about_another_robot_than_the_scenes_is_refused() -> None:
    with pytest.raises(ConfigError, match="which is not in the scene 'tabletop'; its robots: panda"):
        EmbeddedWorld("tabletop", robot="agv_embedded")


@pytest.mark.parametrize(("ours", "wrong", "said"), [
    ("rest: [0.0, ", "rest: [", "rest has 6 values for 7 joints"),
    ("effort: [87.0, ", "effort: [", "effort has 6 values for 7 joints"),
    ("urdf/panda.urdf", "urdf/none.urdf", "correct urdf in"),
    ("folder: cmeel", "folder: nowhere", "correct 'folder' in the robot's file"),
    ("hand: panda_hand", "hand: panda_paw", "no link 'panda_paw'; its links: panda_link0, "),
    ("joints: [panda_joint1, panda_joint2", "joints: [panda_joint2, panda_joint1",
     "from the stand to the fingers"),
])
def test_a_mistake_in_a_description_says_what_to_do(tmp_path: Path, ours: str, wrong: str, said: str) -> None:
    text = (OURS / "panda_embedded.yaml").read_text(encoding="utf-8")
    assert ours in text
    with pytest.raises(ConfigError) as refused:
        load_description(write(tmp_path, "robots", "panda_embedded", text.replace(ours, wrong))).spec()
    assert said in str(refused.value)
