"""The few statistics that the tables need."""

from __future__ import annotations

import math
from operator import itemgetter
from statistics import mean, median
from typing import Any, Callable, Counter, Dict, Iterable, List, Mapping, Sequence, Tuple

from hicrisp_bench.cost import cost_of

_Z95 = 1.959963984540054


class Tally:
    """Sums up the results of one row's trials; one that crashed counts as a trial and in no figure."""

    def __init__(self, results: Iterable[Mapping[str, Any]]) -> None:
        self.all = list(results)
        self.whole = [each for each in self.all if "crashed" not in each]

    @property
    def trials(self) -> Dict[str, Any]:
        """The columns ``n``, how many there were, and ``crashed``, why some broke off."""
        return {"n": len(self.all), "crashed": [each["crashed"] for each in self.all if "crashed" in each]}

    def count(self, holds: Callable[[Mapping[str, Any]], object]) -> int:
        """Return the number of results for which a condition holds."""
        return sum(1 for each in self.whole if holds(each))

    def share(self, name: str, key: str = "") -> Dict[str, Any]:
        """Return the fraction of all trials in which an entry is true, as a table has it.

        Args:
            name: of the column.
            key: of the entry, if it has another name.

        Returns:
            The columns ``NAME`` and ``NAME_ci``.
        """
        return share_of(name, self.count(itemgetter(key or name)), len(self.all))

    def totals(self, *names: str) -> Dict[str, Any]:
        """Return the sum of each of some entries."""
        return {name: sum(each[name] for each in self.whole) for name in names}

    def means(self, *names: str) -> Dict[str, Any]:
        """Return the mean of each of some entries, ``None`` without results."""
        return {name: mean(each[name] for each in self.whole) if self.whole else None for name in names}

    def lengths(self, *names: str) -> Dict[str, Any]:
        """Return how much each of some entries lists in all results."""
        return {name: sum(len(each[name]) for each in self.whole) for name in names}

    def spreads(self, *names: str) -> Dict[str, Any]:
        """Return median and worst of each of some entries."""
        return {name: spread([each[name] for each in self.whole]) for name in names}

    def percentiles(self, *names: str) -> Dict[str, Any]:
        """Return median and 95th percentile (``NAME_p95``) of each of some entries, numbers or lists of them."""
        found = {name: [each[name] for each in self.whole if name in each] for name in names}
        spreads = {name: spread([value for each in own for value in (each if isinstance(each, list) else [each])])
                   for name, own in found.items()}
        return {f"{name}{end}": each.get(key) for name, each in spreads.items()
                for end, key in (("", "median"), ("_p95", "p95"))}

    def false_success(self, done: str = "success") -> Dict[str, int]:
        """Return how many results claim a success that is none, as a table has it."""
        return {"false_success": self.count(lambda each: each["claimed"] and not each[done])}

    @property
    def corrections(self) -> Dict[str, Dict[str, int]]:
        """The columns of ``corrections_of``."""
        return corrections_of(self.whole)

    @property
    def cost(self) -> Dict[str, Any]:
        """The column of ``cost_of``."""
        return cost_of(self.whole)


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
