"""The way of a base among others: around them, behind them, or out of their way."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable, Optional, Sequence

import numpy as np
from hicrisp_core.model import WorldObject
from hicrisp_core.model.geometry import Planar
from hicrisp_core.model.keep_out import zone
from hicrisp_core.robot.turns import Bar
from scipy.ndimage import distance_transform_edt

from hicrisp_sim.agv.fleet import Claim
from hicrisp_sim.agv.planner import GlobalPlanner, path_length

_APART, _KEPT, _ASIDE = 0.06, 0.04, 0.08
"""Metres between footprints: on the way past a base, beside the path of one that goes first, and where a base makes
room for it."""
_STEP = 0.10
"""Metres of a way below which it is not begun."""
_NEAR = 0.6
"""Metres from an area's middle within which a place is called by the area's name."""
_THROUGH = 40.0
"""What a metre within an area costs more for one that makes room: it shall not stop where it was not sent."""


@dataclass(frozen=True)
class Way:
    """Where a base shall go now.

    Args:
        path: array (n, 2), metres; ``None`` for none, or to stay.
        claimed: what the base asks others to leave free: the path, and what follows it where others stand in the way.
        words: whom it waits for and for what; empty where it need not wait.
        whom: the name of that base.
        held: whether it waits for its turn, and others need not wait for it.
        stuck: whether it must give way and cannot.
    """

    path: Optional[np.ndarray] = None
    claimed: Optional[np.ndarray] = None
    words: str = ""
    whom: str = ""
    held: bool = False
    stuck: bool = False


class GivingWay:
    """Plans for one base among others.

    Args:
        planner: of the base.
        areas: the places that it may be told of.
    """

    def __init__(self, planner: GlobalPlanner, radius: float, areas: Sequence[WorldObject]) -> None:
        self._planner = planner
        self._costmap = planner.costmap
        self._radius = radius
        self._areas = [area for area in areas if area.pose is not None]

    def way(
        self, mine: Claim, mates: Sequence[Claim], goal: Optional[Planar], extra: float = 0.0,
        barred: Optional[Bar] = None,
    ) -> Way:
        """Find the way to a goal that leaves those alone who go first.

        Args:
            mine: what the base told last.
            mates: what the others told.
            goal: map frame, metres; ``None`` for a base that only makes room.
            extra: clearance beyond the margin, metres.
            barred: what the base must not enter yet.

        Returns:
            The whole way, the part of it that is free now, or one to a place where the base is in nobody's way.
        """
        first = [mate for mate in mates if mate.path is not None and mate.rank < mine.rank]
        standing = self._ground(mine, mates, _sweep, _APART)
        claimed = self._ground(mine, first, _claimed, _KEPT)
        here = self._costmap.cell(*mine.spot)
        if here is not None and claimed[here]:
            return self._aside(mine, first, standing, goal)
        if goal is None:
            return Way()
        closed = self._over([area for area in self._areas if barred is not None and area.name == barred.area])
        path = self._planner.plan(mine.spot, goal, extra, standing | claimed | closed)
        if path is not None:
            return Way(path, path)
        for around in (standing, None):
            path = self._planner.plan(mine.spot, goal, extra, around)
            if path is not None:
                return self._part(mine, mates, first, path, closed, barred)
        return Way()

    def _part(
        self, mine: Claim, mates: Sequence[Claim], first: Sequence[Claim], path: np.ndarray, closed: np.ndarray,
        barred: Optional[Bar],
    ) -> Way:
        """Return the part of a path that is free now, and whom the rest waits for."""
        columns, rows = ((path - self._costmap.origin) / self._costmap.resolution).astype(int).T
        def reached(taken: np.ndarray) -> int:
            return int(np.argmax(taken[columns, rows])) if taken[columns, rows].any() else len(path)

        going = [(reached(self._ground(mine, (mate,), _claimed, _KEPT)), mate.name, f"{mate.name} to pass")
                 for mate in first]
        staying = [(reached(self._ground(mine, (mate,), _sweep, _APART)), mate.name, f"{mate.name} to clear the way")
                   for mate in mates]
        shut = [(reached(closed), "", barred.words)] if barred is not None else []
        index, whom, words = min([*going, *staying, *shut])
        if index == len(path):
            return Way(path, path)
        if whom:
            words += self._called(path[index], " at" if words.endswith("way") else "")
        free, asked = path[:index], path[:min(each[0] for each in (*going, *shut, (len(path), "", "")))]
        return Way(free if path_length(free) > _STEP else None, asked if len(asked) else None, words, whom)

    def _aside(self, mine: Claim, first: Sequence[Claim], standing: np.ndarray, goal: Optional[Planar]) -> Way:
        """Return the way to the nearest place that is on nobody's path."""
        whom = min(first, key=lambda mate: mate.rank)
        words = f"{whom.name} to pass{self._called(np.array(mine.spot))}"
        wanted = ~self._ground(mine, first, _claimed, _ASIDE)
        dear = np.where(self._over(self._areas), _THROUGH, 0.0)
        path = self._planner.nearest(mine.spot, wanted & ~standing, standing, dear)
        if path is not None:
            return Way(path, path, words, whom.name)
        if goal is None:  # Who cannot get out of the way alone asks for the way out, and goes first.
            path = self._planner.nearest(mine.spot, wanted, None, dear)
        return Way(path if goal is None else None, path, words, whom.name, stuck=True)

    def _ground(
        self, mine: Claim, mates: Sequence[Claim], points: "Callable[[Claim], np.ndarray]", gap: float
    ) -> np.ndarray:
        """Return the cells in which the base would be too near to some points of others."""
        found = np.zeros(self._costmap.shape, dtype=bool)
        for mate in mates:
            free = np.ones_like(found)
            cells = ((points(mate) - self._costmap.origin) / self._costmap.resolution).astype(int)
            cells = np.clip(cells, 0, np.array(found.shape) - 1)
            free[cells[:, 0], cells[:, 1]] = False
            reach = self._radius + mate.radius + gap
            if points is not _claimed:  # A base that is too near already may leave.
                reach = min(reach, mate.apart(mine.spot) + mate.radius - 1.5 * self._costmap.resolution)
            found |= distance_transform_edt(free) * self._costmap.resolution <= reach
        return found

    def _over(self, areas: Sequence[WorldObject]) -> np.ndarray:
        """Return the cells of some areas."""
        return self._costmap.over([ground for ground in map(zone, areas) if ground is not None])

    def _called(self, spot: np.ndarray, before: str = "") -> str:
        """Return the name of the area at a place, with what stands before it; empty where none is near."""
        apart = sorted((math.dist(spot, area.pose.position[:2]), area.name) for area in self._areas if area.pose)
        return f"{before} {apart[0][1].replace('_', ' ')}" if apart and apart[0][0] <= _NEAR else ""


def _claimed(mate: Claim) -> np.ndarray:
    return np.asarray(mate.path)


def _sweep(mate: Claim) -> np.ndarray:
    return mate.sweep
