"""Things that a request tells to leave as they are: "without touching the mug", "leave the mug alone", "the
mug stays put", "hands off the mug".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language.mentions import Mention, mentions
from hicrisp_core.language.tokens import words_in
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.model.goal import Goal, Holds, Not, facts_in

_DENYING = frozenset(("not", "never", "without", "no"))
_HANDLING = frozenset(("touch", "touching", "move", "moving", "disturb", "disturbing", "bump", "bumping",
                       "hit", "hitting", "knock", "knocking", "tip", "tipping"))
_HANDLED = frozenset(("moved", "touched", "disturbed", "handled", "lifted"))
_BETWEEN = frozenset(("the", "a", "an", "that", "this", "my", "your", "our", "its", "their", "to", "into",
                      "against", "over", "ever", "even", "is", "should", "must", "shall", "may", "can",
                      "right"))
_LEAVING = frozenset(("leave", "leaving", "let", "leaves"))
_STAYING = frozenset(("stay", "stays", "remain", "remains", "staying", "remaining"))
_AS_IT_IS = frozenset(("alone", "untouched", "put", "where", "there", "as", "be"))
"""What ends "leave the mug ..." and "the mug stays ..."."""


def left_alone(text: str, domain: Domain, world: WorldState) -> Tuple[str, ...]:
    """The names of the things that a text tells to leave; only such as a phrase fits alone."""
    words = [word.text for word in words_in(text)]
    return tuple(dict.fromkeys(
        each.fitting[0] for each in mentions(text, domain, world)
        if len(each.fitting) == 1 and world.objects[each.fitting[0]].movable and _is_left(each, words)))


def leaving(goal: Goal, names: Sequence[str], domain: Domain, world: WorldState) -> Goal:
    """The goal with no hand ever around some things, but for those that it moves itself."""
    held = domain.roles.held
    moved = {fact.subject for part in (*goal.end, *goal.first) for fact in facts_in(part)
             if fact not in world.relations}
    hands = () if held not in domain.predicates else domain.objects_of(
        world, domain.predicates[held].arguments[0])
    kept = (Not(Holds(Relation(hand, held, name))) for hand in hands for name in names if name not in moved)
    return replace(goal, keep=(*goal.keep, *(part for part in kept if part not in goal.keep)))


def _is_left(mention: Mention, words: Sequence[str]) -> bool:
    before = [word for word in words[:mention.start] if word not in _BETWEEN][-2:]
    after = [word for word in words[mention.end:] if word not in _BETWEEN][:3]
    if before[-1:] == ["off"] and before[0] == "hands":
        return True
    if len(before) == 2 and before[0] in _DENYING and before[1] in _HANDLING:
        return True
    if after[:1] and after[0] in _DENYING and set(after[1:3]) & _HANDLED:
        return True
    staying = bool(set(before[-1:]) & _LEAVING and set(after[:1]) & _AS_IT_IS)
    return staying or len(after) > 1 and after[0] in _STAYING and after[1] in _AS_IT_IS
