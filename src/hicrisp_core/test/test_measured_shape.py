"""The nearest shape of ours to what was measured, and where a hand takes it."""

import numpy as np
import pytest
from hicrisp_core.model import Pose
from hicrisp_core.model.shapes import Solid
from hicrisp_core.robot.measured_shape import nearest_shape, shape_from
from panda_body import HAND


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("cells", [(2, 2), (2, 9), (3, 2)])
def test_what_is_two_cells_thin_has_a_middle(cells):
    size = (0.004 * cells[0], 0.004 * cells[1], 0.02)
    assert nearest_shape(size, np.full(cells, 0.02), ())[0] == "box"


def test_a_level_hand_has_the_bar_of_a_handle_between_the_tips_of_its_fingers():
    bar, body = 0.008, [Solid("box", (0.005, 0.1, 0.1), Pose((x, 0.0, 0.0))) for x in (-0.0275, 0.0675)]
    body += [Solid("box", (0.1, 0.005, 0.1), Pose((0.02, y, 0.0))) for y in (-0.0475, 0.0475)]
    handle = [Solid("box", (bar, 0.016, 0.06), Pose((-0.066, 0.0, 0.0)))]
    handle += [Solid("box", (0.04, 0.016, bar), Pose((-0.05, 0.0, z))) for z in (-0.026, 0.026)]
    x, y = (0.005 * (np.indices((28, 20)) + 0.5).T - (0.07, 0.05)).T
    wall = (x > -0.03) & ((x < -0.025) | (x > 0.065) | (np.abs(y) > 0.045))
    heights = np.where(wall, 0.1, np.where((x < -0.03) & (np.abs(y) < 0.008), 0.08, np.where(x > -0.03, 0.01, -1.0)))
    shape = shape_from((0.14, 0.1, 0.1), heights, (*body, *handle), Pose((0.5, 0.0, 0.05)), HAND)
    level = [grip.tool for grip in shape.form.walls if abs(grip.tool.axes[2][2]) < 0.1 and grip.tool.axes[2][0] > 0.9]
    assert level
    for tool in level:
        at = shape.foot.apply(tool.position)
        assert -0.07 - 1e-6 < at[0] <= -0.07 + bar + HAND.tip + 1e-6
