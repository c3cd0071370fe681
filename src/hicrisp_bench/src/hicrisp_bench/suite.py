"""What a suite is, with all that one is made of: options of its own, trials for the runner, and a report of tables and
charts.
"""

from __future__ import annotations

import argparse
import csv
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Dict, List, Mapping, Protocol, Sequence, Tuple

from hicrisp_core.policy.policy import SIMILAR, load_policy

from hicrisp_bench.pictures.charts import Bar, Chart, count_bars, share_bars, spread_bars, words
from hicrisp_bench.runner import Runner, Trial, folder_digest, folder_of, runner_of

__all__ = ["Bar", "Chart", "Report", "Row", "Runner", "Section", "Suite", "Trial", "cells", "count_bars", "data_folder",
           "folder_digest", "folder_of", "markdown", "measured", "policies_here", "share_bars",
           "spread_bars", "text_of", "words", "write_csv"]
Row = Dict[str, Any]


def markdown(rows: Sequence[Dict[str, Any]], columns: Sequence[str]) -> str:
    """Write a Markdown table; a column with an interval shows it.

    Args:
        rows: values by column.
        columns: which columns, in their order.

    Returns:
        Markdown.
    """
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(row) + " |" for row in cells(rows, columns)]
    return "\n".join(lines)


def cells(rows: Sequence[Dict[str, Any]], columns: Sequence[str]) -> List[List[str]]:
    """Format a table's values; a column with an interval shows it.

    Args:
        rows: values by column.
        columns: which columns, in their order.

    Returns:
        Texts, a list for each row.
    """
    return [[_cell(row, column) for column in columns] for row in rows]


def write_csv(rows: Sequence[Dict[str, Any]], file: Path) -> None:
    """Write all rows with their plain values; nested values are left to the JSON.

    Args:
        rows: values by column.
        file: the CSV file.
    """
    plain: List[str] = []
    for row in rows:
        plain += [key for key, value in row.items() if not isinstance(value, (dict, list)) and key not in plain]
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, plain, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def _cell(row: Dict[str, Any], column: str) -> str:
    value = row.get(column)
    interval = row.get(f"{column}_ci")
    if value is None:
        return ""
    if interval is not None:
        to = "-" if interval[0] >= 0 else " to "
        return f"{100 * value:.3g}% ({100 * interval[0]:.0f}{to}{100 * interval[1]:.0f})"
    if isinstance(value, dict) and "median" in value:
        return f"{value['median']:.4g} (worst {value['worst']:.4g})"
    if isinstance(value, dict):
        return ", ".join(f"{key} {count}" for key, count in sorted(value.items()))
    return f"{value:.4g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Section:
    """One table of a report.

    Args:
        columns: the keys of the rows that are shown, in order; the JSON and the CSV hold all of them.
    """

    title: str
    rows: Sequence[Row]
    columns: Sequence[str]


@dataclass(frozen=True)
class Report:
    """What a suite found.

    Args:
        rows: the suite's own rows, one for a policy, a model or a case; fractions of 1 with ``x_ci`` beside
            ``x``.
        columns: the keys that the table shows.
        reference: published figures in the same form, each with its ``source``.
        note: what was real and what was injected, which plans came from a model and which from the offline planner.
        extra: further entries of the JSON file.
        sections: further tables; those without a row are left out.
        charts: what its pictures show.
        failed: why parts of it did not run, or did not end as they must, a sentence each.
    """

    rows: Sequence[Row]
    columns: Sequence[str]
    reference: Sequence[Row] = ()
    note: str = ""
    extra: Dict[str, Any] = field(default_factory=dict)
    sections: Tuple[Section, ...] = ()
    charts: Tuple[Chart, ...] = ()
    failed: Tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every part ran and ended as it must."""
        return not self.failed


class Suite(Protocol):
    """A module of this package with these two functions; ``suites.MEASURES`` names it."""

    @property
    def QUICK(self) -> Mapping[str, Any]:
        """Its options in a quick run, which shows that everything works and says little."""

    @property
    def SELECTS(self) -> Sequence[str]:
        """Its options that say which trials are run, not how: a run may go on with others."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options that only this suite has.

        Args:
            parser: the suite's subcommand.
        """

    def run(self, options: argparse.Namespace, runner: Runner) -> Report:
        """Run the suite.

        Args:
            options: ``config``, ``jobs`` and the suite's own options.
            runner: runs the trials.

        Returns:
            The rows with what was injected.
        """


def measured(suite: Suite, options: argparse.Namespace) -> Report:
    """Run a suite; trials that crashed are told in a table of their own, and it fails with them.

    Args:
        suite: one of all.
        options: the parsed command line.

    Returns:
        What it found.

    Raises:
        HicrispError: if it cannot run.
    """
    runner = runner_of(options, suite.SELECTS)
    report = suite.run(options, runner)
    crashed = runner.crashed
    more = f"; and {len(crashed) - 1} more" if len(crashed) > 1 else ""
    return replace(report, extra={**report.extra, "crashes": crashed},
                   sections=(*report.sections, Section("Crashed", crashed, ("trial", "crashed"))),
                   failed=(*report.failed, *(f"a trial crashed: {each['crashed']}{more}" for each in crashed[:1])))


def text_of(name: str, report: Report) -> str:
    """Write a report as Markdown.

    Args:
        name: its heading.
        report: rows, sections and published figures.

    Returns:
        Markdown.
    """
    parts: List[str] = [f"# {name}", markdown(report.rows, report.columns) if report.rows else "",
                        *(f"**Not as it must be:** {why}." for why in report.failed), report.note]
    parts += [f"## {section.title}\n\n{markdown(section.rows, section.columns)}"
              for section in report.sections if section.rows]
    if report.reference:
        own = [*report.columns, "source", "note"]
        shown = [column for column in own if any(column in row for row in report.reference)]
        parts.append(f"## Published\n\n{markdown(report.reference, shown)}")
    return "\n\n".join(part for part in parts if part) + "\n"


def data_folder() -> Path:
    """Where recordings and problem instances of others lie: ``HICRISP_DATA``, or ``../shared/data``."""
    return Path(os.environ.get("HICRISP_DATA") or Path(__file__).resolve().parents[5] / "shared" / "data")


def policies_here(config: Path) -> List[str]:
    """Return the names of all policies but those whose body needs the package of an embedding."""
    return [file.stem for file in sorted((config / "policies").glob("*.yaml")) if load_policy(file).body != SIMILAR]
