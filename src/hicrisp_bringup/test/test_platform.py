"""Where the scripts take ROS from, and what they find missing there: a prefix that plays /opt/ros/noetic."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest
from missing_packages import missing_packages

PATIENCE = 180.0

ROOT = Path(__file__).resolve().parents[3]
MANIFEST = "<package format='2'><name>{}</name><version>0.0.0</version><description/></package>"


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    """A prefix whose ROS holds two packages, and nothing else."""
    for name in ("move_base", "moveit_commander"):
        (tmp_path / "packages" / name).mkdir(parents=True)
        (tmp_path / "packages" / name / "package.xml").write_text(MANIFEST.format(name))
    (tmp_path / "setup.bash").write_text(f"export ROS_PACKAGE_PATH={tmp_path / 'packages'}\n")
    return tmp_path


def shell(command: str, ros: Path) -> List[str]:
    """The lines that a command prints after the scripts' own set-up."""
    script = f". {ROOT}/scripts/lib/setup.sh; {command}"
    done = subprocess.run(["bash", "-c", script], env={**os.environ, "HICRISP_ROS": str(ros)},
                          stdout=subprocess.PIPE,
                          text=True, timeout=PATIENCE, check=True)
    return done.stdout.split()


def test_a_prefix_with_a_setup_file_is_noetic(prefix: Path) -> None:
    assert shell("echo $HICRISP_PLATFORM $HICRISP_REQUIREMENTS; on_noetic && echo yes", prefix) == [
        "noetic", "noetic", "yes"]


def test_without_a_prefix_ros_is_debians(tmp_path: Path) -> None:
    assert shell("echo $HICRISP_PLATFORM $HICRISP_REQUIREMENTS; on_noetic || echo no", tmp_path) == [
        "debian", "runtime", "no"]


def test_what_the_manifests_ask_for_and_ros_lacks_is_missing(prefix: Path) -> None:
    missing = shell("missing_dependencies", prefix)
    assert "panda_moveit_config" in missing
    assert "move_base" not in missing
    assert not [name for name in missing if name.startswith("hicrisp_")]


def test_the_embedded_world_is_refused_on_noetic_with_what_to_do_instead(prefix: Path) -> None:
    done = subprocess.run([str(ROOT / "scripts" / "demo")], env={**os.environ, "HICRISP_ROS": str(prefix)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE,
                          check=False)
    assert done.returncode == 1
    assert "gazebo_panda.launch" in done.stdout


def test_what_a_test_needs_and_ros_lacks_is_told(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = prefix / "tried.test"
    file.write_text("<launch><node pkg='move_base' type='move_base' name='a'/>\n"
                    "<node pkg='gazebo_ros' type='gzserver' name='b'/></launch>")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(prefix / "packages"))
    assert missing_packages([file]) == ["gazebo_ros"]


def test_the_doctor_asks_for_what_a_manifest_needs_and_for_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "setup.bash").write_text("rospack() { :; }\n")
    done = subprocess.run(
        [sys.executable, "-c", "import doctor; print(*(found.said for found in doctor.noetic_stack()), sep='\\n')"],
        env={**os.environ, "HICRISP_ROS": str(tmp_path), "HICRISP_PLATFORM": "noetic",
             "PYTHONPATH": str(ROOT / "scripts" / "lib")},
        stdout=subprocess.PIPE, text=True, timeout=PATIENCE, check=True)
    asked = set(done.stdout.replace("not found", "").replace(",", "").split())
    manifests = "".join(file.read_text(encoding="utf-8") for file in ROOT.glob("src/*/package.xml"))
    assert {"move_base", "moveit_commander", "gazebo_ros", "franka_control"} <= asked
    assert not [name for name in asked if f"<exec_depend>{name}</exec_depend>" not in manifests]
