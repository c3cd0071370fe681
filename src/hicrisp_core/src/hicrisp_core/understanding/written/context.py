"""What a line may refer to besides the world, and why no goal was made of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable, Mapping, Sequence, Tuple

from hicrisp_core.config.recipes import Recipe
from hicrisp_core.domain.saying import joined, named, sentence, spoken
from hicrisp_core.model.goal_text import MOST_PARTS
from hicrisp_core.model.meaning import Meaning, Reason, Refusal
from hicrisp_core.understanding.written.sayings import Phrase

MOST_NAMES = 12
"""Names that a refusal lists."""


@dataclass(frozen=True)
class Context:
    """What was said and done before, and what no world shows.

    Args:
        spoken: names in the order in which they were spoken of or handled, the latest last.
        recipes: what can be made, by the recipe's name.
    """

    spoken: Tuple[str, ...] = ()
    recipes: Mapping[str, Recipe] = field(default_factory=dict)


class Unlinked(Exception):
    """A line has no goal in this world: the user is told why, or asked."""

    def __init__(self, meaning: Meaning) -> None:
        super().__init__(str(meaning))
        self.meaning = meaning


class Several(Exception):
    """A phrase for one object fits several."""

    def __init__(self, phrase: Phrase, names: Tuple[str, ...]) -> None:
        super().__init__(f"'{phrase}' may be {', '.join(names)}")
        self.phrase = phrase
        self.names = names


def not_there(what: str, valid: Iterable[str]) -> Refusal:
    """Return the refusal of an object that is not there, with those that are."""
    names = sorted(set(valid))
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    there = f"There {'is' if len(names) == 1 else 'are'}: {', '.join(map(spoken, names[:MOST_NAMES]))}{more}."
    return Refusal(Reason.UNKNOWN_OBJECT, f"There is no {what} here. {there if names else 'There is nothing like it.'}")


def unknown(what: str, valid: Iterable[str]) -> Unlinked:
    """Return an object that is not there as the reason why a line has no goal."""
    return Unlinked(not_there(what, valid))


def impossible(why: str) -> Unlinked:
    """Return the refusal of what no predicate says of such objects."""
    return Unlinked(Refusal(Reason.IMPOSSIBLE, sentence(why)))


def too_much() -> Unlinked:
    """Return the refusal of a goal that nothing could plan."""
    return impossible(f"that is too much at once: a goal has at most {MOST_PARTS} parts; name fewer objects")


def called(phrase: Phrase) -> str:
    """Return a phrase as it is said to the user: ``empty red box on tray``."""
    said = ["other" if phrase.other else "", phrase.rank, phrase.state, phrase.words]
    for each in phrase.where:
        others = joined(list(map(called, each.arguments)), "and")
        said += ["" if each.holds else "not", each.predicate, others]
    return spoken(" ".join(filter(None, said)))


def listed(names: Sequence[str], word: str) -> str:
    """Return names with their articles as a list in words."""
    return joined([named(name) for name in names], word)
