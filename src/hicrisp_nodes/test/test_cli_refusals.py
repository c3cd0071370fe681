"""What cannot be started is said before anything is started."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hicrisp_nodes.check_launch import main as check_launch
from hicrisp_nodes.cli.options import choose_brain, parse
from hicrisp_nodes.cli.trials import summary
from ports import free_port
from waiting import PATIENCE

OWN_SCENE = {
    "config/domains/cafe.yaml":
        "domain: cafe\nextends: [tabletop]\ntypes: {mug: graspable}\npredicates: {}\nactions: {}\n",
    "config/policies/calm.yaml": "policy: calm\nextends: [hierarchical]\n",
    "config/scenes/cafe.yaml":
        "scene: cafe\ndomain: cafe\nrobots: [panda]\ntask: wait\nobjects:\n"
        "  mug: {type: mug, shape: cylinder, size: [0.06, 0.06, 0.08], position: [0.45, -0.15]}\n"}


@pytest.mark.parametrize(("arguments", "said"), [
    (["--scene", "nowhere"], "there is no 'nowhere' in config/scenes; there are: agv"),
    (["--scene", "tabletop", "--policy", "none"], "there is no 'none' in config/policies"),
    (["--scene", "tabletop", "--llm", "none"], "there is no 'none' in config/llm"),
    (["--scene", "agv", "--needs", "table"],
     "scene agv has no table, which this launch file needs; these have: "),
    (["--scene", "workbench"], "no TF frame is published of the objects of scene workbench; use perception:=camera"),
    (["--scene", "lab", "--world", "embedded"], "scene lab is moved by world:=lab")])
def test_what_a_launch_file_cannot_start_is_said_before_it_starts_anything(arguments, said, capsys):
    assert check_launch(arguments) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("option", ["scene", "policy", "llm", "robot"])
def test_a_path_that_nodes_would_not_find_is_refused_with_the_whole_one(option, tmp_path, monkeypatch, capsys):
    (tmp_path / "mine.yaml").write_text("")
    monkeypatch.chdir(tmp_path)
    assert check_launch(["--scene", "tabletop", f"--{option}", "mine.yaml"]) == 2
    assert f"{option}:={tmp_path}/mine.yaml" in capsys.readouterr().err


def test_a_folder_that_takes_no_run_is_told_before_anything_is_started(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert check_launch(["--scene", "tabletop", "--runs-dir", str(tmp_path / "file" / "runs")]) == 2
    assert f"no run can be kept in {tmp_path}/file/runs: Not a directory" in capsys.readouterr().err


def test_a_model_that_does_not_answer_is_told_before_anything_is_started(tmp_path):
    file = tmp_path / "gone.yaml"
    file.write_text(f"llm: gone\nbackend: openai\nbase_url: http://127.0.0.1:{free_port()}/v1\n")
    done = subprocess.run([sys.executable, "-m", "hicrisp_nodes.cli.demo", "--llm", str(file), "--no-web"],
                          capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert "cannot be reached" in done.stderr
    assert f"scripts/doctor --llm {file}" in done.stderr
    assert "ready" not in done.stderr + done.stdout


def test_a_scene_of_one_s_own_brings_its_domain_and_policy(tmp_path, monkeypatch, capsys):
    for file, text in OWN_SCENE.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    monkeypatch.chdir(tmp_path)
    scene = parse(["--scene", "config/scenes/cafe.yaml"]).scene
    assert check_launch(["--scene", scene, "--policy", "calm"]) == 0, capsys.readouterr().err
    assert check_launch(["--scene", scene, "--policy", "wild"]) == 2


def test_trials_end_with_what_came_of_them():
    one = {"success": True, "corrections": {"offset": 2, "repair": 1}, "placement_error_m": 0.004, "wall_s": 10.0}
    other = {"success": False, "corrections": {"offset": 1}, "placement_error_m": None, "wall_s": 20.0}
    assert summary([one, other]) == \
        "1 of 2 succeeded; 4 corrections (offset 3, repair 1); placements 4.0 mm off; 15.0 s a trial"
    assert "0 corrections;" in summary([{**other, "corrections": {}}] * 2)


def test_paths_are_whole_once_they_are_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    typed = parse(["--scene", "scenes/mine.yaml", "--policy", "calm.yaml"])
    assert (typed.scene, typed.policy) == (f"{tmp_path}/scenes/mine.yaml", f"{tmp_path}/calm.yaml")
    assert parse(["--scene", "agv"]).scene == "agv"
    assert choose_brain("replay:run/llm.jsonl", {})[0] == f"replay:{tmp_path}/run/llm.jsonl"


def test_a_robot_s_file_that_its_driver_cannot_read_is_told_before_anything_is_started(tmp_path, capsys):
    file = tmp_path / "mine.yaml"
    file.write_text("name: agv\nmove_base: {planner: DWAPlannerROS}\n")
    assert check_launch(["--scene", "agv", "--robot", str(file)]) == 2
    assert f"{file}:1: the key 'landmarks' is missing" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [
    *(["--scene", "lab", "--robot", name] for name in (
        "agv_embedded", "agv_lab", "panda_embedded", "panda_franka", "panda_moveit")),
    ["--scene", "tabletop", "--needs", "table", "--world", "embedded"],
    ["--scene", "barman", "--world", "embedded"],
    ["--scene", "lab", "--needs", "table", "--needs", "arena", "--robot", "agv_move_base"]])
def test_what_can_be_launched_is_let_through(arguments, capsys):
    assert check_launch(arguments) == 0
    assert capsys.readouterr().err == ""
