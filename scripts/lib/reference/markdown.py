"""Markdown that says what it holds: cells, tables and page heads."""

from __future__ import annotations

from typing import Iterable, Sequence


def cell(text: str) -> str:
    """A text as a table's cell, on one line, with nothing that Markdown or HTML would take for its own."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("``", "`")


def code(text: str) -> str:
    """A text in backticks, as a table's cell."""
    return f"`{text.replace('|', chr(92) + '|')}`" if text else ""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; its cells are Markdown already."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def page(title: str, intro: str, *sections: str) -> str:
    """A page of the reference."""
    note = "% Written from the sources by scripts/lib/reference; changes here are lost."
    return "\n\n".join((note, f"# {title}", intro, *sections)).rstrip() + "\n"
