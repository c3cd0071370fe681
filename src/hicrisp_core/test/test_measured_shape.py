"""The nearest shape of ours to what was measured."""

import numpy as np
import pytest
from hicrisp_core.robot.measured_shape import nearest_shape


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("cells", [(2, 2), (2, 9), (3, 2)])
def test_what_is_two_cells_thin_has_a_middle(cells):
    size = (0.004 * cells[0], 0.004 * cells[1], 0.02)
    assert nearest_shape(size, np.full(cells, 0.02), ())[0] == "box"
