"""Which embedded world the parameters ask for."""

from __future__ import annotations

from typing import Union

from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import extensions
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.lab import LAB
from hicrisp_core.scene.scene import EMBEDDED
from hicrisp_ros.config_files import config_file, domain_of, parameter
from hicrisp_ros.node import run
from hicrisp_ros.ports.observer import TopicObserver

from hicrisp_sim.agv.world import AgvWorld
from hicrisp_sim.agv_node import AgvServer
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.fact_server import FactServer
from hicrisp_sim.lab.world import LabWorld
from hicrisp_sim.lab_node import LabServer
from hicrisp_sim.world_server import Perception, WorldServer

_RECENT = 0.3
"""Seconds of the ROS clock: a picture that was taken so shortly before the arm looks need not be taken again,
where nothing was moved since; two of a camera are half as far apart.
"""


def build() -> Union[WorldServer, AgvServer, FactServer]:
    """Create the world that the parameters name: of an arm, a base, or of facts only if the scene has no
    geometry.

    Returns:
        The server.
    """
    seed, rate = int(parameter("seed", 0)), float(parameter("rate", 1.0))
    scene = load_scene(config_file("scenes", str(parameter("scene", "tabletop"))), seed)
    if scene.symbolic and extensions().worlds.get(scene.world).launch == EMBEDDED:
        domain = domain_of(scene)
        return FactServer(
            scene, lambda begun: SymbolicWorld(domain, begun.first_state(), begun.robots[0]), rate)
    sigma, perception = float(parameter("sigma", 0.0)), _perception()
    eyes = TopicObserver(still=0.01, window=0.05, patience=1.0,
                         recent=_RECENT if perception is Perception.CAMERA else 0.1)
    if scene.world == LAB:
        return LabServer(LabWorld(scene, seed, rate), eyes, sigma, perception)
    if scene.arena is not None:
        return AgvServer(AgvWorld(scene, seed, rate))
    if scene.world != EMBEDDED:
        raise ConfigError(f"scene {scene.name} is of the world '{scene.world}': launch it with "
                          f"world:={scene.world}")
    return WorldServer(EmbeddedWorld(scene, seed, rate), eyes, sigma, perception)


def _perception() -> Perception:
    told, known = str(parameter("perception", Perception.POSES.value)), [each.value for each in Perception]
    if told not in known:
        raise ConfigError(f"the parameter perception is '{told}', and not one of: {', '.join(known)}")
    return Perception(told)


def main() -> None:
    """Run the node."""
    run("embedded_world", build)
