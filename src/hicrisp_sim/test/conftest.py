"""Embedded worlds to act in, and the little that a test needs to act."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "hicrisp_bringup/test/support")]
for module in ("mujoco", "ompl", "toppra"):
    pytest.importorskip(module, reason="the embedded world does not run here")


@pytest.fixture
def tabletop():
    """A box and a cylinder on the table."""
    from acting import Lab

    return Lab("tabletop", seed=3)


@pytest.fixture
def clutter():
    """A box and a cylinder among eight other things."""
    from acting import Lab

    return Lab("clutter", seed=3)
