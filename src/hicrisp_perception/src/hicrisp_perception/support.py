"""What stands on what: heights that follow from what is below are more exact than measured ones."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Dict, Iterator, Tuple

from hicrisp_core.model.shapes import BOWL_WALL

from hicrisp_perception.fitting import Fit, settle
from hicrisp_perception.recognition import Findings
from hicrisp_perception.segments import Ground

_NEAR = 0.015
"""Metres by which a bottom may seem to be off what it stands on."""
_EQUAL = 5e-4
_GATE = 6.0
_OVER = 0.6
"""Part of both radii within which the middles of things are that stand on each other."""


def on_their_feet(found: Findings, ground: Ground) -> None:
    """Put each thing on the table or on what it stands on, the lowest first."""
    done: Dict[str, Fit] = {}
    for name, fit in sorted(found.fits.items(), key=lambda entry: entry[1].bottom):
        near = [(abs(height - fit.bottom), height) for height in _floors(fit, done)]
        near = [entry for entry in near if entry[0] < _NEAR]
        done[name] = _lowered(fit, min(near)[1], ground) if near else replace(fit, resting=False)
    found.fits.update(done)


def _floors(fit: Fit, others: Dict[str, Fit]) -> Iterator[float]:
    yield 0.0
    for other in others.values():
        away = math.hypot(fit.place.x - other.place.x, fit.place.y - other.place.y)
        upright = other.lie.turn == (0.0, 0.0, 0.0, 1.0)
        if other.lie.shape.hollow and upright:
            if away < other.lie.radius - BOWL_WALL:
                yield other.bottom + BOWL_WALL
        elif away < _OVER * (other.lie.radius + fit.lie.radius):
            yield other.bottom + other.lie.height


def _lowered(fit: Fit, bottom: float, ground: Ground) -> Fit:
    """The same fit on another height: its outline is then seen elsewhere on the table."""
    if abs(bottom - fit.bottom) < _EQUAL:
        return replace(fit, bottom=bottom, resting=True)
    start: Tuple[float, float, float] = (fit.place.x, fit.place.y, fit.place.yaw)
    again = settle(fit.lie, start, bottom, True, fit.segment, fit.shown, ground, _GATE)
    if again is None or again.cost > fit.cost + 0.3:
        return replace(fit, resting=False)
    return again
