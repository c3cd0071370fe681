"""What a suite leaves in its folder: a table, a CSV, the whole as JSON with the machine, and its pictures; and
``runs/bench/index.html``, a page of all suites that have run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence, Union

from hicrisp_core.llm.answers import answers_of
from jinja2 import Environment, FileSystemLoader

from hicrisp_bench.cost import QUESTIONS
from hicrisp_bench.pictures.drawing import FORMATS, draw
from hicrisp_bench.runner import NAME as TRIALS
from hicrisp_bench.runner import folder_of, read_trials, settings_told
from hicrisp_bench.suite import Report, cells, text_of, write_csv

FILE = "results.json"
ANSWERS = "answers.json"
"""What models answered in a suite's trials, for ``--llm replay:FILE``."""
NAME = "index.html"
NOT_RUN = "not_run.json"
"""Says why a suite could not be run, where that was tried last."""


def describe_machine() -> Dict[str, Union[str, int, float]]:
    """Processor, cores, memory and the interpreter; nothing that names the machine or its user."""
    model = "unknown"
    info = Path("/proc/cpuinfo")
    if info.exists():
        model = next((line.split(":", 1)[1].strip() for line in info.read_text().splitlines()
                      if line.startswith("model name")), model)
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": model, "cores": os.cpu_count() or 1, "memory_gib": round(pages * size / 2 ** 30, 1),
        "system": platform.system(), "python": platform.python_version(),
    }


def save(options: argparse.Namespace, report: Report, seconds: float, cpu_s: float) -> None:
    """Write ``table.md``, ``results.csv``, ``results.json`` and the pictures, and the JSON to another file
    too where ``--json`` asks for it.

    Args:
        seconds: wall time of the run; ``cpu_s`` that of all processors.
    """
    folder = folder_of(options)
    folder.mkdir(parents=True, exist_ok=True)
    charts = [chart for chart in report.charts if chart.bars]
    for chart in charts:
        draw(chart, folder)
    (folder / "table.md").write_text(text_of(options.suite, report), encoding="utf-8")
    write_csv(report.rows, folder / "results.csv")
    _write_answers(folder)
    content: Dict[str, Any] = {
        "suite": options.suite, "machine": {**describe_machine(), "jobs": options.jobs},
        "run": {"date": time.strftime("%Y-%m-%d"), "seconds": round(seconds, 1), "cpu_s": round(cpu_s, 1),
                "options": settings_told(options), "ok": report.ok,
                "failed": list(report.failed)},
        "columns": list(report.columns), "rows": list(report.rows), "reference": list(report.reference),
        "note": report.note,
        "pictures": [{"name": chart.name, "title": chart.title, "words": chart.in_words} for chart in charts],
        **report.extra}
    for target in {folder / FILE, options.json or folder / FILE}:
        target.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _write_answers(folder: Path) -> None:
    """Keep what models answered, if any was asked, so that the suite can be run again without them."""
    trials = read_trials(folder / TRIALS)[1] if (folder / TRIALS).is_file() else {}
    calls = {key: [each for each in result.get(QUESTIONS, ()) if each.get("answer")] for key, result in trials.items()}
    models = sorted({each["answered_by"] for own in calls.values() for each in own})
    if models:
        text = json.dumps(answers_of(", ".join(models), calls), ensure_ascii=False, indent=0)
        (folder / ANSWERS).write_text(f"{text}\n", encoding="utf-8")


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
