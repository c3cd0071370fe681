"""Which fits keep their names in a stream, where a picture bears only a few searches for tags."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn import box, scene_of
from hicrisp_core.scene.tags import tags_of
from hicrisp_perception.shapes.evidence import Evidence, Rendering
from hicrisp_perception.shapes.fitting import Fit
from hicrisp_perception.shapes.outline import OutlineFit
from hicrisp_perception.shapes.shape_models import lies_of
from hicrisp_perception.tags.patterns import Patterns

THINGS = [box(f"{colour}_box", colour, (0.045, 0.045, 0.045)) for colour in ("red", "blue")]
RED, BLUE = (thing.name for thing in THINGS)


def fit_at(x, y):
    place = OutlineFit(x, y, 0.0, np.eye(3) * 1e-6, 0.1, 50)
    rendering = Rendering((slice(0, 9), slice(0, 9)), np.ones((9, 9), np.float32), 1)
    return Fit(lies_of(THINGS[0])[0], place, 0.0, True, Evidence(200, 0, 0, 0.0, 400), 0.3, rendering)


@pytest.fixture
def patterns(monkeypatch):
    """Such as see nobody's tags anywhere; ``asked`` lists whose were looked for."""
    found = Patterns(tags_of(replace(scene_of(*THINGS), tags=True)))
    found.asked = []
    monkeypatch.setattr(found, "settled", lambda name, *told: found.asked.append(name))
    return found


def look(patterns, fits, goes_on=True):
    patterns.begin(goes_on)
    patterns.asked.clear()
    return patterns.named(fits, THINGS, None, {}, [])


def test_in_a_single_picture_all_are_compared_and_keep_their_names_where_nobodys_tags_are_seen(patterns):
    fits = {RED: fit_at(0.4, 0.0), BLUE: fit_at(0.5, 0.2)}
    assert look(patterns, fits, goes_on=False) == (fits, [])
    assert patterns.asked == [RED, BLUE, RED, BLUE]


def test_in_a_stream_a_fit_waits_until_all_were_looked_for_there_one_in_each_picture(patterns):
    there = {RED: fit_at(0.4, 0.0)}
    asked, named = [], {}
    for _ in range(4):
        named, waiting = look(patterns, there)
        asked.append(list(patterns.asked))
        assert waiting == ([] if named else [there[RED]])
    assert asked == [[], [RED], [BLUE], []]  # Not before two pictures show the same.
    assert named == there


def test_what_was_looked_for_in_vain_keeps_its_name_while_something_else_waits(patterns):
    known = {RED: fit_at(0.4, 0.0)}
    for _ in range(3):
        look(patterns, known)
    named, waiting = look(patterns, {BLUE: fit_at(0.5, 0.2), **known})
    assert list(named) == [RED]
    assert len(waiting) == 1
