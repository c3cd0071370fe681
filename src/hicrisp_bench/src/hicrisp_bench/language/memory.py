"""How much memory this process and those that it started have needed."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List

_PROC = Path("/proc")


def peak_mib(process: str = "self") -> float:
    """The most memory that a process and what it started, as far as that still runs, ever held; MiB."""
    parents = _parents()
    own = str((_PROC / process).resolve().name)
    family: List[str] = [own]
    for each in family:
        family += [child for child, parent in parents.items() if parent == each]
    return sum(_status(each).get("VmHWM", 0.0) for each in family) / 1024.0


def _parents() -> Dict[str, str]:
    return {each.name: str(int(_status(each.name).get("PPid", 0))) for each in _PROC.iterdir()
            if each.name.isdigit()}


def _status(process: str) -> Dict[str, float]:
    """The numbers that the kernel tells of a process; none of one that has ended."""
    try:
        lines = (_PROC / process / "status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.split(":", 1) for line in lines if ":" in line)
    return {key: float(value.split()[0]) for key, value in pairs if value.split()
            and value.split()[0].isdigit()}
