"""A mobile base in physics: an arena, a differential drive, a lidar, and what drives it as move_base would."""

from hicrisp_sim.agv.base import EmbeddedBase
from hicrisp_sim.agv.fleet_world import FleetWorld
from hicrisp_sim.agv.world import AgvWorld

__all__ = ["AgvWorld", "EmbeddedBase", "FleetWorld"]
