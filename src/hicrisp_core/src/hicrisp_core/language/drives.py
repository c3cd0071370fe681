"""Sentences for mobile bases: which areas, in which order; read into an itinerary and into steps."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language.intents import NotUnderstood
from hicrisp_core.model import WorldState
from hicrisp_core.model.itinerary import Itinerary

EXAMPLES = ("visit area 3, then area 2, then area 1", "go to area 2", "visit all areas",
            "visit areas 1 and 3 in this order", "carry the load to area 2", "go to area 1, wait 10 seconds and dock")
TO_AREAS = ("visit", "go_to", "carry_to")
"""The skills whose places are areas in an order."""
_LONGEST = 2000
_FILLERS = re.compile(r"\b(?:please|kindly|now|could you|can you|would you|i want you to|the|first(?:ly)?|robot|agv|"
                      r"vehicle|and so on|at|go and|drive and|them|each|once)\b")
_THEN = re.compile(r"(?:,?\s*\b(?:and then|then|after that|afterwards|finally|lastly|next)\b\s*,?|;|\.(?!\d))")
_JOIN = re.compile(r"\s*(?:,|\band\b)\s*")
_VERB = re.compile(r"^(visit|approach|inspect|(?:go|drive|head|move|navigate|travel|return)(?: back)?(?: over)? to)\s+")
_CARRY = re.compile(r"^(?:carry|bring|take|transport|deliver|haul)(?: (?:load|it|goods|cargo))?(?: over)? to\s+")
_DOCK = re.compile(r"^(?:dock|charge|(?:go|drive|return)(?: back)? to dock)(?: (?:to|in|on))?\s*([\w ]*)$")
_WAIT = re.compile(r"^(?:wait|stay|stand still)(?: for)? (\d+(?:\.\d+)?|a)\s*(s|sec|seconds?|min|minutes?)(?: there)?$")
_IN_ORDER = re.compile(r",?\s*\b(?:in (?:this|that|the given|given) (?:order|sequence)|in order|one after (?:the other|"
                       r"another)|in sequence|sequentially)\b")
_EXCEPT = re.compile(r"\s+(?:except(?: for)?|but not|other than)\s+")
_BEFORE = re.compile(r"^(.*?)\s+(before|after)\s+(?:visiting\s+|going to\s+)?(.*)$")
_ALL = re.compile(r"^(?:all|every|each|both)(?: (?:of )?(?:areas?|places?|landmarks?|zones?))?$")
_FORBIDS = re.compile(r"\b(?:not|never|avoid|without|unless|if|until|or|don'?t)\b")


@dataclass(frozen=True)
class Errand:
    """One part of a request: areas to visit in any order (``visit``, ``go_to`` or ``carry_to``), a dock, or seconds to
    wait."""

    skill: str
    places: Tuple[str, ...] = ()
    seconds: float = 0.0


def drives(domain: Domain) -> bool:
    """Whether the domain is one of bases that drive to areas."""
    return any(action.decode == "within" for action in domain.actions.values())


def read_errands(text: str, domain: Domain, world: WorldState) -> Tuple[Errand, ...]:
    """The parts of a request that follow each other.

    Raises:
        NotUnderstood: with the part that could not be read and the areas that there are.
    """
    if len(text) > _LONGEST:
        raise NotUnderstood(f"the request has {len(text)} characters; at most {_LONGEST} are read")
    said = text.lower().replace("\u2019", "'").replace("-", " ")
    forbidden = _FORBIDS.search(said.replace("but not", ""))
    if forbidden:
        raise NotUnderstood(f"'{forbidden.group()}' cannot be planned: say which areas shall be visited and in "
                            "which order")
    reader = _Reader(domain, world)
    for part in _THEN.split(said):
        reader.part(part)
    if not reader.errands:
        raise NotUnderstood("the request names no area")
    return tuple(reader.errands)


def itinerary_of(errands: Sequence[Errand]) -> Itinerary:
    """The order in which areas are wanted; docks and waits are in no itinerary."""
    groups = tuple(errand.places for errand in errands if errand.skill in TO_AREAS)
    return Itinerary(groups, ordered=len(groups) > 1)


class _Reader:
    """Reads part after part; a part without a verb has that of the one before."""

    def __init__(self, domain: Domain, world: WorldState) -> None:
        self._areas = domain.objects_of(world, "area") if "area" in domain.types else ()
        self._stations = domain.objects_of(world, "station") if "station" in domain.types else ()
        self._skill = ""
        self.errands: List[Errand] = []

    def part(self, text: str) -> None:
        """Read what stands between two "then"."""
        in_order = _IN_ORDER.search(text) is not None
        body = " ".join(_FILLERS.sub(" ", _IN_ORDER.sub(" ", text)).split()).strip(" ,")
        if not body:
            return
        joined: List[str] = []
        for piece in _pieces(body):
            errand = self._alone(piece)
            if errand is None:
                joined.append(piece)
                continue
            self._visits(joined, in_order)
            joined = []
            self.errands.append(errand)
        self._visits(joined, in_order)

    def _alone(self, piece: str) -> Optional[Errand]:
        """A wait or a dock; ``None`` for anything else."""
        waiting = _WAIT.match(piece)
        if waiting:
            number = 1.0 if waiting.group(1) == "a" else float(waiting.group(1))
            return Errand("wait", seconds=number * (60.0 if waiting.group(2).startswith("min") else 1.0))
        docking = _DOCK.match(piece)
        if docking is None:
            return None
        name = docking.group(1).strip().replace(" ", "_") or "dock"
        found = name if name in self._stations else self._stations[0] if len(self._stations) == 1 else ""
        if not found or (docking.group(1).strip() and name != found):
            raise NotUnderstood(f"there is no station '{name}'; there are: {', '.join(self._stations) or 'none'}")
        return Errand("dock", (found,))

    def _visits(self, pieces: Sequence[str], in_order: bool) -> None:
        """Areas that stand together: visited in any order, unless it is said otherwise."""
        names: List[str] = []
        for piece in pieces:
            verb = _VERB.match(piece)
            carry = _CARRY.match(piece)
            if carry:
                self._skill, piece = "carry_to", piece[carry.end():]
            elif verb:
                self._skill = "visit" if verb.group(1) in ("visit", "inspect") else "go_to"
                piece = piece[verb.end():]
            elif piece.startswith("to "):
                piece = piece[3:]  # "go to area 1, then to area 3"
            if not self._skill:
                raise NotUnderstood(f"'{piece}' is no action that is known here")
            turned = _BEFORE.match(piece)
            if turned:
                first, then = (turned.group(1), turned.group(3))[::1 if turned.group(2) == "before" else -1]
                self._add([*names, *self._named(first)], in_order)
                names = []
                self._add(self._named(then), in_order)
                continue
            names += [name for name in self._named(piece) if name not in names or in_order]
        self._add(names, in_order)

    def _add(self, names: Sequence[str], in_order: bool) -> None:
        if names:
            self.errands += [Errand(self._skill, (name,)) for name in names] if in_order else \
                [Errand(self._skill, tuple(names))]

    def _named(self, said: str) -> List[str]:
        body, *besides = _EXCEPT.split(said)
        left_out = {name for other in besides for name in self._named(other)}
        if _ALL.match(body):
            return [name for name in self._areas if name not in left_out]
        name = re.sub(r"\s+", "_", body.strip())
        for candidate in (name, f"area_{name}", re.sub(r"^areas_", "area_", name)):
            if candidate in self._areas:
                return [candidate] if candidate not in left_out else []
        raise NotUnderstood(f"there is no area '{body}'; there are: {', '.join(self._areas) or 'none'}")


def _pieces(body: str) -> List[str]:
    """The parts of a list; "all areas except 1 and 2" stays together."""
    if _EXCEPT.search(f" {body}"):
        head, *rest = _EXCEPT.split(body)
        return [f"{head} except " + " except ".join(p for r in rest for p in _JOIN.split(r) if p)]
    return [piece for piece in _JOIN.split(body) if piece]


def nearest_first(areas: Sequence[str], world: WorldState, start: Optional[Tuple[float, float]]) -> List[str]:
    """Areas in the order in which the nearest is always the next; in the order given where poses are not known."""
    places: Dict[str, Tuple[float, float]] = {}
    for name in areas:
        thing = world.objects.get(name)
        if thing is not None and thing.pose is not None:
            places[name] = thing.pose.position[:2]
    if start is None or len(places) < len(areas):
        return list(areas)
    found: List[str] = []
    here = start
    while places:
        ranked = sorted((math.dist(place, here), name) for name, place in places.items())
        found.append(ranked[0][1])
        here = places.pop(found[-1])
    return found
