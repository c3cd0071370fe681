"""The global planner: Dijkstra over the costmap's cells (scipy), and the path's length."""

from __future__ import annotations

import math
from typing import List, Optional, Tuple

import numpy as np
from scipy.ndimage import label
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from hicrisp_sim.agv.costmap import Costmap

_STEPS = ((1, 0), (0, 1), (1, 1), (1, -1), (2, 1), (1, 2), (2, -1), (1, -2))
"""Neighbours of a cell in one half of the plane; the other half is the same backwards."""
_DETOUR = 1.2
"""How much dearer than the straight way a path is thought to be at first."""
_ROOM = 10.0
"""What is added to that: around a short way there is something too, cells."""


class GlobalPlanner:
    """Shortest paths on one costmap.

    Args:
        inscribed: the footprint's radius and the margin, metres.
        narrow: the least distance of a cell from an object where the margin leaves no way, metres.
    """

    def __init__(self, costmap: Costmap, inscribed: float, narrow: float) -> None:
        self.costmap = costmap
        self.inscribed = inscribed
        self._narrow = narrow
        self._labels = np.zeros(costmap.shape, dtype=np.int32)
        self._labelled: Optional[np.ndarray] = None
        self._least = 0.0

    def plan(
        self, start: Tuple[float, float], goal: Tuple[float, float], extra: float = 0.0,
        taken: Optional[np.ndarray] = None,
    ) -> Optional[np.ndarray]:
        """Find the cheapest path.

        A start too near to an obstacle is left first, by the shortest way to a free cell.

        Args:
            start: (x, y) in the map frame, metres.
            goal: (x, y) in the map frame, metres.
            extra: clearance required beyond the margin, metres; above 0 narrow passages are excluded.
            taken: boolean array of cells in which the middle must not be besides; ``None`` for none.

        Returns:
            Array (n, 2) of points, one for each cell, metres; ``None`` without a path.
        """
        first, last = self.costmap.cell(*start), self.costmap.cell(*goal)
        if first is None or last is None:
            return None
        costs = self.costmap.costs(self.inscribed + extra, self._least_for(extra))
        if taken is not None:
            costs = np.where(taken, np.inf, costs)
        if not np.isfinite(costs[last]):
            return None
        if np.isfinite(costs[first]):
            if not self.connected(start, goal, extra):
                return None  # Known at once: no search over everything else that can be reached.
        else:
            costs = self._with_way_out(costs, first)
        if taken is not None:  # Known at once, as above.
            labels, _ = label(np.isfinite(costs), structure=np.ones((3, 3)))
            if labels[first] != labels[last]:
                return None
        cells = cheapest_cells(costs, first, last)
        if cells is None:
            return None
        path = self.costmap.middle(cells)
        path[0], path[-1] = start, goal
        return np.asarray(path)

    def nearest(
        self, start: Tuple[float, float], wanted: np.ndarray, taken: Optional[np.ndarray], dear: np.ndarray
    ) -> Optional[np.ndarray]:
        """Find the cheapest path to any of some cells.

        Args:
            start: (x, y) in the map frame, metres.
            wanted: boolean array of cells in which it may end.
            taken: boolean array of cells in which the middle must not be; ``None`` for none.
            dear: array of what each cell costs besides.

        Returns:
            Array (n, 2) of points, metres; ``None`` without a path.
        """
        first = self.costmap.cell(*start)
        if first is None:
            return None
        costs = self.costmap.costs(self.inscribed, self._narrow) + dear
        if taken is not None:
            costs = np.where(taken, np.inf, costs)
        if not np.isfinite(costs[first]):
            costs = self._with_way_out(costs, first)
        graph, at = cell_graph(costs)
        away, before = dijkstra(graph, directed=False, indices=int(at[first]), return_predecessors=True)
        cells = np.argwhere(np.isfinite(costs))
        away[~wanted[cells[:, 0], cells[:, 1]]] = np.inf
        node = int(np.argmin(away))
        if not np.isfinite(away[node]):
            return None
        return np.asarray(self.costmap.middle(cells[_walk(before, node, int(at[first]))[::-1]]))

    def connected(
        self, start: Tuple[float, float], goal: Tuple[float, float], extra: float = 0.0, roomy: bool = False
    ) -> bool:
        """Check whether a path exists; much cheaper than a plan for many goals.

        Args:
            start: (x, y) in the map frame, metres.
            goal: (x, y) in the map frame, metres.
            extra: clearance required beyond the margin, metres.
            roomy: whether only paths with the full margin count.

        Returns:
            True if a path exists; false if an end is outside the map.
        """
        first, last = self.costmap.cell(*start), self.costmap.cell(*goal)
        if first is None or last is None:
            return False
        distance, least = self.costmap.distance, self.inscribed + extra if roomy else self._least_for(extra)
        if self._labelled is not distance or self._least != least:
            self._labels, _ = label(distance >= least, structure=np.ones((3, 3)))
            self._labelled, self._least = distance, least
        wanted = self._labels[last]
        if wanted == 0:
            return False
        if self._labels[first]:
            return bool(self._labels[first] == wanted)
        near = int(round((self.inscribed + 0.1) / self.costmap.resolution)) // 2
        column, row = first
        around = self._labels[max(0, column - near):column + near + 1, max(0, row - near):row + near + 1]
        return bool((around == wanted).any())

    def _least_for(self, extra: float) -> float:
        return self.inscribed + extra if extra > 0.0 else self._narrow

    def _with_way_out(self, costs: np.ndarray, first: Tuple[int, int]) -> np.ndarray:
        """Return the costs with expensive but passable cells around a start too near to an obstacle."""
        reach = int(round((self.inscribed + 0.1) / self.costmap.resolution))
        column, row = first
        window = (slice(max(0, column - reach), column + reach + 1),
                  slice(max(0, row - reach), row + reach + 1))
        opened = costs.copy()
        allowed = ~np.isfinite(costs[window]) & (
            self.costmap.distance[window] >= self.costmap.distance[first] - 0.2 * self.costmap.resolution)
        opened[window] = np.where(allowed, 60.0, costs[window])
        opened[first] = 60.0
        return opened


def path_length(path: np.ndarray) -> float:
    """Return the length of a path.

    Args:
        path: array (n, 2), metres.

    Returns:
        Metres.
    """
    return float(np.hypot(*np.diff(path, axis=0).T).sum()) if len(path) > 1 else 0.0


def cheapest_cells(costs: np.ndarray, first: Tuple[int, int], last: Tuple[int, int]) -> Optional[np.ndarray]:
    """Find the cheapest path between two cells.

    A cell costs at least its length, so a path within a cost bound lies within an ellipse around both ends:
    only that part of the map is searched, and the cost found in too small an ellipse is the next bound.

    Args:
        costs: cost of each cell; infinite if occupied.
        first: the start cell (column, row).
        last: the goal cell.

    Returns:
        Array (n, 2) of cells; ``None`` without a path.
    """
    straight = math.dist(first, last)
    bound = _DETOUR * straight + _ROOM
    while True:
        cells, cost = _cheapest_within(costs, first, last, bound)
        if cost <= bound:
            return cells
        if math.isinf(bound):
            return None
        bound = cost + 1e-6


def _cheapest_within(
    costs: np.ndarray, first: Tuple[int, int], last: Tuple[int, int], bound: float
) -> Tuple[Optional[np.ndarray], float]:
    """Return the cheapest path over the cells from which both ends together are no further than a bound, and its
    cost; infinite for none.
    """
    corner = np.zeros(2, dtype=np.int64)
    if math.isfinite(bound):
        pad = math.ceil(math.sqrt(bound ** 2 - math.dist(first, last) ** 2) / 2.0)
        corner = np.maximum(np.minimum(first, last) - pad, 0)
        end = np.maximum(first, last) + pad + 1
        x, y = (np.arange(part.start, min(part.stop, size))
                for part, size in zip(map(slice, corner, end), costs.shape))
        apart = sum(np.hypot((x - at[0])[:, None], (y - at[1])[None, :]) for at in (first, last))
        costs = np.where(apart <= bound, costs[x[0]:x[-1] + 1, y[0]:y[-1] + 1], np.inf)
    graph, at = cell_graph(costs)
    begin, goal = (int(at[tuple(cell - corner)]) for cell in (np.array(first), np.array(last)))
    if begin < 0:
        return None, math.inf
    away, before = dijkstra(graph, directed=False, indices=goal, return_predecessors=True)
    if math.isinf(away[begin]):
        return None, math.inf
    return np.argwhere(np.isfinite(costs))[_walk(before, begin, goal)] + corner, float(away[begin])


def _walk(before: np.ndarray, node: int, end: int) -> List[int]:
    """Return the nodes from one to another by what comes before each."""
    nodes = [node]
    while nodes[-1] != end:
        nodes.append(int(before[nodes[-1]]))
    return nodes


def cell_graph(costs: np.ndarray) -> Tuple[csr_matrix, np.ndarray]:
    """Build the graph of the free cells.

    Args:
        costs: cost of each cell; infinite if occupied.

    Returns:
        The weighted adjacency matrix, and the node of each cell (-1 for occupied ones).
    """
    free = np.isfinite(costs)
    at = np.full(costs.shape, -1, dtype=np.int32)
    at[free] = np.arange(int(free.sum()))
    froms, tos, weights = [], [], []
    for across, up in _STEPS:
        here = (slice(max(0, -across), costs.shape[0] - max(0, across)),
                slice(max(0, -up), costs.shape[1] - max(0, up)))
        there = (slice(max(0, across), costs.shape[0] + min(0, across)),
                 slice(max(0, up), costs.shape[1] + min(0, up)))
        both = free[here] & free[there]
        if abs(across) + abs(up) > 1:  # No corner is cut: the cells on both sides are free too.
            both &= _between_free(free, across, up, here)
        froms.append(at[here][both])
        tos.append(at[there][both])
        weights.append(np.hypot(across, up) * (costs[here][both] + costs[there][both]) / 2.0)
    count = int(free.sum())
    edges = (np.concatenate(weights), (np.concatenate(froms), np.concatenate(tos)))
    return csr_matrix(edges, shape=(count, count)), at


def _between_free(
    free: np.ndarray, across: int, up: int, here: Tuple[slice, slice]
) -> np.ndarray:
    """Check whether the cells that a slanting step passes between are free."""
    sign = 1 if up > 0 else -1
    beside = [(1, 0), (0, sign)]
    if abs(across) != abs(up):
        beside = [(1, 0) if abs(across) > abs(up) else (0, sign), (1, sign)]
    found = np.ones_like(free[here])
    for dx, dy in beside:
        shifted = free[here[0].start + dx:here[0].stop + dx, here[1].start + dy:here[1].stop + dy]
        found &= shifted
    return found
