"""``scripts/bench SUITE``: run a suite, print its table, leave JSON and CSV."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any, Dict, List, Optional

from hicrisp_bench import speed, tabletop
from hicrisp_bench.machine import describe_machine
from hicrisp_bench.tables import markdown, write_csv

_COLUMNS = {
    "tabletop": ("case", "policy", "sigma", "bias", "n", "success", "attempts", "placement_error_m", "corrections"),
}
_SUITES = tuple(_COLUMNS)


def main(arguments: Optional[List[str]] = None) -> int:
    """The command line; returns the exit status."""
    options = _parse(arguments)
    rows = tabletop.run(options.config, options.trials, options.jobs)
    report: Dict[str, Any] = {
        "suite": options.suite, "machine": {**describe_machine(), "jobs": options.jobs}, "rows": rows,
        "reference": tabletop.REFERENCE, "speed": speed.measure(options.config, options.queries)}
    text = "\n\n".join((
        f"# {options.suite}", markdown(rows, _COLUMNS[options.suite]),
        "Offsets on place were injected, every other failure was real. The offline planner made all plans. Success is "
        "judged from the physics' true poses.",
        markdown(report["speed"], ("what", "unit", "median", "p95", "worst", "n", "note"))))
    print(text)  # noqa: T201 - the command's output
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "table.md").write_text(text + "\n", encoding="utf-8")
    write_csv(rows, options.out / "results.csv")
    for file in filter(None, (options.out / "results.json", options.json)):
        file.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 1 if any(row["crashed"] for row in rows) else 0


def _parse(arguments: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measure the workspace.")
    parser.add_argument("suite", choices=_SUITES)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
    parser.add_argument("--out", type=Path, default=Path("runs/bench"), help="folder for table.md, results.csv, .json")
    parser.add_argument("--trials", type=_positive, default=100, help="seeds of each row (100)")
    parser.add_argument("--queries", type=_positive, default=200, help="motion-planning queries (200)")
    parser.add_argument("--jobs", type=_positive, default=os.cpu_count() or 1, help="processes side by side")
    parser.add_argument("--config", type=Path, default=Path(__file__).resolve().parents[4] / "config",
                        help="folder with scenes, domains and policies")
    options = parser.parse_args(arguments)
    if not (options.config / "scenes").is_dir():
        parser.error(f"{options.config} holds no folder 'scenes'; give the workspace's config folder with --config")
    return options


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"at least 1 is needed, got {value}")
    return value
