"""Did it work? Judged from the physics' own poses, not from what the run's detector saw."""

from __future__ import annotations

from typing import Callable, Mapping, Tuple, Union

from hicrisp_core.detector.perception import frames_of, perceive
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Pose, Relation, WorldState
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import Scene

Goal = Union[Tuple[Relation, ...], Callable[[WorldState], bool]]
"""The facts that must hold in the end, or a question about the final arrangement."""


def holds_in_truth(
    goal: Goal, truth: Mapping[str, Tuple[Pose, float]], scene: Scene, domain: Domain, now: float,
) -> bool:
    """Check a goal against the true, noise-free frames.

    Args:
        goal: facts, or a function of the world.
        truth: pose in the world frame and its time by the frame's name.
        scene: the initial objects, robots and facts, as its file describes them.
        domain: types, predicates and actions of the application.
        now: simulation time, seconds.

    Returns:
        Whether the goal is reached.
    """
    robots = tuple(frames_of(name, body) for name, body in bodies_of(scene).items())
    world = perceive(truth, scene.objects, domain, now, robots)
    return goal(world) if callable(goal) else all(fact in world.relations for fact in goal)
