"""A whole world file of a scene, for a look at it or for a Gazebo without the nodes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Sequence

import rospkg
from hicrisp_core.errors import command_line
from hicrisp_core.scene import load_scene
from hicrisp_ros.config_files import config_file

from hicrisp_gazebo.scene_models import world
from hicrisp_gazebo.wares import with_wares


@command_line
def main(arguments: Sequence[str]) -> int:
    """Print the world file of the scene that the arguments name; the exit status."""
    if not 2 <= len(arguments) <= 3 or (len(arguments) == 3 and not arguments[2].lstrip("-").isdigit()):
        sys.stderr.write("usage: scene_world SCENE [SEED]\n")
        return 2
    seed = int(arguments[2]) if len(arguments) == 3 else 0
    scene = with_wares(load_scene(config_file("scenes", arguments[1]), seed), seed)
    empty = Path(rospkg.RosPack().get_path("hicrisp_gazebo")) / "worlds/hicrisp.world"
    sys.stdout.write(world(empty.read_text(encoding="utf-8"), scene))
    return 0
