"""Where the words of a request speak against what a model understood."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Iterable, Sequence, Set, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.truth import holds
from hicrisp_core.goals.vocabulary import telling_facts
from hicrisp_core.language import lexicon
from hicrisp_core.language.mentions import Mention, mentions
from hicrisp_core.language.orders import misordered
from hicrisp_core.language.tokens import words_in
from hicrisp_core.language.told_relations import unsaid
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.model.goal import Goal, Holds, facts_in

_MISTAKEN = frozenset(("only", "mean", "meant", "instead", "rather", "actually", "correction", "sorry"))
"""Words by which something may have been named by mistake, wherever they stand."""
_SPARING = frozenset(("not", "no", "without", "except", "besides", "minus", "but", "from", "for"))
"""Words right before something that is left out."""
_ALL = frozenset(("everything", "all", "every", "any", "anything", "each", "both", "whatever", "nothing",
                  "apart", "aside"))
"""Words without which "but", "from" and "for" leave nothing out."""
_EACH_OF = frozenset(("all", "every", "each"))
"""Words before a group by which none of it may be left out."""
_BARE = frozenset(("", ",", ";", ".", ":", "!", "and", "put", "place", "move", "set", "bring", "in", "into",
                   "with"))
"""Words before "red blocks" where all of them are meant."""
_SMALL = frozenset(("the", "a", "an", "that", "this", "my", "your", "our", "its", "their", "in", "into",
                    "on", "onto"))
"""Words between these and the thing."""


@dataclass(frozen=True)
class Doubt:
    """What the words tell that the goal does not.

    Args:
        which: the things that one phrase of the request fits, of which the goal has some.
        missing: things that the request names and the goal does not speak of.
        misordered: whether they tell another order of a tower or row.
        unsaid: relations that they tell plainly and the goal does not have.
        unkept: what the goal would keep as it is, and is not so.
        idle: whether the goal asks for nothing but what is so already.
    """

    which: Tuple[str, ...] = ()
    missing: Tuple[str, ...] = ()
    misordered: bool = False
    unsaid: Tuple[Relation, ...] = ()
    unkept: Tuple[Relation, ...] = ()
    idle: bool = False

    @property
    def any(self) -> bool:
        """Whether anything speaks against the goal."""
        return bool(self.which) or self.unsure

    @property
    def unsure(self) -> bool:
        """Whether the goal should be asked back."""
        return self.misordered or self.idle or any((self.missing, self.unsaid, self.unkept))


def doubt(text: str, goal: Goal, domain: Domain, world: WorldState) -> Doubt:
    """What speaks against a goal; a phrase that names one thing alone settles which one others mean."""
    words = [word.text for word in words_in(text)]
    found = mentions(text, domain, world)
    meant = _names(goal)
    named = {each.fitting[0] for each in found
             if len(each.fitting) == 1 and world.objects[each.fitting[0]].movable}
    facts = telling_facts(domain, world)
    spared = {each.fitting[0] for each in found if len(each.fitting) == 1 and _is_spared(each, words)}
    missing = () if set(words) & _MISTAKEN else tuple(
        sorted((named - spared - _telling_others(meant, facts) | _left_out(words, found, meant)) - meant))
    ordered = [fact for part in goal.end if isinstance(part, Holds) for fact in facts_in(part)]
    every = [fact for part in (*goal.end, *goal.keep, *goal.first) for fact in facts_in(part)]
    told = Doubt(missing=missing, misordered=misordered(words, found, ordered, domain),
                 unsaid=unsaid(words, found, every, domain, world), unkept=_unkept(goal, world),
                 idle=bool(goal.end) and not goal.first and all(
                     holds(each, world.relations, domain) for each in goal.end))
    for each in found:
        open_ = [name for name in each.fitting if name not in named]
        if each.definite and len(open_) > 1 and 0 < len(meant & set(open_)) < len(open_):
            told_by = {fact.object for fact in facts if fact.subject in open_}
            if not told_by & named:
                return replace(told, which=tuple(open_))
    return told


def _left_out(words: Sequence[str], found: Sequence[Mention], meant: Set[str]) -> Set[str]:
    """Those of a group that the goal does not speak of, where all of it was told: "all four cubes", "the two
    boxes", "the boxes".
    """
    if set(words) & _SPARING:
        return set()
    wholes = (set(each.fitting) for each in found if len(each.fitting) > 1 and _is_whole(words, each))
    return {name for whole in wholes if whole & meant for name in whole}


def _is_whole(words: Sequence[str], mention: Mention) -> bool:
    """Whether a phrase means everything that it fits."""
    before = words[max(0, mention.start - 3):mention.start]
    if set(before) & _EACH_OF:
        return True
    if not mention.several or before[-2:] == ["of", "the"]:
        return False
    last = before[-1] if before else ""
    return lexicon.NUMBERS.get(last, 0) == len(mention.fitting) or last == "the" or last in _BARE


def _unkept(goal: Goal, world: WorldState) -> Tuple[Relation, ...]:
    """What must stay as it is, and is not so now nor at the end."""
    made = {fact for part in (*goal.end, *goal.first) for fact in facts_in(part)}
    return tuple(fact for part in goal.keep if isinstance(part, Holds) for fact in facts_in(part)
                 if fact not in world.relations and fact not in made)


def _is_spared(mention: Mention, words: Sequence[str]) -> bool:
    """Whether a thing is named as the one that is left out: "not the mug", "everything but the mug"."""
    before = [word for word in words[max(0, mention.start - 4):mention.start] if word not in _SMALL][-1:]
    if not set(before) & _SPARING:
        return False
    return before[0] not in ("but", "from", "for") or bool(set(words[:mention.start]) & _ALL)


def _names(goal: Goal) -> Set[str]:
    return {name for part in (*goal.end, *goal.keep, *goal.first) for fact in facts_in(part)
            for name in (fact.subject, fact.object) if name}


def _telling_others(meant: Set[str], facts: Iterable[Relation]) -> Set[str]:
    """Things that may only say which other one is meant: "what is in the bowl", "the one on the plate"."""
    return {name for fact in facts for name in (fact.subject, fact.object)
            if {fact.subject, fact.object} & meant}
