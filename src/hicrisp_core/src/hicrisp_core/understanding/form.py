"""The form of a meaning: every key, group and reason with what it says, and the JSON schema made from them."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence, Tuple

from hicrisp_core.domain.schema import Domain, Predicate
from hicrisp_core.goals.typed import names_for
from hicrisp_core.model import WorldState
from hicrisp_core.model.meaning import Reason
from hicrisp_core.understanding import form

KIND, SAY, STAGES, OTHERWISE, INVARIANTS = "kind", "say", "stages", "otherwise", "invariants"
CHOICES, FACTS, REASON = "choices", "facts", "reason"
ROBOT, WHEN, OPTIONAL, CONDITIONS = "robot", "when", "optional", "conditions"
PREDICATE, SUBJECT, OBJECT, HOLDS = "predicate", "subject", "object", "holds"
GROUP, COUNT, PARTS = "group", "count", "parts"
GOAL, QUESTION, ANSWER, REFUSAL = "goal", "question", "answer", "refusal"
NO_REASON = ""

KINDS: Mapping[str, str] = {
    GOAL: "something is to be brought about or kept",
    QUESTION: "the request has several readings that lead to different goals",
    ANSWER: "the user only wants to know something, and nothing is to move",
    REFUSAL: "the request cannot or must not be carried out, or asks for nothing",
}
KEYS: Mapping[str, str] = {
    SAY: "one sentence to the user: what you understood, your question, your answer, or why not",
    STAGES: "a goal's stages, reached one after another; what one makes stays until a later one changes it; one "
            "stage unless the user asks for an order in time",
    OTHERWISE: "the stages in place of all others if the first stage's `when` does not hold as the task begins",
    INVARIANTS: "conditions that hold all the way: what must not be touched, entered, or undone meanwhile",
    CHOICES: "a question's short answers",
    FACTS: "the facts that an answer rests on, as they are in the scene",
    REASON: "why a request is refused; empty for all else",
}
STAGE_KEYS: Mapping[str, str] = {
    CONDITIONS: "all of these hold when the stage is reached",
    ROBOT: "the robot that the user names for it, else empty",
    WHEN: "the stage is left out unless all of these hold as it begins",
    OPTIONAL: "whether the task goes on without it if it cannot be reached",
}
GROUPS: Mapping[str, str] = {
    "all": "every part holds",
    "any": "at least one part holds",
    "at_least": "at least `count` parts hold",
    "exactly": "exactly `count` parts hold",
    "at_most": "at most `count` parts hold",
}
REASONS: Mapping[str, str] = {
    Reason.UNKNOWN_OBJECT.value: "it names an object that is not in the scene",
    Reason.IMPOSSIBLE.value: "no predicate says it, or no robot here can do it",
    Reason.UNSAFE.value: "it would hurt somebody or break something",
    Reason.NOTHING_TO_DO.value: "it asks for nothing that a robot does",
}
MOST_ENUM_VALUES = 500
"""Of a whole schema, as OpenAI's strict mode counts them."""
MOST_CHARACTERS = 15_000
"""Of all names and enum values together."""
_NUMBER = "number"
Signature = Tuple[str, ...]


def form_text() -> str:
    """Return the table as the lines of a prompt."""
    tables = (("kind", KINDS), ("The other keys, empty where they do not apply", KEYS),
              ("A stage", STAGE_KEYS), ("A group of conditions", GROUPS), ("reason", REASONS))
    return "\n".join(f"{title}:\n" + "\n".join(f"- {name}: {says}" for name, says in table.items())
                     for title, table in tables)


def goal_words(domain: Domain) -> Tuple[Predicate, ...]:
    """Return the predicates that conditions may use: all but those of the order, which stages tell."""
    order = (domain.roles.waits_for, domain.roles.not_due)
    return tuple(each for name, each in domain.predicates.items() if name not in order)


def meaning_schema(domain: Domain, world: WorldState) -> Dict[str, Any]:
    """Return the schema of a meaning in a world."""
    signatures = _signatures(domain, world)
    listed = _listed_types(domain, world, signatures)
    names = {_name_of(type_): _names(domain, world, type_, type_ in listed)
             for signature in signatures for type_ in signature if type_ != _NUMBER}
    fact = {"anyOf": [_fact(signature, predicates) for signature, predicates in signatures.items()]}
    definitions = {
        **names, "fact": fact, "inner": _group({"$ref": "#/$defs/fact"}),
        "group": _group({"anyOf": [{"$ref": "#/$defs/fact"}, {"$ref": "#/$defs/inner"}]}),
        "condition": {"anyOf": [{"$ref": "#/$defs/fact"}, {"$ref": "#/$defs/group"}]},
        "stage": _object({
            form.ROBOT: {"type": "string", "enum": ["", *sorted(world.robots)]},
            form.WHEN: _list("condition"), form.OPTIONAL: {"type": "boolean"},
            form.CONDITIONS: _list("condition")}),
    }
    return {**_object({
        form.KIND: {"type": "string", "enum": list(form.KINDS)},
        form.SAY: {"type": "string"},
        form.STAGES: _list("stage"), form.OTHERWISE: _list("stage"), form.INVARIANTS: _list("condition"),
        form.CHOICES: {"type": "array", "items": {"type": "string"}},
        form.FACTS: _list("fact"),
        form.REASON: {"type": "string", "enum": [form.NO_REASON, *form.REASONS]}}), "$defs": definitions}


def _signatures(domain: Domain, world: WorldState) -> Dict[Signature, List[str]]:
    """Return the predicates by their argument types, without those that nothing here fits."""
    found: Dict[Signature, List[str]] = {}
    for predicate in goal_words(domain):
        if all(type_ == _NUMBER or domain.objects_of(world, type_) for type_ in predicate.arguments):
            found.setdefault(predicate.arguments, []).append(predicate.name)
    return found


def _listed_types(domain: Domain, world: WorldState, signatures: Dict[Signature, List[str]]) -> Tuple[str, ...]:
    """Return the types whose names are listed, the smallest first, as far as the limits allow."""
    types = {type_ for signature in signatures for type_ in signature if type_ != _NUMBER}
    names = {type_: _names_of(domain, world, type_) for type_ in types}
    values = sum(map(len, signatures.values())) + len(world.robots) + 32  # The rest of the form has fewer.
    characters, found = 0, []
    for type_ in sorted(types, key=lambda each: (len(names[each]), each)):
        values += len(names[type_])
        characters += sum(map(len, names[type_]))
        if values > MOST_ENUM_VALUES or characters > MOST_CHARACTERS // 2:
            break
        found.append(type_)
    return tuple(found)


def _names_of(domain: Domain, world: WorldState, type_: str) -> Tuple[str, ...]:
    """Return the names that a predicate takes for a type."""
    last = (names_for(each, 1, domain, world) for each in goal_words(domain) if each.arguments[1:] == (type_,))
    return tuple(sorted({name for names in (domain.objects_of(world, type_), *last) for name in names}))


def _name_of(type_: str) -> str:
    return f"a_{type_}"


def _names(domain: Domain, world: WorldState, type_: str, listed: bool) -> Dict[str, Any]:
    return {"type": "string", **({"enum": list(_names_of(domain, world, type_))} if listed else {})}


def _fact(signature: Signature, predicates: Sequence[str]) -> Dict[str, Any]:
    subject = {"$ref": f"#/$defs/{_name_of(signature[0])}"}
    last: Dict[str, Any] = {"type": "string", "enum": [""]}
    if len(signature) > 1:
        last = {"type": "number"} if signature[1] == _NUMBER else {"$ref": f"#/$defs/{_name_of(signature[1])}"}
    return _object({form.PREDICATE: {"type": "string", "enum": list(predicates)}, form.SUBJECT: subject,
                    form.OBJECT: last, form.HOLDS: {"type": "boolean"}})


def _group(part: Dict[str, Any]) -> Dict[str, Any]:
    return _object({form.GROUP: {"type": "string", "enum": list(form.GROUPS)},
                    form.COUNT: {"type": "integer"}, form.PARTS: {"type": "array", "items": part}})


def _list(definition: str) -> Dict[str, Any]:
    return {"type": "array", "items": {"$ref": f"#/$defs/{definition}"}}


def _object(properties: Dict[str, Any]) -> Dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
