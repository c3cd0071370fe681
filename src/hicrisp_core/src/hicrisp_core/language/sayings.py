"""A domain's own sentences: requests in words that stand for facts in words."""

from __future__ import annotations

from typing import Sequence, Tuple

from hicrisp_core.domain.schema import Domain, Saying
from hicrisp_core.language import lexicon
from hicrisp_core.language.templates import Template
from hicrisp_core.language.tokens import Word, rewritten, words_in

_JOINTS = (",", ";", "and")
_ENDS = (".", "!", "?", "\n", *_JOINTS)
_MARKS = tuple(mark for mark in _ENDS if mark != "and")
_POLITE = {phrase: "" for phrase in lexicon.POLITE}


def in_facts(text: str, domain: Domain) -> str:
    """The facts that a request asks for, in the domain's words; the request itself where no saying fits.

    Several requests may be joined: "put the milk in the fridge and turn off the light".
    """
    if not domain.sayings:
        return text
    words = rewritten(words_in(text), _POLITE)
    while words and words[-1].text in _ENDS:
        words = words[:-1]
    forms = tuple((saying, Template.of(saying.say)) for saying in domain.sayings)
    return _facts(text, words, forms) or text


def _facts(text: str, words: Sequence[Word], forms: Sequence[Tuple[Saying, Template]]) -> str:
    """The facts of one request, or of several in a row; empty where they are none."""
    for at, word in enumerate(words):
        if word.text in _JOINTS:
            first = _fact(text, words[:at], forms)
            others = _facts(text, words[at + 1:], forms) if first else ""
            if others:
                return f"{first}, and {others}"
    begin = next((at for at, word in enumerate(words) if word.text not in _JOINTS), len(words))
    return _fact(text, words[begin:], forms)


def _fact(text: str, words: Sequence[Word], forms: Sequence[Tuple[Saying, Template]]) -> str:
    for saying, form in forms:
        for places in form.matches(words):
            if not any(word.text in _MARKS for place in places.values() for word in place):
                return saying.means.format_map(
                    {name: text[place[0].start:place[-1].end] for name, place in places.items()})
    return ""
