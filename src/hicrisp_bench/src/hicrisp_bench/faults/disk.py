"""A disk that is really full: a small one of its own, mounted over a folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from hicrisp_bench.faults.not_here import NotHere

SIZE = 8 << 20
"""Bytes; a run without pictures takes a part of one MB."""
_BALLAST = "ballast"
_BLOCK = 4096
_LIMIT = 10.0


class SmallDisk:
    """A file system in memory, over a folder that is made if it is not there."""

    def __init__(self, folder: Path) -> None:
        """Mount it.

        Raises:
            NotHere: where the machine does not allow that, with why.
        """
        if shutil.which("mount") is None or os.geteuid() != 0:
            raise NotHere("a disk of its own needs root and the program mount")
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)],
                              capture_output=True, text=True, timeout=_LIMIT, check=False)
        if done.returncode != 0:
            raise NotHere(f"no disk of its own can be mounted: {done.stderr.strip()}")
        self.folder = folder

    def stop(self) -> None:
        """Take it away, whoever still has a file open there."""
        subprocess.run(["umount", "--lazy", str(self.folder)], timeout=_LIMIT, check=False)


def fill(folder: Path) -> int:
    """Take every byte that the disk of a folder still has; how many they were."""
    taken, block = 0, bytes(_BLOCK)
    with open(folder / _BALLAST, "wb", buffering=0) as ballast:
        while True:
            try:
                taken += ballast.write(block)
            except OSError:
                return taken


def make_room(folder: Path) -> None:
    """Give back what was taken."""
    (folder / _BALLAST).unlink(missing_ok=True)
