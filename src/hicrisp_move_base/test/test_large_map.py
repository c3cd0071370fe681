"""Ground to keep out of beside a map as large as gmapping makes it by default: 200 m by 200 m in cells of 5 cm."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Iterator, List

import numpy as np
import pytest
import rospy
from hicrisp_core.model import KeepOut
from hicrisp_core.time.deadline import Deadline
from hicrisp_move_base.ways import KeepOutLayer
from hicrisp_ros.grids import Grid
from move_base_stack import SETTINGS
from nav_msgs.msg import OccupancyGrid
from waiting import PATIENCE, until

from hicrisp_move_base import ways

pytestmark = pytest.mark.usefixtures("ros")
CELLS, CELL = 4000, 0.05
LAWN = KeepOut(((10.0, 20.0), (12.0, 20.0), (12.0, 21.0), (10.0, 21.0)), name="lawn")
NAMED = replace(SETTINGS, map="/large_map", keep_out="/large_keep_out")


@pytest.fixture(scope="module")
def site(ros: None) -> Iterator[Grid]:
    grid = Grid(data=np.full(CELLS * CELLS, -1, dtype=np.int8))
    grid.header.frame_id, grid.info.resolution = "map", CELL
    grid.info.width = grid.info.height = CELLS
    grid.info.origin.position.x = grid.info.origin.position.y = -0.5 * CELLS * CELL
    grid.info.origin.orientation.w = 1.0
    publisher = rospy.Publisher(NAMED.map, Grid, queue_size=1, latch=True)
    publisher.publish(grid)
    yield grid
    publisher.unregister()


def test_a_change_of_zones_costs_a_few_copies_of_the_grid_and_no_python_numbers(site: Grid) -> None:
    layer = KeepOutLayer(NAMED)
    arrived: List[Grid] = []
    reader = rospy.Subscriber(NAMED.keep_out, Grid, arrived.append, queue_size=1)
    until(lambda: arrived, "first grid")
    tracemalloc.start()
    arrived.clear()
    assert layer.show((LAWN,), Deadline(PATIENCE))
    until(lambda: arrived, "grid with the zone")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    reader.unregister()
    assert most < 100e6
    rows, columns = np.nonzero(arrived[0].cells)
    low = site.info.origin.position.x
    spots = np.column_stack((columns, rows)) * CELL + low + CELL / 2.0
    assert spots.min(axis=0) == pytest.approx((9.975, 19.975))
    assert spots.max(axis=0) == pytest.approx((12.025, 21.025))


def test_any_reader_of_occupancy_grids_reads_it_and_any_map_is_read(site: Grid) -> None:
    small = Grid(header=site.header, info=site.info, data=np.array([-1, 0, 100, 7, 8, 9], dtype=np.int8))
    publisher = rospy.Publisher("/small", Grid, queue_size=1, latch=True)
    publisher.publish(small)
    told = rospy.wait_for_message("/small", OccupancyGrid, PATIENCE)
    assert told.data == (-1, 0, 100, 7, 8, 9)
    assert told.info.width == small.info.width
    plain = rospy.Publisher("/plain", OccupancyGrid, queue_size=1, latch=True)
    told.info.width, told.info.height = 3, 2
    plain.publish(told)
    assert rospy.wait_for_message("/plain", Grid, PATIENCE).cells.tolist() == [[-1, 0, 100], [7, 8, 9]]


def test_beside_a_map_beyond_the_limit_nothing_is_published(site: Grid, monkeypatch: pytest.MonkeyPatch) -> None:
    said: List[str] = []
    monkeypatch.setattr(ways, "_MOST", CELLS * CELLS - 1)
    monkeypatch.setattr(rospy, "logwarn", lambda text, *values: said.append(text % values))
    settings = replace(NAMED, keep_out="/no_keep_out")
    layer = KeepOutLayer(settings)
    reader = rospy.Subscriber(settings.keep_out, Grid, lambda _: None)
    until(lambda: said, "word of the limit")
    assert "the map has 16 million cells" in said[0]
    assert not layer.show((LAWN,), Deadline(PATIENCE))
    assert not layer.heard
    reader.unregister()
