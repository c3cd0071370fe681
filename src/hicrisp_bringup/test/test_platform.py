"""Where the scripts take ROS and its Python from, and what they find missing there."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import List, Tuple

import pytest
from missing_packages import missing_packages

PATIENCE = 180.0

ROOT = Path(__file__).resolve().parents[3]
MANIFEST = "<package format='2'><name>{}</name><version>0.0.0</version><description/></package>"


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    """A prefix whose ROS holds three packages, and nothing else."""
    for name in ("move_base", "moveit_commander", "rospy"):
        (tmp_path / "share" / name).mkdir(parents=True)
        (tmp_path / "share" / name / "package.xml").write_text(MANIFEST.format(name))
    (tmp_path / "setup.bash").write_text(f"export ROS_PACKAGE_PATH={tmp_path / 'share'} ROS_DISTRO=one\n")
    return tmp_path


def interpreter(folder: Path, version: str) -> Path:
    """A Python that says that it has a version, and does nothing else."""
    file = folder / "python3"
    file.write_text(f"#!{sys.executable}\nimport sys\nsys.version_info = ({version.replace('.', ', ')}, 0)\n"
                    "exec(sys.argv[2] if sys.argv[1] == '-c' else '')\n")
    file.chmod(0o755)
    return file


def shell(command: str, **environment: str) -> List[str]:
    """The lines that a command prints after the scripts' own set-up."""
    script = f". {ROOT}/scripts/lib/setup.sh; {command}"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HICRISP_", "ROS_"))}
    done = subprocess.run(["bash", "-c", script], env={**kept, **environment}, stdout=subprocess.PIPE,
                          text=True, timeout=PATIENCE, check=True)
    return done.stdout.split()


def test_a_prefix_that_is_named_is_where_ros_comes_from(prefix: Path) -> None:
    assert shell("echo $HICRISP_ROS $HICRISP_PYTHON; on_conda || echo no conda", HICRISP_ROS=str(prefix)) == [
        str(prefix), "/usr/bin/python3", "no", "conda"]


def test_an_active_conda_environment_with_ros_brings_ros_and_its_interpreter(prefix: Path) -> None:
    (prefix / "conda-meta").mkdir()
    said = shell("echo $HICRISP_ROS $HICRISP_PYTHON; how_to_install move_base", CONDA_PREFIX=str(prefix))
    assert said == [str(prefix), f"{prefix}/bin/python3", "conda", "install", "ros-one-move-base"]


def test_what_is_to_be_installed_by_hand_is_named_as_the_distribution_names_it(prefix: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import doctor; print(*(found.mend for found in doctor.system()), sep='\\n')"],
        env={**os.environ, "HICRISP_ROS": str(prefix), "HICRISP_MISSING": "python3-venv dynamic_reconfigure",
             "PYTHONPATH": str(ROOT / "scripts" / "lib")},
        stdout=subprocess.PIPE, text=True, timeout=PATIENCE, check=True)
    assert "apt-get install python3-venv ros-one-dynamic-reconfigure" in done.stdout


def test_a_prefix_of_another_ros_is_passed_over(prefix: Path) -> None:
    (prefix / "share" / "rospy" / "package.xml").unlink()
    (prefix / "share" / "rospy").rmdir()
    assert shell("find_ros", CONDA_PREFIX=str(prefix), ROS_DISTRO="humble") == shell("find_ros")


@pytest.mark.skipif(not Path("/usr/share/rospy").exists(), reason="ROS is not of the system's packages here")
def test_below_a_workspace_over_the_system_s_ros_the_system_s_packages_are_looked_after(tmp_path: Path) -> None:
    (tmp_path / "setup.bash").write_text("export ROS_PACKAGE_PATH=/usr/share ROS_DISTRO=Debian\n")
    done = subprocess.run([str(ROOT / "scripts" / "doctor"), "--json"], stdout=subprocess.PIPE, timeout=PATIENCE,
                          env={**os.environ, "HICRISP_ROS": str(tmp_path)}, check=False)
    found = {each["part"]: each for each in json.loads(done.stdout)["parts"]}
    assert found["system packages"]["state"] == "ok"
    assert "docs/noetic.md" in found["MoveIt"]["mend"]
    assert "ros-" not in found["MoveIt"]["mend"]


def test_without_a_prefix_ros_is_the_system_s(tmp_path: Path) -> None:
    assert shell("echo \"[$HICRISP_ROS]\"", HICRISP_ROS=str(tmp_path)) == ["[]"]


def test_a_named_prefix_without_ros_is_told(tmp_path: Path) -> None:
    assert "no setup.bash" in " ".join(shell(f"HICRISP_ROS={tmp_path} find_ros 2>&1"))


@pytest.mark.parametrize(("version", "said"), [
    ("3.7", ["refused"]), ("3.8", ["noetic", "old"]), ("3.10", ["noetic", "old"]), ("3.11", ["runtime"]),
    ("3.13", ["runtime"])])
@pytest.mark.parametrize("ros", ["", "prefix"])
def test_the_list_of_requirements_follows_the_interpreter_and_not_the_platform(
    prefix: Path, tmp_path: Path, version: str, said: List[str], ros: str,
) -> None:
    own = {"HICRISP_ROS": str(prefix)} if ros else {}
    assert shell("requirements_list || echo refused; if on_old_python; then echo old; fi",
                 HICRISP_PYTHON=str(interpreter(tmp_path, version)), **own) == said


def test_what_every_run_needs_is_told_apart_from_what_single_drivers_ask_for(prefix: Path) -> None:
    needed = runpy.run_path(str(ROOT / "scripts" / "lib" / "dependencies.py"), run_name="dependencies")["needed"]
    every, drivers = needed(ROOT / "src"), needed(ROOT / "src", drivers=True)
    assert every >= {"message_generation", "rospy", "catkin"}
    assert drivers >= {"panda_moveit_config", "move_base", "moveit_commander"}
    assert not every & drivers
    missing = shell("missing_dependencies; missing_dependencies --drivers", HICRISP_ROS=str(prefix))
    assert "panda_moveit_config" in missing
    assert not {"move_base", "moveit_commander"} & {*missing}
    assert not [name for name in missing if name.startswith("hicrisp_")]


def test_the_embedded_world_is_refused_on_an_old_python_with_what_to_do_instead(tmp_path: Path) -> None:
    environment = {**os.environ, "HICRISP_PYTHON": str(interpreter(tmp_path, "3.10"))}
    done = subprocess.run([str(ROOT / "scripts" / "demo")], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert "needs Python 3.11 or newer" in done.stdout
    assert "gazebo_panda.launch" in done.stdout


@pytest.mark.skipif(shutil.which("apt-cache") is None, reason="packages are looked up by apt")
def test_packages_that_no_source_has_are_named_whatever_the_system_is_called() -> None:
    assert shell("unavailable_packages catkin no-such-ros-package") == ["no-such-ros-package"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user's")
def test_a_checkout_of_another_user_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir(mode=0o755)
    shutil.copytree(ROOT / "scripts" / "lib", tmp_path / "scripts" / "lib")
    for folder in (tmp_path, *tmp_path.parents):
        folder.chmod(folder.stat().st_mode | 0o055) if folder.owner() == "root" else None
    done = subprocess.run(["setpriv", "--reuid=nobody", "--clear-groups", "bash", "-c",
                           f". {tmp_path}/scripts/lib/setup.sh; ensure_workspace"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert f"nobody may not write in {tmp_path}, which belongs to root" in done.stdout


def test_a_message_that_is_another_one_and_no_newer_is_built_anew(tmp_path: Path) -> None:
    """Copies keep the times of their files."""
    shutil.copytree(ROOT / "scripts" / "lib", tmp_path / "scripts" / "lib")
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    package = tmp_path / "src" / "tiny_msgs"
    (package / "msg").mkdir(parents=True)
    (package / "package.xml").write_text(
        "<package format='2'><name>tiny_msgs</name><version>0.0.0</version><description>A message.</description>"
        "<maintainer email='a@example.org'>a</maintainer><license>BSD</license>"
        "<buildtool_depend>catkin</buildtool_depend><build_depend>message_generation</build_depend><exec_depend>message_runtime</exec_depend></package>")
    (package / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.0.2)\nproject(tiny_msgs)\nfind_package(catkin REQUIRED COMPONENTS "
        "message_generation)\nadd_message_files(FILES Tiny.msg)\ngenerate_messages()\ncatkin_package()\n")
    message = package / "msg" / "Tiny.msg"
    for text in ("float64 near\n", "float64 far\n"):
        message.write_text(text)
        os.utime(message, (1e9, 1e9))
        subprocess.run(["bash", "-c", f". {tmp_path}/scripts/lib/setup.sh; ensure_build"], timeout=PATIENCE, check=True)
    built, = (tmp_path / "devel").glob("lib/python3*/*-packages/tiny_msgs/msg/_Tiny.py")
    assert "__slots__ = ['far']" in built.read_text(encoding="utf-8")


def test_what_a_test_needs_and_ros_lacks_is_told(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = prefix / "tried.test"
    file.write_text("<launch><node pkg='move_base' type='move_base' name='a'/>\n"
                    "<node pkg='gazebo_ros' type='gzserver' name='b'/></launch>")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(prefix / "share"))
    assert missing_packages([file]) == ["gazebo_ros"]


def test_the_doctor_asks_for_what_a_manifest_needs_and_for_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "setup.bash").write_text("rospack() { :; }\n")
    done = subprocess.run(
        [sys.executable, "-c", "import doctor; print(*(found.said for found in doctor.robot_stack()), sep='\\n')"],
        env={**os.environ, "HICRISP_ROS": str(tmp_path), "HICRISP_PLATFORM": "noetic",
             "PYTHONPATH": str(ROOT / "scripts" / "lib")},
        stdout=subprocess.PIPE, text=True, timeout=PATIENCE, check=True)
    asked = set(done.stdout.replace("not found", "").replace(",", "").split())
    manifests = "".join(file.read_text(encoding="utf-8") for file in ROOT.glob("src/*/package.xml"))
    assert {"move_base", "moveit_commander", "gazebo_ros", "franka_control"} <= asked
    assert not [name for name in asked if f"<exec_depend>{name}</exec_depend>" not in manifests]


@pytest.mark.parametrize(("arguments", "extras"), [
    (("virtualhome",), "virtualhome"), (("ablate", "virtualhome10"), "virtualhome"), (("ablate",), "virtualhome"),
    (("ablate", "blocks"), ""), (("fuzz", "--quick"), "fuzz"), (("tabletop",), ""), (("virtualhome", "--help"), "")])
def test_a_bench_installs_the_extras_of_its_suite_and_help_needs_none(
    tmp_path: Path, arguments: Tuple[str, ...], extras: str
) -> None:
    (tmp_path / "lib").mkdir()
    shutil.copy(ROOT / "scripts" / "bench", tmp_path / "bench")
    (tmp_path / "lib" / "setup.sh").write_text(
        "needs_embedded_world() { :; }\nensure_workspace() { echo \"set up:$*\"; exit 0; }\n")
    done = subprocess.run(["bash", str(tmp_path / "bench"), *arguments], env={**os.environ, "HICRISP_ROOT": "/nowhere"},
                          stdout=subprocess.PIPE, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.strip() == f"set up:{extras}"
