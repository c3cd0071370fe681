"""Which segment is which object: colours in a common light, shapes, and where the objects were before."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Dict, List, Optional, Sequence, Set, Tuple

import cv2
import numpy as np
from hicrisp_core.model import WorldObject
from scipy.optimize import linear_sum_assignment

from hicrisp_perception.shapes.colour_model import COUNT, FAMILIES, HUES, LIGHTS, UNSURE, Likeness
from hicrisp_perception.shapes.contours import MeasuredSegment, measure
from hicrisp_perception.shapes.evidence import explained, render, weigh
from hicrisp_perception.shapes.findings import MOST, Findings, PastFindings, shared
from hicrisp_perception.shapes.fitting import GOOD, Fit
from hicrisp_perception.shapes.searching import Searches
from hicrisp_perception.shapes.segments import Ground, Segment, overlap, segments_in
from hicrisp_perception.shapes.shape_models import lie_at, lies_of
from hicrisp_perception.tags.patterns import Patterns
from hicrisp_perception.view import NEIGHBOURS

_NOBODY, _NOBODY_MOTLEY = 1.3, 1.6
"""Cost of a segment that is none of the objects; of one with patches such as tags, which take the paint from an
object's outline.
"""
_FOREIGN = 1.0
"""Cost of a colour above which a shape is not tried."""
_UPRIGHT = 0.5
"""Cost of the upright fit above which the other sides are tried."""
_LYING = 0.15
_CERTAIN = 0.2
"""Cost of a fit below which objects of a clearly worse colour are not tried."""
_CLEARLY = 0.35
_STAYED = 0.25
"""Cost below which an object is surely where it was."""
_AT = 0.01
"""Metres from where an object was within which it is where it was."""
_FAR = 0.25
"""Metres from where an object was that count as much as half a wrong colour."""
_ROUNDS = 5
_ON_IT = 0.005
"""Metres from a surface within which a pixel shows its colour and not that of an object beside it."""
_PATCH = 0.03
"""Least share of a segment with a hue for it not to count as noise."""
_PIERCED = 0.2
"""Part of an object that may be seen to show something else where it still stands."""
_LEAVES = 0.5
"""Share of its old place that must be observed empty, for each length of the object that it moved."""
_LEAST_SEEN = 40
_LEAST_PART = 0.12
"""Part of what is not covered of an object that has to be seen in one segment."""
_LIGHT_CHANGE = 0.7
"""How much the logarithm of the light usually changes between two pictures."""


def recognise(
    ground: Ground,
    objects: Sequence[WorldObject],
    found: Findings,
    before: PastFindings,
    searches: Searches,
    patterns: Optional[Patterns] = None,
) -> Findings:
    """Find objects in the pixels that no object accounts for yet.

    Args:
        objects: those that may be there.
        found: what was found otherwise; it is added to.
        before: what is known from the pictures before.
        searches: those of the pictures before; what this one begins goes on in the next.
        patterns: of the tags that objects wear: such are not cut where their colour changes, and known by what
            there is of their own and by what is seen of their tags.

    Returns:
        The findings with the objects added.
    """
    motley = patterns is not None
    left = [item for item in objects if item.name not in found.fits]
    tried: Set[Tuple[int, ...]] = set()
    for _ in range(_ROUNDS if left else 0):
        # A search that was not ended in the last picture goes first.
        every = sorted(segments_in(ground, found.claimed, motley), key=lambda each: not searches.waits(each))
        fresh = [segment for segment in every if _key(segment, found) not in tried]
        tried |= {_key(segment, found) for segment in fresh}
        usable = [(segment, shown) for segment in fresh
                  for shown in (measure(segment, ground, faces=not motley),) if shown is not None]
        if not usable or not left:
            break
        named = _assign(ground, usable, left, found, before, searches, motley)
        if patterns is not None:
            named, waiting = patterns.named(named, left, ground, before.fits, list(found.fits.values()))
            searches.postpone(waiting)
        if not named:
            break
        for name, best in named.items():
            found.fits[name] = best
            if best.tags is not None:
                found.claim(name, best, ground, rim=1)
            else:
                found.claim(name, best, ground, [segment for segment in every if segment is not best.segment])
        left = [item for item in left if item.name not in named]
    return found


def _key(segment: Segment, found: Findings) -> Tuple[int, ...]:
    """Return a segment and how much is known around it: what it may stand on."""
    rows, columns = segment.window
    near = sum(1 for each in found.fits.values() if overlap(each.rendering.window, segment.window))
    return rows.start, columns.start, segment.family, segment.pixels, near


def _assign(
    ground: Ground,
    segments: Sequence[Tuple[Segment, MeasuredSegment]],
    objects: Sequence[WorldObject],
    found: Findings,
    before: PastFindings,
    searches: Searches,
    motley: bool,
) -> Dict[str, Fit]:
    if motley:
        colour = _patches(ground, segments, objects)
    else:
        likeness = Likeness([(shown.level, shown.other) for _, shown in segments],
                            [item.attributes.get("colour") for item in objects])
        if found.light is None:
            found.light = _light(likeness, segments, objects)
        colour = likeness.costs(found.light)
    floors = (0.0, *(fit_.floor for fit_ in found.fits.values()))
    total = np.full((len(segments), len(objects)), 9.0)
    fits: Dict[Tuple[int, int], Fit] = {}
    stayed: Set[int] = set()
    owners, empty = _owners(ground, segments, objects, colour, found, before)
    for row, (segment, shown) in enumerate(segments):
        likely = sorted(
            (float(colour[row, column]) + _height_misfit(shown, item), column)
            for column, item in enumerate(objects)
            if colour[row, column] <= _FOREIGN and column not in stayed
            and (row not in owners or column in owners[row])
        )
        for column, best in _fits(
            segment,
            shown,
            ground,
            floors,
            [(column, objects[column], float(colour[row, column])) for _, column in likely],
            before,
            searches,
        ):
            open_ = best.evidence.whole - best.evidence.covered
            if best.evidence.seen < max(_LEAST_SEEN, _LEAST_PART * open_):
                continue
            last = before.pose(objects[column].name)
            away = math.dist(best.pose.position, last.position) if last is not None else 0.0
            if away > _AT and empty.get(column, math.inf) < _LEAVES * away / max(objects[column].size):
                continue  # What moves leaves its place.
            fits[row, column] = best
            painted = _colour_there(ground, segment, best, objects[column]) if motley else colour[row, column]
            total[row, column] = best.cost + 0.6 * painted
            if last is not None:
                total[row, column] += 0.5 * min(1.0, away / _FAR)
                if total[row, column] < _STAYED:  # It need not be looked for elsewhere.
                    stayed.add(column)
    rows, columns = _cheapest(total, _NOBODY_MOTLEY if motley else _NOBODY)
    return {objects[column].name: fits[row, column] for row, column in zip(rows, columns)}


def _owners(ground: Ground, segments: Sequence[Tuple[Segment, MeasuredSegment]], objects: Sequence[WorldObject],
            colour: np.ndarray, found: Findings, before: PastFindings) -> Tuple[Dict[int, Set[int]], Dict[int, float]]:
    """Segments with the objects that still stand there: for another one to be there two would have moved, and no
    hand carried them. So two that look alike and stand still never exchange their names, however little of them is
    seen, and in however many parts.

    Args:
        colour: (segments, objects) costs of the colours.

    Returns:
        Objects by segment, and which part of the place of each is seen to be empty, 0 to 1.
    """
    owners: Dict[int, Set[int]] = {}
    empty: Dict[int, float] = {}
    for column, item in enumerate(objects):
        pose = before.pose(item.name) if item.name in before.sure else None
        rendering = render(lie_at(item, pose)[0], pose, ground) if pose is not None else None
        if rendering is None:
            continue
        shown = weigh(rendering, ground, others=found.claimed)
        if shown.seen < _LEAST_SEEN or shown.pierced > _PIERCED:
            continue
        own = explained(rendering, ground)
        for row, (segment, _) in enumerate(segments):
            if colour[row, column] > min(_FOREIGN, float(colour[row].min()) + _CLEARLY):
                continue
            there, mask = shared(rendering.window, own, segment)
            if np.count_nonzero(there & mask) > MOST * segment.pixels:
                owners.setdefault(row, set()).add(column)
                empty[column] = shown.pierced
    return owners, empty


def _patches(ground: Ground, segments: Sequence[Tuple[Segment, MeasuredSegment]], objects: Sequence[WorldObject]
             ) -> np.ndarray:
    """(segments, objects): the costs of colours where only some of what is seen has the object's own."""
    costs = np.empty((len(segments), len(objects)))
    for row, (segment, _) in enumerate(segments):
        # Between a tag and an edge there is too little paint for a family of its own.
        shown = ground.palette.families(ground.view.colour[segment.window])[_inner(segment)]
        counts = np.bincount(shown, minlength=COUNT)
        costs[row] = [_patch_cost(item, counts, segment.pixels) for item in objects]
    return costs


def _inner(segment: Segment) -> np.ndarray:
    """Its pixels without those at its edges, which are mixed."""
    return cv2.erode(segment.mask.astype(np.uint8), NEIGHBOURS, borderValue=0) > 0


def _patch_cost(item: WorldObject, counts: np.ndarray, pixels: int) -> float:
    """Return the cost of an object's colour if only some of the pixels have it."""
    hues = counts[HUES:]
    strongest = int(hues.max())
    clear = bool(hues.sum() > _PATCH * pixels)
    family = FAMILIES.get(item.attributes.get("colour", ""))
    if family is None:
        return UNSURE / 2.0
    if family < HUES:  # Tags are black and white themselves.
        return 0.6 if clear else 0.3
    own = int(counts[family])
    cost = 1.0 - own / strongest if own else _FOREIGN + 0.1
    if own and not clear:  # Its tags may hide nearly all of its paint.
        cost = max(UNSURE / 2.0, cost)
    return cost


def _colour_there(ground: Ground, segment: Segment, best: Fit, item: WorldObject) -> float:
    """Return the cost of an object's colour by the pixels that are measured on its surface: several objects may be in
    one segment that is not cut where its colour changes.
    """
    rendering = best.rendering
    there = np.zeros(ground.depth[rendering.window].shape, bool)
    part, inner = shared(rendering.window, there, replace(segment, mask=_inner(segment)))
    part[:] = inner
    near = max(_ON_IT, 2.0 * ground.level.noise_at(float(ground.view.rays.depth_of(
        np.array(best.pose.position)))))
    steps = (slice(None, None, rendering.step), slice(None, None, rendering.step))
    own = there[steps] & (np.abs(ground.depth[rendering.part] - rendering.depth) < near)
    shown = ground.palette.families(np.ascontiguousarray(ground.view.colour[rendering.part]))[own]
    return _patch_cost(item, np.bincount(shown, minlength=COUNT), int(np.count_nonzero(own)))


def _fits(
    segment: Segment,
    shown: MeasuredSegment,
    ground: Ground,
    floors: Tuple[float, ...],
    likely: Sequence[Tuple[int, WorldObject, float]],
    before: PastFindings,
    searches: Searches,
) -> List[Tuple[int, Fit]]:
    """Return the fits of objects in a segment: standing upright, and on other sides where none fits so.

    Args:
        likely: columns, objects and the costs of their colours, the likeliest first.
    """
    objects = {column: item for column, item, _ in likely}
    found: Dict[int, Fit] = {}
    clear = math.inf
    for lying in (False, True):
        if lying and any(fit_.cost < _UPRIGHT for fit_ in found.values()):
            break
        for column, item, colour in likely:
            if colour > clear + _CLEARLY:
                continue
            for lie in lies_of(item)[1:] if lying else lies_of(item)[:1]:
                dropped = before.dropped.get(item.name) if not lying else None
                best = searches.fit(lie, segment, shown, ground, floors, before.fits.get(item.name), dropped)
                if best is not None and (column not in found or best.cost + _LYING < found[column].cost):
                    found[column] = best
                    clear = min(clear, colour) if best.cost < _CERTAIN else clear
    if segment.window not in searches.waiting(objects.values()):
        return list(found.items())
    sure: List[Tuple[int, Fit]] = []  # Who else may be there is not known yet.
    for column, best in found.items():
        last = before.fits.get(objects[column].name)
        if best.cost < GOOD or (last is not None and best.lie == last.lie and abs(best.bottom - last.bottom) < _AT
                                and math.dist(best.at[:2], last.at[:2]) < _AT):
            sure.append((column, best))
    return sure


def _cheapest(total: np.ndarray, nobody: float) -> Tuple[List[int], List[int]]:
    """Return the assignment of least cost, in which a row may stay without a column."""
    padded = np.hstack([total, np.full((len(total), len(total)), nobody)])
    rows, columns = linear_sum_assignment(padded)
    pairs = [(int(row), int(column)) for row, column in zip(rows, columns)
             if column < total.shape[1] and total[row, column] < nobody]
    return [row for row, _ in pairs], [column for _, column in pairs]


def _light(likeness: Likeness, segments: Sequence[Tuple[Segment, MeasuredSegment]], objects: Sequence[WorldObject]
           ) -> float:
    """Return the light in which the segments' colours fit the objects best, with the heights as a hint."""
    misfit = np.array([[_height_misfit(shown, item) for item in objects] for _, shown in segments])
    best, lowest = 1.0, math.inf
    for light in LIGHTS:
        total = np.minimum(likeness.costs(float(light)), 2.0) + misfit
        rows, columns = _cheapest(total, 1.5)
        matched = sum(float(total[row, column]) for row, column in zip(rows, columns))
        cost = matched + 1.5 * (len(segments) - len(rows)) + 0.5 * (math.log(light) / _LIGHT_CHANGE) ** 2
        if cost < lowest:
            best, lowest = float(light), cost
    return best


def _height_misfit(shown: MeasuredSegment, item: WorldObject) -> float:
    if shown.low > 0.025:
        return 0.3
    return min(1.0, min(abs(shown.top - lie.height) + 0.006 * number
                        for number, lie in enumerate(lies_of(item))) / 0.025)
