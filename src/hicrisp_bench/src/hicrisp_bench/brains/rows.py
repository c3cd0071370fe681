"""From trials to rows: success by the true poses beside what the runs claim, calls, tokens, seconds."""

from __future__ import annotations

from statistics import mean
from typing import Any, Dict, List, Sequence, Tuple

from hicrisp_bench.brains.tasks import HARDER, PLAIN
from hicrisp_bench.brains.trial import ANSWERED, ASKED, CARRIED_OUT, REFUSED
from hicrisp_bench.statistics import corrections_of, spread, wilson_interval
from hicrisp_bench.suite import Row

ALL = "all"
Results = Sequence[Dict[str, Any]]


def rows_of(policy: str, model: str, results: Results) -> List[Row]:
    """A policy's rows: of all tasks, of the plain and of the harder ones."""
    shares = [(ALL, results), *((level, [each for each in results if each.get("level") == level])
                                for level in (PLAIN, HARDER))]
    return [{"model": model, "policy": policy, "tasks": name, **_figures(own)} for name, own in shares if own]


def _figures(results: Results) -> Row:
    whole = [each for each in results if "crashed" not in each]
    moved = [each for each in whole if each["first_motion_s"] is not None]
    false = [each for each in whole if each["claimed"] and not each["success"]]
    return {
        "n": len(results), **_share("success", [each for each in results if each["success"]], results),
        "claimed": len([each for each in whole if each["claimed"]]) / max(1, len(results)),
        **_share("false_success", false, results),
        "false_failure": len([each for each in whole if each["success"] and not each["claimed"]]),
        **{name: sum(1 for each in whole if each["ending"] == name)
           for name in (CARRIED_OUT, ASKED, REFUSED, ANSWERED)},
        "calls": mean([each["llm_calls"] for each in whole]) if whole else None,
        "tokens": mean([each["tokens"] for each in whole]) if whole else None,
        "first_motion_s": spread([each["first_motion_s"] for each in moved]) if moved else None,
        "done_s": spread([each["wall_s"] for each in moved]) if moved else None,
        "robot_s": spread([each["sim_s"] for each in moved]) if moved else None,
        "llm_s": spread([each["llm_s"] for each in whole]) if whole else None,
        **corrections_of(whole),
        "crashed": [each["crashed"] for each in results if "crashed" in each],
    }


def missed_rows(results: Results) -> List[Row]:
    """The tasks that were missed, with how they ended."""
    return [{"policy": each["policy"], "task": each["id"], "ended": _end(each), "why": each["message"]}
            for each in results if "crashed" not in each and not each["success"]]


def _end(result: Dict[str, Any]) -> str:
    return "false success" if result["claimed"] else str(result["ending"]).replace("_", " ")


def _share(name: str, those: Results, of: Results) -> Dict[str, Any]:
    interval: Tuple[float, float] = wilson_interval(len(those), len(of))
    return {name: len(those) / max(1, len(of)), f"{name}_ci": interval}
