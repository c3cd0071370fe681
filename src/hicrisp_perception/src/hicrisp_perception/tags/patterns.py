"""Whose tags are seen where they are too small or too slanted to be read: laid over the picture, their
squares fit or not, which tells objects of one shape apart, and how they are turned.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np
from hicrisp_core.model import WorldObject
from hicrisp_core.scene.tags import Tag
from scipy.optimize import linear_sum_assignment

from hicrisp_perception.shapes.evidence import render
from hicrisp_perception.shapes.fitting import Fit
from hicrisp_perception.shapes.segments import Ground
from hicrisp_perception.shapes.shape_models import lies_of
from hicrisp_perception.tags import pattern_match

_TURNS = 30
"""Turns about the vertical that are tried."""
_FOLLOWED, _CLIMBED = 4, 2
"""Of them those that are followed, and that are laid in exactly."""
_HIGHER = 0.02
"""Metres by which an object may stand higher or lower than its shape was laid."""
_LIKE = 0.85
"""Correlation at which tags count as observed. Where an object was laid exactly its own
reach 0.9 and more, and others', wherever they are most like it, up to 0.8.
"""
_PROMISING = 0.6
"""The same before the exact fit, at which that fit is worthwhile."""
_SEARCHES, _KEPT = 1, 40
"""Searches for an object's tags per image, and number of images for which an unsuccessful one holds."""
_SAME_PART = 0.2
"""Part by which more or less may be seen of what looks the same."""
_Found = Optional[Tuple[float, Fit]]


class Patterns:
    """Compares objects that were known by their shapes and colours with the tags that they wear.

    Args:
        tags: those of all objects.
    """

    def __init__(self, tags: Sequence[Tag]) -> None:
        objects = dict.fromkeys(tag.thing for tag in tags)
        self._worn = {name: pattern_match.Worn.of([tag for tag in tags if tag.thing == name]) for name in objects}
        self._left = math.inf
        self._in_vain: List[Tuple[str, Fit, int]] = []
        self._last: List[Fit] = []
        self._waiting: List[Fit] = []

    def begin(self, goes_on: bool) -> None:
        """A picture comes.

        Args:
            goes_on: whether it follows the last one closely: else all is compared at once.
        """
        self._left = _SEARCHES if goes_on else math.inf
        self._in_vain = [(name, fit, pictures - 1) for name, fit, pictures in self._in_vain
                         if goes_on and pictures > 1]
        self._last, self._waiting = self._waiting, []

    def named(self, fits: Mapping[str, Fit], free: Sequence[WorldObject], ground: Ground,
              before: Mapping[str, Fit], others: Sequence[Fit]) -> Tuple[Dict[str, Fit], List[Fit]]:
        """Identify objects of the same shape by their tags.

        If no tags are visible, a fit keeps its name, unless another fit has that name by its tags.

        Args:
            fits: fits by tentative names.
            free: objects that may be there, including the named ones.
            ground: the current image, split into table and objects.
            before: last fits by name.
            others: fits of other objects.

        Returns:
            Fits by name, and fits that stay unidentified until the next image.
        """
        found: Dict[str, Fit] = {}
        waiting: List[Fit] = []
        for lie in {fit.lie for fit in fits.values()}:
            own = {name: fit for name, fit in fits.items() if fit.lie == lie}
            alike = [item.name for item in free if lie in lies_of(item) and item.name in self._worn]
            if lie.round and len(alike) == 1:  # Neither who it is nor how it is turned is a question.
                found.update(own)
                continue
            settled: Dict[str, Dict[str, Tuple[float, Fit]]] = {}
            for name, fit in own.items():
                last = before.get(name)
                stays = last is not None and _near(last, fit)
                same = self._as_before(name, last, ground) if last is not None and stays else None
                if same is not None:
                    settled[name] = {name: same}
                elif self._left == math.inf or not stays:
                    objects = self._settled(alike, fit, ground, others)
                    if objects is None:
                        waiting.append(fit)
                    else:
                        settled[name] = objects
            given = _given(settled, alike)
            found.update({other: settled[name][other][1] for name, other in given.items()})
            found.update({name: fit for name, fit in own.items() if name not in given and name not in found
                          and fit not in waiting})
        self._waiting += waiting
        return found, waiting

    def _as_before(self, name: str, last: Fit, ground: Ground) -> _Found:
        """Return what was known by its tags and has hardly moved."""
        if last.tags is None or name not in self._worn:
            return None
        worn = self._worn[name]
        match = pattern_match.matched(worn, last, pattern_match.Surface.of(last, ground), ground, pattern_match.NARROW)
        if match is None or match.likeness < _LIKE:
            return None
        if match.still:
            return match.likeness, pattern_match.known(last, match, ground)
        return pattern_match.exact(worn, match, last, ground)

    def _settled(self, alike: Sequence[str], fit: Fit, ground: Ground, others: Sequence[Fit]
                 ) -> Optional[Dict[str, Tuple[float, Fit]]]:
        """Return the objects whose tags are seen where a shape was laid: but a few are looked for in a picture, not
        again where that was in vain, and not where the picture changes. ``None`` if none was seen and not all
        were looked for.
        """
        calm = self._left == math.inf or any(_same(fit, each) for each in self._last)
        found: Dict[str, Tuple[float, Fit]] = {}
        for name in alike:
            if any(name == other and _same(fit, there) for other, there, _ in self._in_vain):
                continue
            if self._left <= 0 or not calm:
                return found or None
            self._left -= 1
            best = self.settled(name, fit, ground, others)
            if best is not None and best[0] > _LIKE:
                found[name] = best
            else:
                self._in_vain.append((name, fit, _KEPT))
        return found

    def settled(self, name: str, fit: Fit, ground: Ground, others: Sequence[Fit] = ()) -> _Found:
        """Compare the tags of an object with the image around a fit.

        Args:
            name: name of the object in the world.
            fit: pose of its shape.
            ground: the current image, split into table and objects.
            others: fits of objects that it may stand on or below.

        Returns:
            Correlation (-1 to 1) and the fit by its tags; ``None`` if too little is visible or nothing matches.
        """
        worn = self._worn[name]
        best: _Found = None
        for start in _starts(fit, others, ground):
            surface = pattern_match.Surface.of(start, ground)
            turned = (replace(start, place=replace(start.place, yaw=math.tau * turn / _TURNS))
                      for turn in range(_TURNS))
            tried = ((pattern_match.matched(worn, each, surface, ground, pattern_match.WIDE), each) for each in turned)
            matches = [(match, each) for match, each in tried if match is not None]
            matches.sort(key=lambda each: -each[0].likeness)
            ways = [pattern_match.followed(worn, match, each, surface, ground) for match, each in matches[:_FOLLOWED]]
            ways.sort(key=lambda each: -each[0].likeness)
            for match, each in ways[:_CLIMBED]:
                end = pattern_match.exact(worn, match, each, ground) if match.likeness > _PROMISING else None
                if end is not None and (best is None or end[0] > best[0]):
                    best = end
                if best is not None and best[0] > _LIKE:
                    return best
        return best


def _starts(fit: Fit, others: Sequence[Fit], ground: Ground) -> Iterator[Fit]:
    """Yield places of an object whose shape was fitted to too little: there, on each possible support, and below
    neighbours without a known support.
    """
    yield fit
    for floor in sorted({0.0, *(other.floor for other in others)}):
        if 0.0 < abs(floor - fit.bottom) < _HIGHER:
            yield replace(fit, bottom=floor)
    for other in others:
        bottom = other.bottom - fit.lie.height
        apart = math.hypot(other.place.x - fit.place.x, other.place.y - fit.place.y)
        if bottom < -_HIGHER or apart > 2.0 * fit.lie.radius:
            continue
        below = replace(fit, bottom=max(0.0, bottom),
                        place=replace(fit.place, x=other.place.x, y=other.place.y))
        rendering = render(below.lie, below.pose, ground)
        if rendering is not None:
            yield replace(below, rendering=rendering)


def _given(settled: Mapping[str, Mapping[str, Tuple[float, Fit]]], alike: Sequence[str]) -> Dict[str, str]:
    """Return the new name for each name, so that the tags are the most like what is seen."""
    names = [name for name, objects in settled.items() if objects]
    if not names:
        return {}
    likeness = np.array([[settled[name][other][0] if other in settled[name] else 0.0 for other in alike]
                         for name in names])
    pairs = ((names[row], alike[column]) for row, column in zip(*linear_sum_assignment(-likeness)))
    return {name: other for name, other in pairs if other in settled[name]}


def _near(one: Fit, other: Fit) -> bool:
    return one.lie == other.lie and math.dist(one.pose.position, other.pose.position) < pattern_match.AWAY


def _same(one: Fit, other: Fit) -> bool:
    """Check whether two fits of two pictures are one, and as much is seen of it."""
    more = abs(one.evidence.seen - other.evidence.seen)
    return _near(one, other) and more <= _SAME_PART * other.evidence.seen
