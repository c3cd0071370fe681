"""Sentences to offer where one was not understood: close to it, about what is here, tried before they are
offered.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache
from itertools import permutations
from typing import Callable, Dict, Iterable, Iterator, List, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language import deliveries, drives, lexicon, vocabulary
from hicrisp_core.model import WorldState
from hicrisp_core.time.deadline import Deadline

MOST = 3
"""How many sentences are offered."""
LISTED = 8
"""How many names a message lists."""
_LONGEST = 260
"""Characters of a reason that are kept, so that a refusal stays within four lines."""
_THINGS = 4
"""How many things of the world the sentences are made with."""
_OF_ONE = ("pick up the {a}", "put down the {a}", "where is the {a}?")
_OF_TWO = ("place the {a} next to the {b}", "put the {a} on the {b}", "put the {a} into the {b}",
           "place the {a} left of the {b}", "make sure that the {a} is on the {b}")
_PERIOD = 1.0
"""Wall seconds for all trials: a refusal must come at once."""

Works = Callable[[str, Deadline], bool]
"""Whether a sentence would be carried out or answered in the world as it is now."""


def nearest(text: str, domain: Domain, world: WorldState, works: Works,
            seconds: float = _PERIOD) -> Tuple[str, ...]:
    """The sentences closest to a text, at most three, each of another kind; only those that would work now.

    Args:
        seconds: wall time after which no further sentence is tried.
    """
    deadline = Deadline(seconds)
    text = text[:_LONGEST]
    found: List[str] = []
    for sentence in _by_likeness(text, candidates(text, domain, world)):
        if deadline.passed or len(found) == MOST:
            break
        if works(sentence, Deadline(deadline.remaining)):
            found.append(sentence)
    return tuple(found)


def candidates(text: str, domain: Domain, world: WorldState) -> Dict[str, Tuple[str, ...]]:
    """Sentences by their kind: the fixed ones of the domain, and patterns with the names of what is here.

    What the text mentions comes first; whether a sentence can be done here is not known yet.
    """
    if drives_only(domain):
        return {sentence: (sentence,) for sentence in drives.EXAMPLES}
    fixed = (*deliveries.EXAMPLES, *lexicon.EXAMPLES) if vocabulary.delivers(domain) else lexicon.EXAMPLES
    things = _mentioned_first(text, (thing.name for thing in world.objects.values() if thing.movable))
    kinds: Dict[str, Tuple[str, ...]] = {sentence: (sentence,) for sentence in fixed if "(" not in sentence}
    for pattern in (*_OF_ONE, *_OF_TWO, *(saying.say for saying in domain.sayings)):
        kinds[pattern] = tuple(_filled(pattern, things))
    return kinds


def refusal(why: str, domain: Domain, world: WorldState) -> str:
    """What is wrong and what is here, short enough to be read."""
    reason = why if len(why) <= _LONGEST else f"{why[:_LONGEST].rsplit(' ', 1)[0]} ..."
    places = [name for name, thing in world.objects.items() if not thing.movable]
    here = (f"Places here: {listed(places)}" if drives_only(domain)
            else f"Things here: {listed(world.objects)}")
    return f"I cannot do this: {reason.rstrip('.')}. {here}."


def drives_only(domain: Domain) -> bool:
    """Whether the domain is one of bases alone, that bring nothing anywhere."""
    return vocabulary.drives(domain) and not vocabulary.delivers(domain)


def listed(names: Iterable[str]) -> str:
    """Some names in their order, and how many more there are."""
    known = sorted(names)
    more = f" and {len(known) - LISTED} more" if len(known) > LISTED else ""
    return f"{', '.join(known[:LISTED])}{more}" or "nothing"


def _by_likeness(text: str, kinds: Dict[str, Tuple[str, ...]]) -> Iterator[str]:
    """The best sentence of each kind, the most alike first, then the others."""
    likeness = {sentence: _likeness(text, sentence) for sentences in kinds.values() for sentence in sentences}
    ranked = [sorted(sentences, key=lambda sentence: -likeness[sentence]) for sentences in kinds.values()]
    ranked = sorted(filter(None, ranked), key=lambda sentences: -likeness[sentences[0]])
    seen = set()
    for place in range(max(map(len, ranked), default=0)):
        for sentences in ranked:
            if place < len(sentences) and sentences[place] not in seen:
                seen.add(sentences[place])
                yield sentences[place]


def _likeness(text: str, sentence: str) -> float:
    """From 0 to 2: how much of each said word is found, misspelt ones too, and the share of words in common,
    in their order.
    """
    said, offered = text.lower().split(), sentence.lower().split()
    found = [max(_alike(word, other) for other in offered) for word in said]
    return sum(found) / max(1, len(found)) + SequenceMatcher(None, said, offered).ratio()


@lru_cache(maxsize=4096)
def _alike(word: str, other: str) -> float:
    """From 0 to 1 for the share of letters in common, in their order."""
    return 1.0 if word == other else SequenceMatcher(None, word, other).ratio()


def _mentioned_first(text: str, names: Iterable[str]) -> Sequence[str]:
    said = set(text.lower().replace("_", " ").split())
    return sorted(names, key=lambda name: (-len(said & set(name.split("_"))), name))[:_THINGS]


def _filled(pattern: str, things: Sequence[str]) -> Iterator[str]:
    places = [place for place in ("a", "b") if f"{{{place}}}" in pattern]
    for chosen in permutations((name.replace("_", " ") for name in things), len(places)):
        yield pattern.format_map(dict(zip(places, chosen)))
