"""Steps in plain English, by the sentences of the domain's own actions: "pick up the red box"."""

from __future__ import annotations

import re
from typing import List, Tuple

from hicrisp_core.domain.schema import Action, Domain
from hicrisp_core.parsing.raw import RawStep

_LONGEST_NAME = 60
"""Characters of a name in a sentence; more is another sentence."""
_PLACE = re.compile(r"\{(\w+)\}")
_ASIDE = re.compile(r"\s*\([^()]*\)\s*(?=[.!]?\s*$)")


def read_sentence(text: str, domain: Domain) -> Tuple[RawStep, ...]:
    """Return the step of one sentence, by the action that has the most words of its own in it; none where it
    is not understood.
    """
    said = _ASIDE.sub("", text).strip()
    found: List[Tuple[int, RawStep]] = []
    for action in domain.actions.values():
        match = _form(action).fullmatch(said)
        if match is not None:
            own = len(_PLACE.sub("", action.text))
            found.append((own, RawStep(action.name, (), dict(match.groupdict()), text)))
    return (max(found, key=lambda pair: pair[0])[1],) if found else ()


def _form(action: Action) -> "re.Pattern[str]":
    """The sentence of an action, with a place for each name."""
    pattern, named = "", set()
    parts = _PLACE.split(action.text.strip())
    for words, name in zip(parts[::2], [*parts[1::2], ""]):
        pattern += r"\s+".join(re.escape(word) for word in words.split(" "))
        if name:
            pattern += rf"(?P={name})" if name in named else rf"(?P<{name}>[^,;.:!?()]{{1,{_LONGEST_NAME}}}?)"
            named.add(name)
    return re.compile(rf"{pattern}\s*[.!]?", re.IGNORECASE)
