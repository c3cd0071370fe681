"""What a line may refer to besides the world, and why no goal was made of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable, Mapping, Sequence, Tuple

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
        recipes: what a vessel must contain, by the recipe's name.
    """

    spoken: Tuple[str, ...] = ()
    recipes: Mapping[str, Sequence[str]] = field(default_factory=dict)


class Unlinked(Exception):
    """A line has no goal in this world: the user gets the reason or a question."""

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
    """Return the refusal of an object that does not exist, with those that do.

    Args:
        what: the object in the user's words.
        valid: names that would fit.

    Returns:
        The refusal.
    """
    names = sorted(set(valid))
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    there = f"There {'is' if len(names) == 1 else 'are'}: {', '.join(map(spoken, names[:MOST_NAMES]))}{more}."
    return Refusal(Reason.UNKNOWN_OBJECT, f"There is no {what} here. {there if names else 'There is nothing like it.'}")


def unknown(what: str, valid: Iterable[str]) -> Unlinked:
    """Return the exception for an object that does not exist.

    Args:
        what: the object in the user's words.
        valid: names that would fit.

    Returns:
        The exception, to be raised by the caller.
    """
    return Unlinked(not_there(what, valid))


def impossible(why: str) -> Unlinked:
    """Return the exception for a statement that no predicate can make.

    Args:
        why: the reason, as a clause.

    Returns:
        The exception, to be raised by the caller.
    """
    return Unlinked(Refusal(Reason.IMPOSSIBLE, sentence(why)))


def too_much() -> Unlinked:
    """Return the refusal of a goal that nothing could plan."""
    return impossible(f"that is too much at once: a goal has at most {MOST_PARTS} parts; name fewer objects")


def called(phrase: Phrase) -> str:
    """Word a phrase for the user: ``empty red box on tray``.

    Args:
        phrase: a noun phrase with its amount and restrictions.

    Returns:
        The words.
    """
    said = ["other" if phrase.other else "", phrase.rank, phrase.state, phrase.words]
    for each in phrase.where:
        others = joined(list(map(called, each.arguments)), "and")
        said += ["" if each.holds else "not", each.predicate, others]
    return spoken(" ".join(filter(None, said)))


def listed(names: Sequence[str], word: str) -> str:
    """Join names with their articles to a list in words.

    Args:
        names: names of objects.
        word: the conjunction before the last, "and" or "or".

    Returns:
        The list.
    """
    return joined([named(name) for name in names], word)
