"""What stands in a domain file, before names are looked up: one class for each kind of entry, its fields
the keys.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Any, Dict, Mapping, Optional, Tuple, Union

from pydantic import PositiveFloat
from pydantic.dataclasses import dataclass

from hicrisp_core.config.settings import STRICT
from hicrisp_core.domain.schema import Precondition

_PLACE = re.compile(r"\{\w+\}")


@dataclass(frozen=True, config=STRICT)
class PredicateEntry:
    """A kind of fact; ``direction`` in the plane, ``instead`` a predicate by type."""

    args: Tuple[str, ...]
    text: str
    not_text: Optional[str] = None
    detect: str = ""
    tolerance: float = 0.0
    direction: Tuple[float, float] = (0.0, 0.0)
    transient: bool = False
    symmetric: bool = False
    inverse: str = ""
    instead: Mapping[str, str] = field(default_factory=dict)
    goal_text: str = ""
    avoid_text: str = ""

    def __post_init__(self) -> None:
        if not 1 <= len(self.args) <= 2:
            raise ValueError("a predicate has one or two arguments, as facts are triplets")
        if (self.symmetric or self.inverse) and len(self.args) < 2:
            raise ValueError("only a predicate of two things can be symmetric or have an inverse")
        if self.symmetric and self.inverse:
            raise ValueError("a symmetric predicate is its own inverse: leave 'inverse' out")


@dataclass(frozen=True, config=STRICT)
class ParameterEntry:
    """A parameter of an action; the numbers are for one of the type ``number``."""

    type: str
    default: Optional[float] = None
    min: Optional[float] = None
    max: Optional[float] = None
    any: bool = False
    optional: bool = False
    role: Optional[str] = None


@dataclass(frozen=True, config=STRICT)
class PreconditionEntry:
    """A condition that an action needs, and what is said where it does not hold."""

    holds: str
    reason: str = ""
    suggestion: str = ""
    kind: str = Precondition.kind.value
    label: str = ""


@dataclass(frozen=True, config=STRICT)
class NeedlessEntry:
    """A condition under which an action has nothing to do."""

    holds: str
    note: str


@dataclass(frozen=True, config=STRICT)
class EffectEntry:
    """What an action makes or removes, always or under a condition."""

    then: str
    when: Optional[str] = None


@dataclass(frozen=True, config=STRICT)
class AdditionEntry:
    """What a domain adds to an action of one that it extends."""

    preconditions: Tuple[PreconditionEntry, ...] = ()
    effects: Tuple[EffectEntry, ...] = ()


@dataclass(frozen=True, config=STRICT)
class ActionEntry:
    """An action; ``time_limit`` in seconds of the robot's clock."""

    text: str
    parameters: Mapping[str, ParameterEntry]
    skill: str = ""
    decode: str = ""
    preconditions: Tuple[PreconditionEntry, ...] = ()
    effects: Tuple[EffectEntry, ...] = ()
    reversible: bool = True
    time_limit: PositiveFloat = 30.0
    called: Tuple[str, ...] = ()
    needless: Tuple[NeedlessEntry, ...] = ()


@dataclass(frozen=True, config=STRICT)
class SayingEntry:
    """A sentence and what it means; every place in the meaning stands in the sentence."""

    say: str
    means: str

    def __post_init__(self) -> None:
        unknown = sorted(set(_PLACE.findall(self.means)) - set(_PLACE.findall(self.say)))
        if unknown:
            raise ValueError(f"{unknown[0]} does not stand in '{self.say}'")


@dataclass(frozen=True, config=STRICT)
class ExampleEntry:
    """A task with what a model should answer, as models are shown it: a plan, or an answer or a refusal.

    Args:
        things: the things that are there, each by its type, or by its type and what describes it.
        state: what holds before, facts or sentences.
        end: the facts that the plan is for.
        reasoning: what to think of before the steps.
    """

    task: str
    plan: Tuple[str, ...] = ()
    things: Dict[str, Union[str, Tuple[str, ...]]] = field(default_factory=dict)
    state: Union[str, Tuple[str, ...]] = ""
    end: Tuple[str, ...] = ()
    reasoning: str = ""
    answer: str = ""
    refusal: str = ""


@dataclass(frozen=True, config=STRICT)
class GoalExampleEntry:
    """A request with the answer of a model that names goals; things, robots and facts as a prompt shows
    them.
    """

    things: str
    request: str
    answer: Dict[str, Any]
    robots: str = ""
    now: str = ""


@dataclass(frozen=True, config=STRICT)
class DomainFile:
    """A whole file; actions and roles are read once the types and predicates are known."""

    domain: str
    types: Mapping[str, str]
    predicates: Mapping[str, PredicateEntry]
    actions: Mapping[str, Dict[str, Any]]
    description: str = ""
    sayings: Tuple[SayingEntry, ...] = ()
    examples: Tuple[ExampleEntry, ...] = ()
    goal_examples: Tuple[GoalExampleEntry, ...] = ()


def spelled_out(entry: Any) -> Any:
    """An action's entry without its short forms: ``item: box`` for ``item: {type: box}``, a text for a
    condition.
    """
    if not isinstance(entry, dict):
        return entry
    long = dict(entry)
    if isinstance(entry.get("parameters"), dict):
        long["parameters"] = {name: _long("type", value) for name, value in entry["parameters"].items()}
    for key, inner in (("preconditions", "holds"), ("effects", "then")):
        if isinstance(entry.get(key), list):
            long[key] = [_long(inner, value) for value in entry[key]]
    return long


def _long(key: str, value: Any) -> Any:
    return {key: value} if isinstance(value, str) else value
