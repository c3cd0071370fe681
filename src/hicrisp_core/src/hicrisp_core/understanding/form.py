"""The form of a meaning: every key, group and reason with what it says, and the JSON schema made from them."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Tuple

from hicrisp_core.domain.schema import Domain, Predicate
from hicrisp_core.goals.validation import names_for
from hicrisp_core.model import Reason, WorldState
from hicrisp_core.prompting.answer_schema import closed, one_of

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


def goal_predicates(domain: Domain) -> Tuple[Predicate, ...]:
    """Return the predicates that conditions may use: all but those of the order, which stages tell."""
    order = (domain.roles.waits_for, domain.roles.not_due)
    return tuple(each for name, each in domain.predicates.items() if name not in order)


def meaning_schema(domain: Domain, world: WorldState) -> Dict[str, Any]:
    """Return the schema of a meaning in a world."""
    signatures: Dict[Signature, List[str]] = {}
    """The predicates by their argument types, without those that nothing here fits."""
    for predicate in goal_predicates(domain):
        if all(type_ == _NUMBER or domain.objects_of(world, type_) for type_ in predicate.arguments):
            signatures.setdefault(predicate.arguments, []).append(predicate.name)
    facts = []
    for signature, predicates in signatures.items():
        last = one_of([""])
        if len(signature) > 1:
            last = {"type": "number"} if signature[1] == _NUMBER else {"$ref": f"#/$defs/a_{signature[1]}"}
        facts.append(closed({PREDICATE: one_of(predicates), SUBJECT: {"$ref": f"#/$defs/a_{signature[0]}"},
                             OBJECT: last, HOLDS: {"type": "boolean"}}))
    definitions = {
        **_names(domain, world, signatures), "fact": {"anyOf": facts}, "inner": _group({"$ref": "#/$defs/fact"}),
        "group": _group({"anyOf": [{"$ref": "#/$defs/fact"}, {"$ref": "#/$defs/inner"}]}),
        "condition": {"anyOf": [{"$ref": "#/$defs/fact"}, {"$ref": "#/$defs/group"}]},
        "stage": closed({ROBOT: one_of(["", *sorted(world.robots)]), WHEN: _list("condition"),
                         OPTIONAL: {"type": "boolean"}, CONDITIONS: _list("condition")}),
    }
    return {**closed({
        KIND: one_of(list(KINDS)), SAY: {"type": "string"},
        STAGES: _list("stage"), OTHERWISE: _list("stage"), INVARIANTS: _list("condition"),
        CHOICES: {"type": "array", "items": {"type": "string"}},
        FACTS: _list("fact"), REASON: one_of([NO_REASON, *REASONS])}), "$defs": definitions}


def _names(domain: Domain, world: WorldState, signatures: Dict[Signature, List[str]]) -> Dict[str, Dict[str, Any]]:
    """Return the schemas of the types' names; these are listed, of the smallest types first, as limits allow."""
    types = {type_ for signature in signatures for type_ in signature if type_ != _NUMBER}
    names = {type_: sorted({*domain.objects_of(world, type_), *(
        name for each in goal_predicates(domain) if each.arguments[1:] == (type_,)
        for name in names_for(each, 1, domain, world))}) for type_ in types}
    values = sum(map(len, signatures.values())) + len(world.robots) + 32  # The rest of the form has fewer.
    characters, found = 0, {}
    for type_ in sorted(types, key=lambda each: (len(names[each]), each)):
        values += len(names[type_])
        characters += sum(map(len, names[type_]))
        listed = values <= MOST_ENUM_VALUES and characters <= MOST_CHARACTERS // 2
        found[f"a_{type_}"] = {"type": "string", **({"enum": names[type_]} if listed else {})}
    return found


def _group(part: Dict[str, Any]) -> Dict[str, Any]:
    return closed({GROUP: one_of(list(GROUPS)), COUNT: {"type": "integer"}, PARTS: {"type": "array", "items": part}})


def _list(definition: str) -> Dict[str, Any]:
    return {"type": "array", "items": {"$ref": f"#/$defs/{definition}"}}
