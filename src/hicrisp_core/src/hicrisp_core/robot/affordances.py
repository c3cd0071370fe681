"""The ways to carry out a command, best first: CoPAL's affordances (section III-D).

There, a command is instantiated "as a set of potential primitives", each is evaluated in simulation "and
ranked according to a collision and joint limit metric", the winner is executed, and when all fail "the reason
for failure of the best primitive is communicated". Here a primitive is a grasp from above or from the side,
or a placement; geometry and inverse kinematics rank them, which is cheap, and motions are planned in the
order of the ranks until one is found.
"""

from __future__ import annotations

import heapq
import math
from typing import Callable, Iterable, Iterator, List, Optional, Tuple, TypeVar

from hicrisp_core.model import Pose
from hicrisp_core.robot.grasps import Grasp

_ROOM = 0.025
"""Clearance above which one way is as good as another, metres."""
_COMFORT = 0.30
"""Distance of the joints from their limits above which one way is as good as another, radians."""
_SIDE = 0.5
"""Cost of a level hand: it needs more room where the object goes than a hand from above. A leaning one has a part."""

Margin = Callable[[Pose], Optional[float]]
"""The distance of an arm's joints from their limits at a tool pose, radians; ``None`` out of reach."""
Candidate = TypeVar("Candidate")


def collision_cost(grasp: Grasp) -> float:
    """Return the collision part of the grasp metric.

    Args:
        grasp: the candidate; its clearance is the least distance between the hand and other objects, metres.

    Returns:
        0 with enough room, 1 in contact, quadratic in between; 0.5 more for a level hand.
    """
    return max(0.0, 1.0 - grasp.clearance / _ROOM) ** 2 + _SIDE * grasp.slope


def joint_limit_cost(margin: Optional[float]) -> float:
    """Return the joint limit part of the grasp metric.

    Args:
        margin: least distance of a joint from its limit, radians; ``None`` if inverse kinematics found no
            posture.

    Returns:
        0 far from all limits, 1 at a limit, quadratic in between; infinite without a posture.
    """
    return math.inf if margin is None else max(0.0, 1.0 - margin / _COMFORT) ** 2


def ranked(ways: Iterable[Candidate], grasp_of: Callable[[Candidate], Grasp], margin: Margin) -> Iterator[Candidate]:
    """Sort grasps by their cost, the sum of both parts (CoPAL, section III-D).

    Ties are broken by the smallest wrist turn, then by the given order, so the result is deterministic. The
    margin is computed lazily: only where the collision part alone does not decide.

    Args:
        ways: the candidates.
        grasp_of: returns the grasp of a candidate.
        margin: returns the least joint margin for a tool pose, radians, or ``None`` without a posture.

    Yields:
        The candidates, cheapest first.
    """
    listed = list(ways)
    grasps = [grasp_of(way) for way in listed]
    waiting: List[Tuple[float, bool, float, int]] = [
        (collision_cost(grasp), True, grasp.turn, number) for number, grasp in enumerate(grasps)]
    heapq.heapify(waiting)
    while waiting:
        cost, unasked, turn, number = heapq.heappop(waiting)
        if unasked:
            whole = cost + joint_limit_cost(margin(grasps[number].pose))
            heapq.heappush(waiting, (whole, False, turn, number))
        else:
            yield listed[number]
