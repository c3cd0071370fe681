"""Robots in sentences, by the names of the world: "let X ...", "X brings ...", "... with the arm"."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, Mapping, Optional, Sequence, Tuple

from hicrisp_core.language import lexicon
from hicrisp_core.language.intents import NotUnderstood
from hicrisp_core.language.tokens import Token, Word

_STARTS = frozenset(phrase.split()[0] for phrase, (kind, _) in lexicon.FLEET_PHRASES.items()
                    if kind == "verb")
_JOINTS = (",", ";", ".", "and", "then", "meanwhile", "also")
_ORDERING = ("let", "tell", "ask", "have")
_MANNERS = ("also", "then", "now")


@dataclass(frozen=True)
class Lead:
    """Who shall do what follows.

    Args:
        names: the robots that are meant; empty for "the robot", which may be any.
        length: how many tokens say so.
    """

    names: Tuple[str, ...]
    length: int


@dataclass(frozen=True)
class Robots:
    """The robots of a world, by name, with their kinds."""

    kinds: Mapping[str, str] = field(default_factory=dict)

    def named(self, texts: Sequence[str]) -> Tuple[Tuple[str, ...], int]:
        """The robots that words begin to name, and how many words do; none and 0 where they name no robot."""
        called = self._called()
        for length in range(min(len(texts), lexicon.LONGEST), 0, -1):
            names = called.get(" ".join(texts[:length]).replace("_", " "))
            if names is not None:
                return names, length
        return (), 0

    def lead(self, tokens: Sequence[Token]) -> Optional[Lead]:
        """Who a clause says shall act, before its verb; ``None`` where it begins otherwise.

        Raises:
            NotUnderstood: when a robot is named that is not there.
        """
        if not self.kinds:
            return None
        at = 0
        asked = _text(tokens, at) in lexicon.LET
        at += asked
        while _text(tokens, at) in lexicon.ARTICLES:
            at += 1
        names, length = self.named([token.text for token in tokens[at:]])
        who, at = at, at + length
        at = _behind(tokens, at, lexicon.MODALS)
        at += length > 0 and _text(tokens, at) == ","
        while _text(tokens, at) in _MANNERS:
            at += 1
        if at and _is_verb(tokens, at) and (length or tokens[0].kind != "verb"):
            self._check(names, length, tokens[who:who + length])
            return Lead(names, at)
        if asked and tokens[0].text in _ORDERING:
            self._check(names, length, tokens[who:who + length])
            if not length:
                self._refuse_unknown(tokens, who)
        return None

    def addressed(self, tokens: Sequence[Token]) -> bool:
        """Whether words are nothing but a robot's name: "Panda, ..."."""
        names, length = self.named([token.text for token in tokens])
        return bool(names) and length == len(tokens)

    def trailing(self, tokens: Sequence[Token]) -> Optional[Lead]:
        """Who acts where a clause ends with "... with the arm"; the length counts from the end."""
        for at in range(len(tokens) - 1, 0, -1):
            if tokens[at].text in lexicon.WITH:
                begin = at + 1
                while _text(tokens, begin) in lexicon.ARTICLES:
                    begin += 1
                names, length = self.named([token.text for token in tokens[begin:]])
                if length and begin + length == len(tokens):
                    self._check(names, length, tokens[begin:])
                    return Lead(names, len(tokens) - at)
                return None
        return None

    def uninflected(self, words: Sequence[Word]) -> Tuple[Word, ...]:
        """"The AGV brings it there and returns" as "the AGV bring it there and return"."""
        ends = {called.split()[-1] for called in self._called()} | {name for name in self.kinds}
        found = []
        before, subject = "", False
        for word in words:
            subject = subject or before in ends
            if before in ends or (subject and before in _JOINTS):
                word = Word(_plain_form(word.text), word.start, word.end)
            found.append(word)
            before = word.text
        return tuple(found)

    def one(self, names: Sequence[str]) -> str:
        """The only robot of some; empty where none was named.

        Raises:
            NotUnderstood: when it may be any of several.
        """
        if len(names) > 1:
            raise NotUnderstood(f"the robot may be any of: {', '.join(names)}; say which")
        return names[0] if names else ""

    def listed(self) -> str:
        """The names of all robots."""
        return ", ".join(sorted(self.kinds))

    def _called(self) -> Dict[str, Tuple[str, ...]]:
        """Every phrase by which robots are called: names, the names' parts without numbers, kinds."""
        found: Dict[str, Tuple[str, ...]] = {}
        for kind, phrases in lexicon.ROBOT_KINDS.items():
            alike = tuple(sorted(name for name, own in self.kinds.items() if own == kind))
            found.update(dict.fromkeys(phrases, alike))
        for name in sorted(self.kinds):
            stem = name.rstrip("0123456789").rstrip("_").replace("_", " ")
            if stem != name:
                found[stem] = (*found.get(stem, ()), name)
        return {**found, **{name.replace("_", " "): (name,) for name in self.kinds}}

    def _check(self, names: Sequence[str], length: int, said: Sequence[Token]) -> None:
        if length and not names:
            told = " ".join(token.text for token in said)
            raise NotUnderstood(f"there is no {told} here; the robots are: {self.listed()}", told)

    def _refuse_unknown(self, tokens: Sequence[Token], who: int) -> None:
        """"Let the drone fly": whoever is named before a verb is no robot here."""
        at = who
        while at < len(tokens) and tokens[at].kind == "word" and tokens[at].text not in lexicon.MODALS:
            at += 1
        behind = _behind(tokens, at, lexicon.MODALS)
        if at > who and (behind > at or _is_verb(tokens, behind)):
            told = " ".join(token.text for token in tokens[who:at])
            raise NotUnderstood(f"there is no robot '{told}' here; the robots are: {self.listed()}", told)


def _text(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if at < len(tokens) else ""


def _is_verb(tokens: Sequence[Token], at: int) -> bool:
    return at < len(tokens) and tokens[at].kind == "verb"


def _behind(tokens: Sequence[Token], at: int, phrases: Sequence[str]) -> int:
    """Where the tokens go on behind one of some phrases; the same place where none stands there."""
    for length in (2, 1):
        if " ".join(token.text for token in tokens[at:at + length]) in phrases:
            return at + length
    return at


def _plain_form(word: str) -> str:
    """"Carries" as "carry", where that is a verb and the word as it is written is none."""
    if word in _STARTS:
        return word
    forms = (word[:-1], word[:-2], f"{word[:-3]}y") if word.endswith("s") else ()
    return next((form for form in forms if form in _STARTS), word)
