"""The local controller beside a border: what its next period really brings counts."""

from __future__ import annotations

import math
from typing import Tuple

import numpy as np
import pytest
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.scene.floor_plan import Arena
from hicrisp_sim.agv.costmap import Costmap
from hicrisp_sim.agv.pursuit import PursuitController
from hicrisp_sim.agv.settings import AgvSettings

RADIUS = 0.18
ARENA = Arena((0.0, 0.0), (4.0, 3.0), {}, {})
ALONG = np.column_stack((np.linspace(2.0, 1.0, 50), np.full(50, 2.79)))
"""A path along the border at y = 3, towards -x."""


def steered(y: float, yaw: float) -> Tuple[float, float]:
    """The speeds with which a base that stood begins to follow the path, forward and turning."""
    settings = AgvSettings("agv")
    costmap = Costmap(ARENA, settings.resolution, settings.inflation)
    controller = PursuitController(costmap, settings, RADIUS)
    controller.see(np.column_stack((np.linspace(0.0, 4.0, 400), np.full(400, 3.0))))
    twist = controller.follow(Pose((2.0, y, 0.0), from_yaw(yaw)), ALONG)
    assert twist is not None
    return twist.forward, twist.turn


@pytest.mark.parametrize("off", [0.15, 0.3, 0.5])
def test_a_base_too_near_to_a_border_turns_away_before_it_drives(off: float) -> None:
    forward, turn = steered(3.0 - RADIUS - 0.005, math.pi - off)
    assert forward == 0.0
    assert turn > 0.0


def test_where_there_is_room_it_drives_while_it_turns() -> None:
    assert steered(2.6, math.pi - 0.3)[0] > 0.0


def test_a_base_that_is_too_near_drives_where_that_leads_away() -> None:
    assert steered(3.0 - RADIUS - 0.005, math.pi + 0.3)[0] > 0.0
