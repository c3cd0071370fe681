"""Two runs side by side."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Tuple

_LINES: Tuple[Tuple[str, str], ...] = (
    ("Task", "task"), ("Result", "verdict"), ("Message", "message"), ("Scene", "scene"), ("Seed", "seed"),
    ("Policy", "policy"), ("Model", "llm"), ("Commands", "steps_executed"), ("Model calls", "llm_calls"),
    ("Tokens", "tokens"), ("Placement error, m", "placement_error_m"), ("First motion, s", "first_motion_s"),
    ("Seconds", "wall_s"), ("Robot's seconds", "sim_s"))


def compared(left: Mapping[str, Any], right: Mapping[str, Any]) -> Dict[str, Any]:
    """Compare two results line by line, and their plans step by step.

    Args:
        left: a run's result.
        right: another run's result.

    Returns:
        Lines with both values and whether they differ.
    """
    lines = [_line(title, left.get(key), right.get(key)) for title, key in _LINES]
    lines.append(_line("Goal", _goal(left), _goal(right)))
    lines.append(_line("Corrections", _counts(left.get("corrections")), _counts(right.get("corrections"))))
    lines.append(_line("Failures", _failures(left), _failures(right)))
    plans = [_list(left.get("plan")), _list(right.get("plan"))]
    steps = [_line(str(at + 1), *(plan[at] if at < len(plan) else "" for plan in plans))
             for at in range(max(map(len, plans)))]
    return {"lines": lines, "steps": steps}


def _line(title: str, left: Any, right: Any) -> Dict[str, Any]:
    return {"title": title, "left": _said(left), "right": _said(right), "differs": left != right}


def _said(value: Any) -> str:
    if value is None or value == "":
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _goal(result: Mapping[str, Any]) -> str:
    goal = result.get("goal")
    return f"{goal.get('said', '')} ({goal.get('state') or 'not judged'})" if isinstance(goal, dict) else ""


def _counts(rungs: Any) -> str:
    return ", ".join(f"{rung} {count}" for rung, count in rungs.items()) if isinstance(rungs, dict) else ""


def _failures(result: Mapping[str, Any]) -> str:
    return "; ".join(f"{each.get('step', '')}: {each.get('label') or each.get('kind', '')}"
                     for each in _list(result.get("failures")) if isinstance(each, dict))


def _list(value: Any) -> List[Any]:
    return value if isinstance(value, list) else []
