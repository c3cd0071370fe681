"""The results of a run, one line a plan, appended as they come: what a stopped run has done need not be
done again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence, Set, Tuple

Key = Tuple[str, str]
"""Task and model."""


class ResultsFile:
    """A file of JSON lines.

    Args:
        resume: keep what the file holds; else it is begun anew.
    """

    def __init__(self, file: Path, resume: bool) -> None:
        self.file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        if not resume or not file.exists():
            file.write_text("", encoding="utf-8")
        self._kept: List[Dict[str, Any]] = [entry for entry in _read(file) if "crashed" not in entry]
        self._rewrite()

    def done(self) -> Set[Key]:
        """The plans that need not be run again; those that crashed are tried once more."""
        return {(str(entry["id"]), str(entry["model"])) for entry in self._kept}

    def add(self, results: Sequence[Mapping[str, Any]]) -> None:
        """Append results, at once and whole."""
        self._kept.extend(dict(result) for result in results)
        with self.file.open("a", encoding="utf-8") as stream:
            stream.write("".join(json.dumps(result) + "\n" for result in results))

    def results(self) -> Sequence[Mapping[str, Any]]:
        """Everything that is known, in the order in which it came."""
        return tuple(self._kept)

    def _rewrite(self) -> None:
        """Leave out the line that was being written when the run was stopped."""
        self.file.write_text("".join(json.dumps(entry) + "\n" for entry in self._kept), encoding="utf-8")


def _read(file: Path) -> List[Dict[str, Any]]:
    found: List[Dict[str, Any]] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and "id" in entry and "model" in entry:
            found.append(entry)
    return found
