"""The installed benchmark, where it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_core.factory import load_factory
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.time.deadline import Deadline
from hicrisp_libero.client import Benchmark, BenchmarkLost, interpreter
from hicrisp_libero.description import describe
from hicrisp_libero.episode import GoalGiven, run_episode
from hicrisp_libero.task import BenchmarkTask
from hicrisp_libero.world import LiberoWorld

from hicrisp_libero import osc


def test_a_task_stands_as_the_benchmark_says_and_its_judge_sees_the_goal_open(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        interpreter()
    except ConfigError as error:
        pytest.skip(str(error))
    with Benchmark() as benchmark:
        with pytest.raises(ConfigError, match="libero_object has no task 10; its tasks: 0 to 9"):
            benchmark.ask("make", seconds=600.0, suite="libero_object", task=10, init=0)
        with pytest.raises(ConfigError, match="the task has no start 50; its starts: 0 to 49"):
            benchmark.ask("make", seconds=600.0, suite="libero_object", task=0, init=50)
        description, state = describe(benchmark, "libero_object", 0, 0)
        task = BenchmarkTask(description, benchmark, state)
        world = LiberoWorld(task)
        seen = world.observe(Deadline(60.0))
        assert not task.success
        assert seen.holds("on", "alphabet_soup", "table")
        assert seen.objects["basket"].form.hollow
        assert world.time < 5.0
        with pytest.raises(ConfigError, match="cannot be moved; what can be: alphabet_soup_1"):
            benchmark.ask("move", [0.0] * 7, name="robot0")
        before = seen.objects["alphabet_soup"].pose
        assert before is not None
        world.inject("object_moved", "alphabet_soup", (0.05,))
        after = world.observe(Deadline(60.0)).objects["alphabet_soup"].pose  # As its physics says, which has stepped.
        assert after is not None
        assert planar_distance(before.position, after.position) == pytest.approx(0.05, abs=0.005)
        monkeypatch.setitem(osc._LIMITS, "libero_object", 3)
        parts = load_factory(Path("config").resolve(), task.domain, "hierarchical")
        ended = run_episode(task, parts, interpreter=GoalGiven(task.words.goal), control=osc.OSC)
        assert ended["message"] == "the episode's 3 actions are used up"
        task.move("alphabet_soup", Pose((1e11, 0.0, 0.0)))
        # MuJoCo itself would just begin anew.
        with pytest.raises(BenchmarkLost, match="physics became unstable.*; run the episode again, from another start"):
            world.settle(0.1)
