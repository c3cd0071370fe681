"""Who reads what, in one place: a text is a question, a list of facts, or orders; orders are read clause by
clause.

A clause is offered to the front ends of :data:`FRONT_ENDS` in turn; the first that reads all of it says what
it asks for. Where none does, the one that got furthest says why.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import AbstractSet, Callable, Dict, List, Sequence, Tuple, Union

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language import lexicon
from hicrisp_core.language.deliveries import DeliveryReader
from hicrisp_core.language.drives import TO_AREAS, DriveReader, joined
from hicrisp_core.language.facts import FactReader, Reading
from hicrisp_core.language.intents import Delivery, Errand, Intent, NotUnderstood, Order
from hicrisp_core.language.questions import is_question
from hicrisp_core.language.sayings import in_facts
from hicrisp_core.language.splitter import Clause, clauses
from hicrisp_core.language.things import ThingsReader
from hicrisp_core.language.tokens import check_readable, check_size, tokenise, words_in
from hicrisp_core.language.vocabulary import Vocabulary
from hicrisp_core.model import WorldState
from hicrisp_core.model.itinerary import Itinerary
from hicrisp_core.ports.kinds import ARM, BASE

Reader = Union[DeliveryReader, DriveReader, ThingsReader]


@dataclass(frozen=True)
class FrontEnd:
    """One way to read a clause.

    Args:
        serves: whether it is of use with some robots.
        make: its reader, for one request.
    """

    serves: Callable[[Vocabulary], bool]
    make: Callable[[Vocabulary], Reader]


FRONT_ENDS: Dict[str, FrontEnd] = {
    "deliveries": FrontEnd(lambda known: known.carrying, DeliveryReader),
    "drives": FrontEnd(lambda known: known.moving, DriveReader),
    "things": FrontEnd(lambda known: known.carrying or not known.moving,
                       lambda known: ThingsReader(known.words)),
}
"""In the order in which they are tried."""
_ACTING: Dict[str, Tuple[str, ...]] = {
    "load": (ARM,), "unload": (ARM,), "carry": (BASE,), "return": (ARM, BASE)}
"""Which kinds of robots do a part of a delivery."""


class Form(Enum):
    """What a text is as a whole, in the order in which it is found out."""

    QUESTION = "it asks"
    FACTS = "it lists what shall be so, also in a domain's own sentences"
    ORDERS = "it asks for something to be done"


@dataclass(frozen=True)
class Orders:
    """What a text asks to be done, in its order, and what was read otherwise than it may have been meant."""

    orders: Tuple[Order, ...]
    notes: Tuple[str, ...] = ()


def form_of(text: str, domain: Domain, facts: FactReader) -> Form:
    """What a text is, whether or not all of it can be read."""
    if is_question(text):
        return Form.QUESTION
    return Form.FACTS if facts.read(in_facts(text, domain)).whole else Form.ORDERS


def read_task(text: str, domain: Domain, world: WorldState, facts: FactReader) -> Union[Reading, Orders]:
    """What a text that is no question wants: facts, or orders.

    Raises:
        NotUnderstood: with the part that could not be read.
    """
    listed = facts.read(in_facts(text, domain))
    if listed.whole:
        return listed
    try:
        return read_orders(text, Vocabulary.of(domain, world))
    except NotUnderstood as error:
        if not listed.facts:
            raise
        known = "; ".join(f"'{saying}'" for saying in facts.known)
        raise NotUnderstood(f"'{listed.unread}' is not a fact I can read; I can read: {known}",
                            listed.unread) from error


def read(text: str, known: AbstractSet[str] = frozenset()) -> List[Intent]:
    """The intents of a request about things, in order, where no robot is known.

    Args:
        known: words by which things of the world are called.

    Raises:
        NotUnderstood: with the part that could not be read.
    """
    found = read_orders(text, Vocabulary(frozenset(known)), ("things",)).orders
    return [order for order in found if isinstance(order, Intent)]


def read_errands(text: str, domain: Domain, world: WorldState) -> Tuple[Errand, ...]:
    """The drives of a request that asks for nothing else.

    Raises:
        NotUnderstood: with the part that could not be read and the areas that there are.
    """
    found = read_orders(text, Vocabulary.of(domain, world), ("drives",)).orders
    return tuple(order for order in found if isinstance(order, Errand))


def itinerary_of(errands: Sequence[Errand]) -> Itinerary:
    """The order in which areas are wanted; docks and waits are in no itinerary."""
    groups = tuple(errand.places for errand in errands if errand.skill in TO_AREAS)
    return Itinerary(groups, ordered=len(groups) > 1)


def read_orders(text: str, known: Vocabulary, only: Sequence[str] = tuple(FRONT_ENDS)) -> Orders:
    """What a request asks for, clause after clause.

    Args:
        only: the front ends that are asked.

    Raises:
        NotUnderstood: with the part that could not be read.
    """
    words = words_in(text)
    drives_only = known.moving and not known.carrying
    check_size(text, words, "the request names no area" if drives_only else "the request holds no words")
    parts = clauses(tokenise(known.robots.uninflected(words), known.phrases, known.words), known.robots)
    names = [name for name, front_end in FRONT_ENDS.items() if name in only and front_end.serves(known)]
    reader = _OrderReader(known, names)
    for clause in parts:
        check_readable(clause.text, known.words, lexicon.UNREADABLE_ANYWHERE)
        reader.read(clause)
    if not reader.orders:
        raise NotUnderstood("the request names no area" if drives_only else "the request names no action")
    return Orders(tuple(_lifted(reader.orders)), tuple(reader.notes))


class _OrderReader:
    """Offers the clauses of one request to the front ends."""

    def __init__(self, known: Vocabulary, names: Sequence[str]) -> None:
        self._known = known
        self._readers: Dict[str, Reader] = {name: FRONT_ENDS[name].make(known) for name in names}
        self._before = ""
        self._joinable = -1
        self.orders: List[Order] = []
        self.notes: List[str] = []

    def read(self, clause: Clause) -> None:
        """Add what a clause asks for.

        Raises:
            NotUnderstood: from the front end that got furthest.
        """
        found = [replace(order, robot=self._acting(order, clause)) for order in self._read(clause)]
        if clause.at_once:
            at = self._place_at_once()
            self.orders[at:at] = found
            return
        before, first = self.orders[-1] if self.orders else None, found[0]
        if isinstance(before, Errand) and isinstance(first, Errand) and self._joinable == clause.group \
                and not clause.in_order:
            self.orders[-1:] = joined(before, first)
            del found[0]
        self._joinable = clause.group
        self.orders += found

    def _read(self, clause: Clause) -> Sequence[Order]:
        """A clause without a verb goes on with the front end of the one before."""
        names = sorted(self._readers, key=lambda name: name != self._before) if not clause.verb.value else \
            list(self._readers)
        failed: List[NotUnderstood] = []
        for name in names:
            reader = self._readers[name]
            try:
                found = reader.read(clause)
            except NotUnderstood as error:
                failed.append(NotUnderstood(str(error), error.unread or reader.rest()))
                continue
            self._before = name
            return found
        raise min(reversed(failed), key=lambda error: len(error.unread.split()))

    def _acting(self, order: Order, clause: Clause) -> str:
        """The robot that a clause names for an order; another one is never taken in silence."""
        kinds = self._known.robots.kinds
        if not clause.subject:
            return ""
        able = _able(order)
        if kinds[clause.subject] in able:
            return clause.subject
        others = ", ".join(sorted(name for name, kind in kinds.items() if kind in able)) or "no robot here"
        if clause.robot:
            raise NotUnderstood(f"{clause.robot} cannot {clause.text}; {others} can")
        self.notes.append(f"'{clause.text}' is for {others}")
        return ""

    def _place_at_once(self) -> int:
        """Where what is to be done meanwhile belongs: before the return, for which the arm may be needed."""
        at = len(self.orders)
        for order in reversed(self.orders):
            if not (isinstance(order, Delivery) and order.kind in ("return", "unload")):
                break
            at -= 1
        return at


def _able(order: Order) -> Tuple[str, ...]:
    """The kinds of robots that carry out an order."""
    if isinstance(order, Delivery):
        return (BASE,) if order.kind == "return" and not order.place else _ACTING[order.kind]
    return (BASE,) if isinstance(order, Errand) else (ARM,)


def _lifted(orders: Sequence[Order]) -> List[Order]:
    """What is taken from somewhere and then put elsewhere is only lifted in between."""
    found = list(orders)
    for at, (order, after) in enumerate(zip(orders, orders[1:])):
        if isinstance(order, Intent) and isinstance(after, Intent) and order.verb == "take_away" \
                and after.verb == "put" and [noun.count for noun in after.items] in (["it"], ["them"]):
            found[at] = replace(order, verb="pick")
    return found
