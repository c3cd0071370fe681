"""The JSON schema of a goal, typed by the domain's predicates and the names in the world.

Conditions are strings with a pattern. Only plain groups, alternatives and bounded repeats stand in it, which
servers turn into a grammar; what the pattern cannot say is checked when the answer is read. A bowl may be
written behind ``on``, which is read as ``in``: a model that has begun with ``on`` would else be made to name
another thing. A model that was not trained on this form means a name before it knows which ones are left, so
it may write any: made to choose, it would name a thing that nobody spoke of, where an unknown name is
refused, and asked for again with the valid ones.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Sequence

from hicrisp_core.domain.schema import Domain, Predicate
from hicrisp_core.goals.vocabulary import goal_predicates
from hicrisp_core.llm.exchange import THINKING
from hicrisp_core.model import WorldState
from hicrisp_core.model.goal import NoGoal

_MOST_NAMES = 100
"""More names than this are not listed: servers that compile the schema grow slow."""
_ANY_NAME = "[A-Za-z0-9_.-]+"
_MOST_CONDITIONS = 16
_MOST_PARTS = 9
_MOST_SAID = 300
"""Characters of these words."""
_SPECIAL = re.compile(r"([.^$*+?()\[\]{}|\\])")


def goal_schema(domain: Domain, world: WorldState, worded: bool = False) -> Dict[str, Any]:
    """One object: a goal (with ``first``, ``end``, ``keep``, ``robot``), ``ask``, ``refuse`` or
    ``answer``.

    Args:
        worded: for a model that was not trained on this form: ``say``, the wish as plain commands, goes
            before all else, and names are open.
    """
    fact = _alternatives([_fact(domain, world, predicate, worded) for predicate in goal_predicates(domain)
                          if _possible(domain, world, predicate)])
    opening = r"((any|all)\(|(at_least|exactly|at_most)\([1-9],)"
    group = rf"{opening}{fact}(,{fact}){{1,{_MOST_PARTS}}}\)"
    definitions = {"plain": {"type": "string", "pattern": rf"^({fact}|not\({fact}\))$"},
                   "condition": {"type": "string", "pattern": rf"^({fact}|not\({fact}\)|{group})$"}}
    end, on_the_way = _conditions("condition"), _conditions("plain")
    later: Dict[str, Any] = {"end": end, "keep": on_the_way}
    if world.robots:
        later["robot"] = _name(sorted(world.robots), worded)
    which: Dict[str, Any] = {"type": "array", "maxItems": _MOST_PARTS,
                             "items": _name(sorted(world.types()), worded)}
    kinds = [
        _object("goal", later, ["end"]),
        _object("goal", {"first": on_the_way, **later}, ["first", "end"]),
        _object("ask", {"which": which}, ["which"]),
        _object("refuse", {"why": {"type": "string", "enum": [why.value for why in NoGoal]}}, ["why"]),
        _object("answer", {}, []),
    ]
    return {"$defs": definitions, "anyOf": [_worded(kind) for kind in kinds] if worded else kinds}


def _object(kind: str, properties: Dict[str, Any], required: List[str]) -> Dict[str, Any]:
    return {"type": "object", "properties": {"kind": {"const": kind}, **properties},
            "required": ["kind", *required], "additionalProperties": False}


def _worded(kind: Dict[str, Any]) -> Dict[str, Any]:
    said = {"type": "string", "maxLength": _MOST_SAID}
    return {**kind, "properties": {THINKING: said, **kind["properties"]},
            "required": [THINKING, *kind["required"]]}


def _conditions(definition: str) -> Dict[str, Any]:
    return {"type": "array", "minItems": 1, "maxItems": _MOST_CONDITIONS,
            "items": {"$ref": f"#/$defs/{definition}"}}


def _possible(domain: Domain, world: WorldState, predicate: Predicate) -> bool:
    """Whether the world has something for each argument."""
    return all(type_ == "number" or domain.objects_of(world, type_) for type_ in predicate.arguments)


def _fact(domain: Domain, world: WorldState, predicate: Predicate, open_names: bool) -> str:
    arguments = [_argument(domain, world, type_, open_names) for type_ in predicate.arguments]
    return rf"{_escaped(predicate.name)}\({','.join(arguments)}\)"


def _argument(domain: Domain, world: WorldState, type_: str, open_names: bool) -> str:
    if type_ == "number":
        return "[0-9]+"
    names = () if open_names else domain.objects_of(world, type_)
    return _alternatives([_escaped(name) for name in names]) if 0 < len(names) <= _MOST_NAMES else _ANY_NAME


def _alternatives(texts: Sequence[str]) -> str:
    return f"({'|'.join(texts)})" if len(texts) != 1 else texts[0]


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _name(names: Sequence[str], open_names: bool) -> Dict[str, Any]:
    listed = not open_names and 0 < len(names) <= _MOST_NAMES
    return {"type": "string", **({"enum": list(names)} if listed else {"pattern": f"^{_ANY_NAME}$"})}
