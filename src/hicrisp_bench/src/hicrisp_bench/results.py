"""What a suite leaves in its folder: a table, a CSV, the whole as JSON, and its pictures."""

from __future__ import annotations

import argparse
import json
import time
from typing import Any, Dict

from hicrisp_bench.machine import describe_machine
from hicrisp_bench.pictures.drawing import draw
from hicrisp_bench.runner import folder_of, settings_told
from hicrisp_bench.suite import Report, text_of
from hicrisp_bench.tables import write_csv

FILE = "results.json"


def save(options: argparse.Namespace, report: Report, seconds: float, cpu_s: float) -> None:
    """Write ``table.md``, ``results.csv``, ``results.json`` and the pictures, and the JSON to another file
    too where ``--json`` asks for it.

    Args:
        seconds: wall time of the run; ``cpu_s`` that of all processors.
    """
    folder = folder_of(options)
    folder.mkdir(parents=True, exist_ok=True)
    charts = [chart for chart in report.charts if chart.bars]
    for chart in charts:
        draw(chart, folder)
    (folder / "table.md").write_text(text_of(options.suite, report), encoding="utf-8")
    write_csv(report.rows, folder / "results.csv")
    content: Dict[str, Any] = {
        "suite": options.suite, "machine": {**describe_machine(), "jobs": options.jobs},
        "run": {"date": time.strftime("%Y-%m-%d"), "seconds": round(seconds, 1), "cpu_s": round(cpu_s, 1),
                "options": settings_told(options), "ok": report.ok,
                "failed": list(report.failed)},
        "columns": list(report.columns), "rows": list(report.rows), "reference": list(report.reference),
        "note": report.note,
        "pictures": [{"name": chart.name, "title": chart.title, "words": chart.in_words} for chart in charts],
        **report.extra}
    for target in {folder / FILE, options.json or folder / FILE}:
        target.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
