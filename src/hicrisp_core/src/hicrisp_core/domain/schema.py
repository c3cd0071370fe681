"""What a domain holds: types, predicates, actions; and how names become a grounded command."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Dict, Iterable, List, Mapping, Optional, Tuple

from hicrisp_core.domain.arguments import grounded
from hicrisp_core.domain.conditions import Atom, Condition
from hicrisp_core.domain.entries import ExampleEntry, PredicateEntry
from hicrisp_core.domain.roles import AMOUNT, ITEM, TARGET, Roles
from hicrisp_core.errors import DomainError, did_you_mean
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Command, FeedbackKind, KeepOut, Relation, Step, Value, WorldObject, WorldState
from hicrisp_core.model.keep_out import zone
from hicrisp_core.ports.kinds import ARM, ROBOT_TYPES, TargetRule

ANYTHING = "object"
"""The type above all types of objects."""
PRECONDITION_KINDS = (FeedbackKind.PRECONDITION, FeedbackKind.INVALID, FeedbackKind.PLANNING, FeedbackKind.OUT_OF_ORDER,
                      FeedbackKind.NOT_DUE)
"""The kinds of failures that a domain's preconditions may name; ``planning`` where a robot would find no motion."""


@dataclass(frozen=True)
class Predicate(PredicateEntry):
    """A kind of fact, how it is said and how it is seen from poses, as its file says it.

    A ``transient`` fact is a means and no end: that it was made and is gone again undoes nothing, unless the last step
    made it. Without words of its own ``not_text`` has those of ``text`` behind a "not:".
    """

    name: str = ""

    @property
    def arguments(self) -> Tuple[str, ...]:
        """The types of its one or two arguments."""
        return self.args


@dataclass(frozen=True)
class Precondition:
    """A condition that must hold before an action, and what to say when it does not.

    ``kind`` is the class of the failure, ``label`` the domain's own word for it.
    """

    condition: Condition
    reason: str = ""
    suggestion: str = ""
    kind: FeedbackKind = FeedbackKind.PRECONDITION
    label: str = ""


@dataclass(frozen=True)
class Effect:
    """A fact that an action makes or removes, for every match of ``when`` (always, if there is none)."""

    atom: Atom
    removes: bool = False
    when: Optional[Condition] = None


@dataclass(frozen=True)
class Parameter:
    """A parameter of an action: a type of the domain, or ``number`` with a range and a default.

    ``any`` says that any object of the type serves as well, as one hand or the other: it may be left out, and
    a repair may choose another one. An ``optional`` one is left out where it is not given, and nothing
    depends on it. ``role`` is ``item`` for the object that the action handles, ``target`` for the one that it is
    done to, and ``amount`` for how much of it.
    """

    name: str
    type: str
    default: Optional[float] = None
    minimum: float = -math.inf
    maximum: float = math.inf
    any: bool = False
    optional: bool = False
    role: str = ""


@dataclass(frozen=True)
class Needless:
    """A condition under which an action is beside the point, and is left out with a note."""

    condition: Condition
    note: str


@dataclass(frozen=True)
class Action:
    """An operator of the domain.

    ``skill`` names the robot's skill, ``decode`` the rule by which the action decoder finds the target pose.
    ``called`` are words by which plans may also call it; several actions may share one, and their types
    decide.
    """

    name: str
    text: str
    parameters: Mapping[str, Parameter]
    preconditions: Tuple[Precondition, ...] = ()
    effects: Tuple[Effect, ...] = ()
    skill: str = ""
    decode: str = ""
    reversible: bool = True
    time_limit: float = 30.0
    called: Tuple[str, ...] = ()
    needless: Tuple[Needless, ...] = ()

    @property
    def robot_parameter(self) -> str:
        """The name of the parameter that is the robot; empty when there is none."""
        return next((p.name for p in self.parameters.values() if p.type in ROBOT_TYPES), "")

    @property
    def item_parameter(self) -> str:
        """The name of the parameter that is the object it handles; empty when it handles none."""
        return self.parameter_of(ITEM)

    def parameter_of(self, role: str) -> str:
        """Return the name of the parameter that plays a role.

        Args:
            role: one of ``PARAMETER_ROLES``.

        Returns:
            The name; empty when none plays it.
        """
        return next((p.name for p in self.parameters.values() if p.role == role), "")

    @property
    def target(self) -> Optional[TargetRule]:
        """How its commands get their target; ``None`` for an action that leads nowhere."""
        return extensions().targets.get(self.decode) if self.decode else None

    @property
    def places(self) -> bool:
        """Whether its target is where its item shall be, and not where a base shall stand."""
        target = self.target
        return target is not None and target.robot == ARM


@dataclass(frozen=True)
class SkillUse:
    """What a robot must know of an action: the skill, and which of its parameters are the object that is handled, the
    one that it is done to, and how much of it.
    """

    skill: str
    item: str = ""
    target: str = ""
    amount: str = ""


@dataclass(frozen=True)
class Domain:
    """Types, predicates and actions of one kind of world, and the roles that they play; immutable."""

    name: str
    types: Mapping[str, str]
    predicates: Mapping[str, Predicate]
    actions: Mapping[str, Action]
    description: str = ""
    examples: Tuple[ExampleEntry, ...] = ()
    roles: Roles = Roles()

    @property
    def skills(self) -> Mapping[str, SkillUse]:
        """The skill of each action, by the action's name; without those that no robot carries out."""
        return {name: SkillUse(action.skill, *map(action.parameter_of, (ITEM, TARGET, AMOUNT)))
                for name, action in self.actions.items() if action.skill}

    def item(self, command: Command) -> str:
        """The name of the object that a command handles; empty when it handles none."""
        action = self.actions.get(command.action)
        return command.argument(action.item_parameter) if action is not None and action.item_parameter else ""

    def other(self, command: Command, world: WorldState) -> Optional[WorldObject]:
        """The first object that a command names besides the one that it handles: a reference, an area."""
        action = self.actions.get(command.action)
        item = action.item_parameter if action is not None else ""
        return next((world.objects[str(value)] for key, value in command.arguments.items()
                     if key != item and str(value) in world.objects), None)

    def is_a(self, type_: str, ancestor: str) -> bool:
        """Check whether a type equals another one or descends from it.

        Args:
            type_: the type to check.
            ancestor: the more general type.

        Returns:
            Whether ``type_`` is an ``ancestor``.
        """
        current: Optional[str] = type_
        while current:
            if current == ancestor:
                return True
            current = self.types.get(current)
        return False

    def ancestry(self, type_: str) -> Tuple[str, ...]:
        """List a type and its parents.

        Args:
            type_: name of a type.

        Returns:
            Names, the most general last.
        """
        above = self.types.get(type_)
        return (type_, *self.ancestry(above)) if above else (type_,)

    def handles(self, type_: str) -> bool:
        """Check whether an action takes objects of a type into a hand or moves them.

        Args:
            type_: the type of an object.

        Returns:
            Whether the type fits the item of an action.
        """
        return any(self.is_a(type_, action.parameters[action.item_parameter].type)
                   for action in self.actions.values() if action.item_parameter)

    def is_target(self, type_: str) -> bool:
        """Check whether objects of a type are places: a base goes there, or items are put there.

        Args:
            type_: the type of an object.

        Returns:
            Whether it fits a parameter beside item and robot, is not handled itself and not in the way.
        """
        beside = (parameter for action in self.actions.values() for name, parameter in action.parameters.items()
                  if name not in (action.item_parameter, action.robot_parameter))
        barred = (self.roles.obstacle, self.roles.forbidden)
        return any(self.is_a(type_, each.type) for each in beside) and not self.handles(type_) and not any(
            self.is_a(type_, each) for each in barred if each)

    def objects_of(self, state: WorldState, type_: str) -> Tuple[str, ...]:
        """Return the objects and robots of a type.

        Args:
            state: the observed world.
            type_: the type; its descendants count as well.

        Returns:
            The names, sorted.
        """
        return tuple(sorted(name for name, own in state.types().items() if self.is_a(own, type_)))

    def action(self, name: str) -> Action:
        """Look up an action.

        Args:
            name: the action's name.

        Returns:
            The action.

        Raises:
            DomainError: if the name is unknown, with the closest and all valid names.
        """
        if name not in self.actions:
            raise DomainError(f"no action '{name}'{did_you_mean(name, self.actions)}; there are: "
                              f"{', '.join(sorted(self.actions))}", tuple(sorted(self.actions)))
        return self.actions[name]

    def called(self, name: str) -> Tuple[Action, ...]:
        """Look up the actions of a name or an alternative name.

        Args:
            name: a name that a plan uses.

        Returns:
            The actions, at least one.

        Raises:
            DomainError: if the name is unknown, with the closest and all valid names.
        """
        found = tuple(action for action in self.actions.values() if name in (action.name, *action.called))
        return found or (self.action(name),)

    def ground(self, step: Step, state: WorldState, robot: str = "") -> Command:
        """Turn a step into a command; of several actions of that name the first whose types fit is taken.

        Args:
            step: the step with its arguments.
            state: the observed world, which supplies names and types.
            robot: the robot to use if the step names none.

        Returns:
            The command, not aimed yet.

        Raises:
            DomainError: for an unknown action, parameter or name, or a wrong type, with the valid ones.
        """
        refusals: List[DomainError] = []
        for action in self.called(step.action):
            try:
                return grounded(self, action, step, state, robot)
            except DomainError as error:
                refusals.append(error)
        raise refusals[0]

    def actions_of(self, kind: str) -> List[Action]:
        """List the actions of a kind of robot.

        Args:
            kind: ``arm``, ``base`` or a subtype.

        Returns:
            Actions for this kind and for any robot, in the domain's order.
        """
        return [action for action in self.actions.values() if not action.robot_parameter
                or self.is_a(kind, action.parameters[action.robot_parameter].type)]

    def describe(self, command: Command) -> str:
        """Describe a command as a sentence, for example ``place box next to cylinder``.

        Args:
            command: the command.

        Returns:
            The sentence in the domain's words.
        """
        action = self.actions.get(command.action)
        return action.text.format_map(_Arguments(command.arguments)) if action else str(command)

    def fact_text(self, fact: Relation, denied: bool = False) -> str:
        """Describe a fact as a sentence.

        Args:
            fact: the fact.
            denied: whether its denial is described.

        Returns:
            The sentence in the domain's words.
        """
        predicate = self.predicates.get(fact.predicate)
        if predicate is None:
            return f"{'not ' if denied else ''}{fact.predicate}({fact.subject}, {fact.object})"
        return (predicate.not_text if denied else predicate.text).format(fact.subject, fact.object)


class _Arguments(Dict[str, object]):
    """Arguments for a text template; numbers without trailing zeros, a missing one stays visible."""

    def __init__(self, arguments: Mapping[str, Value]) -> None:
        super().__init__({k: f"{v:g}" if isinstance(v, float) else v for k, v in arguments.items()})

    def __missing__(self, key: str) -> str:
        return "{" + key + "}"


def is_zone(domain: Domain, item: WorldObject) -> bool:
    """Whether no base may enter an object's ground."""
    return bool(domain.roles.forbidden) and domain.is_a(item.type, domain.roles.forbidden)


def zones_of(domain: Domain, objects: Iterable[WorldObject]) -> Tuple[KeepOut, ...]:
    """The zones among some objects, by name, as far as it is known where they lie."""
    found = (zone(item) for item in sorted(objects, key=lambda item: item.name) if is_zone(domain, item))
    return tuple(each for each in found if each is not None)
