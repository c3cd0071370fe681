"""Which parameters an action must have so that one of its effects is the wanted one."""

from __future__ import annotations

import itertools
from typing import Dict, NamedTuple, Optional, Tuple

from hicrisp_core.domain.schema import Action, Effect


class Unified(NamedTuple):
    """Values of parameters, and of the variables of the effect's own condition."""

    parameters: Dict[str, str]
    variables: Dict[str, str]


def unify(effect: Effect, predicate: str, wanted: Tuple[str, ...], action: Action) -> Optional[Unified]:
    """The values under which an effect is the wanted fact; a wildcard fits anything.

    Args:
        wanted: the fact's arguments, ``_`` where any will do.
    """
    atom = effect.atom
    if atom.predicate not in ("*", predicate) or len(atom.arguments) != len(wanted) and atom.predicate != "*":
        return None
    found = Unified({}, {})
    for mine, its in itertools.zip_longest(atom.arguments, wanted, fillvalue="_"):
        if mine == "_" or its == "_" or " " in mine:  # What a sum comes to is not known beforehand.
            continue
        if mine in action.parameters or mine.startswith("?"):
            values = found.parameters if mine in action.parameters else found.variables
            if values.setdefault(mine, its) != its:
                return None
        elif mine != its:
            return None
    return found
