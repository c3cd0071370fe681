"""Two runs side by side."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Mapping, Optional, Tuple

_LINES: Tuple[Tuple[str, str], ...] = (
    ("Task", "task"), ("Result", "verdict"), ("Message", "message"), ("Scene", "scene"), ("Seed", "seed"),
    ("Policy", "policy"), ("Model", "llm"), ("Commands", "steps_executed"), ("Model calls", "llm_calls"),
    ("Tokens", "tokens"), ("First motion, s", "first_motion_s"),
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
    lines.append(_line("Placement error, mm", *(
        round(1000.0 * value, 1) if isinstance(value, (int, float)) else None
        for value in (each.get("placement_error_m") for each in (left, right)))))
    lines.append(_line("Goal", _goal(left), _goal(right)))
    lines.append(_line("Corrections", _counts(left.get("corrections")), _counts(right.get("corrections"))))
    lines.append(_line("Failures", _failures(left), _failures(right)))
    plans = [_list(left.get("plan")), _list(right.get("plan"))]
    steps = [_line(str(at + 1), *(plan[at] if at < len(plan) else "" for plan in plans))
             for at in range(max(map(len, plans)))]
    return {"lines": lines, "steps": steps}


def moved_apart(left: Optional[Mapping[str, Any]], right: Optional[Mapping[str, Any]]) -> List[Dict[str, Any]]:
    """Where each object that can be moved stood at the end of two runs, and how far apart that is, millimetres.

    Args:
        left: what was seen last in the one run, as the section ``world``; so is ``right`` of the other.

    Returns:
        For each object that both saw its name, both places, and the distance; the farthest apart first.
    """
    seen = [{item["name"]: item for item in (world or {}).get("things", ()) if item.get("movable")
             and all(isinstance(item.get(axis), (int, float)) for axis in "xyz")} for world in (left, right)]
    found = []
    for name in sorted(set(seen[0]) & set(seen[1])):
        one, other = ([1000.0 * each[name][axis] for axis in "xyz"] for each in seen)
        found.append({"name": name, "left": [round(value) for value in one], "right": [round(value) for value in other],
                      "mm": round(math.dist(one, other), 1)})
    return sorted(found, key=lambda each: -each["mm"])


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
