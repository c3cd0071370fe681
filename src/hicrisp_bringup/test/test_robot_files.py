"""Every robot file that the workspace ships says what its driver needs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hicrisp_core.check import check_file

ROBOTS = Path(__file__).resolve().parents[3] / "config" / "robots"


@pytest.mark.parametrize("name", sorted(file.stem for file in ROBOTS.glob("*.yaml")))
def test_a_robot_file_can_be_checked(name: str) -> None:
    check_file(ROBOTS / f"{name}.yaml")
