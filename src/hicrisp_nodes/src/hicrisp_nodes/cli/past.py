"""The tasks that have ended, as their run folders tell them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import AbstractSet, Iterator, List


@dataclass(frozen=True)
class PastRun:
    """One task that has ended.

    Args:
        verdict: ``succeeded``, ``failed``, ``refused``, ``answered`` or ``canceled``.
        seconds: of wall time.
    """

    id: str
    task: str
    verdict: str
    seconds: float


def past_runs(folder: Path, most: int, without: AbstractSet[str] = frozenset()) -> List[PastRun]:
    """List the newest runs whose result can be read.

    Args:
        folder: the folder of runs; it may be missing.
        most: limit of their number.
        without: ids of tasks to leave out.

    Returns:
        Runs, newest first.
    """
    found: List[PastRun] = []
    for run in _newest(folder):
        if len(found) == most:
            break
        if run.name in without:
            continue
        try:
            result = json.loads((run / "result.json").read_text(encoding="utf-8"))
            verdict = str(result.get("verdict") or ("succeeded" if result["success"] else "failed"))
            found.append(PastRun(run.name, str(result["task"]), verdict, float(result.get("wall_s") or 0.0)))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue  # It was cut off, or is no run.
    return found


def _newest(folder: Path) -> Iterator[Path]:
    """The folders in it; their names begin with the date and the time."""
    try:
        yield from sorted((entry for entry in folder.iterdir() if entry.is_dir()), reverse=True)
    except OSError:
        return
