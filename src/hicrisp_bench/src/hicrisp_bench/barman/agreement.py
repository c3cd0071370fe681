"""Where our checker and the recorded simulator see a plan fail first, names taken as they are written."""

from __future__ import annotations

from typing import Optional, Tuple

from hicrisp_core.domain.checker import check
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import DomainError
from hicrisp_core.model import WorldState
from hicrisp_core.parsing.grounding import ground_each
from hicrisp_core.parsing.plan_text import ParseFailure, parse_plan


def first_failure(domain: Domain, world: WorldState, text: str) -> Tuple[Optional[int], str]:
    """The first step that the logical checker refuses, by index and the failure's name; ``(None, "")`` for
    none.
    """
    raw = parse_plan(text, domain)
    if isinstance(raw, ParseFailure):
        return 0, "other"
    grounded = ground_each(raw, domain, world)
    for index, step in enumerate(grounded.steps):
        if index in grounded.mended:
            return index, "name"
        try:
            command = domain.ground(step, world)
        except DomainError:
            known = any(step.action in (action.name, *action.called) for action in domain.actions.values())
            return index, "name" if known else "action"
        feedback = check(domain, command, world)
        if feedback is not None:
            return index, feedback.name
        world = apply_effects(domain, command, world)
    return None, ""
