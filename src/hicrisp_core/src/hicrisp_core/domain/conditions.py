"""Conditions over facts: how preconditions, effects and goals are written, read and matched.

A condition is ``clause or clause ...``; a clause is ``[not] atom and atom ...``; ``not`` denies the whole
conjunction. An atom is ``predicate(argument, ...)``. An argument is a parameter of the action, a name of the
world, ``?variable`` (some thing, the same one wherever the variable stands in the clause) or ``_`` (anything).
The predicate ``*`` matches every predicate; ``type(x, t)`` asks for a type; ``same(x, y)`` for identity.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple

from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Relation

Binding = Dict[str, str]
IsA = Callable[[str, str], bool]
"""Whether a thing of the world (first argument) is of a type (second)."""

_ATOM = re.compile(r"\s*(\*|[A-Za-z][\w-]*)\s*\(([^()]*)\)\s*$")
_ARGUMENT = re.compile(r"(_|\??[A-Za-z][\w.-]*)$")


@dataclass(frozen=True)
class Atom:
    """One predicate with its arguments; at most two, as facts are triplets."""

    predicate: str
    arguments: Tuple[str, ...]

    def bind(self, binding: Mapping[str, str]) -> "Atom":
        """The atom with what the binding knows put in; the name of a type stays as it is."""
        if self.predicate == "type":
            return Atom("type", (binding.get(self.arguments[0], self.arguments[0]), self.arguments[1]))
        return Atom(self.predicate, tuple(binding.get(argument, argument) for argument in self.arguments))

    def fact(self) -> Relation:
        """The atom as a fact; only for atoms without variables and wildcards."""
        subject, object_ = (*self.arguments, "", "")[:2]
        return Relation(subject, self.predicate, object_)

    @property
    def ground(self) -> bool:
        return self.predicate != "*" and all(a != "_" and not a.startswith("?") for a in self.arguments)

    def matches(self, fact: Relation) -> Optional[Binding]:
        """The variables' values under which the atom is this fact; ``None`` when it is not."""
        if self.predicate not in ("*", fact.predicate):
            return None
        binding: Binding = {}
        for pattern, name in zip((*self.arguments, "", "")[:2], (fact.subject, fact.object)):
            if pattern == "_":
                continue
            if pattern.startswith("?"):
                if binding.setdefault(pattern, name) != name:
                    return None
            elif pattern != name:
                return None
        return binding

    def __str__(self) -> str:
        return f"{self.predicate}({', '.join(self.arguments)})"


@dataclass(frozen=True)
class Clause:
    """A conjunction of atoms, or its denial."""

    atoms: Tuple[Atom, ...]
    negated: bool = False

    def bind(self, binding: Mapping[str, str]) -> "Clause":
        """The clause with what the binding knows put in."""
        return Clause(tuple(atom.bind(binding) for atom in self.atoms), self.negated)

    def __str__(self) -> str:
        return ("not " if self.negated else "") + " and ".join(str(atom) for atom in self.atoms)


@dataclass(frozen=True)
class Condition:
    """A disjunction of clauses."""

    clauses: Tuple[Clause, ...]

    def bind(self, binding: Mapping[str, str]) -> "Condition":
        """The condition with what the binding knows put in."""
        return Condition(tuple(clause.bind(binding) for clause in self.clauses))

    def holds(self, facts: "Facts", is_a: IsA) -> bool:
        """Whether any clause holds."""
        return any((next(solutions(clause.atoms, facts, is_a), None) is None) == clause.negated
                   for clause in self.clauses)

    def witness(self, facts: "Facts", is_a: IsA) -> Binding:
        """What breaks the condition: the variables of the first denied clause that finds a match."""
        for clause in self.clauses:
            if clause.negated:
                return next(solutions(clause.atoms, facts, is_a), {})
        return {}

    def __str__(self) -> str:
        return " or ".join(str(clause) for clause in self.clauses)


class Facts:
    """A set of facts, indexed by predicate for matching."""

    def __init__(self, relations: Iterable[Relation]) -> None:
        self.relations = frozenset(relations)
        self._by_predicate: Dict[str, List[Relation]] = {}
        for fact in sorted(self.relations):
            self._by_predicate.setdefault(fact.predicate, []).append(fact)

    def candidates(self, predicate: str) -> Iterable[Relation]:
        """The facts that an atom of this predicate may match, in a fixed order."""
        return sorted(self.relations) if predicate == "*" else self._by_predicate.get(predicate, ())


def solutions(
    atoms: Tuple[Atom, ...], facts: Facts, is_a: IsA, binding: Optional[Binding] = None
) -> Iterator[Binding]:
    """Every value of the variables under which all atoms hold."""
    known: Binding = dict(binding or {})
    if not atoms:
        yield known
        return
    first, rest = atoms[0].bind(known), atoms[1:]
    if first.predicate == "type":
        if is_a(first.arguments[0], first.arguments[1]):
            yield from solutions(rest, facts, is_a, known)
    elif first.predicate == "same":
        if first.arguments[0] == first.arguments[1]:
            yield from solutions(rest, facts, is_a, known)
    elif first.ground:
        if first.fact() in facts.relations:
            yield from solutions(rest, facts, is_a, known)
    else:
        for fact in facts.candidates(first.predicate):
            found = first.matches(fact)
            if found is not None:
                yield from solutions(rest, facts, is_a, {**known, **found})


def parse_atom(text: str) -> Atom:
    """Read ``predicate(argument, ...)``.

    Raises:
        ConfigError: with what was found and what would be right.
    """
    match = _ATOM.match(text)
    if not match:
        raise ConfigError(f"'{text.strip()}' is not of the form predicate(argument, argument)")
    arguments = tuple(part.strip() for part in match.group(2).split(",") if part.strip())
    for argument in arguments:
        if not _ARGUMENT.match(argument):
            raise ConfigError(f"'{argument}' in '{text.strip()}' is neither a name, nor ?variable, nor _")
    if not 1 <= len(arguments) <= 2:
        raise ConfigError(f"'{text.strip()}' needs one or two arguments")
    return Atom(match.group(1), arguments)


def parse_clause(text: str) -> Clause:
    """Read ``[not] atom and atom ...``."""
    stripped = text.strip()
    negated = stripped.startswith("not ")
    body = stripped[4:] if negated else stripped
    return Clause(tuple(parse_atom(part) for part in re.split(r"\band\b", body)), negated)


def parse_condition(text: str) -> Condition:
    """Read ``clause or clause ...``."""
    return Condition(tuple(parse_clause(part) for part in re.split(r"\bor\b", text)))
