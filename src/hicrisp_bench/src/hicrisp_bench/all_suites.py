"""``scripts/bench all``: every suite in a process of its own, and one page over all of them."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, List, Mapping, Tuple

from hicrisp_bench.index import NOT_RUN, write_index
from hicrisp_bench.results import FILE
from hicrisp_bench.tables import markdown

ALL = "all"
_COLUMNS = ("suite", "ended", "seconds", "cpu_s", "why")
_PART = 4096
"""Bytes that are read at once, and that are remembered."""


def run_all_suites(options: argparse.Namespace, folder: Path, about: Mapping[str, str]) -> int:
    """Run them one after the other; the status is 1 where one crashed or could not run.

    Args:
        folder: takes a folder of each suite.
        about: the suites by name, with what they measure.
    """
    rows: List[Dict[str, Any]] = []
    for name in about:
        row = _run(name, options, folder / name)
        rows.append(row)
        write_index(folder, about)
        sys.stderr.write(f"{name}: {row['ended']}, {row['seconds']:.0f} s\n")
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


def _run(name: str, options: argparse.Namespace, folder: Path) -> Dict[str, Any]:
    """One suite in its own process; what it says on its error stream is shown, and kept where it fails."""
    command = [sys.executable, "-m", "hicrisp_bench", name, "--out", str(folder), "--jobs", str(options.jobs),
               "--config", str(options.config)]
    command += [flag for flag in ("--quick", "--resume") if getattr(options, flag[2:])]
    command += ["--dask", options.dask] if options.dask else []
    began, now = time.perf_counter(), time.time()
    status, said = _shown(command)
    seconds = time.perf_counter() - began
    why = ""
    not_run, results = folder / NOT_RUN, folder / FILE
    if results.is_file() and results.stat().st_mtime >= now - 1.0:
        not_run.unlink(missing_ok=True)
    else:
        lines = [line for line in said.replace("\r", "\n").splitlines() if line.strip()]
        why = lines[-1] if lines else f"it ended with the status {status}"
        folder.mkdir(parents=True, exist_ok=True)
        not_run.write_text(json.dumps({"why": why}) + "\n", encoding="utf-8")
    ended = "not run" if why else "ok" if status == 0 else "a part crashed"
    return {"suite": name, "ended": ended, "seconds": round(seconds, 1),
            "cpu_s": None if why else _cpu_of(folder), "why": why}


def _shown(command: List[str]) -> Tuple[int, str]:
    """A command's status and the end of what it says on its error stream, which is shown as it comes."""
    said = b""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        if process.stderr is not None:
            while True:
                part = os.read(process.stderr.fileno(), _PART)
                if not part:
                    break
                sys.stderr.write(part.decode(errors="replace"))
                sys.stderr.flush()
                said = (said + part)[-_PART:]
        status = process.wait()
    return status, said.decode(errors="replace")


def _cpu_of(folder: Path) -> float:
    found = json.loads((folder / FILE).read_text(encoding="utf-8"))
    return float(found["run"]["cpu_s"])
