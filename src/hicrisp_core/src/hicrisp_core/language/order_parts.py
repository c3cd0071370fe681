"""What a request tells of an order, as its reader collects it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, List, NamedTuple, Sequence, Set, Tuple

from hicrisp_core.language.order_words import Axis
from hicrisp_core.model import Relation


class Step(NamedTuple):
    """From one thing to another on an axis: 1 towards the last place, -1 towards the first.

    Args:
        ones: from one of these.
        near: to its neighbour; else to any place on that side.
        plain: whether both things are named beside the words for it.
    """

    axis: Axis
    by: int
    ones: Tuple[str, ...] = ()
    other: str = ""
    near: bool = True
    plain: bool = False

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
    """

    things: List[str] = field(default_factory=list)
    places: Dict[str, int] = field(default_factory=dict)
    steps: List[Step] = field(default_factory=list)
    ways: List[int] = field(default_factory=list)
    axes: List[Tuple[Axis, ...]] = field(default_factory=list)
    links: List[Relation] = field(default_factory=list)
    denied: List[Relation] = field(default_factory=list)
    counts: List[int] = field(default_factory=list)
    listed: bool = True

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
