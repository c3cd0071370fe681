"""What the nodes of a launch hold in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Iterable, List, Sequence, Tuple

Sample = Tuple[int, Dict[str, Tuple[int, float]]]
"""The number of the task after which it was taken; a node's process and its MB, by the node's name."""
_NAME = b"__name:="


def resident(processes: Iterable[int]) -> Dict[str, Tuple[int, float]]:
    """The process and the MB of every node among some processes."""
    found: Dict[str, Tuple[int, float]] = {}
    for pid in processes:
        folder = Path("/proc") / str(pid)
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            status = (folder / "status").read_text()
        except OSError:
            continue  # It has just ended.
        name = next((word[len(_NAME):].decode() for word in words if word.startswith(_NAME)), "")
        if name:
            kilobytes = next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]
            found[name] = (pid, int(kilobytes) / 1024.0)
    return found


def growth(samples: Sequence[Sample]) -> List[Dict[str, object]]:
    """A row for each node: how its memory grew in the longest life of one of its processes, after the first
    tenth of that life."""
    lives: Dict[Tuple[str, int], List[Tuple[int, float]]] = {}
    for number, sample in samples:
        for name, (pid, megabytes) in sample.items():
            lives.setdefault((name, pid), []).append((number, megabytes))
    longest: Dict[str, List[Tuple[int, float]]] = {}
    for (name, _), life in lives.items():
        if len(life) > len(longest.get(name, ())):
            longest[name] = life
    rows: List[Dict[str, object]] = []
    for name, life in sorted(longest.items()):
        settled = life[len(life) // 10:]
        part = max(1, len(settled) // 5)
        first = sum(value for _, value in settled[:part]) / part
        last = sum(value for _, value in settled[-part:]) / part
        rows.append({"node": name, "tasks": life[-1][0] - life[0][0] + 1, "mb_first": first, "mb_last": last,
                     "growth": last / first - 1.0,
                     "processes": sum(1 for node, _ in lives if node == name)})
    return rows
