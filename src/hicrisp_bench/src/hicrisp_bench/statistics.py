"""The few statistics that the tables need."""

from __future__ import annotations

import math
from statistics import median
from typing import Any, Counter, Dict, Iterable, List, Mapping, Sequence, Tuple

_Z95 = 1.959963984540054


def corrections_of(results: Iterable[Mapping[str, Any]]) -> Dict[str, Dict[str, int]]:
    """Sum up the corrections of results.

    Args:
        results: results of trials.

    Returns:
        ``corrections`` by rung, and ``corrected_by`` by maker.
    """
    columns: Dict[str, Counter[str]] = {"corrections": Counter(), "corrected_by": Counter()}
    for result in results:
        for name, counts in columns.items():
            counts.update(result.get(name) or {})
    return {name: dict(counts) for name, counts in columns.items()}


def wilson_interval(successes: int, trials: int) -> Tuple[float, float]:
    """Compute the 95 % Wilson score interval of a fraction.

    Args:
        successes: how many trials succeeded.
        trials: how many there were.

    Returns:
        Bounds from 0 to 1; (0, 1) without trials.
    """
    if trials == 0:
        return (0.0, 1.0)
    p, z2 = successes / trials, _Z95 ** 2
    centre = (p + z2 / (2 * trials)) / (1 + z2 / trials)
    half = _Z95 * math.sqrt(p * (1 - p) / trials + z2 / (4 * trials ** 2)) / (1 + z2 / trials)
    return (max(0.0, centre - half), min(1.0, centre + half))


def share_of(name: str, count: int, of: int) -> Dict[str, Any]:
    """Return a fraction as a table has it: under its name, 0 without trials, and its interval as ``NAME_ci``.

    Args:
        name: of the column.
        count: trials of which it holds.
        of: all of them.

    Returns:
        Both columns.
    """
    return {name: count / max(1, of), f"{name}_ci": wilson_interval(count, of)}


def paired_interval(better: int, worse: int, pairs: int) -> Tuple[float, float]:
    """Compute the 95 % interval of the change of a fraction between paired trials, after Bonett and Price
    (2012).

    Args:
        better: pairs in which only the second trial succeeded.
        worse: pairs in which only the first did.
        pairs: all pairs.

    Returns:
        Bounds from -1 to 1.
    """
    if pairs == 0:
        return (-1.0, 1.0)
    gained, lost = (better + 1) / (pairs + 2), (worse + 1) / (pairs + 2)
    half = _Z95 * math.sqrt((gained + lost - (gained - lost) ** 2) / (pairs + 2))
    return (max(-1.0, gained - lost - half), min(1.0, gained - lost + half))


def percentile(values: Sequence[float], q: float) -> float:
    """Compute a percentile by the nearest rank.

    Args:
        values: any numbers, in any order.
        q: 0 to 100.

    Returns:
        One of the values; not a number without any.
    """
    if not values:
        return math.nan
    ranked = sorted(values)
    return ranked[max(0, math.ceil(q / 100.0 * len(ranked)) - 1)]


def spread(values: Sequence[float]) -> Dict[str, float]:
    """Sum up values.

    Args:
        values: numbers; ``None`` is left out.

    Returns:
        ``n``, ``median``, ``p95`` and ``worst``; only ``n`` without values.
    """
    found: List[float] = [value for value in values if value is not None]
    if not found:
        return {"n": 0}
    return {"n": len(found), "median": median(found), "p95": percentile(found, 95.0), "worst": max(found)}
