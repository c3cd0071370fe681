"""What a phrase may stand for that no object fits: objects that have some of its words, or nearly ("nife", "black
cube" for a black box). None of them is taken without the user's yes.
"""

from __future__ import annotations

from dataclasses import replace
from difflib import SequenceMatcher
from typing import AbstractSet, Dict, Optional, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Refusal
from hicrisp_core.model.misfit import Misfit
from hicrisp_core.parsing.names import words_by_name
from hicrisp_core.understanding.written import Context, Line, meaning_of, parse_line
from hicrisp_core.understanding.written.context import phrases_in
from hicrisp_core.understanding.written.sayings import ACTOR, Phrase

_ALIKE = 0.75
"""How alike two words are, by their letters, of which one may be the other misspelt."""
_SHORTEST = 3
"""Letters of a word that may be misspelt."""


def goals_nearby(line: Line, domain: Domain, world: WorldState, context: Context) -> Dict[str, Goal]:
    """Return the goals that a line has with near objects in place of the phrases that fit none.

    Near are those that share words with a phrase; if none does, the only one with which the line is a goal.

    Returns:
        The goals by the objects' names; none if several phrases fit none and have several near objects.
    """
    line = _respelled(line, world)
    meaning = meaning_of(line, domain, world, context)
    if isinstance(meaning, Goal):
        return {str(line): meaning}
    for phrase in dict.fromkeys(phrases_in(line)):
        if phrase.words == ACTOR:
            continue
        near = _nearest(phrase, world)
        others = () if any(map(str.isdigit, phrase.words)) else (*world.objects, *world.robots)
        tried = {name: _with(line, phrase, name) for name in (near or others)}
        meant = {name: meaning_of(other, domain, world, context) for name, other in tried.items() if other is not None}
        found = {name: goal for name, goal in meant.items() if isinstance(goal, Goal)}
        if found and (near or len(found) == 1):
            return found
        unknown = meaning_of(line, domain, world, context)
        if len(near) == 1 and isinstance(unknown, Refusal) and tried[near[0]] is not None \
                and meant[near[0]] != unknown:  # It stands for this phrase, and another one is left.
            line = tried[near[0]] or line
    return {}


def _respelled(line: Line, world: WorldState) -> Line:
    """The line with the world's own words in place of those that are nearly one of them."""
    known = {word for words in words_by_name(world).values() for word in words}
    for phrase in dict.fromkeys(phrases_in(line)):
        words = [_meant(word, known) for word in phrase.words.split()]
        other = parse_line(str(line).replace(str(phrase), str(replace(phrase, words=" ".join(words)))))
        line = line if isinstance(other, Misfit) else other
    return line


def _meant(word: str, known: AbstractSet[str]) -> str:
    """The only one of some words that a word is nearly; itself if it is one, or there is none."""
    near = [other for other in known if _alike(word, other)]
    return near[0] if word not in known and len(near) == 1 else word


def _with(line: Line, phrase: Phrase, name: str) -> Optional[Line]:
    """The line with an object's own name in place of a phrase."""
    named = replace(phrase, words=name.replace("_", " "), where=(), without=(), rank="", ordinal=1, state="")
    other = parse_line(str(line).replace(str(phrase), str(named)))
    return None if isinstance(other, Misfit) else other


def _nearest(phrase: Phrase, world: WorldState) -> Tuple[str, ...]:
    """The objects that have most of a phrase's words, at least one: those of its kind, the last word, or else those
    of which all but the kind is said.
    """
    said = phrase.words.split()
    shared = {name: [any(_alike(word, own) for own in words) for word in said]
              for name, words in words_by_name(world).items()}
    coded = [any(map(str.isdigit, word)) for word in said]
    near = {name: (sum(found), found[-1]) for name, found in shared.items()
            if any(found) and (found[-1] or all(found[:-1])) and all(hit or not code for hit, code in zip(found, coded))}
    most = max(near.values(), default=(0, False))
    return tuple(sorted(name for name, how in near.items() if how == most))


def _alike(word: str, other: str) -> bool:
    """Whether a word may be another one, misspelt or a part of it: "remote" for a remote control. A number or a code
    is never misspelt.
    """
    if word == other or any(map(str.isdigit, word + other)):
        return word == other
    return min(len(word), len(other)) >= _SHORTEST and (
        len(word) > _SHORTEST and (other.startswith(word) or other.endswith(word))
        or SequenceMatcher(None, word, other).ratio() >= _ALIKE)
