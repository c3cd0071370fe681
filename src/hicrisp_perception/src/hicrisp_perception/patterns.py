"""Whose tags are seen where they are too small or too slanted to be read: laid over the picture, their
squares fit or not, which tells things of one shape apart, and how they are turned.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
from hicrisp_core.model import WorldObject
from hicrisp_core.scene.tags import Tag
from scipy.optimize import linear_sum_assignment

from hicrisp_perception.fitting import Fit
from hicrisp_perception.forms import lies_of
from hicrisp_perception.pattern_match import AWAY, NARROW, WIDE, Surface, exact, followed, matched
from hicrisp_perception.segments import Ground

_TURNS = 30
"""Turns about the vertical that are tried."""
_FOLLOWED, _CLIMBED = 5, 2
"""Of them those that are followed, and that are laid in exactly."""
_HIGHER = 0.02
"""Metres by which a thing may stand higher or lower than its shape was laid."""
_LIKE = 0.85
"""Correlation from which on tags are taken for those that are seen. Where a thing was laid exactly its own
reach 0.9 and more, and others', wherever they are most like it, up to 0.8.
"""
_PROMISING = 0.6
"""The same before it is laid in exactly, from which on that is worth while."""
_SEARCHES, _KEPT = 1, 40
"""Searches for a thing's tags in a picture of a stream, and pictures for which one in vain is believed."""
_SAME_PART = 0.2
"""Part by which more or less may be seen of what looks the same."""
_Found = Optional[Tuple[float, Fit]]


class Patterns:
    """Compares things that were known by their shapes and colours with the tags that they wear.

    Args:
        tags: those of all things.
    """

    def __init__(self, tags: Sequence[Tag]) -> None:
        self._worn: Dict[str, List[Tag]] = {}
        for tag in tags:
            self._worn.setdefault(tag.thing, []).append(tag)
        self._left = math.inf
        self._in_vain: List[Tuple[str, Fit, int]] = []

    def begin(self, goes_on: bool) -> None:
        """A picture comes.

        Args:
            goes_on: whether it follows the last one closely: else all is compared at once.
        """
        self._left = _SEARCHES if goes_on else math.inf
        self._in_vain = [(name, fit, pictures - 1) for name, fit, pictures in self._in_vain
                         if goes_on and pictures > 1]

    def named(self, fits: Mapping[str, Fit], free: Sequence[WorldObject], ground: Ground,
              before: Mapping[str, Fit], floors: Sequence[float]) -> Tuple[Dict[str, Fit], List[Fit]]:
        """Fits by the names of the things whose tags are seen there, placed as those say, and fits of which
        that is not known before the next picture. Where nobody's tags are seen a fit keeps its name, but not
        one that another has by its tags.

        Args:
            free: the things that may be there, those that were named among them.
            before: where things were.
            floors: heights on which something may stand, metres.
        """
        found: Dict[str, Fit] = {}
        waiting: List[Fit] = []
        for lie in {fit.lie for fit in fits.values()}:
            own = {name: fit for name, fit in fits.items() if fit.lie == lie}
            alike = [thing.name for thing in free if lie in lies_of(thing)]
            if lie.round and len(alike) == 1:  # Neither who it is nor how it is turned is a question.
                found.update(own)
                continue
            settled: Dict[str, Dict[str, Tuple[float, Fit]]] = {}
            for name, fit in own.items():
                last = before.get(name)
                stays = last is not None and _near(last, fit)
                settled[name] = self._settled(name, alike, fit, last if stays else None, ground, floors)
                if self._left < 0 and not stays and not settled[name]:
                    waiting.append(fit)
            given = _given(settled, alike)
            found.update({other: settled[name][other][1] for name, other in given.items()})
            found.update({name: fit for name, fit in own.items() if name not in given and name not in found
                          and fit not in waiting})
        return found, waiting

    def _settled(self, name: str, alike: Sequence[str], fit: Fit, last: Optional[Fit], ground: Ground,
                 floors: Sequence[float]) -> Dict[str, Tuple[float, Fit]]:
        """The things whose tags are seen where a shape was laid.

        Args:
            last: where the thing was after which it is called, if that is there.
        """
        same = self._as_before(name, last, ground) if last is not None and last.tags is not None else None
        if same is not None:
            return {name: same}
        each = ((other, self._looked_for(other, fit, ground, floors)) for other in alike)
        return {other: better for other, better in each if better is not None}

    def _as_before(self, name: str, last: Fit, ground: Ground) -> _Found:
        """What was known by its tags and has hardly moved."""
        worn = self._worn.get(name, ())
        match = matched(worn, last, Surface.of(last, ground), ground, NARROW)
        best = exact(worn, match, last, ground) if match is not None else None
        return best if best is not None and best[0] > _LIKE else None

    def _looked_for(self, name: str, fit: Fit, ground: Ground, floors: Sequence[float]) -> _Found:
        """What ``settled`` says where that is like enough; only a few times in a picture, and not again where
        it was in vain.
        """
        if any(name == other and _near(fit, there) and _looks_like(fit, there)
               for other, there, _ in self._in_vain):
            return None
        self._left -= 1
        if self._left < 0:
            return None
        found = self.settled(name, fit, ground, floors)
        if found is not None and found[0] > _LIKE:
            return found
        self._in_vain.append((name, fit, _KEPT))
        return None

    def settled(self, name: str, fit: Fit, ground: Ground, floors: Sequence[float] = ()) -> _Found:
        """How like a thing's tags is what is seen where they would be, -1 to 1, and where the thing would be
        by them; ``None`` where too little is seen, or is like them nowhere.

        Args:
            fit: where its shape was laid.
            floors: heights on which it may stand, metres.
        """
        worn, surface = self._worn.get(name, ()), Surface.of(fit, ground)
        ends: List[Tuple[float, Fit]] = []
        for bottom in {fit.bottom, *(each for each in floors if abs(each - fit.bottom) < _HIGHER)}:
            turned = (replace(fit, bottom=bottom, place=replace(fit.place, yaw=math.tau * turn / _TURNS))
                      for turn in range(_TURNS))
            matches = [(match, each) for each in turned
                       for match in (matched(worn, each, surface, ground, WIDE),) if match is not None]
            matches.sort(key=lambda each: -each[0].likeness)
            ways = [followed(worn, match, each, surface, ground) for match, each in matches[:_FOLLOWED]]
            ways.sort(key=lambda each: -each[0].likeness)
            for match, each in ways[:_CLIMBED]:
                if match.likeness > _PROMISING and not (ends and ends[-1][0] > _LIKE):
                    ends.append(exact(worn, match, each, ground))
        return max(ends, key=lambda each: each[0], default=None)


def _given(settled: Mapping[str, Mapping[str, Tuple[float, Fit]]], alike: Sequence[str]) -> Dict[str, str]:
    """The new name for each name, so that the tags are the most like what is seen."""
    names = list(settled)
    likeness = np.array([[settled[name][other][0] if other in settled[name] else 0.0 for other in alike]
                         for name in names])
    pairs = ((names[row], alike[column]) for row, column in zip(*linear_sum_assignment(-likeness)))
    return {name: other for name, other in pairs if other in settled[name]}


def _near(one: Fit, other: Fit) -> bool:
    return one.lie == other.lie and math.dist(one.pose.position, other.pose.position) < AWAY


def _looks_like(one: Fit, other: Fit) -> bool:
    return abs(one.evidence.seen - other.evidence.seen) <= _SAME_PART * other.evidence.seen
