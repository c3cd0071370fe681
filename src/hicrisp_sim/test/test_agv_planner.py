"""The global planner searches only where a cheaper path can be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hicrisp_sim.agv.planner import cell_graph, cheapest_cells
from scipy.sparse.csgraph import dijkstra


def cost_of(costs: np.ndarray, cells: np.ndarray) -> float:
    steps, passed = np.hypot(*np.diff(cells, axis=0).T), costs[tuple(cells.T)]
    return float((steps * (passed[1:] + passed[:-1]) / 2.0).sum())


@pytest.mark.parametrize("seed", range(8))
def test_a_path_costs_what_a_search_of_the_whole_map_finds(seed: int) -> None:
    """Around walls with gaps, through dear ground, from any corner to any other."""
    dice = np.random.default_rng(seed)
    costs = np.where(dice.random((60, 50)) < 0.3, dice.uniform(1.0, 7.0, (60, 50)), 1.0)
    for column in (15, 30, 45):
        gap = dice.integers(0, 46)
        costs[column, :gap] = costs[column, gap + 4:] = np.inf
    ends = [(int(x), int(y)) for x, y in zip(dice.integers(0, 60, 6), dice.integers(0, 50, 6))]
    free = [end for end in ends if np.isfinite(costs[end])]
    graph, at = cell_graph(costs)
    for last in free:
        away = dijkstra(graph, directed=False, indices=at[last])
        for first in free:
            cells = cheapest_cells(costs, first, last)
            assert cells is not None
            assert (tuple(cells[0]), tuple(cells[-1])) == (first, last)
            assert cost_of(costs, cells) == pytest.approx(away[at[first]])


def test_no_path_is_found_where_none_is() -> None:
    costs = np.ones((40, 40))
    costs[20, :] = np.inf
    assert cheapest_cells(costs, (5, 5), (35, 5)) is None
    costs[20, 39] = 1.0
    cells = cheapest_cells(costs, (5, 5), (35, 5))
    assert cells is not None
    assert math.dist(cells[0], (5, 5)) == math.dist(cells[-1], (35, 5)) == 0.0
