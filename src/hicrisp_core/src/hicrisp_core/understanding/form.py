"""The form of a meaning: every key, group and reason with what it says, in one table.

The schema, the prompt's rules, the reader of answers and ``docs/goals.md`` are made from it or tested against it.
"""

from __future__ import annotations

from typing import Mapping

from hicrisp_core.model.meaning import Reason

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


def form_text() -> str:
    """Return the table as the lines of a prompt."""
    tables = (("kind", KINDS), ("The other keys, empty where they do not apply", KEYS),
              ("A stage", STAGE_KEYS), ("A group of conditions", GROUPS), ("reason", REASONS))
    return "\n".join(f"{title}:\n" + "\n".join(f"- {name}: {says}" for name, says in table.items())
                     for title, table in tables)
