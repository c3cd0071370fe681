"""Finite numbers and faults of scene files, with errors that name the file and the line."""

from __future__ import annotations

import math
from typing import Any, List, Optional, Sequence, Tuple

from hicrisp_core.config.yaml_lines import Positions, check_keys, value_of
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


def numbers(
    values: Any, count: Optional[int], positions: Positions, path: Tuple[Any, ...], above: Optional[float] = None
) -> List[float]:
    """Finite numbers, ``count`` of them, each greater than ``above``."""
    wanted = f"{count} numbers" if count is not None else "numbers"
    fits = isinstance(values, Sequence) and not isinstance(values, str) and count in (None, len(values))
    if not fits or not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        raise positions.error(path, f"{wanted} were expected, got {values!r}")
    if not all(math.isfinite(v) and (above is None or v > above) for v in values):
        raise positions.error(path, f"finite numbers{f' above {above:g}' if above is not None else ''} were expected, "
                                    f"got {values!r}")
    return [float(v) for v in values]
