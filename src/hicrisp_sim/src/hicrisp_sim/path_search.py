"""Collision-free joint paths: OMPL's RRT-Connect over a Python test, then shortened."""

from __future__ import annotations

import math
from typing import Callable, List, Optional, Sequence, Tuple

import numpy as np
from hicrisp_core.time.deadline import Deadline
from ompl import base, geometric, util

_RANGE = 2.5
"""Longest step of the tree, radians."""
_STRAIGHTER = np.arange(0.0, 1.0, 0.1)
"""Parts of its way from the straight one that a corner may keep."""


class PathSearch:
    """A seeded search in a box of joint positions.

    Args:
        lower: least joint positions, rad.
        upper: greatest joint positions, rad.
    """

    def __init__(self, lower: np.ndarray, upper: np.ndarray) -> None:
        util.setLogLevel(util.LogLevel.LOG_NONE)
        self._dof = len(lower)
        self._lower, self._upper = lower, upper
        self._space = base.RealVectorStateSpace(self._dof)
        bounds = base.RealVectorBounds(self._dof)
        for joint, (low, high) in enumerate(zip(lower, upper)):
            bounds.setLow(joint, float(low))
            bounds.setHigh(joint, float(high))
        self._space.setBounds(bounds)
        self._space.setup()

    def solve(
        self, start: np.ndarray, goals: Sequence[np.ndarray], free: Callable[[np.ndarray], bool],
        limit: Deadline, seed: int, step: float,
    ) -> Optional[List[np.ndarray]]:
        """Find a short path from the start to one of the goals.

        The result depends only on the seed, unless the time runs out. Without a free goal the search returns at
        once; the planner would wait for one until the limit.

        Args:
            start: array (joints,), radians; free of collisions.
            goals: arrays (joints,), radians.
            free: collision check of a posture.
            limit: wall-clock limit of the search.
            seed: of the random generator.
            step: distance between two collision checks along a segment, radians over all joints.

        Returns:
            Corners of the path, joined by straight segments; ``None`` without one.
        """
        goals = [goal for goal in goals
                 if (goal >= self._lower).all() and (goal <= self._upper).all() and free(goal)]
        if not goals:
            return None
        util.RNG.setSeed(seed + 1)
        dof = self._dof
        information = base.SpaceInformation(self._space)
        information.setStateValidityChecker(lambda state: free(state[0:dof]))
        information.setStateValidityCheckingResolution(step / self._space.getMaximumExtent())
        information.setup()
        problem = base.ProblemDefinition(information)
        # A joint that a line led to its limit may have settled a little beyond it.
        problem.addStartState(self._state(np.clip(start, self._lower, self._upper)))
        goal = base.GoalStates(information)
        for joints in goals:
            goal.addState(self._state(joints))
        problem.setGoal(goal)
        planner = geometric.RRTConnect(information)
        planner.setRange(_RANGE)
        planner.setProblemDefinition(problem)
        planner.setup()
        if not planner.solve(base.PlannerTerminationCondition(lambda: limit.passed)):
            return None
        path = problem.getSolutionPath()
        if path is None or not problem.hasExactSolution():
            return None
        if path.getStateCount() > 2:
            simplifier = geometric.PathSimplifier(information)
            simplifier.reduceVertices(path, 20, 10)
            simplifier.partialShortcutPath(path, 30, 12)
            simplifier.reduceVertices(path, 20, 10)
        corners = [start, *(np.array(path.getState(number)[0:dof]) for number in range(1, path.getStateCount()))]
        return _tightened(corners, limit, lambda ways: all(
            free(row) for way in ways for row in np.linspace(*way, max(2, int(np.ceil(math.dist(*way) / step))))))

    def _state(self, joints: np.ndarray) -> base.State:
        state = self._space.allocState()
        state[0:self._dof] = [float(value) for value in joints]
        return state


def _tightened(corners: List[np.ndarray], limit: Deadline,
               free: Callable[[Sequence[Tuple[np.ndarray, np.ndarray]]], bool]) -> List[np.ndarray]:
    """Return a path with each corner nearer to the straight way past it, with a little room to what is in that way.

    Args:
        corners: arrays (joints,), radians.
        limit: after it the rest stays as it is.
        free: whether straight segments touch nothing.
    """
    found = list(corners)
    for number in range(1, len(found) - 1):
        before, corner, after = found[number - 1 : number + 2]
        chord = after - before
        part = np.clip((corner - before) @ chord / max(float(chord @ chord), 1e-9), 0.0, 1.0)
        straight, touches = before + part * chord, True
        for share in _STRAIGHTER:
            if limit.passed:
                return found
            nearer = straight + share * (corner - straight)
            touched, touches = touches, not free([(before, nearer), (nearer, after)])
            if not touched and not touches:
                found[number] = nearer
                break
    return found
