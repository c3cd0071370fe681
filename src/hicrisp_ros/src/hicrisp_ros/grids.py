"""Occupancy grids whose cells stay an array: as Python numbers those of a large map take seconds and a gigabyte."""

from __future__ import annotations

import os
import struct
from typing import IO

import numpy as np
from nav_msgs.msg import OccupancyGrid


class Grid(OccupancyGrid):
    """``nav_msgs/OccupancyGrid`` on the wire; its ``data`` is an array (int8), rows along y one after another."""

    def serialize(self, buff: IO[bytes]) -> None:
        """Write the message; the cells are copied as they lie in memory.

        Args:
            buff: the stream to write to.
        """
        cells = np.ascontiguousarray(self.data, dtype=np.int8)
        OccupancyGrid(self.header, self.info, ()).serialize(buff)
        buff.seek(-4, os.SEEK_CUR)  # The number of cells ends it.
        buff.write(struct.pack("<I", cells.size))
        buff.write(cells.data)

    def deserialize(self, text: bytes) -> "Grid":
        """Read a message.

        Args:
            text: its bytes.

        Returns:
            This message; its cells are a view of the bytes.
        """
        self.deserialize_numpy(text, np)
        return self

    @property
    def cells(self) -> np.ndarray:
        """The cells as an array (rows, columns)."""
        return np.asarray(self.data, dtype=np.int8).reshape(self.info.height, self.info.width)
