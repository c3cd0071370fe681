"""Conditions over facts: what preconditions, effects and goals mean, and how they are matched.

A condition is ``clause or clause ...``; a clause is ``[not] atom and atom ...``, also with parentheses around its
atoms; ``not`` denies the whole conjunction. An atom is ``predicate(argument, ...)``. An argument is a parameter of the
action, a name of the world, ``?variable`` (some object, the same one wherever the variable stands in the clause) or
``_`` (anything). The predicate ``*`` matches every predicate; ``type(x, t)`` asks for a type; ``same(x, y)`` for
identity. Quantities are facts too, ``level(glass, 250)``; ``less(x, y)`` and ``at_least(x, y)`` compare numbers, and
an argument may be a sum or a difference, ``?level + amount``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Set, Tuple

from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Relation

Binding = Dict[str, str]
IsA = Callable[[str, str], bool]
"""Whether an object of the world (first argument) is of a type (second)."""

_OPERATOR = re.compile(r"\s+([+-])\s+")
COMPARED = ("less", "at_least")
"""Predicates that compare numbers."""
BUILT_IN = ("type", "same", *COMPARED)
"""Predicates that are computed and never stand among the facts."""
_ATOM = re.compile(r"\s*(\*|[A-Za-z][\w-]*)\s*\(([^()]*)\)\s*$")
_TERM = r"(?:_|\??[A-Za-z][\w.-]*|-?\d+(?:\.\d+)?)"
_ARGUMENT = re.compile(rf"{_TERM}(?:\s+[+-]\s+{_TERM})*$")


@dataclass(frozen=True)
class Atom:
    """One predicate with its arguments; at most two, as facts are triplets."""

    predicate: str
    arguments: Tuple[str, ...]

    def bind(self, binding: Mapping[str, str]) -> "Atom":
        """Replace parameters and variables by their values; the name of a type stays.

        Args:
            binding: values by the name of the parameter or variable; others stay as they are.

        Returns:
            The atom with the known values.
        """
        if self.predicate == "type":
            return Atom("type", (binding.get(self.arguments[0], self.arguments[0]), self.arguments[1]))
        return Atom(self.predicate, tuple([
            _value(argument, binding) if " " in argument else binding.get(argument, argument)
            for argument in self.arguments]))

    def fact(self) -> Relation:
        """The atom as a fact; only for atoms without variables and wildcards."""
        subject, object_ = (*self.arguments, "", "")[:2]
        return Relation(subject, self.predicate, object_)

    @cached_property
    def ground(self) -> bool:
        return self.predicate != "*" and all(a != "_" and "?" not in a for a in self.arguments)

    def matches(self, fact: Relation) -> Optional[Binding]:
        """Find the values under which the atom is a fact.

        Args:
            fact: one fact of a state.

        Returns:
            Values by variable, empty for an atom without variables; ``None`` if the atom is another fact.
        """
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
        return f"{self.predicate}({','.join(self.arguments)})"


@dataclass(frozen=True)
class Clause:
    """A conjunction of atoms, or its denial."""

    atoms: Tuple[Atom, ...]
    negated: bool = False

    def bind(self, binding: Mapping[str, str]) -> "Clause":
        """Replace parameters and variables in every atom.

        Args:
            binding: values by the name of the parameter or variable.

        Returns:
            The clause with the known values.
        """
        return Clause(tuple(atom.bind(binding) for atom in self.atoms), self.negated)

    def __str__(self) -> str:
        """The clause with parentheses around several atoms, which show how far ``not`` and ``and`` reach."""
        body = " and ".join(str(atom) for atom in self.atoms)
        return ("not " if self.negated else "") + (f"({body})" if len(self.atoms) > 1 else body)


@dataclass(frozen=True)
class Condition:
    """A disjunction of clauses."""

    clauses: Tuple[Clause, ...]

    def bind(self, binding: Mapping[str, str]) -> "Condition":
        """Replace parameters and variables in every clause.

        Args:
            binding: values by the name of the parameter or variable.

        Returns:
            The condition with the known values.
        """
        return Condition(tuple(clause.bind(binding) for clause in self.clauses))

    def holds(self, facts: "Facts", is_a: IsA, names: Optional[Mapping[str, str]] = None) -> bool:
        """Whether any clause holds, with these names put in."""
        return any((next(solutions(clause.atoms, facts, is_a, names), None) is None) == clause.negated
                   for clause in self.clauses)

    def witness(self, facts: "Facts", is_a: IsA) -> Binding:
        """Find what breaks the condition.

        Args:
            facts: the state.
            is_a: tests the type of an object.

        Returns:
            Values of the variables of the first denied clause that has a match; empty if no denied clause has one.
        """
        for clause in self.clauses:
            if clause.negated:
                return next(solutions(clause.atoms, facts, is_a), {})
        return {}

    def __str__(self) -> str:
        return " or ".join(str(clause) for clause in self.clauses)


class Facts:
    """A set of facts, indexed by predicate for matching; only what is asked for is put in order."""

    def __init__(self, relations: Iterable[Relation]) -> None:
        self.relations = frozenset(relations)
        self._by_predicate: Dict[str, Set[Relation]] = {}
        self._in_order: Dict[str, List[Relation]] = {}
        for fact in self.relations:
            self._by_predicate.setdefault(fact.predicate, set()).add(fact)

    def candidates(self, predicate: str) -> Iterable[Relation]:
        """Return the facts that an atom may match.

        Args:
            predicate: the atom's predicate; ``*`` for any.

        Returns:
            Facts in a fixed order.
        """
        if predicate not in self._in_order:
            self._in_order[predicate] = sorted(
                self.relations if predicate == "*" else self._by_predicate.get(predicate, set()))
        return self._in_order[predicate]


def solutions(
    atoms: Tuple[Atom, ...], facts: Facts, is_a: IsA, binding: Optional[Mapping[str, str]] = None
) -> Iterator[Binding]:
    """Yield every binding of the variables under which all atoms hold.

    Args:
        atoms: the conjunction.
        facts: the facts to match.
        is_a: returns whether an object, given by name, has a type.
        binding: values that are fixed already.

    Returns:
        The bindings, in a fixed order.
    """
    known: Binding = dict(binding or {})
    if not atoms:
        yield known
        return
    first, rest = atoms[0].bind(known), atoms[1:]
    if first.predicate == "type":
        if is_a(first.arguments[0], first.arguments[1]):
            yield from solutions(rest, facts, is_a, known)
    elif first.predicate in BUILT_IN:
        if _computed(first):
            yield from solutions(rest, facts, is_a, known)
    elif first.ground:
        if first.fact() in facts.relations:
            yield from solutions(rest, facts, is_a, known)
    else:
        for fact in facts.candidates(first.predicate):
            found = first.matches(fact)
            if found is not None:
                yield from solutions(rest, facts, is_a, {**known, **found})


def number_text(value: float) -> str:
    """Format a number as it stands in facts.

    Args:
        value: any finite number.

    Returns:
        At most six digits behind the point, without trailing zeros.
    """
    return f"{round(value, 6):.6f}".rstrip("0").rstrip(".")


def _value(argument: str, binding: Mapping[str, str]) -> str:
    """What the binding knows put in; a sum of numbers is its value."""
    first, *rest = _OPERATOR.split(argument)
    terms = [binding.get(term, term) for term in (first, *rest[1::2])]
    numbers = [_number(term) for term in terms]
    if None in numbers:
        return terms[0] + "".join(f" {sign} {term}" for sign, term in zip(rest[::2], terms[1:]))
    return number_text(sum(number if sign == "+" else -number
                           for sign, number in zip(("+", *rest[::2]), numbers) if number is not None))


def _computed(atom: Atom) -> bool:
    """Whether a built-in comparison holds; numbers that are not known compare as false."""
    left, right = atom.arguments
    if atom.predicate == "same":
        return left == right
    a, b = _number(left), _number(right)
    if a is None or b is None:
        return False
    return a < b if atom.predicate == "less" else a >= b


def _number(text: str) -> Optional[float]:
    try:
        return float(text)
    except ValueError:
        return None


def parse_atom(text: str) -> Atom:
    """Read ``predicate(argument, ...)``.

    Args:
        text: the atom; it has one or two arguments.

    Returns:
        The atom.

    Raises:
        ConfigError: with what was found and what would be valid.
    """
    match = _ATOM.match(text)
    if not match:
        raise ConfigError(f"'{text.strip()}' is not of the form predicate(argument, argument)")
    arguments = tuple(part.strip() for part in match.group(2).split(",") if part.strip())
    for argument in arguments:
        if not _ARGUMENT.match(argument):
            raise ConfigError(f"'{argument}' in '{text.strip()}' is neither a name, nor a number, nor "
                              "?variable, nor _, nor a sum of such")
    if not 1 <= len(arguments) <= 2:
        raise ConfigError(f"'{text.strip()}' needs one or two arguments")
    return Atom(match.group(1), arguments)


def parse_condition(text: str) -> Condition:
    """Read ``clause or clause ...``; a ``not`` applies to the whole conjunction after it.

    Args:
        text: the condition.

    Returns:
        The condition.

    Raises:
        ConfigError: if an atom is malformed.
    """
    clauses = []
    for clause in map(str.strip, re.split(r"\bor\b", text)):  # ``[not] atom and atom ...``, perhaps in parentheses.
        negated = clause.startswith("not ")
        body = clause[4:].strip() if negated else clause
        if body.startswith("(") and body.endswith(")"):
            body = body[1:-1]
        clauses.append(Clause(tuple(parse_atom(part) for part in re.split(r"\band\b", body)), negated))
    return Condition(tuple(clauses))
