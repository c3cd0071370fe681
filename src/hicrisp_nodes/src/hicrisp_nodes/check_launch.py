"""What a launch file was told is checked before it starts anything, so that its reason is the last that is read.

A launch file asks by ``<param command="rosrun hicrisp_nodes check_launch ..."/>``: roslaunch reads all
parameters first, and ends where a command fails.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from tempfile import TemporaryFile
from typing import List, Optional, Sequence

from hicrisp_core.check import load_robot
from hicrisp_core.errors import ConfigError, HicrispError
from hicrisp_core.extensions import extensions
from hicrisp_core.llm.settings import AUTO, choose_llm, is_replay
from hicrisp_core.policy.policy import load_policy
from hicrisp_core.ports.perception import CAMERA, POSES
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.scene.cameras import load_camera
from hicrisp_ros.config_files import config_file, config_files_of, domain_of
from hicrisp_ros.llm_choice import named_llm

from hicrisp_nodes.cli.graph import Graph

_NEEDS = {"table": lambda scene: scene.has_table,
          "arena": lambda scene: scene.arena is not None}
_CHECKED = "ok"
_OPTIONS = {"scene": "tabletop", "seed": 0, "policy": "hierarchical", "llm": AUTO, "robot": "", "world": "",
            "runs-dir": "", "namespace": "", "tf-prefix": "", "robots": ""}
"""Launch arguments that are checked as they are, with what they are where a launch file has none."""
_LEADING = {"embedded_world": "robot", "gazebo_scene": "robot", "supervisor": "mind"}
"""Nodes of which an instance has one, and the part of a launch that starts them."""


def check(options: argparse.Namespace) -> None:
    """Load all files that a launch names.

    Args:
        options: the parsed command line.

    Raises:
        ConfigError: for the first argument whose file is missing or wrong, or that does not fit, with what would.
    """
    for name in ("scene", "policy", "llm", "robot"):
        value = getattr(options, name)
        file = value.partition(":")[2] if is_replay(value) else value
        path = Path(file).expanduser()
        if path.suffix and not path.is_absolute():
            raise ConfigError(f"the nodes run in another folder than you; give the whole path, "
                              f"{name}:={value[:-len(file)]}{path.absolute()}")
    scene = load_scene(config_file("scenes", options.scene), options.seed)
    for name in options.robots.split():
        scene.alone(name)
    if scene.arena is not None and len(scene.arena.starts) > 1 and not options.robots:
        raise ConfigError(f"scene {scene.name} has several bases, each with its own nodes; launch demo.launch with "
                          f"robots:='{' '.join(scene.arena.starts)}'")
    for need in options.needs:
        if not _NEEDS[need](scene):
            raise ConfigError(f"scene {scene.name} has no {need}, which this launch file needs; these have: "
                              f"{', '.join(_with(options.needs)) or 'none'}")
    moved_by = extensions().worlds.get(scene.world).launch
    if options.world and options.world != moved_by:
        raise ConfigError(f"scene {scene.name} is moved by world:={moved_by}, not by world:={options.world}")
    if options.perception == CAMERA:
        if not _NEEDS["table"](scene):
            raise ConfigError(f"perception:=camera looks at a table, and scene {scene.name} has none; use "
                              "perception:=poses")
        load_camera(scene.camera, scene.source or None)
    elif scene.undescribed:
        raise ConfigError(f"no TF frame is published of the objects of scene {scene.name}; use perception:=camera")
    domain_of(scene)
    load_policy(config_file("policies", options.policy, beside=scene.source))
    named_llm(choose_llm(options.llm, os.environ)[0])
    if options.robot:
        load_robot(config_file("robots", options.robot))
    if options.runs_dir and options.part != "robot":
        _check_writable(Path(options.runs_dir).expanduser())
    if options.namespace:
        _check_alone(options, scene)


def _check_alone(options: argparse.Namespace, scene: Scene) -> None:
    """Refuse nodes that would end those of another launch on the same master, a simulation whose frames would mix with
    another's, and one that would serve the same goals as a real base."""
    graph, own = Graph(), options.namespace.strip("/")
    if not graph.reachable():
        return  # roslaunch starts one.
    for node in sorted(graph.nodes()):
        namespace, _, name = node.strip("/").rpartition("/")
        part = _LEADING.get(name)
        if part is None or options.part not in ("all", part) or not graph.alive(node):
            continue
        if namespace == own:
            raise ConfigError(f"{node} runs on the master at {graph.uri} already, and the two would end each other; "
                              "stop it, or give this one another namespace, or another master (ROS_MASTER_URI)")
        if options.world and not options.tf_prefix:
            raise ConfigError(f"{node} runs on the master at {graph.uri}, and their frames and bases would mix; give "
                              f"this one names of its own: tf_prefix:={own}")
    if scene.arena is None or options.tf_prefix:
        return
    for node in filter(graph.alive, graph.servers("/move_base/make_plan")):
        if bool(options.world) != node.endswith("/embedded_world"):
            raise ConfigError(f"{node} serves /move_base on the master at {graph.uri}, so a simulation and a robot "
                              "would drive to the same goals; use another master (ROS_MASTER_URI)")


def _check_writable(runs: Path) -> None:
    if not runs.is_absolute():
        raise ConfigError(f"the nodes run in another folder than you; give the whole path, runs_dir:={runs.absolute()}")
    try:
        runs.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=runs):
            pass
    except OSError as error:
        raise ConfigError(f"no run can be kept in {runs}: {error.strerror}; name a folder that you may write "
                          "in") from error


def _with(needs: Sequence[str]) -> List[str]:
    """The scenes of the configuration that have everything that is needed."""
    found: List[str] = []
    for file in config_files_of("scenes"):
        try:
            scene = load_scene(file)
        except HicrispError:
            continue
        if all(_NEEDS[need](scene) for need in needs):
            found.append(file.stem)
    return found


def read_options(arguments: Optional[Sequence[str]] = None) -> argparse.Namespace:
    """Read the command line.

    Args:
        arguments: the command line; that of the process if ``None``.

    Returns:
        Names of the files to check.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in _OPTIONS.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    parser.add_argument("--perception", default=POSES, choices=(CAMERA, POSES))
    parser.add_argument("--needs", action="append", default=[], choices=sorted(_NEEDS))
    parser.add_argument("--part", default="all", choices=("all", "robot", "mind"))
    return parser.parse_args(arguments)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Check the arguments of a launch file, and print what is wrong on the standard error stream.

    Args:
        arguments: the command line; that of the process if ``None``.

    Returns:
        Exit status: 0, or 2 for a wrong configuration.
    """
    options = read_options(arguments)
    try:
        check(options)
    except HicrispError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    sys.stdout.write(_CHECKED)
    return 0
