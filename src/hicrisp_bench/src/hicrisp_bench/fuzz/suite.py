"""Inputs that nobody thought of, found by the branches that they take: no reader may fall over one."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Dict, List, Mapping

from hicrisp_core.errors import HicrispError

from hicrisp_bench.fuzz.targets import targets
from hicrisp_bench.options import add_seed, at_least_one
from hicrisp_bench.suite import Report, Row, Runner, folder_of

QUICK: Mapping[str, Any] = {"seconds": 3}
SELECTS = ("seconds", "targets", "seed")
_COLUMNS = ("target", "seconds", "runs", "branches", "found", "ok")
_HARNESS = Path(__file__).with_name("harness.py")
"""Run by its path: as a module it would come after what it is to watch."""
_FOUND = ("crash-", "timeout-", "oom-")
_SLOWEST, _MOST_MB = 20, 2048
"""Seconds for one input, and megabytes for a process."""
_SPARE = 120.0
"""Wall seconds beyond its own in which a process must have ended."""
_BRANCHES = re.compile(r"\bcov: (\d+)")
_RUNS = re.compile(r"^stat::number_of_executed_units: +(\d+)", re.MULTILINE)
_RAISED = re.compile(r"^(?:[A-Za-z_.]*(?:Error|Exception|Interrupt|Unreadable)\b.*)$", re.MULTILINE)


class NoFuzzer(HicrispError):
    """The fuzzer is not installed."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """What is fed, and for how long."""
    parser.add_argument("--seconds", type=at_least_one, default=60, metavar="N", help="for each target (60)")
    parser.add_argument("--targets", nargs="+", default=[], metavar="NAME", help="some of them (all)")
    add_seed(parser, "the inputs", default=1)


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite."""
    if find_spec("atheris") is None:
        raise NoFuzzer("atheris is not installed: scripts/bench fuzz installs it (requirements/fuzz.txt)")
    known = targets(options.config)
    unknown = [name for name in options.targets if name not in known]
    if unknown:
        raise HicrispError(f"no target {', '.join(unknown)}; there are: {', '.join(known)}")
    rows = [_fed(name, options) for name in options.targets or known]
    failed = tuple(f"{row['target']}: {row['why']}" for row in rows if not row["ok"])
    return Report(rows, _COLUMNS, (), _NOTE, failed=failed)


def _fed(name: str, options: argparse.Namespace) -> Row:
    folder = folder_of(options) / "findings" / name
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / "seeds", ignore_errors=True)
    before = set(_findings(folder))
    began = time.monotonic()
    limit = options.seconds + _SPARE
    try:
        done = subprocess.run(
            [sys.executable, "-P", str(_HARNESS), name, str(options.config.resolve()), str(folder.resolve()),
             f"-max_total_time={options.seconds}", f"-seed={options.seed}", f"-timeout={_SLOWEST}",
             f"-rss_limit_mb={_MOST_MB}", "-max_len=8000", "-print_final_stats=1"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit, check=False)
        status, said = done.returncode, done.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired as error:
        status = 1
        said = f"{(error.output or b'').decode('utf-8', 'replace')}\nit did not end within {limit:g} s\n"
    (folder / "log.txt").write_text(said, encoding="utf-8")
    new = [path for path in _findings(folder) if path not in before]
    return {"target": name, "seconds": time.monotonic() - began, **figures_of(said), "found": len(new),
            "ok": status == 0 and not new, "why": "" if status == 0 else last_raised(said, new)}


def _findings(folder: Path) -> List[Path]:
    return sorted(path for path in folder.iterdir() if path.name.startswith(_FOUND))


def figures_of(said: str) -> Dict[str, int]:
    """The branches that were reached and the texts that were read, by the fuzzer's own words."""
    branches, runs = _BRANCHES.findall(said), _RUNS.findall(said)
    return {"branches": int(branches[-1]) if branches else 0, "runs": int(runs[-1]) if runs else 0}


def last_raised(said: str, new: List[Path]) -> str:
    """The last exception that was written, and the file that brings it back."""
    raised = _RAISED.findall(said)
    where = f" ({new[0]})" if new else ""
    return f"{raised[-1] if raised else said.strip().rpartition(chr(10))[2]}{where}"


_NOTE = ("Inputs are changed at random and kept where they reach a branch of hicrisp_core that none before "
         "did (atheris). A reader may refuse a text as it says; any other exception, more than "
         f"{_SLOWEST} s or {_MOST_MB} MB for one text is a finding.")
