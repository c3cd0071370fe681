"""``scripts/bench SUITE``: run a suite, print its table, leave JSON, CSV and pictures."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.errors import command_line

from hicrisp_bench import ablate
from hicrisp_bench.options import add_usual
from hicrisp_bench.pool import Result, guarded, run_in_fresh_process, show
from hicrisp_bench.published import publish
from hicrisp_bench.results import FILE, NOT_RUN, save, write_index
from hicrisp_bench.suite import Report, Suite, markdown, measured, text_of
from hicrisp_bench.suites import MEASURES

SUITES: Mapping[str, Suite] = {**MEASURES, "ablate": ablate}
FOLDER = Path("runs/bench")
HERE = ("ablate", "faults", "fuzz", "long")
"""Suites that start nodes or programs on this machine, also where the trials of others go to a cluster."""
ALL = "all"
_COLUMNS = ("suite", "ended", "seconds", "cpu_s", "why")
Measure = Callable[[argparse.Namespace], Result]


@command_line
def main(arguments: Optional[List[str]] = None) -> int:
    """Run ``scripts/bench``.

    Args:
        arguments: the command line; that of the process if ``None``.

    Returns:
        Exit status: 0, 1 if a part failed, 2 if the suite could not run.
    """
    options = parse(arguments)
    if options.suite == ALL:
        folder = options.out or FOLDER
        return run_all_suites([_among_all(name, options, folder) for name in SUITES], _failed, folder, about(),
                              options.json)
    report, _ = _measured(options)
    print(text_of(options.suite, report))  # noqa: T201 - the command's output
    if not options.out:
        write_index(FOLDER, about())
    if options.publish:
        command = shlex.join(["scripts/bench", *(sys.argv[1:] if arguments is None else arguments)])
        code = Path(vars(SUITES[options.suite])["__file__"])
        publish(options.suite, options.publish, report, re.sub(r" --(publish|out|json)[ =]\S+", "", command),
                code.parent if code.name == "suite.py" else code)
    for why in report.failed:
        sys.stderr.write(f"{options.suite}: {why}\n")
    return 0 if report.ok else 1


def _measured(options: argparse.Namespace) -> Tuple[Report, float]:
    """Run a suite, and leave its results in its folder; what it found, and the seconds of all processors."""
    began, began_cpu = time.perf_counter(), _cpu()
    report = measured(SUITES[options.suite], options)
    cpu_s = _cpu() - began_cpu
    save(options, report, time.perf_counter() - began, cpu_s)
    return report, cpu_s


def _failed(options: argparse.Namespace) -> Dict[str, Any]:
    report, cpu_s = _measured(options)
    return {"failed": list(report.failed), "cpu_s": round(cpu_s, 1)}


def _among_all(name: str, options: argparse.Namespace, folder: Path) -> argparse.Namespace:
    """The options of one of all suites."""
    own = parse([name, "--config", str(options.config), *(["--quick"] if options.quick else [])])
    own.out, own.jobs, own.resume = folder / name, options.jobs, options.resume
    own.dask = "" if name in HERE else options.dask
    return own


def about() -> Dict[str, str]:
    """What each suite measures, in one line."""
    return {name: " ".join((suite.__doc__ or "").split("\n\n")[0].split()) for name, suite in SUITES.items()}


def parse(arguments: Optional[List[str]] = None) -> argparse.Namespace:
    """Read the suite and its options.

    Args:
        arguments: the command line; that of the process if ``None``.

    Returns:
        The options.
    """
    given = sys.argv[1:] if arguments is None else arguments
    parser = make_parser(quick="--quick" in given)
    options, rest = parser.parse_known_args(given)
    if rest and options.suite != "ablate":
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if options.suite == "ablate":
        options.of_suite = rest
    if not (options.config / "scenes").is_dir():
        parser.error(f"{options.config} holds no folder 'scenes'; give the workspace's config folder with "
                     "--config")
    if options.quick and getattr(options, "publish", ""):
        parser.error("a quick run says too little to be published: leave out --quick or --publish")
    return options


def make_parser(quick: bool = False) -> argparse.ArgumentParser:
    """Build the parser of ``scripts/bench``.

    Args:
        quick: whether options that are not given have the values of a quick run.

    Returns:
        The parser, with a subcommand for each suite.
    """
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measure the workspace.")
    suites = parser.add_subparsers(dest="suite", required=True, metavar="SUITE")
    for name, suite in SUITES.items():
        own = suites.add_parser(name, help=(suite.__doc__ or "").splitlines()[0], description=suite.__doc__)
        add_usual(own, f"for the pictures, table.md, results.csv and results.json (runs/bench/{name})")
        own.add_argument("--publish", default="", metavar="TABLE", help="also make the rows a table of "
                         f"docs/results/{name}.json, and renew the pages that show it")
        suite.add_options(own)
        if quick:
            own.set_defaults(**suite.QUICK)
    every = suites.add_parser(ALL, help="every suite, one after the other, and one page over all of them")
    add_usual(every, "for a folder of each suite and index.html (runs/bench)")
    return parser


def _cpu() -> float:
    """Seconds of all processors that this process and its ended children have used."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


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
