"""One episode of the benchmark: its instruction as the user's words, our executive over its world, and its judge."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any, Dict, List, Optional

from hicrisp_core.factory import RunFactory
from hicrisp_core.model import Task
from hicrisp_core.model.goal import Goal
from hicrisp_core.ports.interpreter import Interpreter, Request, Understood
from hicrisp_core.time.deadline import Deadline

from hicrisp_libero.world import BenchmarkTask, LiberoWorld

SECONDS = 180.0
"""Simulated time of an episode in which the joints are commanded."""


class GoalGiven:
    """An interpreter that was told the meaning: for figures of the actions alone, not of the understanding.

    Args:
        goal: what everything that is said means.
    """

    def __init__(self, goal: Goal) -> None:
        self._goal = goal

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        """Return the goal.

        Args:
            request: what is said, which is not read.
            deadline: not used.

        Returns:
            The meaning.
        """
        del request, deadline
        return Understood(self._goal)


def run_episode(
    task: BenchmarkTask,
    parts: RunFactory,
    seed: int = 0,
    interpreter: Optional[Interpreter] = None,
    picture: Optional[Path] = None,
) -> Dict[str, Any]:
    """Run the executive on a task of the benchmark.

    Args:
        task: at its start.
        parts: policy, models and domain of the run; the robot is the benchmark's.
        seed: draws the planner's choices.
        interpreter: in place of the one that the parts name.
        picture: file that gets a picture of the end.

    Returns:
        The result as JSON values: ``success`` is the benchmark's own judgement, ``believed`` our detector's.
    """
    world, late = LiberoWorld(task, seed), Event()
    parts = replace(parts, bodies=world.bodies)
    ports: Dict[str, Any] = {} if interpreter is None else {"interpreter": interpreter}
    executive = parts.executive(dict(world.robots), world, lambda _: None, late, **ports)
    began, first = time.perf_counter(), world.time
    world.simulation.at(first + SECONDS, late.set)
    result = executive.run(Task(task.instruction))
    world.settle(1.0)
    if picture is not None:
        task.save_picture(picture)
    failures: List[Any] = [vars(failure) for failure in result.failures]
    return {"instruction": task.instruction, "success": task.success, "holds": task.holds,
        "believed": bool(result.success), "message": result.message, "plan": list(result.plan),
        "goal": str(result.goal), "failures": failures, "corrections": dict(result.corrections),
        "corrected_by": dict(result.corrected_by), "steps": result.steps_executed, "llm_calls": result.llm_calls,
        "tokens": result.tokens, "seconds": round(world.time - first, 1), "wall_s": time.perf_counter() - began,
        "versions": dict(task.benchmark.versions)}
