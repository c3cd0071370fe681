"""A line between two network devices that loses packets, delays them, or is cut; a process of its own.

``python -m hicrisp_bench.faults.line FD FD`` carries what it reads from one TUN device to the other. Each
line of its input sets the share of packets that are lost and the delay of the others, in seconds; it ends
with its input.
"""

from __future__ import annotations

import heapq
import os
import random
import select
import sys
import time
from itertools import count
from typing import List, Tuple

_LARGEST = 65536
"""Bytes of a packet at most."""


def carry(one: int, other: int, orders: int) -> None:
    """Carry packets until the orders end.

    Args:
        one: file descriptor of a TUN device that does not block.
        other: likewise.
        orders: file descriptor from which lines with loss (0 to 1) and delay (seconds) are read.
    """
    to, dice, number = {one: other, other: one}, random.Random(0), count()
    under_way: List[Tuple[float, int, int, bytes]] = []
    loss = delay = 0.0
    while True:
        wait = max(0.0, under_way[0][0] - time.monotonic()) if under_way else None
        ready = select.select([one, other, orders], [], [], wait)[0]
        if orders in ready:
            text = os.read(orders, 4096).decode()
            if not text:
                return
            loss, delay = map(float, text.strip().splitlines()[-1].split())
        now = time.monotonic()
        for end in (one, other):
            if end in ready:
                packet = os.read(end, _LARGEST)
                if dice.random() >= loss:
                    heapq.heappush(under_way, (now + delay, next(number), to[end], packet))
        while under_way and under_way[0][0] <= time.monotonic():
            _, _, end, packet = heapq.heappop(under_way)
            try:
                os.write(end, packet)
            except OSError:
                continue  # A device that is not up yet, or not any more, takes nothing.


if __name__ == "__main__":
    carry(int(sys.argv[1]), int(sys.argv[2]), sys.stdin.fileno())
