"""A task of the benchmark as files that every node reads: scene, cameras and robot."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, Dict, List, Tuple

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.domain import load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose, WorldState
from hicrisp_core.ports.interpreter import Request, Understood
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.cameras import load_camera
from hicrisp_core.time.deadline import Deadline
from hicrisp_libero.describe_task import main, scene_of
from hicrisp_libero.description import REACH, Description, write_scene
from hicrisp_libero.episode import ReadInFile
from hicrisp_libero.node import LiberoServer
from hicrisp_nodes.cli.options import parse

from hicrisp_libero import demo

_TASK = """(define (problem shop)
  (:language Put the can beside the box)
  (:regions (spot (:target shop_table) (:ranges ((0.1 -0.3 0.3 -0.1)))))
  (:fixtures shop_table - table)
  (:objects tin_can_1 - tin_can)
  (:init (On tin_can_1 shop_table_spot))
  (:goal (And (On tin_can_1 shop_table_spot))))
"""
_DOWN = (1.0, 0.0, 0.0, 0.0)
"""Of a hand that points down: turned by half a turn about x."""


@pytest.fixture
def description(tmp_path: Path) -> Description:
    tasks = tmp_path / "packages" / "libero" / "libero" / "bddl_files" / "shop"
    tasks.mkdir(parents=True)
    (tasks / "shop.bddl").write_text(_TASK, encoding="utf-8")
    told: Dict[str, Any] = {
        "instruction": "put the can beside the box", "file": str(tasks / "shop.bddl"), "free": ["tin_can_1"],
        "table": [0.0, 0.0, 1.0, 1.2], "base": [-0.66, 0.0, 0.9, 0, 0, 0, 1], "joints": [], "sites": {},
        "bodies": {"tin_can_1": {"pose": [-0.16, 0.2, 0.94, 0, 0, 0, 1], "mass": 0.2, "movable": True,
            "heights": [[0.08] * 25] * 25,
            "boxes": [[-0.03, -0.03, -0.04, 0.03, 0.03, 0.04, 0, 0, 0, 1]]}},
        "hand": [-0.2, 0.0, 1.2, *_DOWN],
        "cameras": {"agentview": {"pose": [0.0, 0.0, 2.0, 0, 0, 0, 1], "opening": 90.0},
            "robot0_eye_in_hand": {"pose": [-0.2, 0.0, 1.15, 0, 0, 0, 1], "opening": 75.0}},
    }
    return Description("shop", 0, 3, told)


def test_what_was_written_is_read_as_the_same_scene(description: Description, tmp_path: Path) -> None:
    scene = load_scene(write_scene(description, tmp_path))
    assert (scene.name, scene.world, scene.task) == ("shop_0_3", "libero", "put the can beside the box")
    assert scene.objects["tin_can"].pose is not None
    assert scene.objects["tin_can"].pose.position == pytest.approx((0.5, 0.2, 0.04))
    assert bodies_of(scene)["panda"].reach == REACH


def test_its_cameras_look_where_the_benchmark_s_do(description: Description, tmp_path: Path) -> None:
    """Those of MuJoCo look along -z; from two metres up and straight down, x of the world is to the right."""
    scene = load_scene(write_scene(description, tmp_path))
    camera = load_camera(scene.camera, scene.source)
    assert camera.mounting.pose.apply((0.1, 0.2, 1.0)) == pytest.approx((0.76, -0.2, 0.1))
    assert camera.lens.fy == pytest.approx(240.0)
    wrist = load_camera("shop_0_3_wrist", scene.source)
    assert wrist.mounting.link == "panda_hand"
    assert wrist.mounting.pose.apply((0.0, 0.0, 1.0)) == pytest.approx((0.0, 0.0, 1.05))


def test_words_are_read_as_the_file_writes_them_in_the_scene_that_it_describes(description: Description) -> None:
    asked: List[Request] = []

    class Reader:
        def understand(self, request: Request, deadline: Deadline) -> Understood:
            asked.append(request)
            return Understood(trouble="nobody reads it")

    words, _ = description.in_words(load_domain(config_file("domains", "libero")))
    started = WorldState({})
    assert ReadInFile(Reader(), words).understand(Request("put it there", started), Deadline(1.0)).trouble
    assert [each.text for each in asked] == ["Put the can beside the box"]
    pose = asked[0].world.objects["tin_can"].pose
    assert pose is not None
    assert pose.position[:2] == pytest.approx((0.2, -0.2))


def test_a_scene_whose_description_is_gone_says_what_writes_one(description: Description, tmp_path: Path) -> None:
    file = write_scene(description, tmp_path)
    file.with_suffix(".json").unlink()
    with pytest.raises(ConfigError, match=r"shop_0_3.json describes no task of LIBERO.*scripts/demo --libero"):
        load_scene(file)


@pytest.mark.parametrize("named", ["libero_goal", "libero_goal/x", "libero_goal/1/2/3"])
def test_what_names_no_task_is_refused_before_the_benchmark_is_started(
    named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ConfigError, match="say SUITE/TASK or SUITE/TASK/START"):
        scene_of(named, tmp_path)
    assert main([named, str(tmp_path)]) == 2
    assert "names no task" in capsys.readouterr().err


@pytest.mark.parametrize(("camera", "told"), [(True, {"panda_hand"}), (False, {"panda_hand", "tin_can", "drawer"})])
def test_by_camera_no_frame_of_an_object_or_of_a_part_is_published(camera: bool, told: Tuple[str, ...]) -> None:
    frames = {name: (Pose((0.0, 0.0, 0.0)), 1.0) for name in ("panda_hand", "tin_can", "drawer")}
    objects = {name: SimpleNamespace(joint=name == "drawer") for name in ("tin_can", "drawer")}
    server = LiberoServer.__new__(LiberoServer)
    server._by_camera = camera
    server._world = SimpleNamespace(  # type: ignore[assignment]
        frames=lambda _: frames, scene=SimpleNamespace(objects=objects))
    assert set(server._frames(None)) == told  # type: ignore[arg-type]


@pytest.mark.parametrize(("told", "perception"), [((), "poses"), (("--perception", "camera"), "camera")])
def test_a_task_is_seen_by_its_poses_unless_the_user_says_otherwise(
    told: Tuple[str, ...], perception: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: List[List[str]] = []
    monkeypatch.setattr(demo, "scene_of", lambda named, folder: folder / f"{named}.yaml")
    monkeypatch.setattr(demo, "run_demo", lambda arguments, kind: begun.append(arguments) or 0)
    assert demo.main(["--libero", "a_1", "--folder", str(tmp_path), *told]) == 0
    options = parse(begun[0])
    assert (options.perception, options.scene) == (perception, str(tmp_path / "a_1.yaml"))
