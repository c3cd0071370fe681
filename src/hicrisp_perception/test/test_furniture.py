"""Drawers are measured along their joints, as exactly as their tracks say."""

from dataclasses import replace

import numpy as np
import pytest
from drawn import at, box, draw, ground_of
from hicrisp_core.model.joint import Joint
from hicrisp_perception.tracking.furniture import Furniture
from test_by_model import bar

CLOSED = 0.08
"""Share of its way to which a drawer counts as closed, which is often a few millimetres from its end."""


@pytest.mark.parametrize("position", [0.0, 0.003, 0.05])
def test_a_drawer_is_measured_as_exactly_as_its_track_says_and_that_tells_closed_from_open(position):
    home = at(0.5, 0.0, 0.01)
    joint = Joint("slide", "desk", home, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (-0.01, 0.16), home, (0.01, 0.05))
    drawer = replace(box("drawer", "blue", (0.12, 0.04, 0.02)), joint=joint, movable=False, pose=home)
    furniture = Furniture({"drawer": drawer}, {"drawer": bar()})
    ground = ground_of(draw([(drawer, joint.moved(home, position))]))
    furniture.look(ground, np.zeros(ground.view.shape, bool))
    (track,) = furniture.tracks
    assert abs(joint.position(track.pose) - position) < 2.0 * track.uncertainty.position
    if position == 0.0:
        assert joint.share(joint.moved(home, 2.0 * track.uncertainty.position)) < CLOSED
