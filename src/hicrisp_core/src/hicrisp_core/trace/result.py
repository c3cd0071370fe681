"""A run's events as one trial: what `result.json` and `scripts/demo --json` hold."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping

from hicrisp_core.trace.story import Story, story_of


def trial_of(events: Iterable[Mapping[str, Any]], run: str = "") -> Dict[str, Any]:
    """The trial of a run.

    Args:
        run: the run folder, for the field of that name.
    """
    story = story_of(events)
    end = story.end or {}
    return {
        "task": story.text,
        "scene": story.task.get("scene", ""),
        "seed": story.task.get("seed"),
        "policy": story.task.get("policy", ""),
        "llm": story.task.get("llm", ""),
        "success": bool(end.get("success", False)),
        "verdict": story.verdict,
        "message": str(end.get("message", "")),
        "plan": [str(step) for step in story.plans[0].get("steps") or []] if story.plans else [],
        "robots": list(dict.fromkeys(robot for robot in story.plans[0].get("robots") or [] if robot))
        if story.plans else [],
        "done": list(end.get("done") or []),
        "given_up": list(end.get("given_up") or []),
        "not_begun": list(end.get("not_begun") or []),
        "steps_executed": end.get("steps_executed", sum(1 for attempt in story.attempts if attempt.outcome)),
        "corrections": dict(end["corrections"]) if isinstance(end.get("corrections"), Mapping) else _rungs(story),
        "failures": list(end["failures"]) if isinstance(end.get("failures"), list) else _failures(story),
        "llm_calls": end.get("llm_calls", story.usage.get("calls", 0)),
        "tokens": end.get("tokens", _tokens(story)),
        "placement_error_m": end.get("placement_error_m"),
        "first_motion_s": end.get("first_motion_s"),
        "wall_s": end.get("wall_s", story.seconds),
        "sim_s": end.get("sim_s", story.sim_seconds),
        "run": run,
    }

_FAILURE = ("level", "kind", "label", "error")


def _tokens(story: Story) -> int:
    return int(story.usage.get("prompt_tokens") or 0) + int(story.usage.get("completion_tokens") or 0)


def _rungs(story: Story) -> Dict[str, int]:
    counts: Dict[str, int] = {}
    for correction in story.corrections:
        rung = str(correction.get("rung", ""))
        if rung != "give_up":
            counts[rung] = counts.get(rung, 0) + 1
    return counts


def _failures(story: Story) -> List[Dict[str, str]]:
    return [
        {"step": attempt.text, **{key: str(attempt.feedback.get(key, "")) for key in _FAILURE}}
        for attempt in story.attempts if attempt.ok is False]
