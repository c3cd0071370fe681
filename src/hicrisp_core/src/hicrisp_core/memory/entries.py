"""What the memory holds, as values and as JSON objects: an example, a correction that worked, an offset of a robot.

Names are those of the scene in which it happened, each with the type and the attributes that its object had,
so that it can be said of the objects of another scene.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Tuple, Union

from hicrisp_core.model import Step
from hicrisp_core.model.feedback import FeedbackKind
from hicrisp_core.model.goal import GoalError
from hicrisp_core.model.goal_text import parse_goal
from hicrisp_core.model.offsets import OffsetEstimate

LONGEST_TEXT = 400
"""Characters of a request."""
MOST_STEPS = 40
MOST_THINGS = 60
MOST_CONDITIONS = 30
FARTHEST = 0.2
"""Metres: no offset of a placement is longer."""
MOST_SAMPLES = 1000.0
_EXAMPLE, _CORRECTION, _OFFSET = "example", "correction", "offset"
KINDS = (_EXAMPLE, _CORRECTION, _OFFSET)
_NAME = re.compile(r"[\w.-]{1,60}")
_KEY = re.compile(r"[\w./ #-]{1,120}")
_WORD = re.compile(r"[\w .:+/#-]{0,120}")
_PARTS = ("stages", "otherwise", "invariants", "first", "end", "keep")
"""The parts of a goal; the last three are those of entries that were written before goals had stages."""
_FAILURES = frozenset(kind.value for kind in FeedbackKind)


@dataclass(frozen=True)
class Thing:
    """What a name stood for: a type of the domain or a kind of robot, and the attributes of an object."""

    type: str
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Source:
    """Where an entry comes from.

    Args:
        run: the id of the task.
        when: seconds since 1970.
        policy: by which it was carried out; ``llm`` is the language model, ``scene`` the scene.
    """

    run: str = ""
    when: float = 0.0
    policy: str = ""
    llm: str = ""
    scene: str = ""


@dataclass(frozen=True)
class Example:
    """A task that went well.

    Args:
        domain: the name of the domain.
        text: the request, as it was typed.
        things: what the names in it stood for.
        goal: the conditions in writing, by the part of the goal: ``stages``, ``otherwise``, ``invariants``.
        steps: the commands that were carried out for it and held, without corrections.
    """

    domain: str
    text: str
    things: Mapping[str, Thing]
    steps: Tuple[Step, ...]
    goal: Mapping[str, Tuple[str, ...]] = field(default_factory=dict)
    source: Source = Source()


@dataclass(frozen=True)
class Failure:
    """What went wrong with a command.

    Args:
        kind: of the feedback; ``label`` is the domain's own word for it.
        command: the one that failed.
        about: the names of the feedback's subjects, then of its blockers.
    """

    kind: str
    label: str
    command: Step
    about: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Mended:
    """A correction that worked.

    Args:
        steps: what was carried out.
        instead: whether the last of the steps took the failed command's place.
        maker: who made it, by the kind of maker.
    """

    domain: str
    failure: Failure
    things: Mapping[str, Thing]
    steps: Tuple[Step, ...]
    instead: bool = False
    maker: str = ""
    source: Source = Source()


@dataclass(frozen=True)
class Offset:
    """What the action decoder had learnt of a robot.

    Args:
        body: which robot it is: real, or of which simulated world.
        key: robot, skill and frame, as the decoder names its estimates.
        when: seconds since 1970 of the latest measurement.
    """

    body: str
    key: str
    estimate: OffsetEstimate
    when: float = 0.0


Entry = Union[Example, Mended, Offset]


@dataclass(frozen=True)
class Numbered:
    """An entry with the id by which it is listed and forgotten.

    Args:
        times: how often the task went well, or the correction worked.
        failed: how often the correction was tried again and did not help.
        last: seconds since 1970 of the latest time.
    """

    id: str
    entry: Entry
    times: int = 1
    failed: int = 0
    last: float = 0.0


@dataclass(frozen=True)
class Unfit:
    """Why a value is not an entry, worded for the user."""

    reason: str


class _Wrong(Exception):
    """A field does not fit; the message says which and why."""


def record_of(entry: Entry) -> Dict[str, Any]:
    """Convert an entry to a JSON object.

    Args:
        entry: an example, a correction or an offset.

    Returns:
        The object; :func:`entry_of` reads it.
    """
    if isinstance(entry, Offset):
        estimate = entry.estimate
        return {"kind": _OFFSET, "body": entry.body, "key": entry.key, "samples": estimate.samples,
                "mean": list(estimate.mean), "scatter": estimate.scatter, "when": entry.when}
    common = {"things": {name: _thing_record(item) for name, item in entry.things.items()},
              "steps": [_step_record(step) for step in entry.steps], "source": vars(entry.source).copy()}
    if isinstance(entry, Example):
        return {"kind": _EXAMPLE, "domain": entry.domain, "text": entry.text,
                "goal": {part: list(texts) for part, texts in entry.goal.items()}, **common}
    failure = entry.failure
    return {"kind": _CORRECTION, "domain": entry.domain,
            "failure": {"kind": failure.kind, "label": failure.label,
                        "command": _step_record(failure.command), "about": list(failure.about)},
            "instead": entry.instead, "maker": entry.maker, **common}


def entry_of(value: Any) -> Union[Entry, Unfit]:
    """Read an entry from a JSON object.

    Args:
        value: the object.

    Returns:
        The entry, or why it is invalid.
    """
    readers: Mapping[str, Callable[[Mapping[str, Any]], Entry]] = {
        _EXAMPLE: _example, _CORRECTION: _mended, _OFFSET: _offset}
    if not isinstance(value, dict):
        return Unfit("a JSON object is needed")
    reader = readers.get(str(value.get("kind")))
    if reader is None:
        return Unfit(f"'kind' must be one of: {', '.join(KINDS)}")
    try:
        return reader(value)
    except _Wrong as error:
        return Unfit(str(error))


def _thing_record(item: Thing) -> Dict[str, Any]:
    return {"type": item.type, **({"attributes": dict(item.attributes)} if item.attributes else {})}


def _step_record(step: Step) -> Dict[str, Any]:
    return {"action": step.action, "arguments": {name: str(value) for name, value in step.arguments.items()}}


def _example(value: Mapping[str, Any]) -> Example:
    text = _text(value, "text", LONGEST_TEXT)
    objects, steps = _things(value), _steps(value)
    example = Example(_name(value, "domain"), text, objects, steps, _goal(value, objects), _source(value))
    if not text.strip():
        raise _Wrong("'text' is empty")
    _all_known(objects, steps)
    return example


def _mended(value: Mapping[str, Any]) -> Mended:
    failure, objects, steps = _mapping(value, "failure"), _things(value), _steps(value)
    kind = str(failure.get("kind"))
    if kind not in _FAILURES:
        raise _Wrong(f"'{kind[:60]}' is no kind of failure")
    about = tuple(_matching(each, _NAME, "about") for each in _list(failure, "about", MOST_THINGS))
    command = _step(failure.get("command"))
    _all_known(objects, (command, *steps))
    instead = value.get("instead", False)
    if not isinstance(instead, bool):
        raise _Wrong("'instead' must be true or false")
    return Mended(
        _name(value, "domain"),
        Failure(kind, _matching(failure.get("label", ""), _WORD, "label"), command, about), objects, steps, instead,
        _matching(value.get("maker", ""), _WORD, "maker"), _source(value))


def _offset(value: Mapping[str, Any]) -> Offset:
    mean = _list(value, "mean", 2)
    if len(mean) != 2:
        raise _Wrong("'mean' needs two numbers, metres")
    x, y = (_number({"mean": each}, "mean", -FARTHEST, FARTHEST) for each in mean)
    estimate = OffsetEstimate(_number(value, "samples", 0.0, MOST_SAMPLES), (x, y),
                              _number(value, "scatter", 0.0, MOST_SAMPLES))
    return Offset(_matching(value.get("body"), _KEY, "body"), _matching(value.get("key"), _KEY, "key"), estimate,
                  _number(value, "when", 0.0, 1e11, 0.0))


def _source(value: Mapping[str, Any]) -> Source:
    said = value.get("source")
    if said is None:
        return Source()
    said = _mapping(value, "source")
    words = {name: _matching(said.get(name, ""), _WORD, name) for name in ("run", "policy", "llm", "scene")}
    return Source(when=_number(said, "when", 0.0, 1e11, 0.0), **words)


def _goal(value: Mapping[str, Any], objects: Mapping[str, Thing]) -> Dict[str, Tuple[str, ...]]:
    said = _mapping(value, "goal") if "goal" in value else {}
    goal = parse_goal({part: _list(said, part, MOST_CONDITIONS) for part in _PARTS if part in said})
    if isinstance(goal, GoalError):
        raise _Wrong(f"the goal cannot be read: {goal}")
    unknown = [name for name in goal.names if name not in objects and name not in goal.robots and not is_number(name)]
    if unknown:
        raise _Wrong(f"the goal names '{unknown[0]}', of which 'things' says nothing")
    return dict(goal.texts)


def _things(value: Mapping[str, Any]) -> Dict[str, Thing]:
    said = _mapping(value, "things")
    if len(said) > MOST_THINGS:
        raise _Wrong(f"'things' has more than {MOST_THINGS} names")
    found = {}
    for name, item in said.items():
        if not isinstance(item, dict):
            raise _Wrong(f"'things' must say the type of '{str(name)[:60]}'")
        attributes = item.get("attributes", {})
        if not isinstance(attributes, dict) or len(attributes) > 10:
            raise _Wrong("'attributes' must be a mapping of at most 10 words")
        found[_matching(name, _NAME, "things")] = Thing(
            _name(item, "type"), {_matching(key, _NAME, "attributes"): _matching(each, _WORD, "attributes")
                                   for key, each in attributes.items()})
    return found


def _steps(value: Mapping[str, Any]) -> Tuple[Step, ...]:
    steps = tuple(_step(each) for each in _list(value, "steps", MOST_STEPS))
    if not steps:
        raise _Wrong("'steps' is empty")
    return steps


def _step(said: Any) -> Step:
    if not isinstance(said, dict) or not isinstance(said.get("arguments", {}), dict):
        raise _Wrong("a step needs an 'action' and its 'arguments'")
    arguments = {_matching(name, _NAME, "arguments"): _matching(each, _NAME, "arguments")
                 for name, each in said.get("arguments", {}).items()}
    return Step("", _name(said, "action"), arguments)


def _all_known(objects: Mapping[str, Thing], steps: Tuple[Step, ...]) -> None:
    """Refuse steps that name what nothing is said of; numbers stand for themselves."""
    for step in steps:
        for each in step.arguments.values():
            if str(each) not in objects and not is_number(str(each)):
                raise _Wrong(f"a step names '{each}', of which 'things' says nothing")


def is_number(text: str) -> bool:
    """Check whether an argument is a number and not a name.

    Args:
        text: the argument.

    Returns:
        True for a finite number.
    """
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _mapping(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = value.get(key)
    if not isinstance(found, dict):
        raise _Wrong(f"'{key}' must be a mapping")
    return found


def _list(value: Mapping[str, Any], key: str, most: int) -> List[Any]:
    found = value.get(key, [])
    if not isinstance(found, (list, tuple)) or len(found) > most:
        raise _Wrong(f"'{key}' must be a list of at most {most}")
    return list(found)


def _text(value: Mapping[str, Any], key: str, longest: int) -> str:
    found = value.get(key)
    if not isinstance(found, str) or len(found) > longest:
        raise _Wrong(f"'{key}' must be a text of at most {longest} characters")
    return "".join(char if char.isprintable() else " " for char in found)


def _name(value: Mapping[str, Any], key: str) -> str:
    return _matching(value.get(key), _NAME, key)


def _matching(value: Any, pattern: "re.Pattern[str]", key: str) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise _Wrong(f"'{key}' has '{str(value)[:60]}', which cannot be a name there")
    return value


def _number(value: Mapping[str, Any], key: str, least: float, most: float, default: float = math.nan) -> float:
    found = value.get(key, default)
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not least <= float(found) <= most:
        raise _Wrong(f"'{key}' must be a number from {least:g} to {most:g}")
    return float(found)
