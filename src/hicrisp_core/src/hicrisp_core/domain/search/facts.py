"""Facts as bits: a state is one integer, and what a wildcard stands for is a mask."""

from __future__ import annotations

from itertools import product
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from hicrisp_core.domain.conditions import Atom
from hicrisp_core.model import Relation

_Form = Tuple[str, Optional[str], Optional[str], bool]


class Pattern:
    """All facts of one form, for example ``on(_, box)``; its bits grow as the table learns of facts."""

    __slots__ = ("arguments", "bits", "predicate")

    def __init__(self, predicate: str, arguments: Tuple[str, ...]) -> None:
        self.predicate = predicate
        self.arguments = arguments
        self.bits = 0


class FactTable:
    """Numbers the facts that a search has met."""

    def __init__(self) -> None:
        self.facts: List[Relation] = []
        self._numbers: Dict[Relation, int] = {}
        self._patterns: Dict[_Form, Pattern] = {}
        self._bits: Dict[_Form, int] = {}
        """The facts of every form that there is, so that a new pattern needs no look at all of them."""

    def number(self, fact: Relation) -> int:
        """Return the bit of a fact, and assign one to a new fact.

        Args:
            fact: any fact.

        Returns:
            Index of the bit in a state.
        """
        found = self._numbers.get(fact)
        if found is None:
            found = self._numbers[fact] = len(self.facts)
            self.facts.append(fact)
            forms: List[_Form] = [*product((fact.predicate, "*"), (fact.subject, None), (fact.object, None), (False,))]
            if fact.subject == fact.object:
                forms += [(predicate, None, None, True) for predicate in (fact.predicate, "*")]
            for form in forms:
                bits = self._bits[form] = self._bits.get(form, 0) | 1 << found
                if form in self._patterns:
                    self._patterns[form].bits = bits
        return found

    def state(self, facts: Iterable[Relation]) -> int:
        """Encode facts as a state.

        Args:
            facts: the facts that hold.

        Returns:
            One set bit for each fact.
        """
        bits = 0
        for fact in facts:
            bits |= 1 << self.number(fact)
        return bits

    def pattern(self, atom: Atom) -> Pattern:
        """Return the shared pattern of an atom with wildcards or variables.

        Args:
            atom: an atom that is not ground.

        Returns:
            Its predicate and arguments with ``_`` for wildcards and variables; the bits grow with the table.
        """
        subject, object_ = (*atom.arguments, "", "")[:2]
        open_subject, open_object = (each == "_" or each.startswith("?") for each in (subject, object_))
        form = (atom.predicate, None if open_subject else subject, None if open_object else object_,
                open_subject and open_object and subject == object_ != "_")
        found = self._patterns.get(form)
        if found is None:
            found = self._patterns[form] = Pattern(atom.predicate, tuple(
                "_" if argument == "_" or argument.startswith("?") else argument
                for argument in atom.arguments))
            found.bits = self._bits.get(form, 0)
        return found

    def numbers_in(self, bits: int) -> Sequence[int]:
        """List the bits of a state in the order of their facts, so that earlier searches do not change the result.

        Args:
            bits: a state or a part of one.

        Returns:
            Indices of the set bits.
        """
        found = []
        while bits:
            lowest = bits & -bits
            found.append(lowest.bit_length() - 1)
            bits ^= lowest
        if len(found) > 1:
            found.sort(key=self.facts.__getitem__)
        return found

    def mask(self, atom: Atom) -> int:
        """Return the bits of the known facts that an atom matches.

        Args:
            atom: an atom, ground or not.

        Returns:
            A mask over states.
        """
        return 1 << self.number(atom.fact()) if atom.ground else self.pattern(atom).bits
