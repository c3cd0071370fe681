"""The reference commander under the real one's name, for a driver in a process of its own.

Put this folder's parent into PYTHONPATH. The interfaces that are not installed are made when it is imported,
which the driver does first.
"""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from pathlib import Path

_FOLDER = tempfile.mkdtemp(prefix="hicrisp_interfaces_")
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import interfaces  # noqa: E402

interfaces.install(Path(_FOLDER))

from reference_commander import (  # noqa: E402, F401
    MoveGroupCommander,
    MoveItCommanderException,
    roscpp_initialize,
)
