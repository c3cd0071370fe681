"""Another planner's answer to a question of the search: the question as PDDL (ADL without numbers), and Fast
Downward, run as a program of its own.
"""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.domain.conditions import Atom, Clause, Condition
from hicrisp_core.domain.effects import type_test
from hicrisp_core.domain.schema import Action, Domain, Effect
from hicrisp_core.domain.search import Conditions
from hicrisp_core.model import WorldState

_Names = Mapping[str, str]
_SHORTEST = "astar(blind())"
_ANY = "eager_greedy([ff()],preferred=[ff()])"
_LENGTH = re.compile(r"Plan length: (\d+) step")
_IN_SOME_SECONDS = 60.0


def exported(domain: Domain, state: WorldState, goal: Conditions) -> Optional[Tuple[str, str]]:
    """The domain and the problem, with the actions that can be undone; ``None`` where numbers matter to one
    of them."""
    try:
        return _Export(domain, state).written(goal)
    except _Numbers:
        return None


class _Numbers(Exception):
    """A condition or an effect counts."""


class _Export:
    """Quantifiers over what may stand in a place are written out, so that no planner needs axioms for
    them."""

    def __init__(self, domain: Domain, state: WorldState) -> None:
        self._domain = domain
        self._state = state
        self._is_a = type_test(domain, state)
        self._names = tuple(sorted({*state.types(), *(each for fact in state.relations
                                                      for each in (fact.subject, fact.object) if each)}))
        self._arity: Dict[str, int] = {name: len(each.arguments) for name, each in domain.predicates.items()}
        self._arity.update({fact.predicate: 2 if fact.object else 1 for fact in state.relations
                            if fact.predicate not in self._arity})
        touched = {effect.atom.predicate for action in domain.actions.values() for effect in action.effects}
        self._fixed = frozenset() if "*" in touched else frozenset(self._arity) - touched

    def written(self, goal: Conditions) -> Tuple[str, str]:
        actions = [text for action in self._domain.actions.values() if action.reversible and action.effects
                   for text in self._action(action)]
        predicates = " ".join(f"(p-{name} {' '.join(f'?x{i}' for i in range(arity))})"
                              for name, arity in sorted(self._arity.items()))
        constants = " ".join(self._names)
        domain = (f"(define (domain exported) (:requirements :adl)\n(:constants {constants})\n"
                  f"(:predicates {predicates} (nothing))\n" + "\n".join(actions) + ")\n")
        facts = " ".join(_fact(fact.predicate, [each for each in (fact.subject, fact.object) if each])
                         for fact in sorted(self._state.relations))
        wanted = " ".join(self._condition(condition, {}) for condition in goal)
        return domain, ("(define (problem asked) (:domain exported)\n"
                        f"(:init {facts})\n(:goal (and {wanted})))\n")

    def _action(self, action: Action) -> Iterable[str]:
        needed = [parameter for parameter in action.parameters.values() if not parameter.optional]
        choices = [("0",) if each.type == "number" else self._domain.objects_of(self._state, each.type)
                   for each in needed]
        for number, values in enumerate(itertools.product(*choices)):
            if len(set(values)) < len(values):
                continue
            names = dict(zip((each.name for each in needed), values))
            conditions = [self._condition(each.condition, names) for each in action.preconditions]
            if "(nothing)" in conditions:
                continue
            effects = [text for effect in action.effects for text in self._effect(effect, names)]
            if effects:
                yield (f"(:action {action.name}-{number} :parameters () :precondition (and "
                       f"{' '.join(conditions)})\n :effect (and {' '.join(effects)}))")

    def _condition(self, condition: Condition, names: _Names) -> str:
        ways = [self._clause(clause) for clause in condition.bind(names).clauses]
        return _any(ways)

    def _clause(self, clause: Clause) -> str:
        matches = [_all(match) for match, _ in self._matches(clause.atoms, {})]
        return _not(_any(matches)) if clause.negated else _any(matches)

    def _matches(self, atoms: Sequence[Atom], known: _Names) -> Iterable[Tuple[List[str], _Names]]:
        """Every value of the variables: what must hold for it, and the values."""
        if not atoms:
            yield [], known
            return
        # What is computed comes last: its variables have their values by then.
        first = next((atom for atom in atoms if atom.predicate not in ("type", "same", "less", "at_least")),
                     atoms[0])
        rest = [atom for atom in atoms if atom is not first]
        for values, text in self._atom(first.bind(known)):
            if text != "(nothing)":
                for facts, found in self._matches(rest, {**known, **values}):
                    yield [*([text] if text else []), *facts], found

    def _atom(self, atom: Atom) -> Iterable[Tuple[Dict[str, str], str]]:
        if atom.predicate in ("less", "at_least") or any(" " in argument for argument in atom.arguments):
            raise _Numbers
        if atom.predicate == "type":
            yield {}, "" if self._is_a(*atom.arguments) else "(nothing)"
            return
        if atom.predicate == "same":
            yield {}, "" if atom.arguments[0] == atom.arguments[1] else "(nothing)"
            return
        for predicate in sorted(self._arity) if atom.predicate == "*" else (atom.predicate,):
            for arguments, values in self._arguments(atom, predicate):
                known = predicate in self._fixed
                text = _fact(predicate, arguments)
                if not known:
                    yield values, text
                elif self._state.holds(predicate, *arguments):
                    yield values, ""

    def _arguments(self, atom: Atom, predicate: str) -> Iterable[Tuple[List[str], Dict[str, str]]]:
        pattern = (*atom.arguments, "")[:2] if len(atom.arguments) < 2 else atom.arguments
        arity = self._arity.get(predicate, len(atom.arguments))
        if arity == 1 and pattern[1:] and pattern[1] not in ("", "_") and not pattern[1].startswith("?"):
            return
        open_ = [place for place in pattern[:arity] if place == "_" or place.startswith("?")]
        if arity == 2 and pattern[1] == "":
            return
        for values in itertools.product(self._names, repeat=len(open_)):
            left, known, arguments = iter(values), {}, []  # type: ignore[var-annotated]
            for place in pattern[:arity]:
                value = next(left) if place == "_" or place.startswith("?") else place
                if place.startswith("?") and known.setdefault(place, value) != value:
                    break
                arguments.append(value)
            else:
                yield arguments, known

    def _effect(self, effect: Effect, names: _Names) -> Iterable[str]:
        atom = effect.atom.bind(names)
        if effect.when is None:
            yield from self._change(atom, effect.removes)
            return
        for clause in effect.when.bind(names).clauses:
            if clause.negated:
                yield from (_when(self._clause(clause), text) for text in self._change(atom, effect.removes))
                continue
            for facts, values in self._matches(clause.atoms, {}):
                yield from (_when(_all(facts), text)
                            for text in self._change(atom.bind(values), effect.removes))

    def _change(self, atom: Atom, removes: bool) -> Iterable[str]:
        for _, text in self._atom(atom):
            yield f"(not {text})" if removes else text


def _fact(predicate: str, arguments: Sequence[str]) -> str:
    return f"(p-{predicate} {' '.join(arguments)})"


def _all(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else " ".join(("(and", *texts)) + ")"


def _any(texts: Sequence[str]) -> str:
    if "(and)" in texts:
        return "(and)"
    real = [text for text in texts if text != "(nothing)"]
    if not real:
        return "(nothing)"
    return real[0] if len(real) == 1 else f"(or {' '.join(real)})"


def _not(text: str) -> str:
    return {"(nothing)": "(and)", "(and)": "(nothing)"}.get(text, f"(not {text})")


def _when(condition: str, effect: str) -> str:
    return effect if condition == "(and)" else f"(when {condition} {effect})"


def planner() -> Optional[Path]:
    """The program, where the optional package is installed; the package itself is not imported."""
    spec = find_spec("up_fast_downward")
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    program = Path(places[0]) / "downward" / "fast-downward.py" if places else None
    return program if program is not None and program.is_file() else None


def length_of(program: Path, written: Tuple[str, str], shortest: bool) -> Optional[int]:
    """The length of its plan for a domain and a problem in PDDL; ``None`` where it finds none in time.

    Args:
        shortest: whether the plan must be the shortest; else the first one is taken.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("domain.pddl", "problem.pddl")]
        for file, text in zip(files, written):
            file.write_text(text, encoding="utf-8")
        command = [sys.executable, str(program), *map(str, files), "--search",
                   _SHORTEST if shortest else _ANY]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                                  timeout=_IN_SOME_SECONDS,
                                  check=False)
        except subprocess.TimeoutExpired:
            return None
    match = _LENGTH.search(done.stdout)
    return int(match.group(1)) if match else None
