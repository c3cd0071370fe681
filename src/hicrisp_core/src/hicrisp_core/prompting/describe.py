"""The domain and the world in words for a model."""

from __future__ import annotations

import re
from collections import Counter
from typing import AbstractSet, Dict, Iterable, List, Mapping, Optional

from hicrisp_core.domain import Action, Atom, Condition, Domain, words_of
from hicrisp_core.domain.wording import LEVELS
from hicrisp_core.model import Feedback, StepRecord, WorldState
from hicrisp_core.ports.brain import CorrectionRequest, PlanRequest
from hicrisp_core.prompting.asking import compact
from hicrisp_core.prompting.quarantine import plain, quarantined

_ANYTHING = "anything"
_PLACES = re.compile(r"\{\w+\}")
_BRACES = re.compile(r"[{}]")
_VARIABLE = re.compile(r"\?[\w.-]+")
_READ_SO = "A ?name is some object, the same wherever it stands in a condition; not (...) denies all of it together."
_NAME_LIMIT = 60
_MOST_TRIED = 20
_MOST_SAID = 300
"""Characters of a model's reason or suggestion."""
_SEVERAL = ('Each step is done by a robot that can do it; name the robot where several can. Steps of '
            'different robots run at once where neither needs the other; a step that must wait for others '
            'besides says so: "after": [their indices, counted from 0].')


def actions_text(domain: Domain, world: Optional[WorldState] = None) -> str:
    """Every action with its parameters, its meaning, what must hold before it and what it changes.

    Args:
        world: whose robots act; the only one that can do an action is named in what it needs and makes, and
            is no parameter of it.
    """
    denied = frozenset(atom.predicate for action in domain.actions.values() for each in action.preconditions
                       for clause in each.condition.clauses if clause.negated for atom in clause.atoms)
    lines = []
    for action in domain.actions.values():
        robot = implied_robot(domain, action, world)
        named = {action.robot_parameter: robot} if robot else {}
        parameters = ", ".join(f"{each.name}: {each.type}" for each in action.parameters.values()
                               if each.name not in named)
        text = action.text.replace(f"{{{action.robot_parameter}}}", robot) if robot else action.text
        if "_".join(_PLACES.sub("", text).split()) == action.name:
            text = ""  # The name says it.
        needs = [_needed(each.condition, named) for each in action.preconditions]
        ends = _changes(domain, action, named, denied)
        parts = {"Needs": [each for each in needs if each not in ends],
                 "Uses up": [each for each in ends if each in needs],
                 "Ends": [each for each in ends if each not in needs],
                 "Makes": _changes(domain, action, named, None)}
        said = [f"{word} {', '.join(each)}" for word, each in parts.items() if each]
        lines.append(f"- {action.name}({parameters}): {'. '.join(filter(None, (_BRACES.sub('', text), *said)))}.")
    return "\n".join((*lines, _READ_SO) if any("?" in line for line in lines) else lines)


def implied_robot(domain: Domain, action: Action, world: Optional[WorldState]) -> str:
    """The robot that does an action where no other one here can; empty where a plan must name it."""
    if world is None or not action.robot_parameter:
        return ""
    able = domain.objects_of(world, action.parameters[action.robot_parameter].type)
    return able[0] if len(able) == 1 else ""


def _needed(condition: Condition, named: Mapping[str, str]) -> str:
    """A precondition in the domain's own language; what stands in a clause only once is ``anything``."""
    clauses = [clause.bind(named) for clause in condition.clauses]
    for at, clause in enumerate(clauses):
        counted = Counter(_VARIABLE.findall(str(clause)))
        clauses[at] = clause.bind({"_": _ANYTHING, **{name: _ANYTHING for name, n in counted.items() if n == 1}})
    return f"({Condition(tuple(clauses))})" if len(clauses) > 1 else str(clauses[0])


def _changes(domain: Domain, action: Action, named: Dict[str, str], denied: Optional[AbstractSet[str]]) -> List[str]:
    """What an action always makes; or what it ends, of the predicates that must not hold for some action."""
    found: List[str] = []
    for effect in action.effects:
        atom = effect.atom.bind(named)
        wanted = not effect.removes if denied is None else effect.removes and atom.predicate in denied
        if effect.when is not None or not atom.ground or not wanted:
            continue
        predicate = domain.predicates.get(atom.predicate)
        turned = str(Atom(atom.predicate, atom.arguments[::-1]))
        if not (predicate is not None and predicate.symmetric and turned in found):
            found.append(str(atom))
    return found


def objects_text(world: WorldState, domain: Optional[Domain] = None, places: bool = True) -> str:
    """Every object with its type, attributes and place, metres, places as target locations;
    every robot, of several with what each can do.
    """
    lines = []
    for name, item in sorted(world.objects.items()):
        attributes = "".join(f", {plain(attribute_text(key, str(value)), 2 * _NAME_LIMIT)}"
                             for key, value in sorted(item.attributes.items()))
        at = item.pose.position if places and item.pose is not None else None
        place = "" if at is None else " at ({:.2f}, {:.2f}, {:.2f})".format(*at)
        if place and domain is not None and domain.is_target(item.type):
            place += ", a target location"
        place = f", {item.sight}" if item.unseen else place
        lines.append(f"- {plain(name, _NAME_LIMIT)}: {item.type}{attributes}{place}")
    several = domain is not None and len(world.robots) > 1
    for name, robot in sorted(world.robots.items()):
        can = ", can: " + ", ".join(each.name for each in domain.actions_of(robot.kind)) if domain and several else ""
        lines.append(f"- {name}: robot ({robot.kind}{can})")
    return "\n".join((*lines, _SEVERAL) if several else lines)


def attribute_text(key: str, value: str) -> str:
    """Return an attribute: a word or colours as they are, other words in quotes, with what they say of the object."""
    return value if len(value.split()) == 1 or key == "colour" else f"{key} {compact(value)}"


def listed(entries: Iterable[str], empty: str = "nothing") -> str:
    """Return sentences as lines of a prompt, each in its own line whatever it holds."""
    return "\n".join(f"- {plain(entry)}" for entry in entries) or f"- {empty}"


def facts_text(domain: Domain, world: WorldState, notes: Iterable[str] = ()) -> str:
    """What holds, as sentences."""
    return listed((*map(domain.fact_text, sorted(world.relations)), *notes), "nothing is known")


def feedback_text(domain: Domain, feedback: Feedback, level: str = "how", quoted: bool = False) -> str:
    """Error, reason and suggestion with valid names (CoPAL), as much as there is of each and the level tells.

    Args:
        quoted: whether what a model said that saw pictures follows, fenced: it is no measurement.
    """
    words = words_of(feedback, domain, exact=True).at_level(level)
    parts = {"error": words.error, "reason": words.reason, "suggestion": words.suggestion,
             "valid": ", ".join(feedback.alternatives) if level == LEVELS[-1] else ""}
    texts = [f"{name}: {plain(said)}" for name, said in parts.items() if said or name == "error"]
    guesses = {"reason": feedback.model_reason, "suggestion": feedback.model_suggestion} if quoted else {}
    texts += [f"{name}, as a model says that saw pictures, not measured: {quarantined(said, _MOST_SAID)}"
              for depth, (name, said) in enumerate(guesses.items(), 1) if said and depth <= LEVELS.index(level)]
    return "; ".join(texts)


def record_text(record: StepRecord) -> str:
    """A step that is done or goes on elsewhere."""
    said = record.step.text or str(record.step)
    if record.elsewhere:
        return f"{said} (under way elsewhere: leave it out of a new plan)"
    return f"{said} (not needed: {record.note})" if record.note else said


def failure_texts(domain: Domain, request: PlanRequest) -> Dict[str, str]:
    """What a new plan has to know: ``done``, ``remaining`` and ``feedback``, as the prompts name them."""
    feedback = [f"- {feedback_text(domain, entry, request.feedback_level, quoted=True)}" for entry in request.feedback]
    return {"done": listed(map(record_text, request.done)),
            "remaining": listed(map(str, request.remaining)), "feedback": "\n".join(feedback) or listed(())}


def correction_texts(domain: Domain, request: CorrectionRequest) -> Dict[str, str]:
    """What a correction has to know: the ``stack`` as it is tried again, ``tried``, ``done``, what is ``remaining``."""
    level = request.feedback_level
    stack = (f"{number}. {plain(f'{entry.command} ({domain.describe(entry.command)})')}, tried {entry.attempts} times: "
             f"{feedback_text(domain, entry.feedback, level, quoted=True)}"
             for number, entry in enumerate(request.stack[::-1], 1))
    tried = (f"{each.command}: {feedback_text(domain, each.feedback, level) if each.feedback else 'it worked'}"
             for each in request.tried[-_MOST_TRIED:])
    return {"stack": "\n".join(stack), "tried": listed(tried), "done": listed(map(record_text, request.done)),
            "remaining": listed(map(str, request.remaining[1:]))}
