"""VirtualHome's executor behind the door of every other world: ``demo.launch scene:=household
world:=virtualhome``.
"""

from __future__ import annotations

from pathlib import Path

from hicrisp_core.scene import Scene, load_scene
from hicrisp_ros.config_files import config_file, domain_of, parameter
from hicrisp_sim.fact_server import FactServer

from hicrisp_bench.virtualhome.facts import VirtualHome
from hicrisp_bench.virtualhome.household import load_home, world_of


def build() -> FactServer:
    """The home that the parameters ask for."""
    scene = load_scene(config_file("scenes", str(parameter("scene", "household"))), int(parameter("seed", 0)))
    domain = domain_of(scene)

    def home(begun: Scene) -> VirtualHome:
        return world_of(domain, load_home(Path(begun.source).parent.parent))

    return FactServer(scene, home, float(parameter("rate", 1.0)))
