"""Did it work? Judged from the physics' own poses, not from what the run's detector saw."""

from __future__ import annotations

from typing import Mapping, Tuple

from hicrisp_core.detector.perception import perceive
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Pose, Relation, WorldObject


def holds_in_truth(
    facts: Tuple[Relation, ...], truth: Mapping[str, Tuple[Pose, float]], catalogue: Mapping[str, WorldObject],
    domain: Domain, now: float,
) -> bool:
    """Whether all facts hold in the true, noise-free frames."""
    world = perceive(truth, catalogue, domain, now)
    return all(fact in world.relations for fact in facts)
