"""Names that people give to things which no file describes."""

from __future__ import annotations

import re
from dataclasses import replace
from threading import Lock
from typing import Dict, FrozenSet, Iterable, Mapping

from hicrisp_core.model.track import Track, View, Visibility
from hicrisp_core.ports.eyes import Naming

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_ARTICLES = ("the_", "a_", "an_")
_PREFIX = "unknown_"
"""How perception calls what it does not know; a given name must not look like that."""


class GivenNames:
    """Calls unknown things by the names that people gave them. A name goes with its thing, and ends when
    that leaves the table; a thing may be named anew.

    Args:
        taken: names and words that mean something else already.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken: FrozenSet[str] = frozenset(taken)
        self._there: FrozenSet[str] = frozenset()
        self._names: Mapping[str, str] = {}
        self._lock = Lock()

    def called(self, view: View) -> View:
        """A view in which the things have their names."""
        with self._lock:
            self._there = frozenset(track.name for track in view.tracks
                                    if track.unknown is not None and track.visibility is not Visibility.GONE)
            self._names = {own: name for own, name in self._names.items() if own in self._there}
            names = self._names
        if not names:
            return view
        return replace(view, tracks=tuple(_renamed(track, names) for track in view.tracks))

    def give(self, thing: str, name: str) -> Naming:
        """Give a name to an unknown thing.

        Args:
            thing: its present name; empty where only one is there.
            name: in words of a user: "the coffee cup" becomes ``coffee_cup``.
        """
        wanted = _plain(name)
        with self._lock:
            present: Dict[str, str] = {self._names.get(own, own): own for own in sorted(self._there)}
            if not present:
                return Naming("", "There is no unknown thing here now. Only things that no file describes "
                                  "can be named.")
            meant = _plain(thing) or (next(iter(present)) if len(present) == 1 else "")
            if meant not in present:
                what = f"'{thing}' is no unknown thing" if thing else "Several unknown things are there"
                return Naming("", f"{what}; name one of: {', '.join(present)}.")
            if not _NAME.fullmatch(wanted) or wanted.startswith(_PREFIX):
                return Naming("", f"'{name}' cannot be a name; use a word or two of letters and digits, such "
                                  "as coffee cup.")
            if wanted in self._taken or (wanted in present and wanted != meant):
                return Naming("", f"'{wanted}' means something else here already; choose another name, such "
                                  f"as {wanted}_1.")
            self._names = {**self._names, present[meant]: wanted}
        return Naming(wanted, f"The {meant} is called {wanted} from now on.")


def _plain(words: str) -> str:
    """A name as the world has them: small letters, with _ in place of spaces, and no article."""
    name = re.sub(r"[\s-]+", "_", words.strip().lower())
    return next((name[len(article):] for article in _ARTICLES if name.startswith(article)), name)


def _renamed(track: Track, names: Mapping[str, str]) -> Track:
    name = names.get(track.name)
    if name is None or track.unknown is None:
        return track
    return replace(track, name=name, unknown=replace(track.unknown, name=name))
