"""How the nodes are, as each says of itself on /diagnostics and as the supervisor reaches the others."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, NamedTuple

STATES = ("ok", "warn", "error")
"""Names of the levels of a report, the best first; any other level counts as the last."""
SILENT_AFTER = 5.0
"""Wall seconds without a report after which a part counts as silent; there is one a second."""
_PARTS, _AWAY = "supervisor: parts", "away"


class Heard(NamedTuple):
    """The last report of a part of a node.

    Args:
        name: node and part, such as ``brain: language model``.
        at: when it came, wall seconds.
    """

    name: str
    level: int
    message: str
    values: Mapping[str, str]
    at: float


def health_section(reports: Iterable[Heard], now: float) -> Dict[str, Any]:
    """Return each node with its worst part, and what the brain reports of its model.

    Args:
        reports: diagnostics.
        now: wall seconds, by the clock of the reports.

    Returns:
        JSON values of the section ``health``.
    """
    nodes: Dict[str, Dict[str, Any]] = {}
    reached: List[str] = []
    model = ""
    for report in sorted(reports):
        node = report.name.partition(":")[0]
        level = min(max(report.level, 0), len(STATES) - 1)
        message = report.message
        if now - report.at > SILENT_AFTER:
            level, message = len(STATES) - 1, f"silent for {now - report.at:.0f} s"
        elif report.name == _PARTS:
            reached += [f"{name}: {state}" for name, state in report.values.items()]
        if node not in nodes or level > nodes[node]["level"]:
            nodes[node] = {"name": node, "level": level, "message": message}
        if "configuration" in report.values:
            model = report.values.get("model") or report.message
    for each in reached:
        name, _, state = each.partition(": ")
        if name not in nodes:
            nodes[name] = {"name": name, "level": 2 if state == _AWAY else 0, "message": state}
    shown = [{"name": each["name"], "state": STATES[each["level"]], "message": each["message"]}
             for each in nodes.values()]
    return {"nodes": sorted(shown, key=lambda each: str(each["name"])), "model": model}
