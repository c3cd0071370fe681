"""A domain's own sentences: requests in words that stand for facts in words."""

from __future__ import annotations

import re

from hicrisp_core.domain.schema import Domain, Saying

_PLACE = re.compile(r"\{(\w+)\}")
_POLITE = re.compile(r"^(?:please,?|now)\s+|[.!]+$", re.IGNORECASE)


def in_facts(text: str, domain: Domain) -> str:
    """The facts that a request asks for, in the domain's words; the request itself where no saying fits."""
    said = _POLITE.sub("", text.strip()).strip()
    for saying in domain.sayings:
        match = _pattern(saying).fullmatch(said)
        if match:
            return saying.means.format_map(match.groupdict())
    return text


def _pattern(saying: Saying) -> "re.Pattern[str]":
    parts = _PLACE.split(saying.say)
    words = "".join(re.escape(part) if index % 2 == 0 else rf"(?P<{part}>[\w ]+?)" for index, part in enumerate(parts))
    return re.compile(words, re.IGNORECASE)
