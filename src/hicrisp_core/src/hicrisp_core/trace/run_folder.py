"""The end of a run: its result and its report are written from its events."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Union

from hicrisp_core.trace.plain import to_json
from hicrisp_core.trace.replay import read_events
from hicrisp_core.trace.report import render_report
from hicrisp_core.trace.result import trial_of


def finish_run(folder: Union[str, Path]) -> Dict[str, Any]:
    """Write ``result.json`` and ``report.html`` into a run folder; it may be called again after a cut-off
    run.

    Returns:
        the trial.
    """
    path = Path(folder)
    events = read_events(path)
    trial = trial_of(events, str(path))
    (path / "result.json").write_text(to_json(trial, indent=2) + "\n", encoding="utf-8",
                                      errors="backslashreplace")
    (path / "report.html").write_text(render_report(events, path), encoding="utf-8", errors="replace")
    return trial
