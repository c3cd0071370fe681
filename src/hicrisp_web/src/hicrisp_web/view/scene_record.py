"""What stood where during a run, written beside its events, so that a replay can draw it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import AbstractSet, Any, Dict, Iterator, List, Mapping, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import WorldState
from hicrisp_core.scene.scene import Scene
from hicrisp_core.trace.plain import to_json
from hicrisp_core.trace.scene_lines import named, scene_lines

from hicrisp_web.view.scene_view import scene_section, world_section

_MOVED, _TURNED = 0.005, 5.0
"""Metres and degrees that a thing must be seen to move before it is written down again."""
_MOST_LINES = 5000
_MOST_POINTS = 600
"""Points of a base's way that are drawn, the latest ones."""


class SceneRecord:
    """Writes the scene once, and then what moved; a run that goes on for very long is written to its limit.

    Args:
        file: made when the scene is written.
    """

    def __init__(self, file: Path, scene: Scene, domain: Domain) -> None:
        self._file = file
        self._scene = scene
        self._domain = domain
        self._told: Dict[str, Dict[str, Any]] = {}
        self._lines = 0

    def see(self, t: float, world: WorldState) -> None:
        """Write what is elsewhere than it was when it was last written.

        Args:
            t: wall seconds since the task began.

        Raises:
            OSError: when it cannot be written.
        """
        if self._scene.symbolic:
            return
        section = world_section(world, self._domain)
        moved = {kind: [each for each in section[kind] if self._elsewhere(kind, each)]
                 for kind in ("things", "robots")}
        moved["things"] += self._vanished({thing["name"] for thing in section["things"]})
        if not any(moved.values()) or self._lines >= _MOST_LINES:
            return
        with self._file.open("a", encoding="utf-8") as stream:
            if not self._lines:
                stream.write(to_json({"scene": scene_section(self._scene)}) + "\n")
            stream.write(to_json({"t": round(t, 2), **moved}) + "\n")
        self._lines += 1

    def _vanished(self, there: AbstractSet[str]) -> List[Dict[str, Any]]:
        """What was seen before and is no thing any more, as what a lidar outlines: it is nowhere now."""
        gone = [told for key, told in self._told.items()
                if key.startswith("thing") and told["name"] not in there and told["x"] is not None]
        nowhere = [{**told, "x": None, "y": None, "z": None, "yaw": None} for told in gone]
        self._told.update((f"things {told['name']}", told) for told in nowhere)
        return nowhere

    def _elsewhere(self, kind: str, now: Dict[str, Any]) -> bool:
        """Whether a thing moved since it was written; it counts as written then."""
        key = f"{kind} {now['name']}"
        before = self._told.get(key)
        if before is not None and not _apart(before, now):
            return False
        self._told[key] = now
        return True


def _apart(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    if (before["x"] is None) is not (now["x"] is None):
        return True
    if now["x"] is None:
        return False
    turned = abs((now["yaw"] - before["yaw"] + 180.0) % 360.0 - 180.0)
    gone = math.dist([before[axis] for axis in "xyz"], [now[axis] for axis in "xyz"])
    return gone > _MOVED or turned > _TURNED


def read_record(run: Path) -> Iterator[Tuple[float, Dict[str, Any]]]:
    """Read a run's record of the scene.

    Args:
        run: the run folder.

    Yields:
        Seconds, and the sections ``scene``, ``world`` and ``path`` that change; damaged lines are skipped.
    """
    seen: Dict[str, Dict[str, Dict[str, Any]]] = {"things": {}, "robots": {}}
    way: List[List[float]] = []
    for entry in scene_lines(run):
        if isinstance(entry.get("scene"), dict):
            yield 0.0, {"scene": entry["scene"]}
            continue
        for kind, known in seen.items():
            known.update((each["name"], each) for each in named(entry, kind))
        base = next((each for each in seen["robots"].values() if each.get("kind") == "base"), None)
        if base is not None and isinstance(base["x"], float):
            way = [*way, [base["x"], base["y"]]][-_MOST_POINTS:]
        t = entry.get("t")
        yield float(t) if isinstance(t, (int, float)) else 0.0, {
            "world": {**{kind: list(known.values()) for kind, known in seen.items()}, "facts": []},
            "path": way or None}
