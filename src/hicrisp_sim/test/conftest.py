"""Embedded worlds to act in, and the little that a test needs to act."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
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
