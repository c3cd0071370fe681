"""Markdown that says what it holds: cells, tables and page heads."""

from __future__ import annotations

from typing import Iterable, Sequence


def cell(text: str) -> str:
    """Escape a text for a table's cell, on one line.

    Args:
        text: any text.

    Returns:
        Markdown.
    """
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("``", "`")


def code(text: str) -> str:
    """Set a text in backticks for a table's cell.

    Args:
        text: code; may be empty.

    Returns:
        Markdown.
    """
    return f"`{text.replace('|', chr(92) + '|')}`" if text else ""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table.

    Args:
        heads: titles of the columns.
        rows: cells in Markdown.

    Returns:
        Markdown.
    """
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def page(title: str, intro: str, *sections: str) -> str:
    """Write a page of the reference.

    Args:
        title: its heading.
        intro: its first paragraph.
        *sections: its parts.

    Returns:
        Markdown.
    """
    note = "% Written from the sources by scripts/lib/reference; changes here are lost."
    return "\n\n".join((note, f"# {title}", intro, *sections)).rstrip() + "\n"
