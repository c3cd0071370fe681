"""``scripts/bench SUITE``: run a suite, print its table, leave JSON and CSV."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import List, Mapping, Optional

from hicrisp_core.errors import HicrispError

from hicrisp_bench import (
    agv,
    barman,
    blocks,
    brains,
    eyes,
    faults,
    franka7,
    language,
    prompts,
    search,
    tabletop,
)
from hicrisp_bench.suite import Suite, at_least_one, save, text_of
from hicrisp_bench.virtualhome import household_suite, plans

SUITES: Mapping[str, Suite] = {
    "agv": agv,
    "barman": barman,
    "blocks": blocks,
    "brains": brains,
    "eyes": eyes,
    "faults": faults,
    "franka7": franka7,
    "language": language,
    "prompts": prompts,
    "search": search,
    "tabletop": tabletop,
    "virtualhome": plans,
    "virtualhome10": household_suite,
}


def main(arguments: Optional[List[str]] = None) -> int:
    """The command line; returns the exit status: 0, 1 when a part crashed, 2 when the suite could not run."""
    options = parse(arguments)
    try:
        report = SUITES[options.suite].run(options)
    except HicrispError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    print(text_of(options.suite, report))  # noqa: T201 - the command's output
    folder = options.out or Path("runs/bench") / options.suite
    save(options.suite, report, options.jobs, folder, options.json or folder / "results.json")
    return 0 if report.ok else 1


def parse(arguments: Optional[List[str]] = None) -> argparse.Namespace:
    """The suite and its options."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measure the workspace.")
    suites = parser.add_subparsers(dest="suite", required=True, metavar="SUITE")
    for name, suite in SUITES.items():
        own = suites.add_parser(name, help=(suite.__doc__ or "").splitlines()[0], description=suite.__doc__)
        own.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
        own.add_argument("--out", type=Path, metavar="FOLDER",
                         help="for table.md, results.csv and results.json (runs/bench/SUITE)")
        own.add_argument("--jobs", type=at_least_one, default=os.cpu_count() or 1,
                         help="processes side by side")
        own.add_argument("--config", type=Path, default=Path(__file__).resolve().parents[4] / "config",
                         help="folder with scenes, domains and policies")
        suite.add_options(own)
    options = parser.parse_args(arguments)
    if not (options.config / "scenes").is_dir():
        parser.error(f"{options.config} holds no folder 'scenes'; give the workspace's config folder with "
                     "--config")
    return options
