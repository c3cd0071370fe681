"""A search for a path is given up by how long it computed, or at its end in wall time."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hicrisp_core.time.deadline import Deadline, ThinkingTime
from hicrisp_sim.path_search import PathSearch, _tightened
from waiting import PATIENCE

START, GOAL = np.array([-0.8, 0.0]), np.array([0.8, 0.0])


def search() -> PathSearch:
    return PathSearch(np.array([-1.0, -1.0]), np.array([1.0, 1.0]))


def beside_a_wall(joints: np.ndarray) -> bool:
    """A wall between start and goal that leaves a way round on one side."""
    return abs(joints[0]) > 0.1 or joints[1] > 0.5


def test_a_machine_that_is_busy_with_something_else_takes_nothing_from_a_search() -> None:
    pauses = iter([0.05] * 20)

    def held_up(joints: np.ndarray) -> bool:
        time.sleep(next(pauses, 0.0))
        return beside_a_wall(joints)

    path = search().solve(START, [GOAL], held_up, ThinkingTime(0.5, PATIENCE), 1, 0.02)
    assert path is not None
    assert all(beside_a_wall(one + part * (other - one)) for one, other in zip(path, path[1:])
               for part in np.linspace(0.0, 1.0, 20))
    assert np.allclose(path[-1], GOAL)


def test_a_way_round_leads_near_what_is_in_the_way() -> None:
    for seed in (5, 7):  # By the search alone, these go as far as 0.93 and 0.99.
        path = search().solve(START, [GOAL], beside_a_wall, Deadline(PATIENCE), seed, 0.02)
        assert path is not None
        assert max(corner[1] for corner in path) < 0.8, seed
        assert all(beside_a_wall(one + part * (other - one)) for one, other in zip(path, path[1:])
                   for part in np.linspace(0.0, 1.0, 50))


def test_what_a_search_found_is_made_no_better_after_its_time() -> None:
    corners = [START, np.array([0.0, 0.9]), GOAL]
    for seconds, nearest in ((PATIENCE, 0.72), (0.0, 0.9)):
        found = _tightened(corners, Deadline(seconds), lambda ways: all(
            beside_a_wall(row) for way in ways for row in np.linspace(*way, 50)))
        assert found[1][1] == pytest.approx(nearest, abs=0.01)


def test_a_search_in_vain_ends_with_its_time() -> None:
    def walled(joints: np.ndarray) -> bool:
        return abs(joints[0]) > 0.1

    assert search().solve(START, [GOAL], walled, ThinkingTime(0.1, PATIENCE), 1, 0.02) is None
    assert search().solve(START, [GOAL], walled, Deadline(0.1), 1, 0.02) is None


def test_a_goal_that_is_not_free_is_not_waited_for() -> None:
    class Asked(Deadline):
        """A limit that is told when somebody asks for it."""

        times = 0

        @property
        def passed(self) -> bool:
            Asked.times += 1
            return super().passed

    def walled(joints: np.ndarray) -> bool:
        return bool(joints[0] < 0.1)

    assert search().solve(START, [GOAL], walled, Asked(1.0), 1, 0.02) is None
    assert search().solve(START, [np.array([1.5, 0.0])], lambda joints: True, Asked(1.0), 1, 0.02) is None
    assert Asked.times == 0
    assert search().solve(START, [GOAL, np.array([0.0, 0.8])], walled, Asked(PATIENCE), 1, 0.02) is not None
