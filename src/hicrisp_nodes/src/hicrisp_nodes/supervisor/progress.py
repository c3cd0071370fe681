"""Where a task stands, as its timeline shows it; no ROS in here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Tuple

from hicrisp_core.trace.task_state import State
from hicrisp_core.trace.timeline import Timeline


@dataclass(frozen=True)
class Progress:
    """One moment of a task.

    Args:
        step_index: the current step, from 0.
        stack_depth: entries of the feedback stack.
    """

    state: State = State.QUEUED
    step_index: int = 0
    step_count: int = 0
    step: str = ""
    stack_depth: int = 0
    corrections: int = 0
    message: str = ""
    run_folder: str = ""
    goal: str = ""
    """What the task means, in words."""
    goal_state: str = ""
    said: Tuple[str, ...] = ()
    """What the user said while it ran, each with what became of it."""

    def ended(self, state: State, message: str) -> "Progress":
        """End the task.

        Args:
            state: how it ended.
            message: for the user.

        Returns:
            The final progress.
        """
        return replace(self, state=state, message=message)

    def at(self, run: Timeline) -> "Progress":
        """Return the progress of a run up to now; the run folder stays.

        Args:
            run: what the executive told of it.

        Returns:
            The progress.
        """
        goal, refusal, end = run.goal, run.refusal, run.end
        begun = run.steps[-1] if run.steps else None
        now = replace(
            self, state=State.ANSWERED if run.answer else State(run.phase if end is None else _ENDS.get(
                run.verdict, run.verdict)), step_count=run.step_count, step_index=begun.index if begun else 0,
            step=begun.text if begun else "", stack_depth=len(run.stack), corrections=len(run.corrections),
            message=run.answer or (run.message if end is None else end.message),
            goal=goal.said if goal is not None else "",
            goal_state=run.goal_state or ("unknown" if goal is not None and not goal.known else ""),
            said=tuple(f'"{each.text}": {each.reply or each.effect}' for each in run.remarks))
        if refusal is None:
            return now
        options = "; ".join(refusal.alternatives)
        return now.ended(State.REFUSED,
                         f"{refusal.text} Try, for example: {options}." if options else refusal.text)


_ENDS = {"stopped": "failed"}
"""Verdicts that are no states of their own."""
