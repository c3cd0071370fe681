"""What was freed goes back to the system, whichever thread had it."""

from __future__ import annotations

import platform
from pathlib import Path
from threading import Thread
from typing import List

import pytest
from hicrisp_sim.freed import give_back

_BLOCK, _BLOCKS = 4000, 20_000


def resident() -> int:
    """Bytes of this process that lie in memory."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps it")
def test_what_a_thread_has_freed_is_given_back() -> None:
    kept: List[bytes] = []

    def work() -> None:
        blocks = [bytes(_BLOCK) for _ in range(_BLOCKS)]
        kept.append(bytes(_BLOCK))  # Above all others: glibc by itself only gives back what lies on top.
        del blocks

    thread = Thread(target=work)
    thread.start()
    thread.join()
    before = resident()
    give_back()
    assert before - resident() > 0.5 * _BLOCK * _BLOCKS
