"""Charts as PNG and SVG: colours that colour-blind people tell apart, hatches that print in black and white.

Ours are filled bars, a colour and a hatch a series; published figures are empty bars with a dashed edge.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from hicrisp_bench.pictures.charts import Bar, Chart

OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
"""Okabe and Ito's palette, its darker colours first."""
HATCHES = ("", "////", "....", "xxxx", "----", "\\\\\\\\", "++++", "oooo")
FORMATS = ("png", "svg")
_STYLE: Any = {
    "font.family": "sans-serif", "font.size": 9.0, "axes.spines.top": False, "axes.spines.right": False,
    "hatch.linewidth": 0.5, "svg.fonttype": "none", "svg.hashsalt": "hicrisp"}
_WIDTH, _DPI = 7.2, 150
_BAR, _GAP, _REST = 0.19, 0.13, 1.15
"""Inches: a bar, the space between groups, title and axis."""
_LEGEND_LINE, _LEGEND_COLUMNS = 0.21, 2
_LONGEST = 44
"""Characters of a group's name."""


def draw(chart: Chart, folder: Path) -> List[Path]:
    """Draw a chart.

    Args:
        chart: bars, words and scale.
        folder: an existing folder.

    Returns:
        The files, one for each format.
    """
    with rc_context(_STYLE):
        figure = _figure(chart)
        files = [folder / f"{chart.name}.{form}" for form in FORMATS]
        for file in files:
            plain = {"Date": None} if file.suffix == ".svg" else {}
            figure.savefig(file, dpi=_DPI, metadata={"Title": chart.title, **plain})
    return files


def _figure(chart: Chart) -> Figure:
    groups = list(dict.fromkeys(bar.group for bar in chart.bars))
    looks = _looks(chart.bars)
    legend: List[Artist] = [Patch(label=f"published: {name}" if published else name, **look)
                            for (name, published), look in looks.items()]
    if any(bar.low is not None for bar in chart.bars):
        legend.append(Line2D([], [], color="black", marker="|", label=chart.whiskers))
    longest_name = max((len(str(each.get_label())) for each in legend), default=0)
    columns = 1 if longest_name > _LONGEST else _LEGEND_COLUMNS
    lines = -(-len(legend) // columns) * _LEGEND_LINE
    height = _REST + lines + _BAR * len(chart.bars) + _GAP * len(groups)
    figure = Figure(figsize=(_WIDTH, height))
    FigureCanvasAgg(figure)
    longest = min(_LONGEST, max(map(len, groups), default=0))
    left = min(0.45, 0.04 + 0.0115 * longest)
    axes = figure.add_axes((left, 0.55 / height, 0.95 - left, (height - _REST - lines + 0.2) / height))
    _bars(axes, chart, groups, looks)
    figure.suptitle(chart.title, x=0.02, y=1.0 - 0.1 / height, ha="left", va="top", fontsize=10.5, fontweight="bold")
    figure.legend(handles=legend, loc="upper left", ncols=columns, frameon=False, fontsize=8,
                  bbox_to_anchor=(0.015, 1.0 - 0.32 / height))
    return figure


def _bars(axes: Axes, chart: Chart, groups: Sequence[str], looks: Dict[Tuple[str, bool], Dict[str, Any]]) -> None:
    """All bars from the top down, each with its interval and its figure."""
    top, ticks = 0.0, []
    ends = [end for bar in chart.bars for end in (bar.value, bar.high) if end is not None]
    furthest = 1.0 if chart.share else max(ends, default=1.0) or 1.0
    for group in groups:
        own = [bar for bar in chart.bars if bar.group == group]
        for place, bar in enumerate(own):
            at = top + (place + 0.5) * _BAR
            axes.barh(at, bar.value, 0.86 * _BAR, linewidth=0.8, **looks[bar.series, bar.published])
            end = bar.value
            if bar.low is not None and bar.high is not None:
                axes.errorbar(bar.value, at, xerr=[[max(0.0, bar.value - bar.low)],
                                                   [max(0.0, bar.high - bar.value)]],
                              color="black", linewidth=0.9, capsize=2.0)
                end = max(end, bar.high)
            axes.annotate(f"{100.0 * bar.value:.0f} %" if chart.share else f"{bar.value:.3g}", (end, at),
                          xytext=(4, 0), textcoords="offset points", va="center", fontsize=7.5)
        ticks.append(top + 0.5 * _BAR * len(own))
        top += _BAR * len(own) + _GAP
    axes.set_yticks(ticks, [group if len(group) <= _LONGEST else f"{group[:_LONGEST - 1]}…" for group in groups])
    axes.set_ylim(top, -_GAP)
    if chart.logarithmic:
        axes.set_xscale("log")
    axes.set_xlim(None if chart.logarithmic else 0.0, (2.2 if chart.logarithmic else 1.12) * furthest)
    if chart.share:
        axes.set_xticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xlabel(chart.axis)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", linewidth=0.4, color="0.8")
    axes.set_axisbelow(True)


def _looks(bars: Sequence[Bar]) -> Dict[Tuple[str, bool], Dict[str, Any]]:
    """The look of each series, in the order in which they come."""
    looks: Dict[Tuple[str, bool], Dict[str, Any]] = {}
    ours = list(dict.fromkeys(bar.series for bar in bars if not bar.published))
    for number, name in enumerate(ours):
        looks[name, False] = {"facecolor": OKABE_ITO[number % len(OKABE_ITO)], "edgecolor": "black",
                              "hatch": HATCHES[number % len(HATCHES)]}
    for number, name in enumerate(dict.fromkeys(bar.series for bar in bars if bar.published)):
        looks[name, True] = {"facecolor": "white", "edgecolor": "black", "linestyle": "--",
                             "hatch": HATCHES[number % len(HATCHES)]}
    return looks
