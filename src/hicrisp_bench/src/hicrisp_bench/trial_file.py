"""The trials of a suite as they end, one line each: what a stopped run has done need not be done again."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

from hicrisp_core.errors import ConfigError

NAME = "trials.jsonl"
_SETTINGS = "settings"
Result = Dict[str, Any]


class TrialFile:
    """A file of JSON lines: first the settings that all its trials share, then a trial a line with its key.

    A line is written by one call at the end of the file, so that several processes may write to it and a
    process that is killed leaves at most one line cut off, which is left out when the file is read again.

    Args:
        settings: what a trial's result depends on beside its key.
        resume: keep what the file holds; else it is begun anew.

    Raises:
        ConfigError: when a run goes on with other settings than it was begun with.
    """

    def __init__(self, file: Path, settings: Mapping[str, Any], resume: bool) -> None:
        self.file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        self._known: Dict[str, Result] = {}
        ours = json.loads(json.dumps(settings))
        if resume and file.exists():
            theirs, self._known = _read(file)
            if theirs is not None and theirs != ours:
                raise ConfigError(f"--resume: the trials in {file} have other settings: "
                                  f"{_differences(theirs, ours)}. Run with the same ones, or without "
                                  "--resume to begin anew")
        lines = [{_SETTINGS: ours}, *({"key": key, "result": result} for key, result in self._known.items())]
        whole = file.with_suffix(".new")
        whole.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        whole.replace(file)

    def known(self, key: str) -> Optional[Result]:
        """Look up a trial's result.

        Args:
            key: names the trial.

        Returns:
            The result; ``None`` if the trial has to be run, also after a crash.
        """
        return self._known.get(key)

    def add(self, key: str, result: Result) -> Result:
        """Append a trial.

        Args:
            key: names the trial.
            result: JSON values.

        Returns:
            The result as it will be read again.
        """
        line = json.dumps({"key": key, "result": result})
        handle = os.open(self.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(handle, f"{line}\n".encode())
        finally:
            os.close(handle)
        read: Result = json.loads(line)["result"]
        return read


def folder_digest(folder: Path) -> str:
    """Hash what the files of a folder hold.

    Args:
        folder: any folder.

    Returns:
        Sixteen hexadecimal digits.
    """
    found = hashlib.sha256()
    for file in sorted(each for each in folder.rglob("*") if each.is_file()):
        found.update(f"{file.relative_to(folder)}\0".encode())
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()[:16]


def _read(file: Path) -> Tuple[Optional[Dict[str, Any]], Dict[str, Result]]:
    """The settings, and the trials that did not crash, by key."""
    settings: Optional[Dict[str, Any]] = None
    known: Dict[str, Result] = {}
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if not isinstance(entry, dict):
            continue
        if isinstance(entry.get(_SETTINGS), dict):
            settings = entry[_SETTINGS]
        result = entry.get("result")
        if isinstance(entry.get("key"), str) and isinstance(result, dict) and "crashed" not in result:
            known[entry["key"]] = result
    return settings, known


def _differences(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> str:
    names: List[str] = [name for name in {**theirs, **ours} if theirs.get(name) != ours.get(name)]
    return "; ".join(f"{name} was {theirs.get(name)!r} and is {ours.get(name)!r}" for name in names)
