"""``scripts/bench all``: every suite in a process of its own, and one page over all of them."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Collection, Dict, List, Mapping, Tuple

from hicrisp_bench.results import FILE, NOT_RUN, write_index
from hicrisp_bench.suite import markdown

ALL = "all"
_COLUMNS = ("suite", "ended", "seconds", "cpu_s", "why")
_PART = 4096
"""Bytes that are read at once, and that are remembered."""
_AGAIN, _WIDTH = "\r\x1b[K", 78
"""Begins a terminal's line anew; columns of it that are used."""


def run_all_suites(options: argparse.Namespace, folder: Path, about: Mapping[str, str],
                   here: Collection[str]) -> int:
    """Run all suites one after another, whatever becomes of one.

    Args:
        options: the parsed command line.
        folder: takes a folder of each suite.
        about: the suites by name, with what they measure.
        here: suites that run on this machine alone, even if the others' trials go to a cluster.

    Returns:
        Exit status: 1 if a suite failed or could not run.
    """
    rows: List[Dict[str, Any]] = []
    for number, name in enumerate(about, start=1):
        row = _run(name, options, folder / name, "" if name in here else options.dask)
        rows.append(row)
        write_index(folder, about)
        _say(f"[{number}/{len(about)}] {name}: {row['ended']}, {row['seconds']:.0f} s"
             f"{': ' if row['why'] else ''}{row['why']}")
    page = write_index(folder, about)
    total = {"suite": ALL, "ended": "", "seconds": sum(row["seconds"] for row in rows),
             "cpu_s": sum(row["cpu_s"] or 0.0 for row in rows), "why": ""}
    print(markdown([*rows, total], _COLUMNS))  # noqa: T201 - the command's output
    print(f"\n{page}")  # noqa: T201 - the command's output
    if options.json:
        found = {name: json.loads((folder / name / FILE).read_text(encoding="utf-8"))
                 for name in about if (folder / name / FILE).is_file()}
        options.json.write_text(json.dumps({"suite": ALL, "rows": rows, "suites": found}, indent=1) + "\n",
                                encoding="utf-8")
    return 0 if all(row["ended"] == "ok" for row in rows) else 1


def _run(name: str, options: argparse.Namespace, folder: Path, dask: str) -> Dict[str, Any]:
    """One suite in its own process; the last that it says on its error stream is kept where it fails."""
    command = [sys.executable, "-m", "hicrisp_bench", name, "--out", str(folder), "--jobs", str(options.jobs),
               "--config", str(options.config)]
    command += [flag for flag in ("--quick", "--resume") if getattr(options, flag[2:])]
    command += ["--dask", dask] if dask else []
    began, now = time.perf_counter(), time.time()
    status, said = _shown(command)
    seconds = time.perf_counter() - began
    not_run, results = folder / NOT_RUN, folder / FILE
    if results.is_file() and results.stat().st_mtime >= now - 1.0:
        not_run.unlink(missing_ok=True)
        run = json.loads(results.read_text(encoding="utf-8"))["run"]
        why = "" if status == 0 else "; ".join(run["failed"]) or _last_words(status, said)
        return {"suite": name, "ended": "failed" if why else "ok", "seconds": round(seconds, 1),
                "cpu_s": float(run["cpu_s"]), "why": why}
    why = _last_words(status, said)
    folder.mkdir(parents=True, exist_ok=True)
    not_run.write_text(json.dumps({"why": why}) + "\n", encoding="utf-8")
    return {"suite": name, "ended": "not run", "seconds": round(seconds, 1), "cpu_s": None, "why": why}


def _last_words(status: int, said: bytes) -> str:
    """Why a suite left no results: its last line, or the signal that ended it."""
    if status < 0:
        return f"it was ended by {signal.Signals(-status).name}"
    return _last_line(said) or f"it ended with the status {status} and no word"


def _shown(command: List[str]) -> Tuple[int, bytes]:
    """A command's status and the end of what it says on its error stream; a terminal shows it meanwhile, in
    one line.
    """
    said, live = b"", sys.stderr.isatty()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        if process.stderr is not None:
            while True:
                part = os.read(process.stderr.fileno(), _PART)
                if not part:
                    break
                said = (said + part)[-_PART:]
                if live:
                    _say(_last_line(said)[:_WIDTH], end="")
        status = process.wait()
    return status, said


def _last_line(said: bytes) -> str:
    lines = [line for line in said.decode(errors="replace").replace("\r", "\n").splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _say(line: str, end: str = "\n") -> None:
    """Write a line over what stands in the terminal's last one; nobody looking is no reason to end."""
    try:
        sys.stderr.write(f"{_AGAIN if sys.stderr.isatty() else ''}{line}{end}")
        sys.stderr.flush()
    except OSError:
        pass
