"""One clock for everything that moves in a world: a period passes when all movers have asked for it."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Condition, get_ident
from typing import Callable, Dict, Iterator, Set

_SLICE = 0.5
"""Wall seconds between two looks whether the others are still there."""


class Lockstep:
    """Keeps the clocks of several movers the same.

    A mover joins, and requests period after period; the last one to ask lets it pass. A mover that plans outside
    delays no other; one that computes between two periods stops time for all.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._members: Dict[int, int] = {}
        self._asked: Set[int] = set()
        self._periods = 0

    @contextmanager
    def member(self) -> Iterator[None]:
        """Provide a context in which the physics waits for this thread; it may be nested."""
        me = get_ident()
        with self._changed:
            self._members[me] = self._members.get(me, 0) + 1
        try:
            yield
        finally:
            with self._changed:
                self._members[me] -= 1
                if not self._members[me]:
                    del self._members[me]
                    self._changed.notify_all()

    def period(self, advance: Callable[[], None]) -> None:
        """Request a period, and return when it has passed.

        Args:
            advance: advances the world by one period; called once for all members.
        """
        with self._changed:
            self._asked.add(get_ident())
            mine = self._periods
            while self._periods == mine:
                if self._asked.issuperset(self._members):
                    advance()
                    self._asked.clear()
                    self._periods += 1
                    self._changed.notify_all()
                else:
                    self._changed.wait(_SLICE)
