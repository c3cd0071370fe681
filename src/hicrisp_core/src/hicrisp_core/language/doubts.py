"""Where the words of a request speak against what a model understood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Set, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.vocabulary import telling_facts
from hicrisp_core.language.mentions import mentions
from hicrisp_core.language.tokens import words_in
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.model.goal import Goal, facts_in

_SPARING = frozenset(("but", "except", "without", "apart", "besides", "aside", "only", "not", "no", "mean",
                      "instead", "rather", "actually"))
"""Words by which something is named that is left out, or was named by mistake."""


@dataclass(frozen=True)
class Doubt:
    """What the words tell that the goal does not.

    Args:
        which: the things that one phrase of the request fits, of which the goal has some.
        missing: things that the request names and the goal does not speak of.
    """

    which: Tuple[str, ...] = ()
    missing: Tuple[str, ...] = ()


def doubt(text: str, goal: Goal, domain: Domain, world: WorldState) -> Doubt:
    """What speaks against a goal; a phrase that names one thing alone settles which one others mean."""
    found = mentions(text, domain, world)
    meant = _names(goal)
    named = {each.fitting[0] for each in found
             if len(each.fitting) == 1 and world.objects[each.fitting[0]].movable}
    spared = {word.text for word in words_in(text)} & _SPARING
    facts = telling_facts(domain, world)
    missing = () if spared else tuple(sorted(named - _telling_others(meant, facts) - meant))
    for each in found:
        open_ = [name for name in each.fitting if name not in named]
        if each.definite and len(open_) > 1 and 0 < len(meant & set(open_)) < len(open_):
            told_by = {fact.object for fact in facts if fact.subject in open_}
            if not told_by & named:
                return Doubt(which=tuple(open_), missing=missing)
    return Doubt(missing=missing)


def _names(goal: Goal) -> Set[str]:
    return {name for part in (*goal.end, *goal.keep, *goal.first) for fact in facts_in(part)
            for name in (fact.subject, fact.object) if name}


def _telling_others(meant: Set[str], facts: Iterable[Relation]) -> Set[str]:
    """Things that may only say which other one is meant: "what is in the bowl", "the one on the plate"."""
    return {name for fact in facts for name in (fact.subject, fact.object)
            if {fact.subject, fact.object} & meant}
