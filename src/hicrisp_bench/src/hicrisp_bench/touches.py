"""What touches the things that no file describes, by the physics' own contacts."""

from __future__ import annotations

from typing import List, Set

import numpy as np
from hicrisp_core.model.geometry import distance
from hicrisp_sim.embedded import EmbeddedWorld

_FIXED = 0
"""The body of what stands fast, as the table does."""
_MOVED = 0.001
"""Metres by which a thing has moved that something has touched."""


class Touches:
    """What touched the things that nobody described, since this began to watch.

    Args:
        world: in which they stand already.
    """

    def __init__(self, world: EmbeddedWorld) -> None:
        self._world = world
        self._strangers = [thing.name for thing in world.scene.unknown]
        self._began = {name: world.true_frames()[name][0] for name in self._strangers}
        self._touched: Set[str] = set()
        if self._strangers:
            model = world.simulation.model
            self._numbers = {model.body(name).id: name for name in self._strangers}
            world.simulation.listeners.append(self._look)

    def _look(self) -> None:
        simulation = self._world.simulation
        bodies = simulation.model.geom_bodyid[np.asarray(simulation.data.contact.geom).reshape(-1, 2)]
        for pair in bodies.tolist():
            for own, other in (pair, pair[::-1]):
                if own in self._numbers and other != _FIXED:
                    self._touched.add(self._numbers[own])

    @property
    def names(self) -> List[str]:
        """Those that something other than the table touched, or that are not where they were."""
        frames = self._world.true_frames()
        moved = {name for name in self._strangers
                 if distance(frames[name][0].position, self._began[name].position) > _MOVED}
        return sorted(self._touched | moved)
