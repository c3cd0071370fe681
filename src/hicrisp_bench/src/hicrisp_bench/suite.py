"""What a suite is: options of its own, and a run that answers with a report."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Protocol, Sequence, Tuple

from hicrisp_bench.pictures.charts import Chart
from hicrisp_bench.runner import Runner
from hicrisp_bench.tables import markdown

Row = Dict[str, Any]


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
        note: what was real and what was injected, which plans came from a model and which from the offline
            planner.
        extra: further entries of the JSON file.
        sections: further tables.
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
    """A module of this package with these two functions; ``cli.SUITES`` names it."""

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


def crashes(found: Iterable[Mapping[str, Any]]) -> Tuple[str, ...]:
    """Write what a report says of trials that crashed.

    Args:
        found: results of trials, each with its ``crashed``, or rows with a list of all of theirs.

    Returns:
        One sentence; nothing if none crashed.
    """
    said = [each for one in found for each in _listed(one.get("crashed", ()))]
    if not said:
        return ()
    more = f"; and {len(said) - 1} more" if len(said) > 1 else ""
    return (f"a trial crashed: {said[0]}{more}",)


def _listed(crashed: Any) -> Sequence[str]:
    return (crashed,) if isinstance(crashed, str) else tuple(crashed)


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
              for section in report.sections]
    if report.reference:
        own = [*report.columns, "source", "note"]
        shown = [column for column in own if any(column in row for row in report.reference)]
        parts.append(f"## Published\n\n{markdown(report.reference, shown)}")
    return "\n\n".join(part for part in parts if part) + "\n"


def data_folder() -> Path:
    """Where recordings and problem instances of others lie: ``HICRISP_DATA``, or ``../shared/data``."""
    return Path(os.environ.get("HICRISP_DATA") or Path(__file__).resolve().parents[5] / "shared" / "data")


def at_least_one(text: str) -> int:
    """Read a whole number from 1, for options.

    Args:
        text: the option's value.

    Returns:
        The number.
    """
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"at least 1 is needed, got {value}")
    return value


def share(text: str) -> float:
    """Read a number from 0 to 1, for options.

    Args:
        text: the option's value.

    Returns:
        The number.
    """
    value = float(text)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"a number from 0 to 1 is needed, got {text}")
    return value
