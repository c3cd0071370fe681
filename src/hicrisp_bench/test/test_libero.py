"""The table of the LIBERO suite, over episodes that are made up."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List

import pytest
from hicrisp_bench.cli import parse
from hicrisp_bench.libero import Episode, run
from hicrisp_bench.runner import Runner
from hicrisp_bench.statistics import Tally
from hicrisp_core.errors import ConfigError

from hicrisp_bench import libero


def _result(episode: Episode) -> Dict[str, Any]:
    fell = episode.faults == "slip" and episode.number == 1
    return {"suite": episode.suite, "task": episode.number, "init": episode.init, "policy": episode.policy,
        "faults": episode.faults, "instruction": "pick <it> up", "success": not fell, "believed": not fell,
        "happened": int(fell), "message": "it slipped" if fell else "done", "corrections": {}, "seconds": 8.0,
        "steps": 2, "actions": 160, "llm_calls": 0, "tokens": 0}


@dataclass(frozen=True)
class _MadeUp(Runner):
    def by_case(self, cases: Any, *rest: Any, **more: Any) -> List[Any]:
        assert len({each.key() for _, own in cases for each in own}) == len(cases)
        return [(case, Tally([_result(each) for each in own])) for case, own in cases]


def test_rows_say_what_was_injected_and_how_often_it_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libero, "suites", lambda: {"libero_goal": 10})
    options = parse(["libero", "--suites", "libero_goal", "--tasks", "1", "2", "--faults", "none", "slip",
        "--policies", "open_loop", "--control", "osc", "--pictures", "--out", str(tmp_path)])
    report = run(options, _MadeUp())
    rows = [(row["faults"], row["happened"], row["n"], row["success"], row["control"], row["actions"])
        for row in report.rows if row["task"] == "all"]
    assert rows == [("none", None, 2, 1.0, "osc", 160), ("slip", 1, 2, 0.5, "osc", 160)]
    assert "`slip`" in report.note
    assert "No language model was asked" in report.note
    page = (tmp_path / "pictures" / "index.html").read_text()
    assert page.index("failed: it slipped") < page.index("done")
    assert "pick &lt;it&gt; up" in page


def test_the_benchmarks_own_control_needs_a_number_of_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libero, "suites", lambda: {"libero_100": 10})
    with pytest.raises(ConfigError, match="no number of actions is published for 'libero_100'"):
        run(parse(["libero", "--suites", "libero_100", "--control", "osc"]), _MadeUp())
