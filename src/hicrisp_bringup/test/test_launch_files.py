"""Every launch file names only what exists: files, programs, arguments; and roslaunch reads each."""

from __future__ import annotations

import os
import subprocess
from itertools import chain
from pathlib import Path
from typing import Dict, List, Optional

import pytest
from launch_check.commands import commands, compose_text, wrong
from launch_check.packages import Package, all_packages, arguments_of, noetic_packages
from launch_check.rules import Checker
from launch_check.stubs import write_stubs
from support.pages import written_pages

PATIENCE = 180.0

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parents[1]
ROOT = SOURCES.parent
LAUNCH = SOURCES / "hicrisp_bringup" / "launch"
TOP = sorted(LAUNCH.glob("*.launch"))
PARTS = sorted(LAUNCH.glob("include/*.launch"))
TESTS = sorted(chain(HERE.glob("*.test"), HERE.glob("*/*.test"), HERE.glob("support/*.launch")))
NO_SENSIBLE_DEFAULT = {"robot_ip": "172.16.0.2", "scene": "agv"}
"""Arguments of what a user types that only the user can know, with a value to try."""
SWITCHED = {"rviz": "true", "record": "true", "web": "false"}
"""Arguments with other values than their defaults, where a file has them."""
NODES = {"brain", "body", "detector", "corrector", "supervisor"}


@pytest.fixture(scope="session")
def packages() -> Dict[str, Package]:
    return all_packages(SOURCES)


@pytest.fixture(scope="session")
def roslaunch_environment(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, str]:
    """Where roslaunch finds our packages, those that are installed, and stand-ins for the others of the
    list.
    """
    folder = tmp_path_factory.mktemp("stubs")
    found = {name for name in noetic_packages() if subprocess.run(
        ["rospack", "find", name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        check=False).returncode == 0}
    write_stubs((package for name, package in noetic_packages().items() if name not in found), folder)
    paths = [str(SOURCES), *filter(None, [os.environ.get("ROS_PACKAGE_PATH")]), str(folder)]
    programs = [str(path.parent) for path in folder.glob("xacro/xacro")]
    return {**os.environ, "ROS_PACKAGE_PATH": ":".join(paths), "ROS_MASTER_URI": "http://127.0.0.1:1",
            "ROS_HOME": str(tmp_path_factory.mktemp("ros_home")),
            "PATH": ":".join([*programs, os.environ["PATH"]])}


@pytest.fixture(scope="session")
def unasked_environment(roslaunch_environment: Dict[str, str], tmp_path_factory: pytest.TempPathFactory
                        ) -> Dict[str, str]:
    """The same where the programs that a launch file asks while it is read, two seconds each, say nothing."""
    folder = tmp_path_factory.mktemp("unasked")
    rosrun = folder / "rosrun"
    rosrun.write_text("#!/bin/sh\necho unasked\n")
    rosrun.chmod(0o755)
    return {**roslaunch_environment, "PATH": ":".join([str(folder), roslaunch_environment["PATH"]])}


def roslaunch(option: str, file: Path, environment: Dict[str, str],
              switches: Optional[Dict[str, str]] = None) -> List[str]:
    takes = arguments_of(file)
    given = [f"{name}:={value}" for name, value in NO_SENSIBLE_DEFAULT.items() if name in takes.required]
    passed = 'pass_all_args="true"' in file.read_text(encoding="utf-8")  # To a file that may take them.
    given += [f"{name}:={value}" for name, value in (switches or {}).items() if passed or name in takes.optional]
    run = subprocess.run(["roslaunch", option, str(file), *given], env=environment, capture_output=True,
                         text=True, timeout=PATIENCE, check=False)
    assert run.returncode == 0, run.stderr
    assert "WARN" not in run.stdout + run.stderr, run.stdout + run.stderr
    return run.stdout.split()


@pytest.mark.parametrize("file", TOP + PARTS, ids=lambda file: file.stem)
def test_a_launch_file_names_only_what_exists_and_explains_its_arguments(
    file: Path, packages: Dict[str, Package],
) -> None:
    problems = Checker(packages, ROOT / "config").check(file, documented=True).problems
    assert not problems, "\n" + "\n".join(map(str, sorted(problems)))


@pytest.mark.parametrize("file", TESTS, ids=lambda file: file.name)
def test_a_launch_file_of_a_test_names_only_what_exists(file: Path, packages: Dict[str, Package]) -> None:
    problems = Checker(packages, ROOT / "config").check(file).problems
    assert not problems, "\n" + "\n".join(map(str, sorted(problems)))


@pytest.mark.parametrize("file", TOP, ids=lambda file: file.stem)
def test_what_a_user_types_needs_only_what_the_user_alone_can_know(file: Path) -> None:
    assert arguments_of(file).required <= set(NO_SENSIBLE_DEFAULT)


@pytest.mark.parametrize("file", TOP, ids=lambda file: file.stem)
def test_roslaunch_reads_the_file_and_starts_our_nodes(
        file: Path, roslaunch_environment: Dict[str, str], unasked_environment: Dict[str, str]) -> None:
    # LIBERO would be asked for a task, and is not installed everywhere.
    nodes = roslaunch("--nodes", file, unasked_environment if file.stem == "libero" else roslaunch_environment)
    assert {f"/hicrisp/{name}" for name in NODES} <= set(nodes)
    assert len(nodes) > len(NODES), "nothing moves"


@pytest.mark.parametrize("file", TOP, ids=lambda file: file.stem)
def test_roslaunch_starts_rviz_and_the_recorder_where_they_are_asked_for(
        file: Path, unasked_environment: Dict[str, str]) -> None:
    nodes = roslaunch("--nodes", file, unasked_environment, SWITCHED)
    assert {"/hicrisp/rviz", "/hicrisp/markers", "/hicrisp/recorder"} <= set(nodes)


@pytest.mark.parametrize("file", TOP, ids=lambda file: file.stem)
def test_roslaunch_lists_the_arguments(file: Path, roslaunch_environment: Dict[str, str]) -> None:
    listed = roslaunch("--ros-args", file, roslaunch_environment)
    assert arguments_of(file).all <= {word.strip(":") for word in listed}


@pytest.mark.parametrize("file", [file for file in TOP if file.stem.startswith("gazebo_")] or [None],
                         ids=lambda file: file.stem if file else "none")
def test_gazebo_can_do_without_a_display(file: Path) -> None:
    if file is None:
        pytest.skip("there is no launch file for Gazebo yet")
    assert "headless" in arguments_of(file).optional


def test_the_commands_in_documents_and_containers_are_ones_that_roslaunch_takes() -> None:
    texts = {str(path): path.read_text(encoding="utf-8") for path in written_pages()}
    texts.update({str(path): compose_text(path) for path in (ROOT / "docker").glob("compose*.yaml")})
    found = [command for where, text in sorted(texts.items()) for command in commands(where, text)]
    problems = [problem for command in found for problem in wrong(command, LAUNCH)]
    assert not problems, "\n" + "\n".join(problems)
    assert found


def test_the_manifests_declare_what_the_launch_files_use(packages: Dict[str, Package]) -> None:
    """From the manifests rosdep installs, in the container too."""
    ours = [name for name, package in packages.items() if package.folder is not None]
    declared = set(chain.from_iterable(packages[name].depends for name in ours))
    checker = Checker(packages)
    used = set(chain.from_iterable(checker.check(file, every_branch=True).packages for file in TOP + PARTS))
    missing = sorted(used - set(ours) - declared)
    assert not missing, f"no package.xml has an exec_depend on {', '.join(missing)}"


def test_the_list_of_packages_holds_nothing_but_names() -> None:
    for package in noetic_packages().values():
        names = chain(package.executables, package.files, *(each.all for each in package.launch.values()))
        assert all(isinstance(name, str) and name for name in names), package.name
