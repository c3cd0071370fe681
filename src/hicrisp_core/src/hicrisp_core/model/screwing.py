"""What is screwed on something else."""

from __future__ import annotations

from typing import FrozenSet, Iterable

from hicrisp_core.model.world import Relation

SCREWED_ON = "screwed_on"
"""The predicate of a cap that is on its bottle."""


def with_measured(seen: Iterable[Relation], measured: FrozenSet[Relation]) -> FrozenSet[Relation]:
    """Join the facts that follow from poses with those that were measured.

    Args:
        seen: of a cap that is screwed on its bottle they say that it stands there.
        measured: levels, contents, caps that are on, pieces that are still one.

    Returns:
        Both; what is screwed on stands on nothing.
    """
    screwed = {(fact.subject, fact.object) for fact in measured if fact.predicate == SCREWED_ON}
    return measured.union(fact for fact in seen if (fact.subject, fact.object) not in screwed)
