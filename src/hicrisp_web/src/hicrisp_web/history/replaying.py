"""A run's events as what each of them changes on the page: the same sections that a live run has.

A long run is handed out in parts, each with everything that stood before it, so that a slider may jump
anywhere. To find that quickly the state is kept every so many moments.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from hicrisp_core.trace.events import BaseDrove, Event
from hicrisp_core.trace.read_event import event_of

from hicrisp_web.view.run_view import RunView

Sights = Iterable[Tuple[float, Mapping[str, Any]]]
SEEN = "seen"
"""The kind of the moments at which something was seen to have moved; no event has it."""
PART = 50
"""Moments of one part."""
_KEPT_EVERY = 4000
"""Moments between two states that are kept."""
_LONGEST = 160
"""Characters of what an event is about."""
_MOST_POINTS = 2000
"""Points of a base's way that are drawn, the latest ones."""


@dataclass(frozen=True)
class _Moment:
    """An event with its number in the log, or something that was seen."""

    t: float
    number: int
    told: Union[Event, Mapping[str, Any]]


@dataclass
class _State:
    """The page at a moment: the run, and what was seen of the scene."""

    view: RunView = field(default_factory=RunView)
    seen: Dict[str, Any] = field(default_factory=dict)
    base: str = ""
    driven: List[List[float]] = field(default_factory=list)
    """The way of the first base as its drives told it; ``lately`` is what was seen of it since."""
    lately: List[List[float]] = field(default_factory=list)

    def take(self, moment: _Moment) -> None:
        """Advance by a moment without rendering it.

        Args:
            moment: one line of the log.
        """
        if isinstance(moment.told, Event):
            self.view.fold(moment.told)
        self._see(moment)

    def change(self, moment: _Moment) -> Dict[str, Any]:
        """Advance by a moment.

        Args:
            moment: one line of the log.

        Returns:
            The sections that it sets.
        """
        own = self._see(moment)
        return {**self.view.changed(moment.told), **own} if isinstance(moment.told, Event) else own

    def _see(self, moment: _Moment) -> Dict[str, Any]:
        told, found = moment.told, {}
        if isinstance(told, BaseDrove):
            found = self._drove(told)
        elif not isinstance(told, Event):
            found = dict(told)
            if found.get("path"):
                self.lately = [*self.lately, found["path"][-1]]
                found["path"] = [*self.driven, *self.lately][-_MOST_POINTS:]
        self.seen.update(found)
        return found

    def _drove(self, event: BaseDrove) -> Dict[str, Any]:
        self.base = self.base or event.robot
        if event.robot != self.base:
            return {}
        self.driven = [*self.driven, *map(list, event.driven)][-_MOST_POINTS:]
        self.lately = []
        return {"path": self.driven, "route": [list(spot) for spot in event.planned] or None}


class Replay:
    """A run that can be looked at from any moment on.

    Args:
        entries: the events as they are written.
        sights: what was seen of the scene, with its seconds.
    """

    def __init__(self, entries: Iterable[Mapping[str, Any]], sights: Sights = ()) -> None:
        events = ((number, event_of(entry)) for number, entry in enumerate(entries))
        found = [_Moment(event.t, number, event) for number, event in events if event is not None]
        seen = [_Moment(float(t), -1, sections) for t, sections in sights]
        self._moments = sorted([*found, *seen], key=lambda moment: moment.t) if seen else found
        self._kept: List[bytes] = []
        state = _State()
        for at, moment in enumerate(self._moments):
            if at % _KEPT_EVERY == 0:
                self._kept.append(pickle.dumps(state, pickle.HIGHEST_PROTOCOL))
            state.take(moment)

    @property
    def count(self) -> int:
        """How many moments there are: one for each event of a known kind, and one for each sight."""
        return len(self._moments)

    def part(self, at: int) -> Dict[str, Any]:
        """Return the part that holds a moment.

        Args:
            at: number of the moment; clipped to the run.

        Returns:
            Number of the part's first moment, all sections before it, and for each moment its line, seconds,
            kind, words and sections.
        """
        first = max(0, min(at, self.count - 1)) // PART * PART
        kept = first // _KEPT_EVERY
        state: _State = pickle.loads(self._kept[kept]) if self._kept else _State()
        for moment in self._moments[kept * _KEPT_EVERY:first]:
            state.take(moment)
        start = {**state.view.sections(), **state.seen}
        changes = [{"number": moment.number, "t": moment.t, "kind": _kind(moment),
                    "words": _words(moment.told), "set": state.change(moment)}
                   for moment in self._moments[first:first + PART]]
        return {"count": self.count, "part": PART, "first": first, "start": start, "changes": changes}


def _kind(moment: _Moment) -> str:
    return moment.told.kind if isinstance(moment.told, Event) else SEEN


def _words(told: Optional[object]) -> str:
    """What an event is about, in the words that it holds."""
    for name in ("text", "command", "rung", "key", "caption", "message", "status", "fault", "missing"):
        value = getattr(told, name, "")
        if isinstance(value, str) and value:
            return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
    return ""
