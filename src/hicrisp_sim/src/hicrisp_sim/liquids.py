"""What is in the vessels: in each step of the physics what is above a tilted vessel's lip runs out, falls straight down
and is caught by the vessel below, or lost.
"""

from __future__ import annotations

import math
from typing import Dict, FrozenSet, List, Mapping

import mujoco
import numpy as np
from hicrisp_core.domain.conditions import number_text
from hicrisp_core.model import Relation
from hicrisp_core.model.liquids import CONTAINS, LEVEL, VOLUME, retained
from hicrisp_core.scene import Scene

MARK = 5.0
"""Millilitres between the marks by which a look reads a level."""
_DRAIN = 0.12
"""Seconds in which what is above the lip falls to a third."""
_LEVEL_VESSEL = 0.996
"""Cosine of the tilt below which no vessel runs out, however full."""
_CATCHES = 0.7
"""Cosine of the tilt up to which a vessel catches what falls into its mouth."""


class Liquids:
    """The contents of a scene's open vessels, millilitres by what they are.

    A vessel is a cylinder with the volume that the scene says.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.
    """

    def __init__(self, scene: Scene) -> None:
        vessels = [item for item in scene.things if item.form.open]
        self.names = tuple(item.name for item in vessels)
        told = {(fact.subject, fact.predicate): fact.object for fact in scene.facts}
        self._radius = np.array([item.size[0] / 2.0 for item in vessels])
        self._height = np.array([item.size[2] for item in vessels])
        room = math.pi * self._radius ** 2 * self._height * 1e6
        self._room = np.array([float(told.get((name, VOLUME), own)) for name, own in zip(self.names, room)])
        self._volume = np.array([float(told.get((name, LEVEL), 0.0)) for name in self.names])
        self._contents: List[Dict[str, float]] = [
            {told.get((name, CONTAINS), ""): volume} if volume > 0.0 else {}
            for name, volume in zip(self.names, self._volume)]
        self.lost = 0.0
        """Millilitres that no vessel caught."""

    def bind(self, model: mujoco.MjModel) -> None:
        """Find the vessels' bodies in a model.

        Args:
            model: the physics, which has a body of each vessel's name.
        """
        self._bodies = [model.body(name).id for name in self.names]
        self._upright = np.array([9 * body + 8 for body in self._bodies], dtype=int)

    def step(self, data: mujoco.MjData, seconds: float, shut: FrozenSet[str] = frozenset()) -> None:
        """Let liquids run for a step of the physics.

        Args:
            data: the state after the step.
            seconds: length of the step.
            shut: names of the vessels out of which nothing runs.
        """
        for vessel, cosine in enumerate(data.xmat.take(self._upright).tolist()):
            if cosine < _LEVEL_VESSEL and self._volume[vessel] > 0.0 and self.names[vessel] not in shut:
                self._run_out(data, vessel, seconds)

    def seen(self) -> FrozenSet[Relation]:
        """Return the levels and contents as a look reads them.

        Returns:
            The level of each vessel at its nearest mark, and what is in those above the lowest.
        """
        found = []
        for name, volume, contents in zip(self.names, self._volume, self._contents):
            found.append(Relation(name, LEVEL, number_text(MARK * round(volume / MARK))))
            found += [Relation(name, CONTAINS, what) for what, part in contents.items() if what and part > MARK / 2.0]
        return frozenset(found)

    def volume(self, name: str) -> float:
        """Return what a vessel holds; for judges, not for robots.

        Args:
            name: of the vessel.

        Returns:
            Millilitres.
        """
        return float(self._volume[self.names.index(name)])

    def contents(self, name: str) -> Mapping[str, float]:
        """Return what is in a vessel; for judges, not for robots.

        Args:
            name: of the vessel.

        Returns:
            Millilitres by what it is.
        """
        return self._contents[self.names.index(name)]

    def _run_out(self, data: mujoco.MjData, vessel: int, seconds: float) -> None:
        turn = data.xmat[self._bodies[vessel]].reshape(3, 3)
        kept = self._room[vessel] * retained(math.acos(max(-1.0, min(1.0, turn[2, 2]))),
                                             self._height[vessel] / self._radius[vessel])
        over = self._volume[vessel] - kept
        if over <= 0.0:
            return
        out = over * -math.expm1(-seconds / _DRAIN)
        caught_by, part = self._below(data, vessel, turn), 0.0
        if caught_by >= 0:
            part = min(out, self._room[caught_by] - self._volume[caught_by])
        share = out / self._volume[vessel]
        for what, amount in self._contents[vessel].items():
            self._contents[vessel][what] = amount * (1.0 - share)
            if part > 0.0:
                there = self._contents[caught_by]
                there[what] = there.get(what, 0.0) + amount * share * part / out
        self._volume[vessel] -= out
        if part > 0.0:
            self._volume[caught_by] += part
        self.lost += out - part

    def _below(self, data: mujoco.MjData, vessel: int, turn: np.ndarray) -> int:
        """Return the highest vessel into whose mouth the stream from another one's lip falls; -1 without one."""
        up = turn[:, 2]
        lowest = np.array([0.0, 0.0, -1.0]) + up[2] * up
        lip = data.xpos[self._bodies[vessel]] + up * self._height[vessel] / 2.0 \
            + lowest / max(1e-9, float(np.linalg.norm(lowest))) * self._radius[vessel]
        best, highest = -1, -math.inf
        for other, body in enumerate(self._bodies):
            axis = data.xmat[body].reshape(3, 3)[:, 2]
            mouth = data.xpos[body] + axis * self._height[other] / 2.0
            if other != vessel and axis[2] > _CATCHES and highest < mouth[2] < lip[2] \
                    and math.dist(mouth[:2], lip[:2]) < self._radius[other]:
                best, highest = other, float(mouth[2])
        return best
