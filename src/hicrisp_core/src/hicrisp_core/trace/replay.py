"""A run's events as what each of them changes on the page: the same sections that a live run has.

A long run is handed out in parts, each with everything that stood before it, so that a slider may jump
anywhere. To find that quickly the state is kept every so many moments.
"""

from __future__ import annotations

import pickle
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Set, Tuple, Union

from hicrisp_core.trace.events import BaseDrove, Event, VerdictGiven
from hicrisp_core.trace.explain import reasons_of
from hicrisp_core.trace.read_event import event_of
from hicrisp_core.trace.sections import changed_names, changed_sections, section_of, sections_of
from hicrisp_core.trace.timeline import Timeline

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
_MOST_TICKS = 400
"""Moments whose number is found by their seconds."""


class _Moment(NamedTuple):
    """An event with its number in the log, or something that was seen."""

    t: float
    number: int
    told: Union[Event, Mapping[str, Any]]

    @property
    def failed(self) -> bool:
        """Whether the detector saw a failure."""
        return isinstance(self.told, VerdictGiven) and self.told.ok is False

    @property
    def words(self) -> str:
        """What an event is about, in the words that it holds."""
        for name in ("text", "command", "rung", "key", "caption", "message", "status", "fault", "missing"):
            value = getattr(self.told, name, "")
            if isinstance(value, str) and value:
                return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
        return ""


@dataclass
class _State:
    """The page at a moment: the run, and what was seen of the scene."""

    run: Timeline = field(default_factory=Timeline)
    seen: Dict[str, Any] = field(default_factory=dict)
    base: str = ""
    driven: List[List[float]] = field(default_factory=list)
    """The way of the first base as its drives told it; ``lately`` is what was seen of it since."""
    lately: List[List[float]] = field(default_factory=list)

    @property
    def sections(self) -> Dict[str, Any]:
        """Everything that is shown."""
        return {**sections_of(self.run), **self.seen}

    def take(self, moment: _Moment) -> Dict[str, Any]:
        """Go on by a moment; what was seen with it."""
        told, found = moment.told, {}
        if isinstance(told, Event):
            self.run.fold(told)
        else:
            found = dict(told)
            if found.get("path"):
                self.lately = [*self.lately, found["path"][-1]]
                found["path"] = [*self.driven, *self.lately][-_MOST_POINTS:]
        if isinstance(told, BaseDrove) and told.robot == (self.base or told.robot):
            self.base = told.robot
            self.driven, self.lately = [*self.driven, *map(list, told.driven)][-_MOST_POINTS:], []
            found = {"path": self.driven, "route": [list(spot) for spot in told.planned] or None}
        self.seen.update(found)
        return found

    def change(self, moment: _Moment) -> Dict[str, Any]:
        """Go on by a moment; the sections that it sets."""
        own = self.take(moment)
        return {**changed_sections(self.run, moment.told), **own} if isinstance(moment.told, Event) else own


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
        self.last = state.sections
        """The sections at the end."""
        times = [moment.t for moment in self._moments]
        every = -(-len(times) // _MOST_TICKS) or 1

        def number(t: float) -> int:
            return max(0, bisect_right(times, t) - 1)

        self.about: Dict[str, Any] = {
            "end": state.run.seconds, "ticks": [[times[at], at] for at in range(0, len(times), every)],
            "failures": [{"at": at, "t": moment.t} for at, moment in enumerate(self._moments) if moment.failed],
            "why": [{"text": each.text, "t": each.began, "until": each.ended, "at": number(each.ended)}
                    for each in reasons_of(state.run)]}
        """What the page shows of the whole run at any moment: its seconds, its failures, and why it went so."""

    @property
    def count(self) -> int:
        """How many moments there are: one for each event of a known kind, and one for each sight."""
        return len(self._moments)

    def part(self, at: int) -> Dict[str, Any]:
        """Return the part in which a moment is.

        Args:
            at: number of the moment, from 0; one after the last means the last.

        Returns:
            The number of its first moment, all sections before it, and of each moment its number in the log, its
            seconds, its kind, a few words, and the sections that it sets; with the first part what is shown of the
            whole run, as ``about``.
        """
        first = max(0, min(at, self.count - 1)) // PART * PART
        kept = first // _KEPT_EVERY
        state: _State = pickle.loads(self._kept[kept]) if self._kept else _State()
        for moment in self._moments[kept * _KEPT_EVERY:first]:
            state.take(moment)
        start = state.sections
        changes = [_shown(moment, state.change(moment)) for moment in self._moments[first:first + PART]]
        return {"count": self.count, "part": PART, "first": first, "start": start, "changes": changes,
                **({"about": self.about} if not first else {})}

    def whole(self, most: int) -> Dict[str, Any]:
        """Return all moments as one part, for a page without a server.

        Args:
            most: of more moments only about so many are told apart, and of the failures; the others are seen with the
                next one that is.

        Returns:
            The part.
        """
        failures = [each["at"] for each in self.about["failures"]]
        apart = {self.count - 1, *range(0, self.count, -(-self.count // most) or 1),
                 *failures[::-(-len(failures) // most) or 1]}
        state = _State()
        start = state.sections
        changes: List[Dict[str, Any]] = []
        numbers: List[int] = []
        names: Set[str] = set()
        seen: Dict[str, Any] = {}
        for at, moment in enumerate(self._moments):
            seen.update(state.take(moment))
            if isinstance(moment.told, Event):
                names |= changed_names(state.run, moment.told)
            numbers.append(len(changes))
            if at in apart:
                changes.append(_shown(moment, {**{name: section_of(state.run, name) for name in names}, **seen}))
                names, seen = set(), {}
        about = {**self.about, **{name: [{**each, "at": numbers[each["at"]]} for each in self.about[name]]
                                  for name in ("failures", "why") if numbers},
                 "ticks": [[t, numbers[at]] for t, at in self.about["ticks"]]}
        return {"count": len(changes), "part": max(1, len(changes)), "first": 0, "start": start, "changes": changes,
                "about": about}


def _shown(moment: _Moment, sets: Mapping[str, Any]) -> Dict[str, Any]:
    kind = moment.told.kind if isinstance(moment.told, Event) else SEEN
    return {"number": moment.number, "t": moment.t, "kind": kind, "words": moment.words, "set": dict(sets)}
