"""Searches for shapes in segments, so many steps in a picture: the next one goes on where the last one ended,
and an unsuccessful search is not repeated while that part looks the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Dict, Iterable, List, Optional, Tuple

from hicrisp_core.model import Pose, WorldObject

from hicrisp_perception.shapes.contours import MeasuredSegment
from hicrisp_perception.shapes.fitting import GATE, GOOD, NO_WORSE, POOR, Fit, Start, better, let_go, settle, stay
from hicrisp_perception.shapes.initial_poses import APART, alike, bottoms, starts, turned
from hicrisp_perception.shapes.segments import Ground, Segment, Window
from hicrisp_perception.shapes.shape_models import Lie, lies_of

_STEPS, _LEAST_STEPS = 5, 2
"""Ways to lay shapes in that are tried in a picture of a stream, with those that are where objects were and
those that tags tell; and how many searches have at least.
"""
_KEPT = 40
"""Pictures for which the outcome of a search is believed."""
_SAME_EDGE, _SAME_PART = 3, 0.1
"""Pixels by which the edges of a segment may be elsewhere, and the part by which it may be larger, and look
the same.
"""
_TRIES, _MOST_TRIES, _IN_ALL = 5, 8, 12
"""Ways to lay it in at one height that are tried where all are poor, and at most, and at all heights; the
likeliest come first.
"""
_SHOWN = 0.3
"""Part of a segment of several colours that an object has to show in it: behind such a one nothing contradicts it."""


@dataclass(eq=False)
class _Height:
    """A height at which a shape is tried.

    Args:
        begun: the starts that were tried.
        best: the best fit so far.
        done: whether there is nothing left to try.
    """

    bottom: float
    begun: List[Start] = field(default_factory=list)
    best: Optional[Fit] = None
    done: bool = False


@dataclass(eq=False)
class _Search:
    """How far the search for a shape in a segment came.

    Args:
        began, looked: the numbers of the picture in which it began, and of that in which its fits were made.
        cut: whether it goes on in the next picture.
    """

    segment: Segment
    pixels: int
    began: int
    looked: int
    heights: List[_Height] = field(default_factory=list)
    cut: bool = False

    def at(self, bottom: float) -> _Height:
        """Return what was tried at a height."""
        for height in self.heights:
            if abs(height.bottom - bottom) < APART / 2.0:
                return height
        self.heights.append(_Height(bottom))
        return self.heights[-1]

    def like(self, segment: Segment, pixels: int) -> bool:
        """Check whether a segment looks like the one that it began with."""
        own = self.segment
        return (
            own.family == segment.family
            and own.uncut == segment.uncut
            and (abs(own.pixels - pixels) <= _SAME_PART * own.pixels)
            and all(
                abs(a.start - b.start) <= _SAME_EDGE and abs(a.stop - b.stop) <= _SAME_EDGE
                for a, b in zip(own.window, segment.window)
            )
        )


class Searches:
    """The searches of the last pictures."""

    def __init__(self) -> None:
        self._searches: Dict[Lie, List[_Search]] = {}
        self._number, self._steps, self._searched = 0, math.inf, 0
        self._waiting: List[Tuple[Window, Lie]] = []

    def begin(self, goes_on: bool) -> None:
        """A picture comes.

        Args:
            goes_on: whether it follows the last one closely: else all is searched to the end at once.
        """
        self._number += 1
        self._steps, self._searched = _STEPS if goes_on else math.inf, 0
        self._waiting = []
        since = self._number - _KEPT if goes_on else self._number
        self._searches = {
            lie: [each for each in own if each.began >= since] for lie, own in self._searches.items()
        }

    def spend(self, steps: int) -> None:
        """Reduce the search budget of this image.

        Args:
            steps: number of steps used elsewhere.
        """
        self._steps -= steps

    def postpone(self, fits: Iterable[Fit]) -> None:
        """Continue the identification of fits in the next image.

        Args:
            fits: the unidentified fits.
        """
        self._waiting += [(fit.rendering.window, fit.lie) for fit in fits]

    def waiting(self, objects: Iterable[WorldObject]) -> List[Window]:
        """Return the windows in which searches for objects continue.

        Args:
            objects: the objects.

        Returns:
            Windows of the image.
        """
        lies = {lie for item in objects for lie in lies_of(item)}
        return [window for window, lie in self._waiting if lie in lies]

    def fit(
        self,
        lie: Lie,
        segment: Segment,
        shown: MeasuredSegment,
        ground: Ground,
        floors: Tuple[float, ...] = (0.0,),
        before: Optional[Fit] = None,
        dropped: Optional[Pose] = None,
    ) -> Optional[Fit]:
        """Fit a shape into a segment.

        Args:
            floors: heights of what it may stand on, metres; the table's is 0.
            before: where it was last; what hides it in part leaves too little for a guess without.
            dropped: where a hand let it go.

        Returns:
            The best fit; ``None`` if it fits nowhere, or the search continues in the next image.
        """
        told: Optional[Fit] = None
        # Where the two parts of the picture have no pixels in common, or nearly so, nothing stayed.
        if before is not None and before.lie == lie and all(
                a.start - GATE < b.stop and b.start < a.stop + GATE
                for a, b in zip(before.rendering.window, segment.window)):
            told = stay(before, segment, shown, ground)
            self._steps -= 1
        elif dropped is not None:
            told = let_go(lie, dropped, segment, shown, ground, floors)
            self._steps -= 1
        if told is not None and told.cost < max(GOOD, before.cost + NO_WORSE if before is not None else 0.0):
            return told
        best = better(told, self._best(lie, segment, shown, ground, floors))
        # Nothing is known to have moved that fits about as well where it was.
        stays = told is not None and best is not None and told.cost < min(POOR, best.cost + NO_WORSE)
        return told if stays else best

    def waits(self, segment: Segment) -> bool:
        """Check whether a search in a segment is still running from an earlier image.

        Args:
            segment: connected pixels that may show one object.

        Returns:
            True if it continues in this image.
        """
        pixels = segment.pixels
        return any(each.cut and each.like(segment, pixels) for own in self._searches.values() for each in own)

    def _best(
        self, lie: Lie, segment: Segment, shown: MeasuredSegment, ground: Ground, floors: Tuple[float, ...]
    ) -> Optional[Fit]:
        """Return the best fit of a shape in a segment; ``None`` without one, or without one that is good
        before the search goes on in the next picture.
        """
        search = self._of(lie, segment, shown, ground)
        best: Optional[Fit] = None
        tries, search.cut = 0, False
        for bottom, resting in bottoms(lie, shown, floors):
            height = search.at(bottom)
            if not height.done:
                self._try(lie, height, resting, segment, shown, ground)
            best = better(best, height.best)
            tries += len(height.begun)
            if tries >= _IN_ALL or (best is not None and best.cost < GOOD):
                break
            search.cut |= not height.done
        if not search.cut:
            return best
        self._waiting.append((segment.window, lie))
        return best if best is not None and best.cost < GOOD else None

    def _of(self, lie: Lie, segment: Segment, shown: MeasuredSegment, ground: Ground) -> _Search:
        """Return the state of a search; fits of an earlier image are computed again."""
        own, pixels = self._searches.setdefault(lie, []), segment.pixels
        search = next((each for each in own if each.like(segment, pixels)), None)
        if search is not None and search.looked != self._number:
            search.looked = self._number
            if not self._again(lie, search, segment, shown, ground):
                own.remove(search)
                search = None
        if search is None:
            search = _Search(segment, pixels, self._number, self._number)
            own.append(search)
        return search

    def _again(self, lie: Lie, search: _Search, segment: Segment, shown: MeasuredSegment, ground: Ground) -> bool:
        """Compute the fits of an earlier image again; return whether they are about as good."""
        for height in search.heights:
            before, height.best = height.best, None
            if before is None or before.cost >= POOR:
                continue
            self._steps -= 1
            height.best = settle(
                lie,
                (before.place.x, before.place.y, before.place.yaw),
                before.bottom,
                before.resting,
                segment,
                shown,
                ground,
            )
            if height.best is None or height.best.cost > max(GOOD, before.cost + NO_WORSE):
                return False
        return True

    def _try(
        self, lie: Lie, height: _Height, resting: bool, segment: Segment, shown: MeasuredSegment, ground: Ground
    ) -> None:
        """Try the starts at a height, as many as there are steps left for."""
        for turning in (False, True):
            for start in turned(height.best) if turning else starts(lie, shown, height.bottom, ground):
                if any(alike(start, other, lie.period) for other in height.begun):
                    continue
                if self._searched >= max(_LEAST_STEPS, self._steps):
                    return
                self._searched += 1
                height.begun.append(start)
                laid = settle(lie, start, height.bottom, resting, segment, shown, ground)
                if not segment.uncut or (laid is not None and laid.evidence.seen >= _SHOWN * segment.pixels):
                    height.best = better(height.best, laid)
                poor = height.best is None or height.best.cost > POOR
                if (height.best is not None and height.best.cost < GOOD) or len(height.begun) >= (
                    _TRIES if poor else _MOST_TRIES
                ):
                    break
        height.done = True
