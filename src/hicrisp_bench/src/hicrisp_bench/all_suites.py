"""``scripts/bench all``: every suite in a process of its own, and one page over all of them."""

from __future__ import annotations

import argparse
import json
import time
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence

from hicrisp_bench.pool import Result, guarded, run_in_fresh_process, show
from hicrisp_bench.results import FILE, NOT_RUN, write_index
from hicrisp_bench.suite import markdown

ALL = "all"
_COLUMNS = ("suite", "ended", "seconds", "cpu_s", "why")
Measure = Callable[[argparse.Namespace], Result]


def run_all_suites(suites: Sequence[argparse.Namespace], measure: Measure, folder: Path, about: Mapping[str, str],
                   to: Optional[Path]) -> int:
    """Run all suites one after another, whatever becomes of one.

    Args:
        suites: the options of each.
        measure: of a module's top level; runs a suite, and says what ``failed`` in it and its ``cpu_s``.
        folder: takes the page of all suites, beside their folders.
        about: the suites by name, with what they measure.
        to: takes all results as JSON too, where it is named.

    Returns:
        Exit status: 1 if a suite failed or could not run.
    """
    rows: List[Dict[str, Any]] = []
    for number, options in enumerate(suites, start=1):
        row = _run(options, measure)
        rows.append(row)
        write_index(folder, about)
        show(f"[{number}/{len(suites)}] {row['suite']}: {row['ended']}, {row['seconds']:.0f} s"
             f"{': ' if row['why'] else ''}{row['why']}\n")
    total = {"suite": ALL, "ended": "", "seconds": sum(row["seconds"] for row in rows),
             "cpu_s": sum(row["cpu_s"] or 0.0 for row in rows), "why": ""}
    print(markdown([*rows, total], _COLUMNS))  # noqa: T201 - the command's output
    print(f"\n{write_index(folder, about)}")  # noqa: T201 - the command's output
    if to:
        found = {options.suite: json.loads((options.out / FILE).read_text(encoding="utf-8"))
                 for options in suites if (options.out / FILE).is_file()}
        to.write_text(json.dumps({"suite": ALL, "rows": rows, "suites": found}, indent=1) + "\n", encoding="utf-8")
    return 0 if all(row["ended"] == "ok" for row in rows) else 1


def _run(options: argparse.Namespace, measure: Measure) -> Dict[str, Any]:
    """One suite in its own process; why it failed or could not be run is kept."""
    found: Dict[str, Any] = {}
    began = time.perf_counter()
    run_in_fresh_process(partial(_alone, measure), [options], lambda place, result: found.update(result))
    why, not_run = found.get("crashed", ""), options.out / NOT_RUN
    if why:
        options.out.mkdir(parents=True, exist_ok=True)
        not_run.write_text(json.dumps({"why": why}) + "\n", encoding="utf-8")
    else:
        not_run.unlink(missing_ok=True)
    failed = "; ".join(found.get("failed", ()))
    return {"suite": options.suite, "ended": "not run" if why else "failed" if failed else "ok",
            "seconds": round(time.perf_counter() - began, 1), "cpu_s": found.get("cpu_s"), "why": why or failed}


def _alone(measure: Measure, suites: Sequence[argparse.Namespace]) -> Iterator[Result]:
    return map(guarded, ((measure, options) for options in suites))
