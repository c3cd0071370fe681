"""How the names of a step become the arguments of a grounded command."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Dict, Optional

from hicrisp_core.errors import DomainError, did_you_mean
from hicrisp_core.model import Command, Step, Value, WorldState
from hicrisp_core.ports.kinds import ROBOT_TYPES

if TYPE_CHECKING:
    from hicrisp_core.domain.schema import Action, Domain, Parameter


def grounded(domain: Domain, action: Action, step: Step, state: WorldState, robot: str) -> Command:
    """Turn a step into a command of an action.

    Args:
        domain: types of the application.
        action: the action that the step names.
        step: the step with its arguments.
        state: the observed world, which supplies names and types.
        robot: the robot to use if the step names none.

    Returns:
        The command, not aimed yet.

    Raises:
        DomainError: for an unknown parameter or name, or a wrong type, with the valid ones.
    """
    unknown = sorted(set(step.arguments) - set(action.parameters))
    if unknown:
        raise DomainError(f"{action.name} has no parameter '{unknown[0]}'; it takes: "
                          f"{', '.join(action.parameters)}", tuple(action.parameters), unknown[0])
    arguments: Dict[str, Value] = {}
    for parameter in action.parameters.values():
        given = step.arguments.get(parameter.name)
        if parameter.type == "number":
            arguments[parameter.name] = _number(action, parameter, given)
        else:
            if given in (None, "") and parameter.optional:
                continue
            if given is None and parameter.type in ROBOT_TYPES:
                robots = domain.objects_of(state, parameter.type)
                given = step.robot or robot or (robots[0] if len(robots) == 1 else None)
            arguments[parameter.name] = _name(domain, action, parameter, given, state)
    acting = str(arguments[action.robot_parameter]) if action.robot_parameter else \
        step.robot or robot or (next(iter(state.robots)) if len(state.robots) == 1 else "")
    return Command(action.name, arguments, acting, time_limit=action.time_limit)


def _name(
    domain: Domain, action: Action, parameter: Parameter, given: Optional[Value], state: WorldState
) -> str:
    types, name = state.types(), "" if given is None else str(given)
    if name in types and domain.is_a(types[name], parameter.type):
        return name
    valid = domain.objects_of(state, parameter.type)
    listed = ", ".join(valid) or "none in this world"
    if not name and parameter.any and valid:
        return valid[0]
    if not name:
        raise DomainError(f"{action.name} needs '{parameter.name}', a {parameter.type}; there are: "
                          f"{listed}", valid, parameter.name)
    if name in types:
        raise DomainError(f"'{name}' is a {types[name]}, but {action.name} needs a "
                          f"{parameter.type} as '{parameter.name}'; there are: "
                          f"{listed}", valid, parameter.name)
    raise DomainError(f"no object '{name}' in the world{did_you_mean(name, valid)}; "
                      f"as '{parameter.name}' of {action.name} there are: {listed}", valid, parameter.name)


def _number(action: Action, parameter: Parameter, given: Optional[Value]) -> float:
    value = parameter.default if given is None or given == "" else given
    try:
        number = float(value) if value is not None else math.nan
    except ValueError:
        number = math.nan
    if not parameter.minimum <= number <= parameter.maximum:
        raise DomainError(f"{action.name} needs a number from {parameter.minimum:g} to {parameter.maximum:g} "
                          f"as '{parameter.name}', got '{given}'", parameter=parameter.name)
    return number
