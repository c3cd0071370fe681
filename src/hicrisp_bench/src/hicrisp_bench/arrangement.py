"""Did it work? Judged from the physics' own poses, not from what the run's detector saw."""

from __future__ import annotations

from typing import Callable, Mapping, Tuple, Union

from hicrisp_core.detector.perception import ArmFrames, perceive
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Pose, Relation, WorldObject, WorldState

Goal = Union[Tuple[Relation, ...], Callable[[WorldState], bool]]
"""The facts that must hold in the end, or a question about the final arrangement."""


_ARMS = (ArmFrames("panda"),)
"""The arm of the embedded world."""


def holds_in_truth(
    goal: Goal, truth: Mapping[str, Tuple[Pose, float]], catalogue: Mapping[str, WorldObject], domain: Domain,
    now: float,
) -> bool:
    """Whether a goal is reached in the true, noise-free frames."""
    world = perceive(truth, catalogue, domain, now, _ARMS)
    return goal(world) if callable(goal) else all(fact in world.relations for fact in goal)
