"""What stands in a domain file, before names are looked up: one class for each kind of entry, its fields
the keys.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, Dict, Mapping, Optional, Tuple, Union

from pydantic import PositiveFloat
from pydantic.dataclasses import dataclass

from hicrisp_core.config.settings import STRICT
from hicrisp_core.model import FeedbackKind


@dataclass(frozen=True, config=STRICT)
class PredicateEntry:
    """A kind of fact; ``direction`` in the plane, ``instead`` a predicate by type.

    Args:
        args: the types of its one or two arguments.
        text: how the fact is said, with ``{0}`` and ``{1}``.
        not_text: how its opposite is said; by default "not" goes in.
        detect: the detector's test that sees it; empty: not seen.
        tolerance: of that test, metres (radians for ``lying``).
        direction: unit vector in the world's plane for ``detect: direction``.
        gap: how far beside the other object a thing is put to make it so, metres.
        transient: whether it is a means and no end, such as what a hand holds.
        symmetric: whether it says the same with its arguments swapped.
        inverse: the predicate that says the same with the arguments swapped.
        instead: for a type of the last argument, the predicate that is meant in its place.
        goal_text: how a goal says it of the end.
        avoid_text: how a goal says that it must never be so.
    """

    args: Tuple[str, ...]
    text: str
    not_text: str = ""
    detect: str = ""
    tolerance: float = 0.0
    direction: Tuple[float, float] = (0.0, 0.0)
    gap: float = 0.03
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
            raise ValueError("only a predicate of two objects can be symmetric or have an inverse")
        if self.symmetric and self.inverse:
            raise ValueError("a symmetric predicate is its own inverse: leave 'inverse' out")


@dataclass(frozen=True, config=STRICT)
class ParameterEntry:
    """A parameter of an action; the numbers are for one of the type ``number``.

    Args:
        type: a type of the domain, a kind of robot, or ``number``.
        default: of a number.
        min: least number.
        max: greatest number.
        any: whether any object of the type serves, as one hand or the other.
        optional: whether it may be left out, and nothing depends on it.
        role: ``item`` for the object that the action handles, ``target`` for the one that it is done to, ``amount`` for
            how much of it.
    """

    type: str
    default: Optional[float] = None
    min: Optional[float] = None
    max: Optional[float] = None
    any: bool = False
    optional: bool = False
    role: Optional[str] = None


@dataclass(frozen=True, config=STRICT)
class PreconditionEntry:
    """A condition that an action needs, and what is said where it does not hold.

    Args:
        holds: the condition.
        reason: why the action cannot run without it.
        suggestion: what to do then.
        kind: the class of the failure: ``precondition``, ``invalid``, ``out_of_order`` or ``not_due``.
        label: your own word for the failure, for reports and results.
    """

    holds: str
    reason: str = ""
    suggestion: str = ""
    kind: str = FeedbackKind.PRECONDITION.value
    label: str = ""


@dataclass(frozen=True, config=STRICT)
class NeedlessEntry:
    """A condition under which an action has nothing to do.

    Args:
        holds: the condition.
        note: what is said of a step that is left out for it.
    """

    holds: str
    note: str


@dataclass(frozen=True, config=STRICT)
class EffectEntry:
    """What an action makes or removes, always or under a condition.

    Args:
        then: the fact that is made, or with ``not`` removed.
        when: the condition for whose every match it happens.
    """

    then: str
    when: Optional[str] = None


@dataclass(frozen=True, config=STRICT)
class AdditionEntry:
    """What a domain adds to an action of one that it extends.

    Args:
        preconditions: further preconditions.
        effects: further effects.
        needless: further conditions under which it has nothing to do.
    """

    preconditions: Tuple[PreconditionEntry, ...] = ()
    effects: Tuple[EffectEntry, ...] = ()
    needless: Tuple[NeedlessEntry, ...] = ()


@dataclass(frozen=True, config=STRICT)
class ActionEntry:
    """An action; ``time_limit`` in seconds of the robot's clock.

    Args:
        text: how a step is said, with parameters in braces.
        parameters: by name, in order; a text is its type.
        skill: the robot's skill that carries it out; empty where no robot does.
        decode: the rule that finds where to place or drive to.
        preconditions: what must hold before; a text is its condition.
        effects: what it makes and removes; removals come first.
        reversible: whether it can be undone; one that cannot waits for approval.
        time_limit: seconds of the robot's clock.
        called: further words by which plans may call it.
        needless: conditions under which it has nothing to do.
    """

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
class ExampleEntry:
    """A task with what a model should answer, as models are shown it: a plan, or an answer or a refusal.

    Args:
        task: the request.
        plan: the steps of the answer.
        things: the objects that are there, each by its type, or by its type and what describes it.
        state: what holds before, facts or sentences.
        end: the facts that the plan is for.
        reasoning: what to think of before the steps.
        answer: the answer to a question.
        refusal: why the request is refused.
    """

    task: str
    plan: Tuple[str, ...] = ()
    things: Dict[str, Union[str, Tuple[str, ...]]] = field(default_factory=dict)
    state: Union[str, Tuple[str, ...]] = ""
    end: Tuple[str, ...] = ()
    reasoning: str = ""
    answer: str = ""
    refusal: str = ""

    def __post_init__(self) -> None:
        if sum(map(bool, (self.plan, self.answer, self.refusal))) != 1:
            raise ValueError("an example has one of: plan, answer, refusal")


@dataclass(frozen=True, config=STRICT)
class DomainFile:
    """A whole file; actions and roles are read once the types and predicates are known.

    Args:
        domain: name of the domain; the same as its file's.
        types: each type with its parent; ``object`` is above all.
        predicates: the kinds of facts, by name.
        actions: what robots can do, by name.
        description: a sentence for people and models.
        examples: requests with plans, answers or refusals, for models that plan.
    """

    domain: str
    types: Mapping[str, str]
    predicates: Mapping[str, PredicateEntry]
    actions: Mapping[str, Dict[str, Any]]
    description: str = ""
    examples: Tuple[ExampleEntry, ...] = ()


def spelled_out(entry: Any) -> Any:
    """Expand the short forms of an action's entry: ``item: box`` to ``item: {type: box}``, a text to a
    condition.

    Args:
        entry: the value of an action in the YAML file.

    Returns:
        A new mapping; any other value as it is, for the reader to refuse.
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
