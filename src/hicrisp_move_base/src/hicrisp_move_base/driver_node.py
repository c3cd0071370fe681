"""The driver's door: ``robots/<name>/execute`` for a base that runs move_base."""

from __future__ import annotations

from hicrisp_core.domain import load_domain
from hicrisp_core.robot.base_robot import BaseRobot
from hicrisp_core.robot.landmarks import load_base_settings
from hicrisp_core.scene import load_scene
from hicrisp_nodes.config_files import config_file, parameter
from hicrisp_nodes.node import run
from hicrisp_nodes.robot_server import RobotServer

from hicrisp_move_base.move_base import MoveBase
from hicrisp_move_base.settings import SECTION, load_move_base_settings


def build() -> RobotServer:
    """The driver that ``~robot`` and ``~domain`` (the scene's own by default) ask for."""
    file = config_file("robots", str(parameter("robot", "agv_move_base")))
    settings = load_base_settings(file, (SECTION,))
    domain = str(parameter("domain", "")) or load_scene(config_file("scenes", str(parameter("scene", "agv")))).domain
    skills = {name: action.skill for name, action in load_domain(config_file("domains", domain)).actions.items()}
    base = MoveBase(settings.name, load_move_base_settings(file))
    return RobotServer(BaseRobot(base, skills, base.where, settings))


def main() -> None:
    """Run the node."""
    run("move_base_driver", build)
