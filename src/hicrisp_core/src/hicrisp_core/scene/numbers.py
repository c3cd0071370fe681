"""Faults of scene files, with errors that name the file and the line."""

from __future__ import annotations

from typing import Any, Tuple

from hicrisp_core.config.yaml_lines import Positions, check_keys, numbers, value_of
from hicrisp_core.scene.scene import SceneFault


def fault_of(entry: Any, positions: Positions, path: Tuple[Any, ...]) -> SceneFault:
    """What is injected at the beginning."""
    check_keys(entry, ("kind", "target", "magnitude", "count"), ("kind",), positions, path)
    magnitude = entry.get("magnitude", [])
    listed = magnitude if isinstance(magnitude, list) else [magnitude]
    return SceneFault(
        value_of(entry, "kind", str, positions, path), value_of(entry, "target", str, positions, path, default=""),
        tuple(numbers(listed, None, positions, (*path, "magnitude"))),
        value_of(entry, "count", int, positions, path, default=0))
