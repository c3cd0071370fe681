"""A known shape laid into a segment: where it would lie, and how well the picture supports that."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Dict, Iterator, List, Optional, Tuple

import numpy as np
from hicrisp_core.model.geometry import Pose

from hicrisp_perception.contours import Shown, spread_of
from hicrisp_perception.evidence import Evidence, Rendering, render, weigh
from hicrisp_perception.forms import Lie
from hicrisp_perception.outline import Placement, fit_outline
from hicrisp_perception.segments import Ground, Segment
from hicrisp_perception.tags import TagFit

ON_TABLE = 0.012
"""Metres by which a bottom may seem to be off the table and yet stand on it."""
_GOOD = 0.35
"""Cost from which on no other way to lay it in is tried."""
_POOR = 1.3
"""Cost from which on nobody is taken to be there."""
_TRIES, _MOST_TRIES, _IN_ALL = 5, 8, 12
"""Ways to lay it in at one height that are tried where all are poor, and at most, and at all heights; the
likeliest come first.
"""
_CLEAN = 0.1
"""Cost from which on a thing may be turned otherwise."""
_TURNS = (0.5, 0.25, 0.75)
"""Parts of the turn after which it looks the same."""
_SHOWN = 0.3
"""Part of a segment of several colours that a thing has to show in it: behind such a one nothing contradicts
it.
"""
_EXACT = 0.1
"""What a pixel counts by which an outline is off."""
_LEAST_TOP = 20
"""Points that a level face needs to say where it is."""
_SHORT = 0.75
"""Part of its extent below which a face is seen in part only."""
_LOOSE = 0.3
_NO_WORSE = 0.1
_BAD = 99.0
_GATE = 6.0
"""Pixels around where a thing was in which its outline is looked for first."""
_LEAST_OUTLINE = 24
Start = Tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Fit:
    """A shape laid into the picture.

    Args:
        bottom: height of its lowest point, metres.
        resting: whether that is the height of something that it stands on, and not only measured.
        cost: 0 for a perfect fit, about 1 for a poor one.
        segment, shown: what it was fitted to; none for what was found by its tags alone.
        tags: by which it is known.
    """

    lie: Lie
    place: Placement
    bottom: float
    resting: bool
    evidence: Evidence
    cost: float
    rendering: Rendering
    segment: Optional[Segment] = None
    shown: Optional[Shown] = None
    tags: Optional[TagFit] = None

    @property
    def middle(self) -> float:
        """Height of its middle, metres."""
        return self.bottom + self.lie.height / 2.0

    @property
    def pose(self) -> Pose:
        """The thing's pose."""
        return self.lie.pose(self.place.x, self.place.y, self.middle, self.place.yaw)

    @property
    def at(self) -> np.ndarray:
        """x, y, yaw."""
        return np.array([self.place.x, self.place.y, self.place.yaw])


def fit(lie: Lie, segment: Segment, shown: Shown, ground: Ground, floors: Tuple[float, ...] = (0.0,),
        before: Optional[Fit] = None, dropped: Optional[Pose] = None,
        searched: Optional[Dict[Lie, Optional[Fit]]] = None) -> Optional[Fit]:
    """Lay a shape into a segment as well as can be; ``None`` where it fits nowhere.

    Args:
        floors: heights of what it may stand on, metres; the table's is 0.
        before: where it was last; what hides it in part leaves too little for a guess without.
        dropped: where a hand let it go.
        searched: what was found for other things of such shapes in the same segment; it is added to.
    """
    told: Optional[Fit] = None
    if before is not None and before.lie == lie:
        told = stay(before, segment, shown, ground)
    elif dropped is not None:
        told = _let_go(lie, dropped, segment, shown, ground, floors)
    if told is not None and told.cost < max(_GOOD, before.cost + _NO_WORSE if before is not None else 0.0):
        return told
    searched = {} if searched is None else searched
    if lie not in searched:
        searched[lie] = _anywhere(lie, segment, shown, ground, floors)
    best = _better(told, searched[lie])
    # Nothing is known to have moved that fits about as well where it was.
    stays = told is not None and best is not None and told.cost < min(_POOR, best.cost + _NO_WORSE)
    return told if stays else best


def _anywhere(lie: Lie, segment: Segment, shown: Shown, ground: Ground, floors: Tuple[float, ...]
              ) -> Optional[Fit]:
    """The best way to lay a shape into a segment."""
    best: Optional[Fit] = None
    tries = 0
    for bottom, resting in _bottoms(lie, shown, floors):
        here: Optional[Fit] = None
        begun: List[Start] = []
        starts = _starts(lie, shown, bottom, ground)
        for turning in (False, True):
            for start in _turned(here) if turning else starts:
                if any(_alike(start, other, lie.period) for other in begun):
                    continue
                begun.append(start)
                laid = settle(lie, start, bottom, resting, segment, shown, ground)
                if not segment.uncut or (laid is not None
                                         and laid.evidence.seen >= _SHOWN * segment.pixels):
                    here = _better(here, laid)
                poor = here is None or here.cost > _POOR
                if (here is not None and here.cost < _GOOD) or len(begun) >= (
                        _TRIES if poor else _MOST_TRIES):
                    break
        best = _better(best, here)
        tries += len(begun)
        if tries >= _IN_ALL or (best is not None and best.cost < _GOOD):
            break
    return best


def _turned(fit_: Optional[Fit]) -> Iterator[Start]:
    """Where little of a thing is seen, its outline fits about as well another way round."""
    if fit_ is not None and fit_.place.points and not fit_.lie.round and fit_.cost > _CLEAN:
        place = fit_.place
        for part in _TURNS:
            yield place.x, place.y, place.yaw + part * fit_.lie.period


def _better(one: Optional[Fit], other: Optional[Fit]) -> Optional[Fit]:
    """The one of two that the picture supports better, and whose outline fits better where that is alike."""
    if one is None or other is None:
        return one or other
    return min(one, other, key=lambda each: each.cost + _EXACT * min(each.place.error, 4.0))


def stay(before: Fit, segment: Segment, shown: Shown, ground: Ground) -> Optional[Fit]:
    """A shape about where it was; exactly there when too little of its outline is seen to say more."""
    return _about(before.lie, before.place, before.bottom, before.resting, segment, shown, ground)


def _let_go(lie: Lie, pose: Pose, segment: Segment, shown: Shown, ground: Ground, floors: Tuple[float, ...]
            ) -> Optional[Fit]:
    """A shape about where a hand let it go."""
    bottom = pose.position[2] - lie.height / 2.0
    near = min(floors, key=lambda floor: abs(floor - bottom))
    resting = abs(near - bottom) < ON_TABLE
    place = Placement(*pose.position[:2], pose.yaw, np.diag([4e-6, 4e-6, 4e-3]), 0.0, 0)
    return _about(lie, place, near if resting else bottom, resting, segment, shown, ground)


def _about(lie: Lie, place: Placement, bottom: float, resting: bool, segment: Segment, shown: Shown,
           ground: Ground) -> Optional[Fit]:
    start = (place.x, place.y, place.yaw)
    again = settle(lie, start, bottom, resting, segment, shown, ground, _GATE)
    enough = again is not None and again.place.points >= _LEAST_OUTLINE
    if enough or again is None:
        return again
    return _weighed(lie, replace(place, points=0), bottom, resting, segment, shown, ground)


def settle(lie: Lie, start: Start, bottom: float, resting: bool, segment: Segment, shown: Shown,
           ground: Ground, first_gate: float = math.inf) -> Optional[Fit]:
    """Move a shape from a start to where its outline fits, and weigh the evidence."""
    middle = bottom + lie.height / 2.0
    place = fit_outline(lie, start, middle, shown.contour, ground.view.rays, first_gate)
    if not np.isfinite(place.covariance).all():
        place = Placement(*start, np.diag([1e-4, 1e-4, 0.1]), _BAD, 0)
    return _weighed(lie, place, bottom, resting, segment, shown, ground)


def _weighed(lie: Lie, place: Placement, bottom: float, resting: bool, segment: Segment, shown: Shown,
             ground: Ground) -> Optional[Fit]:
    pose = lie.pose(place.x, place.y, bottom + lie.height / 2.0, place.yaw)
    rendering = render(lie, pose, ground, segment.window)
    if rendering is None:
        return None
    evidence = weigh(rendering, ground, segment)
    if evidence.seen == 0:
        return None
    blurred = min(1.0, 0.25 * max(0.0, min(place.error, 4.0) - 0.8))
    # Of two ways to lie in what is too large, the one that more of its outline agrees with.
    loose = 1.0 - place.points / max(1, len(shown.contour)) if place.points else 0.0
    cost = 3.0 * evidence.pierced + evidence.left + blurred + _LOOSE * loose
    return Fit(lie, place, bottom, resting, evidence, cost, rendering, segment, shown)


def _alike(one: Start, other: Start, period: float) -> bool:
    """Whether two starts lead to the same end."""
    if math.dist(one[:2], other[:2]) > 0.006:
        return False
    turn = abs(one[2] - other[2]) % (period or math.tau)
    return min(turn, (period or math.tau) - turn) < 0.2 or period == 0.0


def _bottoms(lie: Lie, shown: Shown, floors: Tuple[float, ...]) -> Iterator[Tuple[float, bool]]:
    """Heights at which the shape may stand, the likeliest first, and whether something is there to stand
    on.
    """
    given: List[float] = []
    for guess in (shown.top - lie.height, shown.high - lie.height, shown.low):
        near = min(floors, key=lambda floor: abs(floor - guess))
        resting = abs(near - guess) < ON_TABLE
        bottom = near if resting else guess
        afloat = not resting and shown.low < ON_TABLE < bottom
        new = all(abs(bottom - other) > 0.006 for other in given)
        if new and bottom > -ON_TABLE and not (afloat and given):
            given.append(bottom)
            yield bottom, resting


def _starts(lie: Lie, shown: Shown, bottom: float, ground: Ground) -> Iterator[Start]:
    """Places to begin with, the likeliest first."""
    window = max(0.005, 2.5 * ground.level.noise)
    top = np.abs(shown.height - bottom - lie.height) < window
    if np.count_nonzero(top) >= _LEAST_TOP:
        yield from _from_top(lie, shown.x[top], shown.y[top])
    yield from _from_sides(lie, shown, ground)


def _from_top(lie: Lie, x: np.ndarray, y: np.ndarray) -> Iterator[Start]:
    (cx, cy), (along, across), angle = spread_of(x, y)
    if lie.round:
        if lie.shape.hollow:
            yield cx, cy, 0.0
        yield float(x.mean()), float(y.mean()), 0.0
        return
    quarter = math.pi / 2.0
    ways = [(angle, along, across), (angle + quarter, across, along)]
    ways.sort(key=lambda way: abs(way[1] - lie.across[0]) + abs(way[2] - lie.across[1]))
    for yaw, first, second in ways if lie.period > quarter else ways[:1]:
        short, narrow = lie.across[0] - first, lie.across[1] - second
        if first > _SHORT * lie.across[0] and second > _SHORT * lie.across[1]:
            yield cx, cy, yaw
            if first < 1.3 * lie.across[0] and second < 1.3 * lie.across[1]:
                continue
        for one in (-0.5, 0.5):
            for other in (-0.5, 0.5):
                a, b = one * short, other * narrow
                yield (cx + a * math.cos(yaw) - b * math.sin(yaw),
                       cy + a * math.sin(yaw) + b * math.cos(yaw), yaw)


def _from_sides(lie: Lie, shown: Shown, ground: Ground) -> Iterator[Start]:
    """Of the sides that face the camera the middle is half a thing behind."""
    (cx, cy), (along, across), angle = spread_of(shown.x, shown.y)
    towards = np.array([cx, cy]) - ground.view.rays.origin[:2]
    towards /= max(1e-6, float(np.linalg.norm(towards)))
    behind = 0.5 * max(0.0, min(lie.across) - min(along, across))
    x, y = cx + behind * towards[0], cy + behind * towards[1]
    if lie.round:
        yield x, y, 0.0
        return
    yaw = angle if (along > across) == (lie.across[0] > lie.across[1]) else angle + math.pi / 2.0
    yield x, y, yaw
    if lie.period > math.pi / 2.0:
        yield x, y, yaw + math.pi / 2.0
