"""The logical checker: may a command run in this state? (CoPAL, section III-C)"""

from __future__ import annotations

import itertools
import math
from typing import Iterable, List, Mapping, Optional, Tuple

from hicrisp_core.domain.conditions import Facts, solutions
from hicrisp_core.domain.effects import expected_facts, names_of, type_test
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.wording import described, with_names
from hicrisp_core.errors import DomainError
from hicrisp_core.model import Cause, CauseKind, Command, Relation, Step, WorldObject, WorldState
from hicrisp_core.model.feedback import Feedback, FeedbackKind, Level, Measured, Unmet
from hicrisp_core.model.world import Visibility

_MOST_BINDINGS = 2000
"""Bindings of an action's parameters that are looked at."""


def check(domain: Domain, command: Command, state: WorldState) -> Optional[Feedback]:
    """Check names and types, whether all objects are in view, then each precondition in its order.

    Returns:
        ``None`` when the command may run, else HIGH feedback: INVALID, NOT_SEEN, or the precondition's kind
        with its place among the action's preconditions and the facts that are not as they should be.
    """
    try:
        domain.ground(Step("", command.action, command.arguments, command.robot), state)
    except DomainError as error:
        return malformed(error, command)
    facts, is_a = Facts(state.relations), type_test(domain, state)
    names = names_of(command)
    unseen = [state.objects[name] for name in names.values() if name in state.objects and state.objects[name].unseen]
    if unseen:
        return not_seen(command, unseen[0], state)
    for index, precondition in enumerate(domain.actions[command.action].preconditions):
        if not precondition.condition.holds(facts, is_a, names):
            condition = precondition.condition.bind(names)
            found = tuple((key.lstrip("?"), value) for key, value in condition.witness(facts, is_a).items())
            unmet = []
            for clause in condition.clauses:  # Each of them would do.
                known: Mapping[str, str] = next(solutions(clause.atoms, facts, is_a), {}) if clause.negated else {}
                bound = (atom.bind(known).fact() for atom in clause.atoms)
                wrong = tuple(Relation(*("_" if "?" in part else part for part in fact)) for fact in bound)
                unmet.append(Unmet(wrong, clause.negated, index, found))
            subjects = tuple(dict.fromkeys(name for _, name in found))
            return Feedback(Level.HIGH, precondition.kind, command, label=precondition.label, subjects=subjects,
                            unmet=tuple(unmet))
    return None


def unready(domain: Domain, steps: Iterable[Step], state: WorldState) -> Optional[Feedback]:
    """Find a step that cannot be done yet.

    Args:
        domain: the actions with their preconditions.
        steps: any steps; each is checked for itself, and one that does not fit the world is none that waits.
        state: the observed state.

    Returns:
        Why; of the first step that something bars, else of the first that lacks something; ``None`` without one.
    """
    failures: List[Feedback] = []
    for step in steps:
        try:
            failed = check(domain, domain.ground(step, state), state)
        except DomainError:
            continue
        if failed is not None and failed.unmet:
            failures.append(failed)
    failures.sort(key=lambda each: not any(unmet.negated for unmet in each.unmet))
    return failures[0] if failures else None


def possible_actions(domain: Domain, state: WorldState) -> Tuple[str, ...]:
    """Find the actions that something can be done with in a state (BrainBody-LLM, section 3, the state's second part).

    Args:
        domain: the actions with their preconditions.
        state: the observed state.

    Returns:
        Their names; one whose parameters have very many bindings may be missing.
    """
    facts, is_a = Facts(state.relations), type_test(domain, state)
    possible = []
    for action in domain.actions.values():
        names = [name for name, parameter in action.parameters.items() if parameter.type != "number"]
        choices = (domain.objects_of(state, action.parameters[name].type) for name in names)
        bindings = (dict(zip(names, each)) for each in itertools.islice(itertools.product(*choices), _MOST_BINDINGS))
        if any(all(each.condition.holds(facts, is_a, binding) for each in action.preconditions)
               for binding in bindings):
            possible.append(action.name)
    return tuple(possible)


def not_seen(command: Command, item: WorldObject, world: WorldState) -> Feedback:
    """The feedback for a command about an object of which nobody knows where it is now in a world."""
    known = math.isfinite(item.pose_age) and (item.pose is not None or item.pose_age > 0.0)
    gone = item.visibility is Visibility.GONE
    return Feedback(Level.HIGH, FeedbackKind.NOT_SEEN, command, subjects=(item.name,),
                    measured=(Measured("pose_age", item.pose_age, "s"),) if known else (),
                    cause=no_picture(world) or stamped_ahead(item) or (
                        Cause(CauseKind.GONE, (item.name,), item.pose_age) if gone else None))


def no_picture(world: WorldState) -> Optional[Cause]:
    """Return the camera's trouble as the cause of an unknown pose.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        A cause with the camera's own words; ``None`` if it works.
    """
    return Cause(CauseKind.NO_PICTURE, said=world.trouble.rstrip(".")) if world.trouble else None


def stamped_ahead(item: WorldObject) -> Optional[Cause]:
    """The cause of not counting poses of an object that are dated ahead of the clock; ``None`` where they are
    not.
    """
    return Cause(CauseKind.AHEAD, (item.name,), item.ahead) if item.ahead > 0.0 else None


def malformed(error: DomainError, command: Optional[Command] = None, step: Optional[Step] = None) -> Feedback:
    """Create the feedback for a command or a step that does not fit the domain or the world.

    Args:
        error: what is wrong, with the valid alternatives.
        command: the command, if one was made.
        step: the step, if no command was made.

    Returns:
        HIGH feedback of kind ``INVALID``.
    """
    return Feedback(
        Level.HIGH, FeedbackKind.INVALID, command, step, error.parameter, alternatives=error.alternatives,
        cause=Cause(CauseKind.MALFORMED, (error.parameter,) if error.parameter else (), said=str(error)))


def effects_hold(domain: Domain, command: Command, state: WorldState) -> bool:
    """Check whether a command is redundant because its effects hold already.

    Args:
        domain: the actions with their effects.
        command: the command.
        state: the observed state.

    Returns:
        Whether everything that it would make holds and everything that it would remove is absent.
    """
    made, removed = expected_facts(domain, command)
    if not (made or removed) or not all(fact in state.relations for fact in made) \
            or any(fact in state.relations for fact in removed):
        return False
    swept = [effect.atom.bind(names_of(command)) for effect in domain.actions[command.action].effects
             if effect.removes and effect.when is None and effect.atom.predicate != "*"]
    return not any(atom.matches(fact) is not None for atom in swept for fact in state.relations - frozenset(made))


def needless(domain: Domain, command: Command, state: WorldState) -> str:
    """Explain why a command need not be carried out.

    Args:
        domain: the actions with their effects.
        command: the command.
        state: the observed state.

    Returns:
        A sentence for people; empty if the command is useful.
    """
    if effects_hold(domain, command, state):
        return f"'{described(domain, command)}' is not needed: it is so already"
    facts, is_a, names = Facts(state.relations), type_test(domain, state), names_of(command)
    for entry in domain.actions[command.action].needless:
        if entry.condition.holds(facts, is_a, names):
            return f"'{described(domain, command)}' is left out: {with_names(entry.note, names)}"
    return ""
