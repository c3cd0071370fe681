"""The JSON schema of an answer, from the domain's actions and the names in the world.

An answer is a plan with at least one step, or words for the user, or a refusal: the kind comes first, so that
neither words nor an early end can take the place of steps.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping

from hicrisp_core.domain.schema import Action, Domain, Parameter
from hicrisp_core.model import WorldState
from hicrisp_core.prompting.actions import implied_robot

PLAN, ANSWER, REFUSE, RETRY = "plan", "answer", "refuse", "retry"
"""The kinds of answers; ``retry`` is a correction that needs no steps before the failed action."""
COMMAND, PASS = "command", "pass"
"""The body's answers: the one command of a step, or that the step needs none."""
_LONGEST_ENUM = 100
"""More names than this are not listed: servers that compile the schema to a grammar grow slow."""
_MOST_STEPS = 60
_LONGEST_WORDS = 300
"""Characters of words: a model that does not find an end is ended."""
WORDS: Mapping[str, Any] = {"type": "string", "minLength": 1, "maxLength": _LONGEST_WORDS}


def answer_schema(domain: Domain, world: WorldState) -> Dict[str, Any]:
    """A plan of the domain's actions on the world's things, or an answer or a refusal in words."""
    return {"anyOf": [_plan(_steps(domain, world)), _words(ANSWER, "text"), _words(REFUSE, "why")]}


def correction_schema(domain: Domain, world: WorldState) -> Dict[str, Any]:
    """Corrective steps, or ``retry`` where none is needed, or a refusal."""
    return {"anyOf": [_plan(_steps(domain, world)), _words(RETRY, "reasoning"), _words(REFUSE, "why")]}


def worded_schema() -> Dict[str, Any]:
    """A plan with steps in words, or an answer or a refusal."""
    steps = {"type": "array", "minItems": 1, "maxItems": _MOST_STEPS, "items": dict(WORDS)}
    return {"anyOf": [_plan(steps), _words(ANSWER, "text"), _words(REFUSE, "why")]}


def command_schema(domain: Domain, world: WorldState) -> Dict[str, Any]:
    """One of the domain's actions on the world's things, or a pass or a refusal in words."""
    commands = [_object({"kind": {"const": COMMAND}, **_step(domain, world, action)})
                for action in _possible(domain, world)]
    return {"anyOf": [*commands, _words(PASS, "why"), _words(REFUSE, "why")]}


def kind_of(words: Mapping[str, Any]) -> str:
    """The kind that an answer says that it has; empty where it says none."""
    return str(words.get("kind") or "").strip().lower()


def _plan(steps: Mapping[str, Any]) -> Dict[str, Any]:
    return _object({"kind": {"const": PLAN}, "reasoning": dict(WORDS), "steps": dict(steps)})


def _words(kind: str, key: str) -> Dict[str, Any]:
    return _object({"kind": {"const": kind}, key: dict(WORDS)})


def _object(properties: Mapping[str, Any]) -> Dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": dict(properties),
            "additionalProperties": False}


def _steps(domain: Domain, world: WorldState) -> Dict[str, Any]:
    steps = [_object(_step(domain, world, action)) for action in _possible(domain, world)]
    if len(world.robots) > 1:
        for step in steps:  # Which earlier steps it waits for; may be left out.
            step["properties"]["after"] = {"type": "array", "items": {"type": "integer", "minimum": 0}}
    return {"type": "array", "minItems": 1, "maxItems": _MOST_STEPS, "items": {"anyOf": steps}}


def _possible(domain: Domain, world: WorldState) -> List[Action]:
    """The actions that have something in the world for each argument; all of them where none has."""
    found = [action for action in domain.actions.values() if all(
        each.type == "number" or each.optional or domain.objects_of(world, each.type)
        for each in action.parameters.values())]
    return found or list(domain.actions.values())


def _step(domain: Domain, world: WorldState, action: Action) -> Dict[str, Any]:
    """The keys of a step; the robot is none of its arguments where only one can do it."""
    implied = implied_robot(domain, action, world)
    parameters = {name: _value(domain, world, parameter) for name, parameter in action.parameters.items()
                  if not (implied and name == action.robot_parameter)}
    arguments = {**_object(parameters), "required": [name for name in parameters
                                                     if not _open(action.parameters[name])]}
    return {"action": {"type": "string", "enum": [action.name]}, "arguments": arguments}


def _open(parameter: Parameter) -> bool:
    """Whether a step may leave an argument out."""
    return parameter.default is not None or parameter.any or parameter.optional


def _value(domain: Domain, world: WorldState, parameter: Parameter) -> Dict[str, Any]:
    if parameter.type == "number":
        return {"type": "number"}
    names = list(domain.objects_of(world, parameter.type))
    return {"type": "string", "enum": names} if 0 < len(names) <= _LONGEST_ENUM else {"type": "string"}
