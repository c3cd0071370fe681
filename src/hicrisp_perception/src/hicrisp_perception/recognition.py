"""Which segment is which thing: colours in a common light, shapes, and where the things were before."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
from hicrisp_core.model import WorldObject
from scipy.optimize import linear_sum_assignment

from hicrisp_perception.contours import Shown, measure
from hicrisp_perception.evidence import explained
from hicrisp_perception.fitting import Fit, fit
from hicrisp_perception.forms import Lie, lies_of
from hicrisp_perception.paint import LIGHTS, Likeness
from hicrisp_perception.segments import LEAST_PIXELS, Ground, Segment, segments_in

_NOBODY = 1.3
"""Cost of a segment that is none of the things."""
_FOREIGN = 1.0
"""Cost of a colour from which on a shape is not even tried."""
_UPRIGHT = 0.5
"""Cost of the upright fit from which on the other sides are tried."""
_LYING = 0.15
_CERTAIN = 0.2
"""Cost of a fit from which on things of a clearly worse colour are not tried."""
_CLEARLY = 0.35
_FAR = 0.25
"""Metres from where a thing was that count as much as half a wrong colour."""
_ROUNDS = 5
_LEAST_SEEN = 40
_LEAST_PART = 0.12
"""Part of what is not covered of a thing that has to be seen in one segment."""
_LIGHT_CHANGE = 0.7
"""How much the logarithm of the light usually changes between two pictures."""


@dataclass(eq=False)
class Findings:
    """What a picture shows.

    Args:
        fits: the known things that were found, by name.
        rest: segments that no known thing explains.
        claimed: the pixels that the found things account for.
        light: how bright level white is, 1 for as bright as the camera can tell.
    """

    claimed: np.ndarray
    fits: Dict[str, Fit] = field(default_factory=dict)
    rest: List[Tuple[Segment, Optional[Shown]]] = field(default_factory=list)
    light: Optional[float] = None

    def claim(self, fit_: Fit, ground: Ground) -> None:
        """Take a thing's pixels from the others."""
        self.claimed[fit_.rendering.window] |= explained(fit_.rendering, ground)


def recognise(ground: Ground, things: Sequence[WorldObject], found: Findings,
              before: Mapping[str, Tuple[float, float]]) -> Findings:
    """Find things in what no thing accounts for yet.

    Args:
        things: those that may be there.
        found: what was found otherwise; it is added to.
        before: where things were last, metres.
    """
    left = [thing for thing in things if thing.name not in found.fits]
    tried: Dict[Tuple[int, int], bool] = {}
    for _ in range(_ROUNDS):
        segments = segments_in(ground, ground.things & ~found.claimed)
        measured = [(segment, measure(segment, ground)) for segment in segments]
        usable = [(segment, shown) for segment, shown in measured if shown is not None]
        fresh = [pair for pair in usable if not tried.get(_key(pair[0]))]
        found.rest = measured
        if not fresh or not left:
            break
        named = _assign(ground, fresh, left, found, before)
        for segment, _ in fresh:
            tried[_key(segment)] = True
        if not named:
            break
        for name, best in named.items():
            found.fits[name] = best
            found.claim(best, ground)
        left = [thing for thing in left if thing.name not in named]
    found.rest = [pair for pair in found.rest if pair[0].pixels >= LEAST_PIXELS]
    return found


def _key(segment: Segment) -> Tuple[int, int]:
    return hash((segment.window[0].start, segment.window[1].start, segment.family)), segment.pixels


def _assign(ground: Ground, segments: Sequence[Tuple[Segment, Shown]], things: Sequence[WorldObject],
            found: Findings, before: Mapping[str, Tuple[float, float]]) -> Dict[str, Fit]:
    likeness = Likeness([(shown.level, shown.other) for _, shown in segments],
                        [thing.attributes.get("colour") for thing in things])
    if found.light is None:
        found.light = _light(likeness, segments, things)
    colour = likeness.costs(found.light)
    floors = (0.0, *sorted(fit_.bottom + fit_.lie.height for fit_ in found.fits.values()))
    total = np.full((len(segments), len(things)), 9.0)
    fits: Dict[Tuple[int, int], Fit] = {}
    for row, (segment, shown) in enumerate(segments):
        likely = sorted((float(colour[row, column]) + _height_misfit(shown, thing), column)
                        for column, thing in enumerate(things) if colour[row, column] <= _FOREIGN)
        for column, best in _fits(segment, shown, ground, floors, [
                (column, things[column], float(colour[row, column])) for _, column in likely]):
            open_ = best.evidence.whole - best.evidence.covered
            if best.evidence.seen < max(_LEAST_SEEN, _LEAST_PART * open_):
                continue
            name = things[column].name
            fits[row, column] = best
            total[row, column] = best.cost + 0.6 * colour[row, column]
            if name in before:
                away = math.dist((best.place.x, best.place.y), before[name])
                total[row, column] += 0.5 * min(1.0, away / _FAR)
    rows, columns = _cheapest(total, _NOBODY)
    return {things[column].name: fits[row, column] for row, column in zip(rows, columns)}


def _fits(segment: Segment, shown: Shown, ground: Ground, floors: Tuple[float, ...],
          likely: Sequence[Tuple[int, WorldObject, float]]) -> List[Tuple[int, Fit]]:
    """The fits of things in a segment: standing upright, and on other sides where none fits so.

    Args:
        likely: columns, things and the costs of their colours, the likeliest first.
    """
    known: Dict[Lie, Optional[Fit]] = {}
    found: Dict[int, Fit] = {}
    clear = math.inf
    for lying in (False, True):
        if lying and any(fit_.cost < _UPRIGHT for fit_ in found.values()):
            break
        for column, thing, colour in likely:
            if colour > clear + _CLEARLY:
                continue
            for lie in lies_of(thing)[1:] if lying else lies_of(thing)[:1]:
                if lie not in known:
                    known[lie] = fit(lie, segment, shown, ground, floors)
                best = known[lie]
                if best is not None and (column not in found
                                         or best.cost + _LYING < found[column].cost):
                    found[column] = best
                    clear = min(clear, colour) if best.cost < _CERTAIN else clear
    return list(found.items())


def _cheapest(total: np.ndarray, nobody: float) -> Tuple[List[int], List[int]]:
    """The assignment of least cost, in which a row may stay without a column."""
    padded = np.hstack([total, np.full((len(total), len(total)), nobody)])
    rows, columns = linear_sum_assignment(padded)
    pairs = [(int(row), int(column)) for row, column in zip(rows, columns)
             if column < total.shape[1] and total[row, column] < nobody]
    return [row for row, _ in pairs], [column for _, column in pairs]


def _light(likeness: Likeness, segments: Sequence[Tuple[Segment, Shown]], things: Sequence[WorldObject]
           ) -> float:
    """The light in which the segments' colours fit the things best, with the heights as a hint."""
    misfit = np.array([[_height_misfit(shown, thing) for thing in things] for _, shown in segments])
    best, lowest = 1.0, math.inf
    for light in LIGHTS:
        total = np.minimum(likeness.costs(float(light)), 2.0) + misfit
        rows, columns = _cheapest(total, 1.5)
        matched = sum(float(total[row, column]) for row, column in zip(rows, columns))
        cost = matched + 1.5 * (len(segments) - len(rows)) + 0.5 * (math.log(light) / _LIGHT_CHANGE) ** 2
        if cost < lowest:
            best, lowest = float(light), cost
    return best


def _height_misfit(shown: Shown, thing: WorldObject) -> float:
    if shown.low > 0.025:
        return 0.3
    return min(1.0, min(abs(shown.top - lie.height) + 0.006 * number
                        for number, lie in enumerate(lies_of(thing))) / 0.025)
