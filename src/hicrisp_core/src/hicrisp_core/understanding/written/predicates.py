"""Which predicate of a domain says what is meant of some objects, and whether an action leads to it."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.domain.conditions import BUILT_IN, Condition, Facts
from hicrisp_core.domain.saying import named, spoken
from hicrisp_core.domain.schema import ANYTHING, Action, Domain, Effect, Predicate
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.understanding.written.context import impossible
from hicrisp_core.understanding.written.sayings import Line, SaidCondition, changed

CONTAINS = "contains"
"""The only predicate of a place that names the place first."""
PLACES = ("on", "in", "inside", "at", CONTAINS, "aboard", "in_area", "docked", "close")
"""Predicates of places: of these, the one is meant that the types of the two objects fit."""
_WITHIN = ("in", "inside")
_PASSED = ("visited", "entered")
_SHUT = "closed"
_NUMBER, _EVERY = "number", "*"
Arguments = Tuple[str, ...]
_SAME: Mapping[str, Tuple[Tuple[str, bool], ...]] = {
    "open": (("closed", False),), "closed": (("open", False),),
    "switched_on": (("powered", True), ("switched_off", False)), "switched_off": (("powered", False),),
    "powered": (("switched_on", True), ("plugged_in", True)), "plugged_out": (("plugged_in", False),),
    "dirty": (("clean", False),), "clean": (("dirty", False),)}
"""Predicates that say the same, or (``False``) the contrary."""


class Use(Enum):
    """What a fact is for."""

    MADE = "made"
    """It is to hold."""
    UNMADE = "unmade"
    """It is not to hold."""
    ASKED = "asked"
    """Whether it holds decides something."""


class Predicates:
    """The predicates of a domain over the objects of a world."""

    def __init__(self, domain: Domain, world: WorldState) -> None:
        self._domain = domain
        self._types = world.types()
        self._wholes = {name: item.whole for name, item in world.objects.items() if item.whole}
        self._facts = Facts(world.relations)
        self._effects: Dict[Tuple[str, bool], List[Tuple[Action, Effect]]] = {}
        for action in domain.actions.values():
            for effect in action.effects:
                self._effects.setdefault((effect.atom.predicate, effect.removes), []).append((action, effect))
        touched = {predicate for predicate, _ in self._effects}
        self._lasting = {fact.predicate for fact in world.relations} - touched
        """The predicates that no action changes and that something is known of."""
        self._fitting: Dict[Tuple[str, int, Use, str, bool], bool] = {}

    def own_words(self, line: Line) -> Line:
        """Return a line whose predicates are the domain's own, as others say the same: "open" is "not closed"."""
        return changed(line, SaidCondition, self._own_words)

    def check(self, predicate: str, arity: int) -> None:
        """Check that a predicate can be said of so many objects.

        Raises:
            Unlinked: if it cannot.
        """
        known = self._domain.predicates.get(predicate)
        if known is None and not self._exchanges(predicate, ("",) * arity):
            words = ", ".join(map(spoken, sorted(self._domain.predicates)))
            raise impossible(f"nothing here can be '{spoken(predicate)}'; what can be said is: {words}")
        if known is not None and len(known.arguments) != arity:
            text = known.text.format(*known.arguments, "")
            raise impossible(f"'{spoken(predicate)}' is said as '{text}'")

    def meant(self, predicate: str, arguments: Arguments, use: Use) -> Relation:
        """Return the fact that a predicate means of these objects.

        It is the domain's own, what that has ``instead``, or the other predicate of places that fits best. What stands
        on a part that is shut, such as a drawer, stands on the whole.

        Raises:
            Unlinked: if none fits.
        """
        whole = self._wholes.get(arguments[-1], "")
        if whole and predicate == self._domain.roles.stands_on and self.fits(_SHUT, 0, Use.MADE, arguments[-1]) \
                and self._leads(predicate, (*arguments[:-1], whole), use):
            arguments = (*arguments[:-1], whole)
        known = self._domain.predicates.get(predicate)
        own = known is not None and self._typed(predicate, arguments)
        if known is not None and own:
            better = next((other for type_, other in known.instead.items() if self._is(arguments[-1], type_)), "")
            fits = bool(better) and self._typed(better, arguments)
            if fits or self._leads(predicate, arguments, use):
                return Relation(arguments[0], better if fits else predicate, "".join(arguments[1:]))
            if better:
                raise impossible(self._why(better, self._domain.predicates[better], arguments))
        alike = self._domain.roles.inside if predicate in _WITHIN else ""
        others = [((each[0] != alike, self._distance(*each)), each)
                  for each in self._exchanges(predicate, arguments)
                  if self._typed(*each) and self._leads(*each, use)]
        nearest = [each for distance, each in others if distance == min(others)[0]]
        if nearest:  # Of several that fit as well, what is said first of a place: on.
            other, found = min(nearest, key=lambda each: PLACES.index(each[0]) if each[0] in PLACES else len(PLACES))
            return Relation(found[0], other, "".join(found[1:]))
        if known is None or not own:
            raise impossible(self._why(predicate, known, arguments))
        return Relation(arguments[0], predicate, "".join(arguments[1:]))

    def fits(self, predicate: str, at: int, use: Use, name: str, exchanged: bool = False) -> bool:
        """Check whether an object may be one argument of a predicate.

        Args:
            at: the index of the argument.
            exchanged: whether another predicate of places may stand for it.
        """
        key = (predicate, at, use, name, exchanged)
        if key not in self._fitting:
            known = self._domain.predicates.get(predicate)
            arity = len(known.arguments) if known is not None else 2
            alone = tuple(name if index == at else "" for index in range(arity))
            each = self._exchanges(predicate, alone) if exchanged else [(predicate, alone)]
            self._fitting[key] = at < arity and any(self._typed(*one) and self._leads(*one, use) for one in each)
        return self._fitting[key]

    def type_of(self, predicate: str, at: int) -> str:
        """Return the type of one argument; empty if the domain has no such predicate or argument."""
        known = self._domain.predicates.get(predicate)
        return known.arguments[at] if known is not None and at < len(known.arguments) else ""

    def places(self, name: str, relations: Sequence[Relation]) -> Tuple[Relation, ...]:
        """Return the facts that say where an object is, in what and in which hand."""
        return tuple(fact for fact in relations if self.placed(fact) == name)

    def placed(self, fact: Relation) -> str:
        """Return the name of what a fact says the place of; empty for another fact."""
        if fact.predicate in (CONTAINS, self._domain.roles.held):
            return fact.object
        return fact.subject if fact.predicate in (*PLACES, *self._domain.roles.carries) else ""

    def _own_words(self, condition: SaidCondition) -> SaidCondition:
        fact, known = condition.facts[0], self._domain.predicates
        other = next((each for each in _SAME.get(fact.predicate, ()) if each[0] in known), None)
        if other is None or len(condition.facts) > 1 or fact.predicate in known:
            return condition
        return SaidCondition((replace(fact, predicate=other[0]),), condition.holds == other[1])

    def _exchanges(self, predicate: str, arguments: Arguments) -> List[Tuple[str, Arguments]]:
        """Return what may be said instead: the other predicates of places, with their arguments."""
        if predicate not in (*PLACES, *_PASSED) or len(arguments) != 2:
            return []
        turned = arguments[::-1]
        return [(other, turned if CONTAINS in (predicate, other) else arguments)
                for other in (*PLACES, self._domain.roles.entered)
                if other != predicate and other in self._domain.predicates]

    def _typed(self, predicate: str, arguments: Arguments) -> bool:
        known = self._domain.predicates.get(predicate)
        return known is not None and len(known.arguments) == len(arguments) and all(
            not name or self._is(name, type_) for name, type_ in zip(arguments, known.arguments))

    def _is(self, name: str, type_: str) -> bool:
        if type_ == _NUMBER:
            return name.replace(".", "", 1).isdigit()
        return self._domain.is_a(self._types.get(name, ANYTHING), type_)

    def _distance(self, predicate: str, arguments: Arguments) -> int:
        """Return how much more general a predicate's types are than the objects'."""
        steps = 0
        for name, type_ in zip(arguments, self._domain.predicates[predicate].arguments):
            above = self._domain.ancestry(self._types.get(name, ANYTHING))
            steps += above.index(type_) if type_ in above else len(above)
        return steps

    def _leads(self, predicate: str, arguments: Arguments, use: Use) -> bool:
        """Check whether an action may make or end such a fact; what no action changes is not decided here."""
        if use is Use.ASKED:
            return True
        names = (predicate, _EVERY) if use is Use.UNMADE else (predicate,)
        effects = [each for name in names for each in self._effects.get((name, use is Use.UNMADE), ())]
        return not effects or any(self._makes(action, effect, arguments) for action, effect in effects)

    def _makes(self, action: Action, effect: Effect, arguments: Arguments) -> bool:
        binding: Dict[str, str] = {}
        for said, name in zip(effect.atom.arguments, arguments):
            parameter = action.parameters.get(said)
            if not name or said == "_" or " " in said:
                continue
            if parameter is None and not said.startswith("?"):
                if said != name:
                    return False
            elif binding.setdefault(said, name) != name or \
                    parameter is not None and not self._is(name, parameter.type):
                return False
        if effect.when is not None and any(said.startswith("?") for said in binding):
            left = {name: f"?{name}" for name in action.parameters}
            if not effect.when.bind({**left, **binding}).holds(self._facts, self._is):
                return False
        return all(self._allows(each.condition, action, binding) for each in action.preconditions)

    def _allows(self, condition: Condition, action: Action, binding: Mapping[str, str]) -> bool:
        """Check a precondition as far as types and what never changes decide it."""
        def is_known(name: str) -> bool:
            return name in binding or name in self._types and name not in action.parameters

        atoms = [atom for clause in condition.clauses for atom in clause.atoms]
        if not all(atom.predicate in self._lasting or atom.predicate in BUILT_IN for atom in atoms):
            return True
        if not all(is_known(name) for atom in atoms
                   for name in atom.arguments[:1 if atom.predicate == "type" else None]):
            return True
        return condition.bind(binding).holds(self._facts, self._is)

    def _why(self, predicate: str, known: Optional[Predicate], arguments: Arguments) -> str:
        names = list(map(named, arguments))
        if known is None:
            return f"{names[0]} cannot be {spoken(predicate)} {''.join(names[1:])}"
        text = known.text.format(*names, "")
        name, type_ = next(each for each in zip(arguments, known.arguments) if not self._is(*each))
        return f"it cannot be that {text}: {named(name)} is not a {spoken(type_)}"
