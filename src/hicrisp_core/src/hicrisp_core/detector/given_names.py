"""The names and attributes that people and models give to unknown objects."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import count, islice
from threading import Lock
from types import MappingProxyType
from typing import Any, Dict, FrozenSet, Iterable, List, Mapping, Optional, Sequence

from hicrisp_core.model.geometry import Vector
from hicrisp_core.model.joint import Joint
from hicrisp_core.model.track import DOUBT, Track, Tracks, Visibility
from hicrisp_core.ports.observer import Naming

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_ARTICLES = ("the_", "a_", "an_")
_PREFIX = "unknown_"
"""How perception calls what it does not know; a given name must not look like that."""
_MOST_ATTRIBUTES, _LONGEST_ATTRIBUTE = 8, 120
"""Of an unknown object, and characters of each."""
_PATIENCE = 5.0
"""Seconds in which an object is found again after the tracks were numbered anew."""
_SAME_PLACE, _SAME_SIZE = 0.02, 0.02
"""Metres by which its place and its size may seem to differ then."""
_NOWHERE = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class _Given:
    """What was said of an object, and where it was seen.

    Args:
        name: empty if it was only described.
        position: of its middle, world frame, metres.
        size: metres.
    """

    name: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    position: Vector = _NOWHERE
    size: Vector = _NOWHERE

    def at(self, track: Track) -> "_Given":
        """Return the same of the object as it is seen now."""
        return replace(self, position=track.pose.position,
                       size=track.unknown.size if track.unknown is not None else _NOWHERE)

    def looks_like(self, track: Track) -> bool:
        """Check whether an object of this size stands in this place."""
        now = self.at(track)
        sizes = zip(*((*sorted(each.size[:2]), each.size[2]) for each in (self, now)))
        return track.visibility is Visibility.VISIBLE and math.dist(self.position, now.position) < _SAME_PLACE \
            and all(abs(one - other) < _SAME_SIZE for one, other in sizes)


class GivenNames:
    """Calls unknown objects by the names that people or models gave them. A name goes with its object, and ends some
    time after that left the table. A model names only what has no name; a user renames any of them.

    Args:
        taken: names and words that mean something else already.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken: FrozenSet[str] = frozenset(taken)
        self._there: Mapping[str, Track] = {}
        self._given: Mapping[str, _Given] = {}
        self._lost: Sequence[_Given] = ()
        self._session, self._until = 0, 0.0
        self._lock = Lock()
        self.changes = 0
        """How often names were given, found again or lost."""

    def called(self, view: Tracks) -> Tracks:
        """Rename the unknown objects in a view by the names that they were given.

        Args:
            view: tracks with their own names.

        Returns:
            The view with the given names and attributes; what is gone stays in it as long as it has a track and a name.
        """
        unknown = {track.name: track for track in view.tracks if track.unknown is not None}
        with self._lock:
            if view.stamp > 0.0:  # Else no picture has come yet.
                self._follow(unknown, view)
            self._there = {own: track for own, track in unknown.items() if track.visibility is not Visibility.GONE}
            given, names = self._given, {own: each.name for own, each in self._given.items() if each.name}
        view = replace(view, tracks=tuple(track for track in view.tracks if track.name not in unknown
                                          or track.name in self._there or track.name in names))
        if not given:
            return view
        return replace(view, tracks=tuple(
            track if track.unknown is None else replace(
                track, name=names.get(track.name, track.name), unknown=replace(
                    track.unknown, name=names.get(track.name, track.name), joint=_of(track.unknown.joint, names),
                    attributes={**{key: said for key, said in track.unknown.attributes.items()
                                   if key != DOUBT or track.name not in names},
                                **(given[track.name].attributes if track.name in given else {})}))
            for track in view.tracks))

    def _follow(self, unknown: Mapping[str, Track], view: Tracks) -> None:
        """Let names end with their tracks; after tracks were numbered anew, names go to what stands in their places."""
        before = self._given
        if view.session != self._session:
            self._lost, self._session, self._until = tuple(before.values()), view.session, view.stamp + _PATIENCE
            before = {}
        kept = {own: each.at(unknown[own]) for own, each in before.items() if own in unknown}
        lost: List[_Given] = []
        for each in self._lost if view.stamp < self._until else ():
            again = next((own for own, track in unknown.items() if own not in kept and each.looks_like(track)), "")
            if again:
                kept[again] = each
            else:
                lost.append(each)
        self.changes += set(kept) != set(self._given)
        self._given, self._lost = kept, lost

    @property
    def record(self) -> Dict[str, Any]:
        """What ``restore`` takes after a restart, as JSON values."""
        with self._lock:
            return {"session": self._session, "names": {own: asdict(each) for own, each in self._given.items()}}

    def restore(self, record: Any) -> None:
        """Take over the names that were kept, before the first view.

        Args:
            record: as ``record`` returned it; anything else is ignored.
        """
        with suppress(KeyError, TypeError, ValueError, AttributeError), self._lock:
            given = {str(own): _Given(str(each["name"]), _bounded(each["attributes"]), _vector(each["position"]),
                                      _vector(each["size"])) for own, each in record["names"].items()}
            self._session, self._given = int(record["session"]), {
                own: each for own, each in given.items()
                if not each.name or _NAME.fullmatch(each.name) and each.name not in self._taken}

    @property
    def unnamed(self) -> FrozenSet[str]:
        """The unknown objects that nobody has named."""
        with self._lock:
            return frozenset(own for own in self._there if own not in self._given or not self._given[own].name)

    def give(self, item: str, name: str, attributes: Mapping[str, str] = MappingProxyType({}),
             guess: bool = False) -> Naming:
        """Give a name to an unknown object.

        Args:
            item: its present name; empty if there is only one.
            name: in the user's words: "the coffee cup" becomes ``coffee_cup``; empty for a guess that only describes.
            attributes: what else language may call it by; empty to keep those that it has.
            guess: whether a model gives the name, see ``NamingRequest``.

        Returns:
            The new name, or why it cannot be given.
        """
        wanted = _plain(name)
        with self._lock:
            names = {own: each.name for own, each in self._given.items() if each.name}
            present: Dict[str, str] = {names.get(own, own): own for own in sorted(self._there)}
            if not present:
                return Naming("", "There is no unknown object here now. Only objects that no file describes "
                                  "can be named.")
            meant = _plain(item) or (next(iter(present)) if len(present) == 1 else "")
            if not guess:  # A model may have named it since the user saw it.
                meant = names.get(meant, meant)
            if meant not in present:
                what = f"'{item}' is no unknown object" if item else "Several unknown objects are there"
                return Naming("", f"{what}; name one of: {', '.join(present)}.")
            own = present[meant]
            if guess and own != meant:
                return Naming("", f"The {meant} has its name already, and a guess does not replace it.")
            if not (guess and not wanted) and (not _NAME.fullmatch(wanted) or wanted.startswith(_PREFIX)):
                return Naming("", f"'{name}' cannot be a name; use a word or two of letters and digits, such "
                                  "as coffee cup.")
            used = self._taken.union(present, (each.name for each in self._lost)) - {meant}
            if guess and wanted in used:
                stem = re.sub(r"_\d+$", "", wanted)
                wanted = next(each for each in (f"{stem}_{number}" for number in count(2)) if each not in used)
            if wanted in used:
                return Naming("", f"'{wanted}' means something else here already; choose another name, such "
                                  f"as {wanted}_1.")
            old = self._given.get(own, _Given())
            new = _Given(wanted or old.name, _bounded(attributes) if attributes else old.attributes)
            self._given = {**self._given, own: new.at(self._there[own])}
            self.changes += 1
        if not wanted:
            return Naming(meant, f"The {meant} is described now, and keeps its name.")
        return Naming(wanted, f"The {meant} is called {wanted} from now on.")


def _of(joint: Optional[Joint], names: Mapping[str, str]) -> Optional[Joint]:
    """Return a joint with the name that its fixture was given."""
    return joint if joint is None else replace(joint, fixture=names.get(joint.fixture, joint.fixture))


def _vector(values: Iterable[float]) -> Vector:
    x, y, z = map(float, values)
    return x, y, z


def _bounded(attributes: Mapping[str, str]) -> Dict[str, str]:
    """Return attributes as short lines, and no more than an object may have."""
    lines = {key: " ".join(value.split())[:_LONGEST_ATTRIBUTE] for key, value in attributes.items()}
    return dict(islice(((key, line) for key, line in lines.items() if _NAME.fullmatch(key) and line), _MOST_ATTRIBUTES))


def _plain(words: str) -> str:
    """Return a name as the world has them: small letters, with _ in place of spaces, and no article."""
    name = re.sub(r"[\s-]+", "_", words.strip().lower())
    return next((name[len(article):] for article in _ARTICLES if name.startswith(article)), name)
