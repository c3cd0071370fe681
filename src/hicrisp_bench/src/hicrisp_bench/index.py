"""``runs/bench/index.html``: all suites on one page, with their pictures, tables and published figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence

from jinja2 import Environment, FileSystemLoader

from hicrisp_bench.pictures.drawing import FORMATS
from hicrisp_bench.results import FILE
from hicrisp_bench.tables import cells

NAME = "index.html"
NOT_RUN = "not_run.json"
"""Says why a suite could not be run, where that was tried last."""


def write_index(folder: Path, about: Mapping[str, str]) -> Path:
    """Write the page of all suites that have results.

    Args:
        folder: has a folder for each suite.
        about: what each suite measures, in one line, in the order of the page.

    Returns:
        The page.
    """
    suites = [found for name, line in about.items() for found in [_suite(folder / name, name, line)] if found]
    environment = Environment(loader=FileSystemLoader(str(Path(__file__).parent / "templates")),
                              autoescape=True, trim_blocks=True, lstrip_blocks=True)
    page = environment.get_template("index.html").render(suites=suites)
    file = folder / NAME
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(page, encoding="utf-8")
    return file


def _suite(folder: Path, name: str, about: str) -> Dict[str, Any]:
    """What the page says of a suite; nothing where it was never run."""
    why = _read(folder / NOT_RUN).get("why", "")
    results = _read(folder / FILE)
    if not results and not why:
        return {}
    columns = [str(each) for each in results.get("columns", ())]
    reference = _rows(results.get("reference"))
    published = [column for column in (*columns, "source", "note") if any(column in row for row in reference)]
    return {
        "name": name, "about": about, "why": why, "results": results, "run": results.get("run", {}),
        "pictures": [picture for picture in _rows(results.get("pictures"))
                     if all((folder / f"{picture.get('name')}.{form}").is_file() for form in FORMATS)],
        "columns": columns, "rows": cells(_rows(results.get("rows")), columns),
        "published_columns": published, "published": cells(reference, published)}


def _rows(found: Any) -> List[Dict[str, Any]]:
    return [dict(row) for row in found if isinstance(row, Mapping)] if isinstance(found, Sequence) else []


def _read(file: Path) -> Dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
