"""Which of a domain's actions does what is asked for: by skill and by where it places, never by its name."""

from __future__ import annotations

from typing import Dict, Optional

from hicrisp_core.domain.schema import ROBOT_TYPES, Action, Domain
from hicrisp_core.language.intents import NotUnderstood
from hicrisp_core.model import Value

_NUMBER = "number"


def of_skill(domain: Domain, skill: str) -> Action:
    """The action of a skill; of several the one that needs the fewest names.

    Raises:
        NotUnderstood: when there is none.
    """
    found = [action for action in domain.actions.values() if action.skill == skill]
    if not found:
        raise NotUnderstood(f"nothing here can '{skill.replace('_', ' ')}'")
    return min(found, key=lambda action: len(action.parameters))


def placing(domain: Domain, relation: str) -> Action:
    """The action that places a thing in a relation to another, ``free`` or ``apart``.

    Raises:
        NotUnderstood: when there is none.
    """
    found = next((action for action in domain.actions.values() if action.decode == relation), None)
    if found is None:
        raise NotUnderstood(f"nothing can be placed '{relation.replace('_', ' ')}' something here")
    return found


def other(action: Action) -> str:
    """The parameter besides the robot and the thing that is handled: a place, a reference; empty for none."""
    return next((name for name, parameter in action.parameters.items()
                 if name != action.item_parameter and parameter.type not in (*ROBOT_TYPES, _NUMBER)), "")


def arguments(
    action: Action, item: str = "", reference: str = "", number: Optional[float] = None
) -> Dict[str, Value]:
    """The arguments of an action, without its robot."""
    numbers = [name for name, parameter in action.parameters.items() if parameter.type == _NUMBER]
    given: Dict[str, Value] = {action.item_parameter: item} if item and action.item_parameter else {}
    if reference and other(action):
        given[other(action)] = reference
    if number is not None and numbers:
        given[numbers[0]] = number
    return given
