"""What a user says while a task runs, read without a model: what kind of change it asks for.

"Not that one, the blue one", "the blue one instead", "no, on the plate", "also the cup", "keep away from the
glass", "stop". Nothing is looked up here; see :mod:`hicrisp_core.language.revising`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional, Sequence, Tuple, Union

from hicrisp_core.language import lexicon
from hicrisp_core.language.intents import NotUnderstood, Noun
from hicrisp_core.language.noun_phrases import PhraseReader
from hicrisp_core.language.tokens import END, plain, tokenise, words_in

_ENDINGS = ("stop", "halt", "cancel", "abort", "quit", "never mind", "nevermind", "forget it",
            "forget about it", "leave it", "enough", "call it off")
_WITH_ENDINGS = frozenset((
    "it", "that", "this", "now", "the", "task", "everything", "all", "right", "at", "once", "immediately",
    "please", "moving", "robot", "no", "stop", "doing", "there", "here", "whole", "thing", "thanks", "oh",
    "wait", "hey", ",", ".", "!"))
_LEADS = ("no", "nope", "nah", "wait", "sorry", "oh", "oops", "hey", "please", "actually", "hold on", "stop",
          "i meant", "i mean", "i said", "i want", "i would like", "rather", "but", "well", "instead",
          "make it", "make that", "it should be", "that should be", "better", "hm", "hmm", "ah", "ok", "okay",
          "you know",
          "on second thought", "not like that", "that is wrong", "wrong", "change of plan", "change of plans",
          ",", ".", "!", ":", ";")
_TAILS = ("please", "thanks", "thank you", "then", ".", "!", ",", "?", "sorry")
_ADDING = ("also", "and also", "in addition", "additionally", "plus", "and then also", "and")
_ADDED = ("too", "as well", "also")
_TAKING = ("take", "use", "pick", "grab", "get", "choose", "it is", "with")
_AWAY = re.compile(
    r"^(?:(?:and|also|but|then|,) )*(?:(?:please|always) )?(?:"
    r"(?:keep|stay|steer) (?:it |them |everything |well |that |this )*(?:away|clear|off|apart)(?: from| of)?"
    r"|(?:do not|never) (?:touch|hit|go near|come near|get near|put it near|put it next to)"
    r"|(?:take care|be careful|make sure|try)(?: you do)? not (?:to )?(?:touch|hit|bump into|knock over"
    r"|go near|come near|get near)"
    r"|avoid|mind|watch out for|watch|be careful with|careful with|away from"
    r"|not (?:too )?(?:near|close|next)(?: to)?"
    r") (.+)$")
_NOT_BUT = re.compile(r"^not (.+?) (?:[,;:.!] (?:but |rather |no )?|but (?:rather )?)(.+)$")
_BUT_NOT = re.compile(r"^(.+?) (?:, )?(?:(?:and|but) )?(?:not|instead of|rather than|in place of) (.+)$")
_POINTED = re.compile(r"^(?:that|this|it|them|those|these)(?: (?:one|ones|thing))?$")


@dataclass(frozen=True)
class Replace:
    """Another thing is meant: ``new`` instead of ``old``, which is ``None`` where it was only pointed at or
    not named; ``pointed`` where it was pointed at.
    """

    new: Noun
    old: Optional[Noun] = None
    pointed: bool = False


@dataclass(frozen=True)
class Elsewhere:
    """The thing belongs somewhere else: in a relation to another thing."""

    relation: str
    reference: Noun


@dataclass(frozen=True)
class Also:
    """More is wanted: the same of another thing, where only that is named, or something of its own."""

    text: str
    item: Optional[Noun] = None


@dataclass(frozen=True)
class KeepAway:
    """Nothing that is handled shall come near some things."""

    things: Tuple[Noun, ...]


@dataclass(frozen=True)
class Restate:
    """A sentence of its own, which stands for the part of the task that it speaks of."""

    text: str


Remark = Union[Replace, Elsewhere, Also, KeepAway, Restate]


def wants_end(said: str) -> bool:
    """Whether a remark only asks to end the task."""
    words = plain(words_in(said))
    for ending in _ENDINGS:
        found = re.search(rf"(?:^|\s){ending}(?:\s|$)", words)
        if found is not None:
            left = f"{words[:found.start()]} {words[found.end():]}".split()
            return set(left) <= _WITH_ENDINGS
    return False


def read_remark(said: str) -> Optional[Remark]:
    """What a remark asks for; ``None`` where the grammar cannot read it."""
    words = _trimmed(plain(words_in(said)))
    kept_away = _AWAY.match(words)
    if kept_away is not None:
        nouns = _nouns(kept_away.group(1))
        return KeepAway(nouns) if nouns else None
    added = _added(words)
    if added:
        return _also(added)
    words = _behind(words, _LEADS)
    new, old = _contrasted(words)
    return _changed(new, old) if new else None


def _trimmed(words: str) -> str:
    """Without what is said at the end out of politeness."""
    left = words
    while True:
        tail = next((each for each in _TAILS if left.endswith(f" {each}")), None)
        if tail is None:
            return left.strip()
        left = left[:-len(tail)].rstrip()


def _behind(words: str, leads: Sequence[str]) -> str:
    """What is left behind the words that lead."""
    left = words
    while True:
        lead = max((each for each in leads if left.startswith(f"{each} ")), key=len, default=None)
        if lead is None:
            return left
        left = left[len(lead):].lstrip()


def _added(words: str) -> str:
    """What is wanted besides; empty where nothing is said to be."""
    bare = _behind(words, tuple(each for each in _LEADS if each not in ("no", "but", "instead")))
    behind = _behind(bare, _ADDING)
    if behind != bare:
        return behind
    tail = next((each for each in _ADDED if bare.endswith(f" {each}")), "")
    return bare[:-len(tail)].rstrip(" ,") if tail else ""


def _also(words: str) -> Also:
    nouns = _nouns(_behind(words, _TAKING))
    return Also(words, nouns[0] if len(nouns) == 1 else None)


def _contrasted(words: str) -> Tuple[str, str]:
    """What is wanted, and what is not, where that is told."""
    if words.endswith(" instead"):
        return words[:-len(" instead")].rstrip(" ,"), ""
    denied = _NOT_BUT.match(words)
    if denied is not None:
        return _behind(denied.group(2), _LEADS), denied.group(1)
    denied = _BUT_NOT.match(words)
    if denied is not None:
        return denied.group(1).rstrip(" ,"), denied.group(2)
    return words, ""


def _changed(new: str, old: str) -> Optional[Remark]:
    nouns = _nouns(_behind(new, _TAKING))
    if len(nouns) == 1 and not _POINTED.match(new):
        told = _nouns(old) if old and not _POINTED.match(old) else ()
        if old and not told and not _POINTED.match(old):
            return None
        return Replace(nouns[0], told[0] if told else None, bool(_POINTED.match(old)))
    tokens = tokenise(words_in(new))
    if not tokens:
        return None
    if tokens[0].kind == "verb" and len(tokens) > 2 and tokens[1].text in lexicon.PRONOUNS \
            and tokens[2].kind == "relation":
        tokens = tokens[2:]
    if tokens[0].kind == "relation":
        return _elsewhere(" ".join(token.text for token in tokens))
    return Restate(new) if tokens[0].kind == "verb" or "is" in new.split() else None


def _elsewhere(words: str) -> Optional[Remark]:
    reader = PhraseReader(tokenise(words_in(words)))
    relation = reader.peek().value
    reader.skip()
    try:
        noun = reader.noun()
    except NotUnderstood:
        return None
    return Elsewhere(relation, noun) if reader.peek() is END else None


def _nouns(words: str) -> Tuple[Noun, ...]:
    """The noun phrases that some words are; none where they are more or less than that."""
    tokens = tokenise(words_in(words))
    if not tokens or tokens[0].kind != "word":
        return ()
    reader = PhraseReader(tokens)
    try:
        nouns = reader.nouns()
    except NotUnderstood:
        return ()
    return nouns if reader.peek() is END else ()
