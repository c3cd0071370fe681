"""What the memory holds, as values and as JSON objects: an example, a correction that worked, an offset of a robot.

Names are those of the scene in which it happened, each with the type and the attributes that its object had,
so that it can be said of the objects of another scene.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Dict, Mapping, Tuple, Union

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import AfterValidator, Field, GetPydanticSchema, Strict, TypeAdapter, ValidationError
from pydantic_core.core_schema import no_info_after_validator_function
from typing_extensions import Annotated

from hicrisp_core.model import FeedbackKind, GoalError, Step
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
_Name = Annotated[str, Field(pattern=r"^[\w.-]+$", max_length=60)]
_Key = Annotated[str, Field(pattern=r"^[\w./ #-]+$", max_length=120)]
_Word = Annotated[str, Field(pattern=r"^[\w .:+/#-]*$", max_length=120)]
_Moment = Annotated[float, Strict(), Ge(0.0), Le(1e11)]
_Count = Annotated[float, Strict(), Ge(0.0), Le(MOST_SAMPLES)]
_Shift = Annotated[float, Strict(), Ge(-FARTHEST), Le(FARTHEST)]
_PARTS = ("stages", "otherwise", "invariants", "first", "end", "keep")
"""The parts of a goal; the last three are those of entries that were written before goals had stages."""


def _printable(text: str) -> str:
    if not text.strip():
        raise ValueError("'text' is empty")
    return "".join(char if char.isprintable() else " " for char in text)


def _failure_kind(kind: str) -> str:
    if all(kind != each.value for each in FeedbackKind):
        raise ValueError(f"'{kind[:60]}' is no kind of failure")
    return kind


@dataclass(frozen=True)
class _Action:
    """A step as it is written."""

    action: _Name
    arguments: Mapping[_Name, _Name] = field(default_factory=dict)


_WRITTEN = GetPydanticSchema(lambda _, handler: no_info_after_validator_function(
    lambda each: Step("", each.action, each.arguments), handler(_Action)))
_Steps = Annotated[Tuple[Annotated[Step, _WRITTEN], ...], MinLen(1), MaxLen(MOST_STEPS)]


@dataclass(frozen=True)
class NamedObject:
    """What a name stood for: a type of the domain or a kind of robot, and the attributes of an object."""

    type: _Name
    attributes: Annotated[Mapping[_Name, _Word], MaxLen(10)] = field(default_factory=dict)


_Objects = Annotated[Mapping[_Name, NamedObject], MaxLen(MOST_THINGS)]


@dataclass(frozen=True)
class Source:
    """Where an entry comes from.

    Args:
        run: the id of the task.
        when: seconds since 1970.
        policy: by which it was carried out; ``llm`` is the language model, ``scene`` the scene.
    """

    run: _Word = ""
    when: _Moment = 0.0
    policy: _Word = ""
    llm: _Word = ""
    scene: _Word = ""


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

    domain: _Name
    text: Annotated[str, MaxLen(LONGEST_TEXT), AfterValidator(_printable)]
    things: _Objects
    steps: _Steps
    goal: Mapping[str, Annotated[Tuple[str, ...], MaxLen(MOST_CONDITIONS)]] = field(default_factory=dict)
    source: Source = Source()


@dataclass(frozen=True)
class Failure:
    """What went wrong with a command.

    Args:
        kind: of the feedback; ``label`` is the domain's own word for it.
        command: the one that failed.
        about: the names of the feedback's subjects, then of its blockers.
    """

    kind: Annotated[str, AfterValidator(_failure_kind)]
    command: Annotated[Step, _WRITTEN]
    label: _Word = ""
    about: Annotated[Tuple[_Name, ...], MaxLen(MOST_THINGS)] = ()


@dataclass(frozen=True)
class Mended:
    """A correction that worked.

    Args:
        steps: what was carried out.
        instead: whether the last of the steps took the failed command's place.
        maker: who made it, by the kind of maker.
    """

    domain: _Name
    failure: Failure
    things: _Objects
    steps: _Steps
    instead: Annotated[bool, Strict()] = False
    maker: _Word = ""
    source: Source = Source()


@dataclass(frozen=True)
class Offset:
    """What the action decoder had learnt of a robot.

    Args:
        body: which robot it is: real, or of which simulated world.
        key: robot, skill and frame, as the decoder names its estimates.
        samples: how many placements it knows; ``mean`` (m) and ``scatter`` (m^2) are those of an estimate.
        when: seconds since 1970 of the latest measurement.
    """

    body: _Key
    key: _Key
    samples: _Count
    mean: Tuple[_Shift, _Shift]
    scatter: _Count
    when: _Moment = 0.0

    @property
    def estimate(self) -> OffsetEstimate:
        """The same as the decoder keeps it."""
        return OffsetEstimate(self.samples, self.mean, self.scatter)


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


_READERS: Mapping[str, "TypeAdapter[Any]"] = {
    "example": TypeAdapter(Example), "correction": TypeAdapter(Mended), "offset": TypeAdapter(Offset)}


def record_of(entry: Entry) -> Dict[str, Any]:
    """Convert an entry to a JSON object.

    Args:
        entry: an example, a correction or an offset.

    Returns:
        The object; :func:`entry_of` reads it.
    """
    if isinstance(entry, Offset):
        return {"kind": "offset", **vars(entry), "mean": list(entry.mean)}
    objects = {name: {key: value for key, value in vars(item).items() if value} for name, item in entry.things.items()}
    common = {"domain": entry.domain, "things": objects, "steps": list(map(_step_record, entry.steps)),
              "source": vars(entry.source).copy()}
    if isinstance(entry, Example):
        return {"kind": "example", "text": entry.text,
                "goal": {part: list(texts) for part, texts in entry.goal.items()}, **common}
    told = entry.failure
    failure = {"kind": told.kind, "label": told.label, "command": _step_record(told.command), "about": list(told.about)}
    return {"kind": "correction", "failure": failure, "instead": entry.instead, "maker": entry.maker, **common}


def _step_record(step: Step) -> Dict[str, Any]:
    return {"action": step.action, "arguments": {name: str(value) for name, value in step.arguments.items()}}


def entry_of(value: Any) -> Union[Entry, Unfit]:
    """Read an entry from a JSON object.

    Args:
        value: the object, which may come from anywhere.

    Returns:
        The entry, or why it is invalid.
    """
    if not isinstance(value, dict):
        return Unfit("a JSON object is needed")
    reader = _READERS.get(str(value.get("kind")))
    if reader is None:
        return Unfit(f"'kind' must be one of: {', '.join(_READERS)}")
    try:
        entry: Entry = reader.validate_python(value)
        return entry if isinstance(entry, Offset) else _consistent(entry)
    except ValidationError as error:
        first = error.errors()[0]
        where, got = ".".join(map(str, first["loc"])), str(first["input"])[:60]
        said = f"'{got}' cannot be a name there" if first["type"] == "string_pattern_mismatch" else first["msg"]
        return Unfit(f"{where}: {said}")
    except ValueError as error:
        return Unfit(str(error))


def _consistent(entry: Union[Example, Mended]) -> Union[Example, Mended]:
    """Return an entry whose steps and goal name nothing but what it describes; raise ValueError for another."""
    steps = entry.steps if isinstance(entry, Example) else (entry.failure.command, *entry.steps)
    named = [("a step", str(each)) for step in steps for each in step.arguments.values()]
    if isinstance(entry, Example):
        goal = parse_goal({part: entry.goal[part] for part in _PARTS if part in entry.goal})
        if isinstance(goal, GoalError):
            raise ValueError(f"the goal cannot be read: {goal}")
        named += [("the goal", name) for name in goal.names if name not in goal.robots]
        entry = replace(entry, goal=dict(goal.texts))
    for whose, name in named:
        if name not in entry.things and not is_number(name):
            raise ValueError(f"{whose} names '{name}', of which 'things' says nothing")
    return entry


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
