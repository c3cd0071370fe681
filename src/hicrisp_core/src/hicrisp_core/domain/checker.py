"""The logical checker: may a command run in this state? (CoPAL, section III-C)"""

from __future__ import annotations

from typing import Dict, Mapping, Optional

from hicrisp_core.domain.conditions import Condition, Facts
from hicrisp_core.domain.effects import expected_facts, names_of, type_test
from hicrisp_core.domain.schema import Domain, Precondition
from hicrisp_core.errors import DomainError
from hicrisp_core.model import Command, Feedback, Level, Step, WorldState


def check(domain: Domain, command: Command, state: WorldState) -> Optional[Feedback]:
    """Check names and types, whether all things are in view, then each precondition in its order.

    Returns:
        ``None`` when the command may run, else HIGH feedback of kind ``invalid``, ``not_seen`` or the precondition's
        own.
    """
    try:
        domain.ground(Step("", command.action, command.arguments, command.robot), state)
    except DomainError as error:
        return Feedback(Level.HIGH, "invalid", f"{command} cannot be carried out.", f"{error}.",
                        alternatives=error.alternatives)
    facts, is_a = Facts(state.relations), type_test(domain, state)
    names = names_of(command)
    unseen = [state.objects[name] for name in names.values() if name in state.objects and state.objects[name].unseen]
    if unseen:
        said = unseen[0].name.replace("_", " ")
        return Feedback(Level.HIGH, "not_seen", f"Cannot {domain.describe(command)}.",
                        f"The {said} {unseen[0].sight}.", "Bring it back into view.")
    for precondition in domain.actions[command.action].preconditions:
        condition = precondition.condition.bind(names)
        if not condition.holds(facts, is_a):
            found = {key.lstrip("?"): value for key, value in condition.witness(facts, is_a).items()}
            return _unmet(domain, command, precondition, condition, {**names, **found})
    return None


def effects_hold(domain: Domain, command: Command, state: WorldState) -> bool:
    """Whether every fact that the command would make or remove is already so: the step is redundant."""
    made, removed = expected_facts(domain, command)
    if not (made or removed) or not all(fact in state.relations for fact in made) \
            or any(fact in state.relations for fact in removed):
        return False
    swept = [effect.atom.bind(names_of(command)) for effect in domain.actions[command.action].effects
             if effect.removes and effect.when is None and effect.atom.predicate != "*"]
    return not any(atom.matches(fact) is not None for atom in swept for fact in state.relations - frozenset(made))


def needless(domain: Domain, command: Command, state: WorldState) -> str:
    """Why the command need not be carried out in this state, as a sentence; empty when it is of use."""
    if effects_hold(domain, command, state):
        return f"'{domain.describe(command)}' is not needed: what it makes holds already"
    facts, is_a, names = Facts(state.relations), type_test(domain, state), names_of(command)
    for entry in domain.actions[command.action].needless:
        if entry.condition.bind(names).holds(facts, is_a):
            return f"'{domain.describe(command)}' is left out: {entry.note.format_map(_Names(names))}"
    return ""


def _unmet(
    domain: Domain, command: Command, precondition: Precondition, condition: Condition, names: Mapping[str, str]
) -> Feedback:
    reason = precondition.reason or _as_text(domain, condition)
    return Feedback(
        Level.HIGH, precondition.kind, f"Cannot {domain.describe(command)}.",
        f"{_capital(reason.format_map(_Names(names)))}.",
        f"{_capital(precondition.suggestion.format_map(_Names(names)))}." if precondition.suggestion else "")


def _as_text(domain: Domain, condition: Condition) -> str:
    """What is wrong, in the words of the domain, for a condition that does not hold."""
    clause = condition.clauses[0]
    if len(clause.atoms) == 1 and clause.atoms[0].ground and clause.atoms[0].predicate in domain.predicates:
        return domain.fact_text(clause.atoms[0].fact(), denied=not clause.negated)
    return f"this does not hold: {condition}".replace("{", "").replace("}", "")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


class _Names(Dict[str, str]):
    """Names for a text template; one that is not known is said as 'something'."""

    def __missing__(self, key: str) -> str:
        return "something"
