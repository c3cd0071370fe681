"""The JSON schema of an answer, from the domain's actions and the names in the world.

An answer is a plan, or words for the user, or a refusal: the kind comes first, so that words do not take the place of
steps. Every schema keeps to what strict structured output takes: its root is an object, all keys are required (what an
answer of another kind has is empty), names stand once, in ``$defs``. An answer with its kind's keys only is read, too.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence

from hicrisp_core.domain.schema import Action, Domain, Parameter
from hicrisp_core.model import WorldState
from hicrisp_core.prompting.describe import implied_robot

PLAN, ANSWER, REFUSE, RETRY, SKIP = "plan", "answer", "refuse", "retry", "skip"
"""The kinds of answers; of corrections ``retry`` needs no steps first, ``skip`` leaves the failed action out."""
COMMAND, PASS = "command", "pass"
"""The body's answers: the one command of a step, or that the step needs none."""
LONGEST_ENUM = 100
"""More names than this are not listed: servers that compile the schema to a grammar grow slow."""
MOST_STEPS = 60
_LONGEST_WORDS = 300
"""Characters of words: a model that does not find an end is ended."""
WORDS: Mapping[str, Any] = {"type": "string", "minLength": 1, "maxLength": _LONGEST_WORDS}
_MAYBE_WORDS: Mapping[str, Any] = {"type": "string", "maxLength": _LONGEST_WORDS}
_NULL: Mapping[str, Any] = {"type": "null"}


def answer_schema(domain: Domain, world: WorldState) -> Dict[str, Any]:
    """A plan of the domain's actions on the world's objects, or an answer or a refusal in words."""
    return _with_names(_answer((PLAN, ANSWER, REFUSE), _steps(domain, world), "text"), domain, world)


def correction_schema(domain: Domain, world: WorldState) -> Dict[str, Any]:
    """Corrective steps, ``retry`` where none is needed, ``skip``, or a refusal."""
    return _with_names(_answer((PLAN, RETRY, SKIP, REFUSE), _steps(domain, world)), domain, world)


def worded_schema() -> Dict[str, Any]:
    """A plan with steps in words, or an answer or a refusal."""
    return _answer((PLAN, ANSWER, REFUSE), dict(WORDS), "text")


def command_schema(domain: Domain, world: WorldState) -> Dict[str, Any]:
    """One of the domain's actions on the world's objects, or a pass or a refusal in words."""
    commands = [closed(_step(domain, world, action)) for action in _possible(domain, world)]
    return _with_names(closed({"kind": one_of((COMMAND, PASS, REFUSE)),
                               "commands": {"anyOf": [*commands, dict(_NULL)]}, "why": dict(_MAYBE_WORDS)}),
                       domain, world)


def kind_of(words: Mapping[str, Any]) -> str:
    """The kind that an answer says that it has; empty where it says none."""
    return str(words.get("kind") or "").strip().lower()


def plan_answer(kind: str, **given: Any) -> Dict[str, Any]:
    """An answer of :func:`answer_schema` with all its keys, those that are not given empty."""
    return {"kind": kind, "reasoning": "", "steps": [], "text": "", "why": "", **given}


def _answer(kinds: Sequence[str], step: Mapping[str, Any], *words: str) -> Dict[str, Any]:
    steps = {"type": "array", "maxItems": MOST_STEPS, "items": dict(step)}
    return closed({"kind": one_of(kinds), "reasoning": dict(_MAYBE_WORDS), "steps": steps,
                   **{key: dict(_MAYBE_WORDS) for key in (*words, "why")}})


def closed(properties: Mapping[str, Any]) -> Dict[str, Any]:
    """The schema of an object that has all of these keys and no others, as strict mode takes it."""
    return {"type": "object", "required": list(properties), "properties": dict(properties),
            "additionalProperties": False}


def one_of(values: Sequence[str]) -> Dict[str, Any]:
    """The schema of one of some texts."""
    return {"type": "string", "enum": list(values)}


def one_of_names(names: Sequence[str]) -> Dict[str, Any]:
    """The schema of one of some names; of any text where there are none or too many."""
    return one_of(names) if 0 < len(names) <= LONGEST_ENUM else {"type": "string"}


def _with_names(schema: Dict[str, Any], domain: Domain, world: WorldState) -> Dict[str, Any]:
    """A schema with the names of each type that its steps refer to."""
    types = {each.type for action in _possible(domain, world)
             for each in named_parameters(domain, world, action).values() if each.type != "number"}
    return {**schema, "$defs": {type_: one_of_names(domain.objects_of(world, type_)) for type_ in sorted(types)}}


def _steps(domain: Domain, world: WorldState) -> Dict[str, Any]:
    # "after": which earlier steps it waits for, from 0.
    after = {"after": _optional({"type": "array", "items": {"type": "integer"}})} if len(world.robots) > 1 else {}
    return {"anyOf": [closed({**_step(domain, world, action), **after}) for action in _possible(domain, world)]}


def _possible(domain: Domain, world: WorldState) -> List[Action]:
    """The actions that have something in the world for each argument; all of them where none has."""
    found = [action for action in domain.actions.values() if all(
        each.type == "number" or each.optional or domain.objects_of(world, each.type)
        for each in action.parameters.values())]
    return found or list(domain.actions.values())


def _step(domain: Domain, world: WorldState, action: Action) -> Dict[str, Any]:
    """The keys of a step."""
    arguments = {}
    for name, each in named_parameters(domain, world, action).items():
        value = {"type": "number"} if each.type == "number" else {"$ref": f"#/$defs/{each.type}"}
        # ``null`` leaves it out where a step may.
        arguments[name] = _optional(value) if each.default is not None or each.any or each.optional else value
    return {"action": one_of([action.name]), "arguments": closed(arguments)}


def named_parameters(domain: Domain, world: WorldState, action: Action) -> Dict[str, Parameter]:
    """The parameters that a step names; its robot is not one of them where only one can do it."""
    implied = implied_robot(domain, action, world)
    return {name: each for name, each in action.parameters.items() if not (implied and name == action.robot_parameter)}


def _optional(value: Mapping[str, Any]) -> Dict[str, Any]:
    return {"anyOf": [dict(value), dict(_NULL)]}
