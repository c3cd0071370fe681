"""``scripts/bench SUITE``: run a suite, print its table, leave JSON, CSV and pictures."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
import time
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

from hicrisp_core.errors import HicrispError

from hicrisp_bench import ablate
from hicrisp_bench.all_suites import ALL, run_all_suites
from hicrisp_bench.options import add_usual
from hicrisp_bench.published import publish
from hicrisp_bench.results import save, write_index
from hicrisp_bench.suite import Report, Suite, measured, text_of
from hicrisp_bench.suites import MEASURES

SUITES: Mapping[str, Suite] = {**MEASURES, "ablate": ablate}
FOLDER = Path("runs/bench")
HERE = ("ablate", "faults", "fuzz", "long")
"""Suites that start nodes or programs on this machine, also where the trials of others go to a cluster."""


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
    try:
        report, _ = _measured(options)
    except HicrispError as error:
        sys.stderr.write(f"{error}\n")
        return 2
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
