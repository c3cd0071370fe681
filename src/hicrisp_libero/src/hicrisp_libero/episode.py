"""One episode of the benchmark: its instruction as the user's words, our executive over its world, and its judge."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any, Callable, Dict, List, Optional

from hicrisp_core.factory import RunFactory
from hicrisp_core.model import Task
from hicrisp_core.model.goal import Goal
from hicrisp_core.ports.interpreter import Interpreter, Request, Understood
from hicrisp_core.ports.perception import TrackSource
from hicrisp_core.scene import SceneFault
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.faults import KINDS

from hicrisp_libero.kinds import Translation
from hicrisp_libero.osc import JOINT, OSC, PERIOD, limit_of
from hicrisp_libero.task import BenchmarkTask
from hicrisp_libero.world import LiberoWorld

SECONDS = 180.0
"""Simulated time of an episode in which the joints are commanded."""
_TASKS = 1000
"""More than a suite has: no two episodes draw the same faults."""


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


class ReadInFile:
    """An interpreter that reads the words in the scene as the benchmark's file describes it, so that answers which were
    recorded there serve for every start.

    Args:
        interpreter: reads them.
        words: the task.
    """

    def __init__(self, interpreter: Interpreter, words: Translation) -> None:
        self._interpreter, self._words = interpreter, words

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        """Return the meaning.

        Args:
            request: what is said, in the words of the file.
            deadline: wall-clock limit of the call.

        Returns:
            The meaning.
        """
        return self._interpreter.understand(
            replace(request, text=self._words.instruction, world=self._words.world), deadline)


def run_episode(
    task: BenchmarkTask,
    parts: RunFactory,
    seed: int = 0,
    interpreter: Optional[Interpreter] = None,
    picture: Optional[Path] = None,
    control: str = JOINT,
    fault: Optional[SceneFault] = None,
    sight: Optional[Callable[[EmbeddedWorld], TrackSource]] = None,
) -> Dict[str, Any]:
    """Run the executive on a task of the benchmark.

    Args:
        task: at its start.
        parts: policy, models and domain of the run; the robot is the benchmark's.
        seed: draws the planner's choices.
        interpreter: in place of the one that the parts name.
        picture: file that gets a picture of the end.
        control: how the arm is driven: ``joint``, or ``osc`` for the benchmark's own actions and their number.
        fault: is injected; one that needs a target, for each object that can be moved.
        sight: creates the perception of the world's objects; their true poses are seen without one.

    Returns:
        The result as JSON values: ``success`` is the benchmark's own judgement, ``believed`` our detector's, and
        ``happened`` how often the fault occurred.
    """
    world, late = LiberoWorld(task, seed, control=control, sight=sight), Event()
    task.actions = 0  # Those until now are the wait with which every evaluation begins.
    world.faults.reset(_TASKS * seed + task.number)
    if fault is not None:
        things = [item.name for item in world.scene.things]
        targets = things if KINDS[fault.kind].needs_target else [fault.target]
        for target in targets:
            world.inject(fault.kind, target, fault.magnitude, fault.count)
    parts = replace(parts, bodies=world.bodies)
    ports: Dict[str, Any] = {} if interpreter is None else {"interpreter": interpreter}
    executive = parts.executive(dict(world.robots), world, lambda _: None, late, **ports)
    began, first = time.perf_counter(), world.time
    actions = limit_of(task.suite) if control == OSC else 0
    world.simulation.at(first + (actions * PERIOD or SECONDS), late.set)
    result = executive.run(Task(task.instruction))
    world.settle(1.0)
    if picture is not None:
        task.save_picture(picture)
    over = f"the episode's {f'{actions} actions' if actions else f'{SECONDS:g} s'} are used up"
    failures: List[Any] = [vars(failure) for failure in result.failures]
    return {"instruction": task.instruction, "success": task.success, "holds": task.holds,
        "believed": bool(result.success), "message": over if result.canceled else result.message,
        "plan": list(result.plan),
        "goal": str(result.goal), "failures": failures, "corrections": dict(result.corrections),
        "corrected_by": dict(result.corrected_by),
        "steps": result.steps_executed, "actions": task.actions if control == OSC else None,
        "happened": world.faults.happened[fault.kind] if fault is not None else 0,
        "llm_calls": result.llm_calls, "tokens": result.tokens, "seconds": round(world.time - first, 1),
        "wall_s": time.perf_counter() - began,
        "versions": dict(task.benchmark.versions)}
