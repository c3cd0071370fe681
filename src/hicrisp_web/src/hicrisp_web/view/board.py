"""The sections that all pages show, with a count by which each page asks for what is new to it."""

from __future__ import annotations

from threading import Lock
from typing import Any, Callable, Dict, List, Mapping, Tuple


class Board:
    """Sections by name; writers and readers may be in any thread.

    A section is replaced as a whole, never changed in place. A reader that falls behind misses what was in
    between and gets what stands now, so that a slow page costs nobody anything.
    """

    def __init__(self) -> None:
        self._sections: Dict[str, Tuple[int, Any]] = {}
        self._count = 0
        self._lock = Lock()
        self._listeners: List[Callable[[], None]] = []

    def put(self, sections: Mapping[str, Any]) -> None:
        """Replace sections; equal ones do not count as new.

        Args:
            sections: JSON values by name.
        """
        with self._lock:
            changed = {name: value for name, value in sections.items()
                       if name not in self._sections or self._sections[name][1] != value}
            if not changed:
                return
            self._count += 1
            self._sections.update((name, (self._count, value)) for name, value in changed.items())
            listeners = list(self._listeners)
        for listener in listeners:
            listener()

    def since(self, count: int) -> Tuple[int, Dict[str, Any]]:
        """Return what has changed.

        Args:
            count: the count of an earlier call; 0 for everything.

        Returns:
            The present count, and the sections replaced since.
        """
        with self._lock:
            return self._count, {name: value for name, (at, value) in self._sections.items() if at > count}

    def value(self, name: str) -> Any:
        """Return a section.

        Args:
            name: the section's name.

        Returns:
            Its value; ``None`` if it was never set.
        """
        with self._lock:
            return self._sections[name][1] if name in self._sections else None

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call a function after each change, in the thread that changed the board.

        Args:
            listener: called without arguments.

        Returns:
            A function that ends the calls.
        """
        with self._lock:
            self._listeners.append(listener)

        def end() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)
        return end

    @property
    def readers(self) -> int:
        """How many listen."""
        return len(self._listeners)
