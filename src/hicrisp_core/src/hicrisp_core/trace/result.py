"""A run's events as one trial, what `result.json` and `scripts/demo --json` hold, and writing it at the end."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Dict, Iterable, Mapping, TypeVar, Union

from hicrisp_core.trace.event_log import read_events
from hicrisp_core.trace.events import GoalUnderstood, TaskFinished
from hicrisp_core.trace.plain import plain, to_json
from hicrisp_core.trace.records import FeedbackRecord
from hicrisp_core.trace.report import render_report
from hicrisp_core.trace.timeline import timeline_of

_Counted = TypeVar("_Counted")


def trial_of(events: Iterable[Mapping[str, Any]], run: str = "") -> Dict[str, Any]:
    """Return the result of a run; values that its last event lacks are counted from the others.

    Args:
        events: event log of the run.
        run: the run folder, for the field of that name.

    Returns:
        The trial as a JSON object.
    """
    story = timeline_of(events)
    end = story.end or TaskFinished()
    plan = story.plans[0] if story.plans else None
    goal = story.goal or GoalUnderstood()
    tokens = story.usage.prompt_tokens + story.usage.completion_tokens
    carried_out = sum(1 for attempt in story.attempts if attempt.outcome)
    made = [each for each in story.corrections if each.rung != "give_up"]
    failed = [(attempt.text, attempt.feedback or FeedbackRecord()) for attempt in story.attempts if attempt.ok is False]
    return {
        "task": story.text,
        "scene": story.task.scene,
        "seed": story.task.seed,
        "policy": story.task.policy,
        "llm": story.task.llm,
        "success": end.success,
        "verdict": story.verdict,
        "message": end.message,
        "goal": {"state": story.goal_state, "said": goal.said, "source": goal.source, "stages": list(goal.stages),
                 "otherwise": list(goal.otherwise), "invariants": list(goal.invariants),
                 "missing": story.judged.missing if story.judged is not None else ""},
        "plan": list(plan.steps) if plan else [],
        "robots": list(dict.fromkeys(filter(None, plan.robots))) if plan else [],
        "done": list(end.done),
        "given_up": list(end.given_up),
        "not_begun": list(end.not_begun),
        "steps_executed": _or(end.steps_executed, carried_out),
        "corrections": _or(end.corrections, dict(Counter(each.rung for each in made))),
        "corrected_by": _or(end.corrected_by, dict(Counter(
            each.maker.name if each.maker.kind == "model" else each.maker.kind for each in made))),
        "failures": plain(end.failures) if end.failures is not None else [
            {"step": text, "level": feedback.level, "kind": feedback.kind, "label": feedback.label,
             "error": feedback.error} for text, feedback in failed],
        "llm_calls": _or(end.llm_calls, story.usage.calls),
        "tokens": _or(end.tokens, tokens),
        "placement_error_m": end.placement_error_m,
        "first_motion_s": end.first_motion_s,
        "wall_s": _or(end.wall_s, story.seconds),
        "sim_s": _or(end.sim_s, story.sim_seconds),
        "run": run,
    }


def _or(told: Any, counted: _Counted) -> _Counted:
    return counted if told is None else told


def finish_run(folder: Union[str, Path]) -> Dict[str, Any]:
    """Write ``result.json`` and ``report.html`` into a run folder; it can be repeated after an interrupted run.

    Args:
        folder: the run folder.

    Returns:
        the trial.
    """
    path = Path(folder)
    events = read_events(path)
    trial = trial_of(events, str(path))
    (path / "result.json").write_text(to_json(trial, indent=2) + "\n", encoding="utf-8", errors="backslashreplace")
    (path / "report.html").write_text(render_report(events, path), encoding="utf-8", errors="replace")
    return trial
