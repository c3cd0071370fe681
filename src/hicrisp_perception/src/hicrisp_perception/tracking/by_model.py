"""Objects of which a model is known, laid into what a depth camera measures, and named by shape and colour."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.geometry import Quaternion, from_yaw, multiply
from scipy.optimize import linear_sum_assignment

from hicrisp_perception.shapes.evidence import render, weigh
from hicrisp_perception.shapes.findings import Findings, PastFindings
from hicrisp_perception.shapes.fitting import ON_TABLE, Fit
from hicrisp_perception.shapes.outline import OutlineFit
from hicrisp_perception.shapes.segments import Ground
from hicrisp_perception.shapes.shape_models import lie_at, lies_of
from hicrisp_perception.tracking.boxes import boxes_in
from hicrisp_perception.tracking.grip import ObservedHand
from hicrisp_perception.tracking.looks import Look, claim_close, local, pulled
from hicrisp_perception.tracking.pieces import LEAST, NEAR, SeenPiece, joined, piece_of
from hicrisp_perception.view import matrix_of

_FEW, _YAWS, _BEST = 60, 12, 4
"""Points and turns with which it begins, and how many of these are looked at closer."""
_STEPS = ((0.04, 4), (0.02, 4), (0.012, 3), (0.006, 3))
"""Metres within which measured points pull at a model, and how often."""
_SHIFTS, _FAR = (0.016, 0.008, 0.004), 2.5
"""Metres by which what fits badly is shifted to fit better, and cost up to which that is tried."""
_AROUND = ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))
_TRIES = 8
"""Pairs of an object and of what is seen that are compared in a picture but the first."""
_WORSE, _LEAST_GONE = 0.3, 20
"""By how much an object may fit worse than before where it was, and points of a place that have to be seen empty."""
_PIERCED = 0.95
"""Share of what would show of an object that shows something else, from which on it is not there."""
_SHOWN, _DOUBTED = 0.5, 0.5
"""Share of an object that shows up to which its place is doubted where it fits that much worse than it did."""
_OPEN, _SPECK = 0.3, 0.05
"""Share of its points that have to show what is behind an object that is gone, and to be seen of one that is there."""
_GOOD, _POOR = 0.6, 1.6
"""Cost up to which an object is where it was, and from which on it is not the object."""
_DOUBT = 0.12
"""By how much the names of two objects have to be cheaper than when they are exchanged."""
_COLOUR = 40.0
"""Difference of colours that costs as much as a wrong shape, of 255."""
_LIGHT = 1.0
"""Cost of a light e times as bright as that of the other objects."""
_STANDS, _LIFTED = 1e-6, 0.1
"""Metres by which what stands on the table may be off it, and how much better what stands higher has to fit there."""
_RIM, _FOLLOWED = 12, 5
"""Pixels around where an object was in which it is looked for first, and how often it is followed there at most."""
_LEANS, _LIES_AT, _LEANT = 0.06, 1.0, 0.25
"""Tilts from which on an object leans, and lies, radians, and how much better it has to fit so than upright."""
_HALF = math.sqrt(0.5)
_LIES: Tuple[Quaternion, ...] = ((_HALF, 0.0, 0.0, _HALF), (-_HALF, 0.0, 0.0, _HALF), (0.0, _HALF, 0.0, _HALF),
                                 (0.0, -_HALF, 0.0, _HALF), (1.0, 0.0, 0.0, 0.0))
_UPRIGHT: Quaternion = (0.0, 0.0, 0.0, 1.0)
_ROUNDS = (((_UPRIGHT,), False), ((_UPRIGHT,), False), (_LIES, False), ((_UPRIGHT,), True))
"""How objects may stand or lie that are looked for in what those before leave, and whether in several pieces of it."""


@dataclass(frozen=True, eq=False)
class _Laid:
    """A model laid into measured points: its pose, what that costs, and the light by which its colours fit."""

    pose: Pose
    cost: float
    light: float


class Models:
    """Recognises objects by their models.

    Args:
        looks: by name, of all objects that are looked for.
        described: where they stand at first in words, metres: it tells apart those that look the same.
    """

    def __init__(self, looks: Mapping[str, np.ndarray], described: Mapping[str, Tuple[float, float]]) -> None:
        self._looks, self._described = {name: Look(rows) for name, rows in looks.items()}, described
        self._twins = [(one, other) for one, other in combinations(looks, 2)
                       if np.array_equal(looks[one][:, 3:6], looks[other][:, 3:6])]
        self._begun, self._left = False, 0
        self._usual: Dict[str, float] = {}
        self._tried: Dict[Tuple[str, Tuple[int, ...]], Optional[_Laid]] = {}

    def recognise(self, ground: Ground, objects: Sequence[WorldObject], found: Findings, before: PastFindings,
                  hands: Mapping[str, ObservedHand]) -> None:
        """Find objects in the pixels that no object accounts for yet.

        Args:
            ground: the current image, split into table and objects.
            objects: those that may be there.
            found: what was found otherwise; it is added to.
            before: what is known from the pictures before.
        """
        left = {item.name: item for item in objects if item.name not in found.fits and item.name in self._looks}
        stays: Dict[str, float] = {}  # What nothing speaks against where it was, and what it may cost elsewhere.
        for name, item in list(left.items()):
            last = before.pose(name)
            if last is None:
                continue
            usual = before.fits[name].cost + _WORSE if name in before.fits else _POOR
            leans = name not in before.fits or last.tilt > _LEANS  # It was let go.
            laid = self._again(item, last, ground, found, leans)
            if laid is not None and laid.cost < max(_GOOD, usual) and self._take(item, laid, ground, found):
                del left[name]
                continue
            there, through, whole = self._looks[name].against(last, ground)
            if through < max(there, _LEAST_GONE, whole * _OPEN):  # What moves leaves its place.
                stays[name] = max(_GOOD, usual)
                found.leave(item, last, ground)
        self._left = _TRIES
        for lies, in_pieces in _ROUNDS:
            if not left:
                break
            claim_close(self._placed(found, before), ground, found.claimed)
            boxes = boxes_in(ground, found.claimed, hands, ground.view.stamp)
            every = [piece_of(ground, box.patch.window, box.patch.mask, box.pose.position[:2]) for box in boxes]
            seen = [each for each in every if each is not None]
            if in_pieces:
                seen = joined(seen, max(_across(self._looks[name]) for name in left))
            named = self._named(seen, left, lies, ground, before)
            taken = [name for name, laid in named.items() if laid.cost < stays.get(name, _POOR)
                     and self._take(left[name], laid, ground, found)]
            found.there -= found.fits.keys()
            for name in {*taken, *stays} & left.keys():
                del left[name]
        self._begun = True
        claim_close(self._placed(found, before), ground, found.claimed)

    def closer(self, item: WorldObject, pose: Pose, ground: Ground, found: Findings, others: Mapping[str, Pose]
               ) -> None:
        """Look for an object about a pose in the image of another camera.

        Args:
            item: the object.
            pose: where it may be, world frame.
            ground: the image, split into table and objects.
            found: what was found otherwise; it is added to.
            others: poses of the objects that are in sight, world frame: what shows at that of its twin is the twin.
        """
        laid = self._again(item, pose, ground, found, leans=True) if item.name in self._looks else None
        if laid is None or laid.cost >= _POOR or any(
                name in others and math.dist(laid.pose.position, others[name].position) < NEAR
                for pair in self._twins if item.name in pair for name in pair):
            return
        if self._take(item, laid, ground, found) and found.fits[item.name].evidence.visible < _SHOWN:
            del found.fits[item.name]  # An object of which little shows from near is not recognised.

    def _placed(self, found: Findings, before: PastFindings) -> List[Tuple[Look, Pose]]:
        """Return how what was found looks, and what was left where it was, with where it is."""
        poses = {name: before.pose(name) for name in found.there}
        poses.update({name: fit.pose for name, fit in found.fits.items()})
        return [(self._looks[name], pose) for name, pose in poses.items() if pose is not None and name in self._looks]

    def in_hand(self, item: WorldObject, expected: Pose, ground: Ground, found: Findings) -> Optional[Pose]:
        """Return where an object is that a hand holds, and how it leans there.

        Args:
            expected: its pose by that of the hand, world frame.
            ground: the current image, split into table and objects.
            found: what was found otherwise.

        Returns:
            World frame; ``None`` if it does not show clearly.
        """
        look = self._looks.get(item.name)
        seen = None if look is None else self._near(item, look, expected, ground, found)
        if look is None or seen is None:
            return None
        closer = look.slid(seen.points, expected, ground.view.rays.origin, leans=True)
        return closer if _weighed(look, seen, closer, ground).cost < _POOR / 2.0 else None

    @staticmethod
    def _near(item: WorldObject, look: Look, pose: Pose, ground: Ground, found: Findings) -> Optional[SeenPiece]:
        """Return what is measured near an object at a pose; ``None`` if that is too little."""
        rendering = render(lie_at(item, pose)[0], pose, ground)
        if rendering is None:
            return None
        rows, columns = (slice(max(0, part.start - _RIM), part.stop + _RIM) for part in rendering.window)
        window = rows, columns
        seen = piece_of(ground, window, ground.things[window] & ~found.claimed[window], pose.position[:2])
        if seen is None:
            return None
        near = look.tree.query(local(seen.points, pose))[0] < 2.0 * NEAR
        if np.count_nonzero(near) < LEAST // 2:
            return None
        return SeenPiece(seen.points[near], seen.colours[near], seen.middle, seen.top)

    def _again(self, item: WorldObject, last: Pose, ground: Ground, found: Findings, leans: bool) -> Optional[_Laid]:
        """Return an object near where it was; whether it may lean."""
        laid, look = None, self._looks[item.name]
        for _ in range(_FOLLOWED):  # Of what was pushed, only a part is near its old place.
            seen = self._near(item, look, last, ground, found)
            if seen is None:
                break
            laid = _shifted(look, seen, _laid(look, seen, [last], ground, leans), ground)
            moved, last = math.dist(laid.pose.position, last.position), laid.pose
            if moved < NEAR / 4.0:
                break
        return laid

    def _named(self, seen: Sequence[SeenPiece], left: Mapping[str, WorldObject], lies: Sequence[Quaternion],
               ground: Ground, before: PastFindings) -> Dict[str, _Laid]:
        names = list(left)
        if not seen or not names:
            return {}
        every: Dict[Tuple[int, str], _Laid] = {}
        for row, each in enumerate(seen):
            for name in names:
                key = name, (*each.key, len(lies))
                if lies is _LIES and before.pose(name) is None:
                    continue  # Nobody has touched it.
                if each.reach > _across(self._looks[name]):
                    continue
                if key not in self._tried:
                    if self._begun and self._left <= 0:
                        continue
                    self._left -= 1
                    laid = self._best(left[name], each, lies, ground)
                    self._tried[key] = laid if laid.cost < _POOR else None
                kept = self._tried[key]
                if kept is not None:
                    every[row, name] = kept
        for row, name in sorted(every, key=lambda at: every[at].cost):  # A piece is of one object.
            if (row, name) in every:
                every = {at: laid for at, laid in every.items()
                         if at[0] == row or not {*seen[at[0]].pieces} & {*seen[row].pieces}}
        costs = np.full((len(seen), len(names)), 9.0)
        for (row, name), laid in every.items():
            away = math.dist(laid.pose.position[:2], self._described[name]) if name in self._described else 0.0
            last = before.pose(name)
            away = math.dist(laid.pose.position, last.position) if last is not None else away
            twin = any(name in pair for pair in self._twins)
            costs[row, names.index(name)] = laid.cost + (min(away, 1.0) if twin else 0.0)
        pairs = _cheapest(costs)
        lights = [every[row, names[column]].light for row, column in pairs]
        for (row, name), laid in every.items() if lights else ():
            at, unlike = (row, names.index(name)), _LIGHT * abs(math.log(laid.light / float(np.median(lights))))
            # It tells apart what is named; alone it does not leave an object without a name.
            costs[at] = min(costs[at] + unlike, max(costs[at], _POOR - _DOUBT))
        pairs = _cheapest(costs)
        sure = [pair for pair in pairs if not any(_alike(costs, pair, other) for other in pairs if other != pair)]
        return {names[column]: every[row, names[column]] for row, column in sure}

    def _best(self, item: WorldObject, seen: SeenPiece, lies: Sequence[Quaternion], ground: Ground) -> _Laid:
        look, starts = self._looks[item.name], []
        for x, y, top in seen.places(look.radius):
            for lie in lies:
                high = float((look.points @ matrix_of(Pose((0.0, 0.0, 0.0), lie)).T)[:, 2].max())
                starts += [Pose((x, y, top - high), multiply(from_yaw(math.tau * turn / _YAWS), lie))
                           for turn in range(_YAWS)]
        laid = _laid(look, seen, starts, ground)
        return _shifted(look, seen, laid, ground) if self._begun else laid

    def _take(self, item: WorldObject, laid: _Laid, ground: Ground, found: Findings) -> bool:
        pose = laid.pose
        upright = pose.tilt < _LEANS
        lie, yaw = (lies_of(item)[0], pose.yaw) if upright else lie_at(item, pose)
        bottom = pose.position[2] - lie.height / 2.0
        resting = abs(bottom) < ON_TABLE and abs(self._looks[item.name].bottom(pose)) < _STANDS
        bottom = 0.0 if resting else bottom
        pose = lie.pose(*pose.position[:2], bottom + lie.height / 2.0, yaw)
        rendering = render(lie, pose, ground)
        if rendering is None:
            return False
        evidence = weigh(rendering, ground, others=found.claimed)
        if evidence.pierced > _PIERCED:  # A speck of something else fits anything.
            return False
        usual = self._usual.get(item.name, math.inf)
        if evidence.covered < evidence.whole / 2.0:
            self._usual[item.name] = min(laid.cost, usual)
        # What little shows may be of another object if it fits worse than all of it did.
        poor = laid.cost > usual + _DOUBTED and evidence.visible < _SHOWN
        variance = self._looks[item.name].radius ** 2 if poor else 4e-6
        place = OutlineFit(*pose.position[:2], yaw, np.diag([variance, variance, 1e-3]), 0.0, LEAST)
        found.fits[item.name] = fit = Fit(lie, place, bottom, resting, evidence, laid.cost, rendering)
        found.claim(item.name, fit, ground)
        return True


def _across(look: Look) -> float:
    return 2.0 * look.radius + NEAR


def _laid(look: Look, seen: SeenPiece, starts: Sequence[Pose], ground: Ground, leans: bool = False) -> _Laid:
    """Return the best way in which a model lies in measured points, from several starts; whether it may lean."""
    few = seen.points[:: max(1, len(seen.points) // _FEW)]
    begun = starts
    if len(starts) > _BEST:
        begun, away = pulled(look, few, starts, _STEPS[:1])
        begun = [begun[number] for number in np.argsort(away, kind="stable")[:_BEST]]
    laid, _ = pulled(look, seen.points, begun, _STEPS)
    eye = ground.view.rays.origin

    def best_of(poses: Iterable[Pose]) -> _Laid:
        weighed = [_weighed(look, seen, pose, ground) for each in poses for pose in _standing(look, each)]
        return min(weighed, key=lambda each: each.cost + (_LIFTED if abs(look.bottom(each.pose)) > _STANDS else 0.0),
                   default=_Laid(starts[0], math.inf, 1.0))

    best = best_of(laid)
    level = Pose(best.pose.position, from_yaw(best.pose.yaw)) if leans and best.pose.tilt < _LIES_AT else best.pose
    best = best_of([level, look.slid(seen.points, level, eye)])
    leant = _weighed(look, seen, look.slid(seen.points, best.pose, eye, leans=True), ground) if leans else best
    return leant if leant.cost < best.cost - _LEANT and leant.pose.tilt > _LEANS else best


def _shifted(look: Look, seen: SeenPiece, laid: _Laid, ground: Ground) -> _Laid:
    """Shift what fits badly to where it fits better: where little of it shows, what is seen behind tells more."""
    for step in _SHIFTS if _GOOD < laid.cost < _FAR else ():
        while True:
            near = [_weighed(look, seen, laid.pose.shifted((x * step, y * step, 0.0)), ground) for x, y in _AROUND]
            better = min(near, key=lambda each: each.cost)
            if better.cost >= laid.cost:
                break
            laid = better
    return laid


def _standing(look: Look, pose: Pose) -> Iterator[Pose]:
    """Yield a pose, and the one on the table where that is near."""
    bottom = look.bottom(pose)
    if bottom > -ON_TABLE / 2.0:
        yield pose
    if abs(bottom) < 2.0 * ON_TABLE:
        yield pose.shifted((0.0, 0.0, -bottom))


def _weighed(look: Look, seen: SeenPiece, pose: Pose, ground: Ground) -> _Laid:
    away, nearest = look.tree.query(local(seen.points, pose))
    own = away < NEAR
    if np.count_nonzero(own) < LEAST // 4:
        return _Laid(pose, math.inf, 1.0)
    paint, shown = look.colours[nearest[own]], seen.colours[own]
    light = float((paint * shown).sum() / max(1.0, (paint * paint).sum()))
    off = np.abs(shown - light * paint) - light * look.motley[nearest[own]]
    colour = float(np.maximum(off, 0.0).mean()) / _COLOUR
    seen_, through, whole = look.against(pose, ground)
    if seen_ < _SPECK * whole:
        return _Laid(pose, math.inf, 1.0)
    pierced = through / max(1, seen_ + through)
    cost = 3.0 * pierced + 1.0 - float(own.mean()) + float(away[own].mean()) / NEAR / 2.0 + colour
    return _Laid(pose, cost, max(light, 1e-3))


def _cheapest(costs: np.ndarray) -> List[Tuple[int, int]]:
    padded = np.hstack([costs, np.full((len(costs), len(costs)), _POOR)])
    return [(int(row), int(column)) for row, column in zip(*linear_sum_assignment(padded))
            if column < costs.shape[1] and costs[row, column] < _POOR]


def _alike(costs: np.ndarray, one: Tuple[int, int], other: Tuple[int, int]) -> bool:
    """Check whether two objects could as well be each other."""
    (row, column), (below, beside) = one, other
    exchanged = costs[row, beside] + costs[below, column]
    return bool(exchanged - costs[row, column] - costs[below, beside] < _DOUBT)
