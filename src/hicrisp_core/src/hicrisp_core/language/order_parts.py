"""What a request tells of an order, as its reader collects it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from hicrisp_core.language.order_turns import Turn
from hicrisp_core.language.order_words import Axis
from hicrisp_core.model import Relation


class Step(NamedTuple):
    """From one thing to another on an axis: 1 towards the last place, -1 towards the first.

    Args:
        ones: from one of these.
        near: to its neighbour; else to any place on that side.
        plain: whether both things are named beside the words for it.
        shared: whether it was told of several things at once: "red and green on blue".
    """

    axis: Axis
    by: int
    ones: Tuple[str, ...] = ()
    other: str = ""
    near: bool = True
    plain: bool = False
    shared: bool = False

    def met(self, order: Sequence[str]) -> Tuple[str, ...]:
        """The things from which it leads as told, in some order."""
        apart = {one: self.by * (order.index(self.other) - order.index(one)) for one in self.ones}
        return tuple(one for one, far in apart.items() if far == 1 or far > 1 and not self.near)


@dataclass
class Told:
    """What the words of a request tell.

    Args:
        ways: 1 for a way from the first place to the last, -1 for the other way.
        axes: for each word that belongs to some axes alone, which.
        links: relations that make no order, as "in the bowl".
        denied: relations that shall not be.
        counts: how many things there shall be, as often as it is said.
        listed: whether each thing is named once.
        ordered: whether things were said to be told in their order.
        row: the things in the order in which they were named first.
        scattered: whether a thing came for the first time behind one that came again.
        turns: ``FIRST`` or ``LAST`` of what is done, or along the way that is told.
        begun: what the order may begin with: "first the mug".
        sides: at which place of which axes a thing stands.
        wholes: groups of which all things must be spoken of: "all the boxes".
        fronted: whether a relation stands before both of its things: "in the bowl I want the mug".
        grouped: whether some of the things were told as "the two red blocks".
        shaped: whether a tower or row is spoken of.
        towers: how many towers or rows there shall be.
        each: how many things each of them shall have.
    """

    things: List[str] = field(default_factory=list)
    row: List[str] = field(default_factory=list)
    places: Dict[str, int] = field(default_factory=dict)
    turns: Dict[str, int] = field(default_factory=dict)
    begun: Set[str] = field(default_factory=set)
    sides: Dict[str, Tuple[Tuple[Axis, ...], int]] = field(default_factory=dict)
    steps: List[Step] = field(default_factory=list)
    ways: List[int] = field(default_factory=list)
    axes: List[Tuple[Axis, ...]] = field(default_factory=list)
    links: List[Relation] = field(default_factory=list)
    denied: List[Relation] = field(default_factory=list)
    counts: List[int] = field(default_factory=list)
    wholes: List[Set[str]] = field(default_factory=list)
    shaped: bool = False
    fronted: bool = False
    grouped: bool = False
    towers: int = 0
    each: int = 0
    listed: bool = True
    ordered: bool = False
    scattered: bool = False

    def add(self, name: str) -> None:
        """A thing is named; it may have been named before."""
        if name in self.row:
            self.listed = False
            self.things.remove(name)
        else:
            self.row.append(name)
            self.scattered = self.scattered or not self.listed
        self.things.append(name)

    @property
    def stepped(self) -> Set[str]:
        """The things of all steps."""
        return {name for step in self.steps for name in (*step.ones, step.other)}


@dataclass
class Part:
    """What stands between two breaks."""

    said: List[str] = field(default_factory=list)
    """``thing`` and ``place`` in their order."""
    things: List[str] = field(default_factory=list)
    places: List[int] = field(default_factory=list)
    sides: List[Tuple[Axis, ...]] = field(default_factory=list)
    """The axes of its places."""
    turn: Optional[Turn] = None
    begins: bool = False
    """Whether "first" or "start with" was told in it."""
    bare: bool = True
    """Whether nothing but "not" and "only" was told in it."""
    related: bool = False
    """Whether a relation was told in it."""
    denied: bool = False
    """Whether "not" was told in it, so that what follows shall not be."""
    linked: bool = False
    """Whether a relation was told in it that makes no order."""
    which: bool = False
    """Whether it speaks on of the last thing: "..., which is on the mug"."""
    joined: Tuple[str, ...] = ()
    """Things before it of which nothing was told: "the tin and the can on the box"."""
    by_and: bool = False
    """Whether the last of them is joined to it by "and" alone."""
