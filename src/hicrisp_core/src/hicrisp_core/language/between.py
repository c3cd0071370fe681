"""A place between two things: "put the soap between the lamp and the book", "... between the two boxes"."""

from __future__ import annotations

from typing import Optional, Sequence, Set, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.typed import check_goal
from hicrisp_core.language.mentions import Mention, mentions
from hicrisp_core.language.order_words import LEVEL, NEUTRAL
from hicrisp_core.language.tokens import words_in
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.model.goal import Goal, Holds, all_of, any_of

_BETWEEN = "between"
_AND = "and"
_BESIDES = NEUTRAL | {".", "!", "middle", "two", "both"}


def told_between(text: str, domain: Domain, world: WorldState) -> Optional[Goal]:
    """The goal of a text that says which thing goes between which two, from left to right or the other way
    round; ``None`` where it says anything else.
    """
    words = [word.text for word in words_in(text)]
    if words.count(_BETWEEN) != 1:
        return None
    at = words.index(_BETWEEN)
    found = mentions(text, domain, world)
    before, after = [each for each in found if each.end <= at], [each for each in found if each.start > at]
    ends = _two(words, after)
    if len(before) != 1 or len(before[0].fitting) != 1 or not ends or not _is_small(words, found):
        return None
    inner = before[0].fitting[0]
    goal = Goal((any_of(*(all_of(Holds(Relation(inner, LEVEL.beyond_one, one)),
                                 Holds(Relation(inner, LEVEL.short_of_one, other)))
                          for one, other in (ends, ends[::-1]))),))
    return goal if check_goal(goal, domain, world) is None else None


def _two(words: Sequence[str], after: Sequence[Mention]) -> Tuple[str, ...]:
    """The names of the two things that are named behind the word."""
    if len(after) == 1 and after[0].several and len(after[0].fitting) == 2:
        return after[0].fitting
    if len(after) == 2 and all(len(each.fitting) == 1 for each in after) \
            and _AND in words[after[0].end:after[1].start]:
        return after[0].fitting + after[1].fitting
    return ()


def _is_small(words: Sequence[str], found: Sequence[Mention]) -> bool:
    named: Set[int] = {at for each in found for at in range(each.start, each.end)}
    return all(at in named or word in _BESIDES or word in (_BETWEEN, _AND) for at, word in enumerate(words))
