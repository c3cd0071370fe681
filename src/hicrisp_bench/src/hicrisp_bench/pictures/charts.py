"""What a picture shows, as data: bars with intervals, ours and the published ones beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Tuple, Union

Row = Mapping[str, Any]
Said = Union[str, Callable[[Row], str]]
"""What a bar is called: a row's entry by its key, or words made from the row."""


def words(said: str) -> Callable[[Row], str]:
    """Use the same words for every row.

    Args:
        said: the words.

    Returns:
        A function of the row.
    """
    return lambda row: said


@dataclass(frozen=True)
class Bar:
    """One figure.

    Args:
        group: what it stands under on the axis.
        series: what it is one of: a colour and a hatch for each.
        low: the interval's or the spread's ends; ``None`` where there are none.
        published: whether it is a paper's figure.
    """

    group: str
    series: str
    value: float
    low: Optional[float] = None
    high: Optional[float] = None
    published: bool = False


@dataclass(frozen=True)
class Chart:
    """One picture.

    Args:
        name: of its files.
        title: what it shows, in one line.
        axis: what the bars measure, with the unit.
        whiskers: what their lines are.
        share: whether the bars are fractions of 1, shown as percent.
        logarithmic: for times that differ by orders.
    """

    name: str
    title: str
    bars: Tuple[Bar, ...]
    axis: str
    whiskers: str = "95 % interval (Wilson)"
    share: bool = True
    logarithmic: bool = False

    @property
    def in_words(self) -> str:
        """The picture in words, for who does not see it."""
        def figure(value: float) -> str:
            return f"{100.0 * value:.0f} %" if self.share else f"{value:.3g}"

        told = (f"{bar.group}, {bar.series}{' (published)' if bar.published else ''}: {figure(bar.value)}"
                + (f" ({figure(bar.low)} to {figure(bar.high)})"
                   if bar.low is not None and bar.high is not None else "")
                for bar in self.bars)
        return f"{self.title}. {self.axis}. {'; '.join(told)}."


def share_bars(rows: Iterable[Row], group: Said, series: Said, value: str, published: bool = False) -> Tuple[Bar, ...]:
    """Draw bars of a fraction with its interval; rows without the fraction are left out.

    Args:
        rows: rows of a table.
        group: names the group of a bar.
        series: names the series of a bar.
        value: column of the fraction.
        published: whether the figures are a paper's.

    Returns:
        The bars.
    """
    return tuple(
        Bar(_said(row, group), _said(row, series), float(row[value]), low, high, published)
        for row in rows if isinstance(row.get(value), (int, float))
        for low, high in (row.get(f"{value}_ci") or (None, None),))


def spread_bars(rows: Iterable[Row], group: Said, series: Said, value: str, p95: str = "") -> Tuple[Bar, ...]:
    """Draw bars of a median with a line up to the 95th percentile; rows without a median are left out.

    Args:
        rows: rows of a table.
        group: names the group of a bar.
        series: names the series of a bar.
        value: column with ``median`` and ``p95``, or of the median alone.
        p95: column of the percentile in the second case.

    Returns:
        The bars.
    """
    pairs = ((row, row.get(value), row.get(p95)) if p95 else (row, *map((row.get(value) or {}).get, ("median", "p95")))
             for row in rows)
    return tuple(Bar(_said(row, group), _said(row, series), float(median), float(median), float(end))
                 for row, median, end in pairs if median is not None and end is not None)


def count_bars(rows: Iterable[Row], group: Said, series: Sequence[Tuple[str, str]]) -> Tuple[Bar, ...]:
    """Draw bars of counts.

    Args:
        rows: rows of a table.
        group: names the group of a bar.
        series: columns, each with its words.

    Returns:
        The bars.
    """
    return tuple(Bar(_said(row, group), said, float(row[key])) for row in rows for key, said in series
                 if isinstance(row.get(key), (int, float)))


def _said(row: Row, what: Said) -> str:
    return what(row) if callable(what) else str(row.get(what, ""))
