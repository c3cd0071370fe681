"""Which areas a task wants visited, and which before which: the task's own order, independent of any plan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import FrozenSet, List, Set, Tuple


@dataclass(frozen=True)
class Itinerary:
    """Groups of areas, one after another; the areas of one group may be visited in any order.

    ``put_off`` are areas that could not be reached: nothing waits for them any more. ``ordered`` says that
    the task asked for more than one group, so that a visit made up for later is out of order.
    """

    groups: Tuple[Tuple[str, ...], ...] = ()
    put_off: FrozenSet[str] = frozenset()
    ordered: bool = False

    @property
    def due(self) -> Tuple[str, ...]:
        """The areas that may be visited now; one that was put off still may where no order was asked for."""
        now = next((left for left in (self._left(group) for group in self.groups) if left), ())
        return now if self.ordered else (*now, *sorted(self.put_off.intersection(self.remaining)))

    @property
    def remaining(self) -> Tuple[str, ...]:
        """Every area that is still to be visited, in order, also those put off."""
        return tuple(area for group in self.groups for area in group)

    def visited(self, area: str) -> "Itinerary":
        """Remove a visited area; a visit out of turn changes nothing.

        Args:
            area: name of the area.

        Returns:
            What is left.
        """
        for index, group in enumerate(self.groups):
            if area in group:
                rest = tuple(name for name in group if name != area)
                groups = (*self.groups[:index], *((rest,) if rest else ()), *self.groups[index + 1:])
                return replace(self, groups=groups, put_off=self.put_off - {area})
            if self._left(group):
                break
        return self

    def without(self, area: str) -> "Itinerary":
        """Let no later visit wait for an area.

        Args:
            area: name of the area.

        Returns:
            The itinerary with the area put off.
        """
        return replace(self, put_off=self.put_off | {area})

    def before(self, area: str) -> Tuple[str, ...]:
        """List the areas to be visited before an area.

        Args:
            area: name of the area.

        Returns:
            Names in order; none if the area is due or not part of the itinerary.
        """
        found: Set[str] = set()
        ordered: List[str] = []
        for group in self.groups:
            if area in group:
                return tuple(ordered)
            ordered += [name for name in self._left(group) if name not in found]
            found.update(group)
        return ()

    def _left(self, group: Tuple[str, ...]) -> Tuple[str, ...]:
        return tuple(area for area in group if area not in self.put_off)
