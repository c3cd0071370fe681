"""Steps in plain English, by the sentences of the domain's actions and by the grammar of task sentences."""

from __future__ import annotations

import re
from typing import Dict, List, Optional, Tuple

from hicrisp_core.domain.schema import Action, Domain
from hicrisp_core.language import lexicon
from hicrisp_core.language.actions import other
from hicrisp_core.language.front_ends import read
from hicrisp_core.language.intents import Intent, NotUnderstood, Noun
from hicrisp_core.language.templates import Template
from hicrisp_core.language.tokens import tokenise, words_in
from hicrisp_core.parsing.raw import RawStep

_LONGEST_NAME = 5
"""Words that a name in a sentence has at most; more is another sentence."""
_MARKS = (",", ";", ".", ":", "!", "?", "(", ")")
_ENDS = (".", "!")
_SAME = {phrase: phrases for phrases in lexicon.RELATIONS.values() for phrase in phrases}
"""A relation may be said in any of its words."""
_ASIDE = re.compile(r"\s*\([^()]*\)\s*(?=[.!]?\s*$)")


def read_sentence(text: str, domain: Domain) -> Tuple[RawStep, ...]:
    """The steps of one sentence; none where it is not understood."""
    plain = _ASIDE.sub("", text).strip()
    exact = _by_text(plain, domain)
    if exact and not any(token.kind == "relation" for name in exact.named.values()
                         for token in tokenise(words_in(name))):
        return (exact,)
    try:
        return _by_grammar(plain, domain) or ((exact,) if exact else ())
    except NotUnderstood:
        return (exact,) if exact else ()


def _by_text(text: str, domain: Domain) -> Optional[RawStep]:
    """The action whose sentence this is, the one with the most words of its own first."""
    words = words_in(text)
    if words and words[-1].text in _ENDS:
        words = words[:-1]
    found: List[Tuple[int, RawStep]] = []
    for action in domain.actions.values():
        form = Template.of(action.text, _SAME)
        places = next((each for each in form.matches(words, _LONGEST_NAME) if not any(
            word.text in _MARKS for place in each.values() for word in place)), None)
        if places is not None:
            named = {name: text[place[0].start:place[-1].end] for name, place in places.items()}
            found.append((form.length, RawStep(action.name, (), named, text)))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _by_grammar(text: str, domain: Domain) -> Tuple[RawStep, ...]:
    steps: List[RawStep] = []
    last = ""
    for intent in read(text):
        action = _action(intent, domain)
        if action is None or intent.shape or len(intent.items) > 1:
            return ()
        names: Dict[str, str] = {}
        if intent.items:
            last = _said(intent.items[0], last)
            names[action.item_parameter] = last
        if intent.reference is not None:
            names[other(action)] = _said(intent.reference, last)
        if not all(names.values()) or not set(names) <= set(action.parameters):
            return ()
        steps.append(RawStep(action.name, (), names, text))
    return tuple(steps)


def _action(intent: Intent, domain: Domain) -> Optional[Action]:
    """The action that an intent of one thing is."""
    for action in domain.actions.values():
        if intent.verb in ("put", "stack") and action.decode == intent.relation:
            return action
        if intent.verb == "put_down" and action.target is not None and action.target.anywhere:
            return action
        if intent.verb in ("pick", "home") and action.skill == intent.verb:
            return action
    return None


def _said(noun: Noun, last: str) -> str:
    """The words of a noun that names one thing, "it" for that of an earlier line; empty for any other."""
    if noun.count == "it":
        return last or "it"
    one = noun.count in ("the", "any") and not noun.besides and not noun.fresh
    return " ".join(noun.words) if one else ""
