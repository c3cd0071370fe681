"""What Travi hands to Ropa: goal, things, state and steps in words (CoPAL, section III-B)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from hicrisp_core.brain.plan_answer import TOO_LONG
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.wording import goal_words
from hicrisp_core.llm.exchange import Completion
from hicrisp_core.model import Command, WorldState
from hicrisp_core.model.remembered import Remembered
from hicrisp_core.parsing.grounding import ground_name
from hicrisp_core.parsing.json_text import read_json, without_thoughts
from hicrisp_core.parsing.raw import ParseFailure
from hicrisp_core.prompting.answer_schema import WORDS, closed
from hicrisp_core.prompting.examples import Shown
from hicrisp_core.prompting.quarantine import plain

_LONGEST_ENUM = 100
_MOST_STEPS = 60
FIELDS = ("goal", "objects", "state", "steps")
"""In the order in which they are to be thought through: each is a step of the chain of thought."""
_HEADING = re.compile(r"^[\s*#>-]*(goal|objects|state|steps)\b[^:\n]{0,40}:[\s*]*(.*)$", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*\u2022]|\d+\s*[.):])\s*")


@dataclass(frozen=True)
class Specification:
    """A task in detail, in words.

    Args:
        objects: names of the world.
        steps: what remains to be done, one sentence each; none when nothing does, or nothing can be.
    """

    goal: str
    objects: Tuple[str, ...] = ()
    state: str = ""
    steps: Tuple[str, ...] = ()


def specification_schema(world: WorldState) -> Dict[str, Any]:
    """The JSON schema of Travi's answer; its objects are things of the world."""
    names = sorted(world.objects)
    name = {"type": "string", "enum": names} if 0 < len(names) <= _LONGEST_ENUM else {"type": "string"}
    return closed({
        "goal": WORDS, "objects": {"type": "array", "items": name, "maxItems": _LONGEST_ENUM},
        "state": WORDS, "steps": {"type": "array", "items": WORDS, "maxItems": _MOST_STEPS}})


def example_specification(domain: Domain, shown: Shown) -> Specification:
    """What Travi should answer to one of the domain's examples."""
    goal = ", ".join(domain.fact_text(fact) for fact in shown.end) or shown.task
    used = dict.fromkeys(str(value) for step in shown.steps for value in step.arguments.values()
                         if str(value) in shown.world.objects)
    state = shown.reasoning or shown.refusal or shown.answer or "Nothing is in the way."
    return Specification(goal, tuple(used), state, tuple(step.text for step in shown.steps))


def remembered_specification(domain: Domain, each: Remembered) -> Specification:
    """What Travi should have answered to an earlier task that went well."""
    goal = goal_words(each.goal, domain) if each.goal is not None else plain(each.text)
    used = dict.fromkeys(str(value) for step in each.steps for value in step.arguments.values())
    steps = (domain.describe(Command(step.action, step.arguments)) if step.action in domain.actions
             else plain(step.text) for step in each.steps)
    return Specification(goal, tuple(used), "Nothing is in the way.", tuple(steps))


def read_specification(said: Completion, domain: Domain, world: WorldState) -> Union[Specification, ParseFailure]:
    """Read Travi's answer, as JSON or under headings; an unknown thing is refused with those that there
    are.
    """
    found = read_json(said.text, lambda value: isinstance(value, dict) and "goal" in value)
    if said.cut_off or (found is not None and found.cut_off):
        return ParseFailure(TOO_LONG, said.text[-80:])
    fields = found.value if found else _under_headings(without_thoughts(said.text))
    goal = plain(_words(fields.get("goal")))
    if not goal or "steps" not in fields:
        return ParseFailure(f"the fields {', '.join(FIELDS)} are needed", said.text.strip()[:80])
    objects: List[str] = []
    for written in _lines(fields.get("objects")):
        name = ground_name(written, domain, world)
        if isinstance(name, ParseFailure):
            return name
        objects.append(name)
    steps = tuple(plain(_BULLET.sub("", step)) for step in _lines(fields.get("steps")))
    return Specification(goal, tuple(objects), plain(_words(fields.get("state"))), steps)


def _under_headings(text: str) -> Mapping[str, List[str]]:
    """The lines below "Goal:", "Objects:", "State:" and "Steps:", with what stands behind the colon."""
    fields: Dict[str, List[str]] = {}
    current: Optional[List[str]] = None
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading:
            current = fields.setdefault(heading.group(1).lower(), [])
            line = heading.group(2)
        if current is not None and line.strip():
            current.append(line.strip())
    if "objects" in fields:
        fields["objects"] = [name for line in fields["objects"] for name in line.split(",")]
    return fields


def _lines(value: Any) -> List[str]:
    entries = value if isinstance(value, list) else str(value or "").splitlines()
    said = [_BULLET.sub("", str(entry)).strip() for entry in entries]
    return [entry for entry in said if entry and entry.lower() not in ("none", "nothing")]


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {entry}" for key, entry in value.items())
    return "; ".join(str(entry) for entry in value) if isinstance(value, list) else str(value or "").strip()
