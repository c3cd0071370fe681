"""The benchmark's own files, where they are installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.domain.loader import load_domain
from hicrisp_libero.bddl import read_bddl
from hicrisp_libero.kinds import translated
from hicrisp_libero.models import benchmark_in

PACKAGES = next((Path(__file__).parents[3] / ".venv-libero").glob("lib/python3*/site-packages"), None)


@pytest.mark.skipif(PACKAGES is None, reason="the LIBERO benchmark is not installed in .venv-libero")
def test_every_drawer_of_the_goal_suite_is_one_and_every_goal_is_about_objects_that_are_there() -> None:
    benchmark = benchmark_in(PACKAGES or Path())
    domain = load_domain(config_file("domains", "libero"))
    for file in benchmark.suite("libero_goal"):
        task = translated(read_bddl(file), domain, benchmark.model)
        objects = task.world.objects
        assert [objects[f"{each}_drawer"].type for each in ("top", "middle", "bottom")] == ["drawer"] * 3
        for fact in (each.fact for each in task.goal.stages[0].conditions):  # type: ignore[union-attr]
            assert fact.subject in objects
            assert not fact.object or fact.object in objects
