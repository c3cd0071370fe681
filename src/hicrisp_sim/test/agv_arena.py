"""Arenas for the base's tests, written as scenes, and the little that a test needs to drive."""

from __future__ import annotations

import math
from pathlib import Path
from threading import Event
from typing import Dict, List, Optional, Tuple

from hicrisp_core.model import Outcome, Pose
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.ports.robot import UNCONSTRAINED, Constraints
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.agv import AgvWorld
from waiting import PATIENCE

HEAD = """scene: test
world: arena
domain: agv
arena: {origin: [0, 0], size: [4, 3]}
robots: {agv: {kind: base, radius: 0.18, position: [0.5, 1.5]}}
areas:
  area_1: {position: [3.3, 1.5]}
  area_2: {position: [0.6, 0.6]}
  area_3: {position: [3.3, 2.5]}
  dock: {type: station, position: [3.5, 0.5], size: [0.3, 0.3], yaw: -90}
"""
CONFIG = Path(__file__).resolve().parents[3] / "config"


class Yard:
    """A world with a base in an arena; obstacles are given as name: (x, y, radius)."""

    def __init__(self, folder: Path, obstacles: Optional[Dict[str, Tuple[float, float, float]]] = None,
                 more: str = "", height: float = 0.4) -> None:
        lines = [f"  {name}: {{radius: {radius}, height: {height}, position: [{x}, {y}]}}"
                 for name, (x, y, radius) in (obstacles or {}).items()]
        file = folder / "test.yaml"
        file.write_text(HEAD + ("obstacles:\n" + "\n".join(lines) + "\n" if lines else "") + more,
                        encoding="utf-8")
        (folder / "domains").mkdir(exist_ok=True)
        self.world = AgvWorld(file)
        self.base = self.world.base
        self.phases: List[str] = []
        self.touched: List[str] = []
        self.speeds: List[float] = []
        self.base.followers.append(self._follow)

    def _follow(self) -> None:
        self.speeds.append(self.world.base.body.speed)
        if self.world.base.body.touching:
            self.touched.append(self.world.base.body.touching)

    def go(
        self, x: float, y: float, yaw: float = 0.0, cancel: Optional[Event] = None,
        constraints: Constraints = UNCONSTRAINED,
    ) -> Outcome:
        return self.base.go_to(Pose((x, y, 0.0), from_yaw(yaw)), Deadline(PATIENCE), cancel or Event(),
                               lambda phase, fraction: self.phases.append(phase), constraints=constraints)

    def apart(self, x: float, y: float) -> float:
        """Metres from where the base really is to a point."""
        return math.dist(self.world.base.body.pose.position[:2], (x, y))

    @property
    def stands(self) -> bool:
        return self.world.base.body.speed < 0.01
