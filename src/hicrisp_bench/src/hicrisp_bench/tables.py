"""Rows as a Markdown table and a CSV file, with intervals where a figure is a fraction."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, Dict, List, Sequence


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
        plain += [key for key, value in row.items() if not isinstance(value, (dict, list))
                  and key not in plain]
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
