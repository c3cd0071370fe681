"""The JSON schema of an answer, from the domain's actions and the names in the world."""

from __future__ import annotations

from typing import Any, Dict

from hicrisp_core.domain.schema import Action, Domain, Parameter
from hicrisp_core.model import WorldState

_LONGEST_ENUM = 100
"""More names than this are not listed: servers that compile the schema to a grammar grow slow."""


def answer_schema(domain: Domain, world: WorldState) -> Dict[str, Any]:
    """Reasoning, steps of the domain's actions on the world's things, or an answer or a refusal in words."""
    words = {"type": "string"}
    several = len(world.robots) > 1
    steps = {"type": "array", "items": {
        "anyOf": [_step(domain, world, action, several) for action in domain.actions.values()]}}
    return {"type": "object", "required": ["steps"], "properties": {
        "reasoning": words, "steps": steps, "answer": words, "refusal": words}}


def _step(domain: Domain, world: WorldState, action: Action, several: bool) -> Dict[str, Any]:
    parameters = {name: _value(domain, world, parameter) for name, parameter in action.parameters.items()}
    required = [name for name, parameter in action.parameters.items()
                if name != action.robot_parameter and parameter.default is None
                and not (parameter.any or parameter.optional)]
    waits = {"after": {"type": "array", "items": {"type": "integer", "minimum": 0}}} if several else {}
    return {"type": "object", "required": ["action", "arguments"], "additionalProperties": False,
            "properties": {
        **waits,
        "action": {"type": "string", "enum": [action.name]},
        "arguments": {"type": "object", "required": required, "properties": parameters,
                      "additionalProperties": False}}}


def _value(domain: Domain, world: WorldState, parameter: Parameter) -> Dict[str, Any]:
    if parameter.type == "number":
        return {"type": "number"}
    names = list(domain.objects_of(world, parameter.type))
    return {"type": "string", "enum": names} if 0 < len(names) <= _LONGEST_ENUM else {"type": "string"}
