"""Answers to questions that need no motion, from what is seen."""

from __future__ import annotations

import re

from hicrisp_core.brain import lexicon
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import WorldState


def is_question(text: str) -> bool:
    """Whether a text asks rather than requests."""
    words = text.strip().lower()
    if not words.endswith("?"):
        return False
    return any(re.match(rf"{first}\b", words) for first in lexicon.QUESTION)


def answer(text: str, domain: Domain, world: WorldState) -> str:
    """What is known of the things that the question names, or of all."""
    words = set(re.findall(r"[a-z0-9_]+", text.lower()))
    named = [name for name in world.objects
             if name in words or (len(parts := set(name.split("_"))) > 1 and parts <= words)]
    facts = [fact for fact in world.relations
             if not named or fact.subject in named or fact.object in named]
    if "how" in words and "many" in words:
        counted = [name for name, thing in world.objects.items()
                   if thing.type in words or f"{thing.type}s" in words or f"{thing.type}es" in words]
        if counted:
            return f"{len(counted)}: {', '.join(sorted(counted))}."
    sentences = domain.facts_text(facts)
    if not sentences:
        return f"Nothing is known about that; there are: {', '.join(sorted(world.objects))}."
    return f"{'; '.join(sentences)}."
