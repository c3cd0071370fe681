"""From facts in words to a goal of the search: names are looked up, types are checked."""

from __future__ import annotations

from typing import Dict, List, Sequence, Tuple

from hicrisp_core.domain.conditions import Atom, Clause, Condition
from hicrisp_core.domain.schema import ROBOT_TYPES, Domain
from hicrisp_core.domain.search import Conditions
from hicrisp_core.language.facts import Reading, SaidFact
from hicrisp_core.language.intents import NotUnderstood, Noun
from hicrisp_core.language.names import Names, words_of
from hicrisp_core.language.tokens import check_readable
from hicrisp_core.language.vocabulary import Vocabulary
from hicrisp_core.model import Relation, WorldState

_ROBOT_WORDS = ("robot", "arm", "hand", "gripper")


def goal_of_facts(reading: Reading, domain: Domain, world: WorldState, names: Names) -> Conditions:
    """The conditions that all hold when it is as the text says.

    Raises:
        NotUnderstood: when a thing is not there, or is none of which the predicate can be said.
    """
    found: Dict[str, Condition] = {}
    for said in reading.facts:
        check_readable(_without_denial(said), words_of(world))
        for condition in _Conditions(domain, world, names).of(said):
            found.setdefault(str(condition), condition)
    return tuple(found.values())


def goal_of_relation(fact: Relation) -> Conditions:
    """The goal that one fact holds."""
    return (Condition((Clause((Atom(fact.predicate, (fact.subject, fact.object)),)),)),)


def goal_text(goal: Conditions, domain: Domain) -> str:
    """A goal in the domain's words, as far as its conditions are single facts."""
    said = []
    for condition in goal:
        clause = condition.clauses[0]
        one_fact = len(condition.clauses) == len(clause.atoms) == 1 and clause.atoms[0].ground
        said.append(domain.fact_text(clause.atoms[0].fact(), clause.negated) if one_fact else str(condition))
    return "; ".join(said)


class _Conditions:
    def __init__(self, domain: Domain, world: WorldState, names: Names) -> None:
        self._domain = domain
        self._world = world
        self._names = names
        self._robots = Vocabulary.of(domain, world).robots

    def of(self, said: SaidFact) -> List[Condition]:
        """The conditions of a fact; of predicates that are said alike, the first whose types fit.

        Raises:
            NotUnderstood: why the first of them does not fit.
        """
        refusals: List[NotUnderstood] = []
        for predicate in (said.predicate, *said.also):
            try:
                return self._as(said, predicate)
            except NotUnderstood as error:
                refusals.append(error)
        raise refusals[0]

    def _as(self, said: SaidFact, predicate: str) -> List[Condition]:
        types = self._domain.predicates[predicate].arguments
        objects = self._resolved(said.objects, types[-1]) if said.objects else ()
        subjects = self._resolved(said.subjects, types[0], objects[0] if len(objects) == 1 else "")
        found: List[Condition] = []
        for subject in subjects:
            pairs: List[Tuple[str, ...]] = [(subject, object_) for object_ in objects]
            for arguments in pairs or [(subject,)]:
                self._check(said, arguments, types)
                found.append(Condition((Clause((Atom(predicate, arguments),), said.denied),)))
        return found

    def _resolved(self, nouns: Sequence[Noun], type_: str, reference: str = "") -> Tuple[str, ...]:
        """The names that the phrases mean; where a robot is meant, "the arm" is the only one of its kind."""
        if type_ not in ROBOT_TYPES and type_ != "robot":
            return self._names.items(nouns, reference)
        return tuple(self._robot(noun, type_) for noun in nouns)

    def _robot(self, noun: Noun, type_: str) -> str:
        robots = self._domain.objects_of(self._world, type_)
        named, length = self._robots.named(noun.words)
        meant = [name for name in named if name in robots]
        if len(meant) == 1 and length == len(noun.words):
            return meant[0]
        if len(robots) == 1 and noun.words and noun.words[-1] in (*_ROBOT_WORDS, type_):
            return robots[0]
        raise NotUnderstood(f"there is no robot '{noun}' here; the robots are: {', '.join(robots) or 'none'}")

    def _check(self, said: SaidFact, arguments: Sequence[str], types: Sequence[str]) -> None:
        for name, type_ in zip(arguments, types):
            own = self._world.types().get(name, "")
            if not self._domain.is_a(own, type_):
                valid = ", ".join(self._domain.objects_of(self._world, type_)) or "none"
                raise NotUnderstood(f"in '{said.quote}' {name} is a {own}, where a {type_} is needed; "
                                    f"there are: {valid}")


def _without_denial(said: SaidFact) -> str:
    """The things of a fact: a denial is understood in the fact itself, but not within a noun phrase."""
    return " and ".join(str(noun) for noun in (*said.subjects, *said.objects))
