"""Published figures: ``docs/results/SUITE.json`` holds them, and the tables of the pages are made from them.

``python3 -m hicrisp_bench.published`` (``scripts/docs --figures``) renews every table between
``<!-- figures: SUITE TABLE -->`` and ``<!-- /figures -->``.
"""

from __future__ import annotations

import json
import re
import subprocess
import time
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

from hicrisp_core.errors import ConfigError

from hicrisp_bench.results import describe_machine
from hicrisp_bench.suite import Report, Row, cells, markdown

ROOT = Path(__file__).resolve().parents[4]
OLDER = " **Older code.**"
"""Marks a table whose suite has changed since; only git knows, so that a page is compared without it."""
_BLOCK = re.compile(r"(<!-- figures: (\S+) (\S+) -->\n).*?(<!-- /figures -->)", re.DOTALL)


def publish(suite: str, name: str, report: Report, command: str, code: Path, root: Path = ROOT) -> None:
    """Replace a table of a suite's published figures by a run's rows, and renew the pages.

    Args:
        suite: name of the suite.
        name: the table; one that exists keeps its form (``columns``, ``merged``, values whose rows are ``left_out``,
            the published rows that it shows) where the rows have its columns.
        report: the run's rows.
        command: what was run.
        code: file or folder of the suite; a change of it makes the figures old.
        root: the workspace.
    """
    file = root / "docs" / "results" / f"{suite}.json"
    content: Row = {"suite": suite, "code": [str(code.relative_to(root))], "tables": {}}
    content.update(_suite(root, suite) if file.is_file() else {})
    before, machine = content["tables"].get(name, {}), describe_machine()
    columns = [each for each in before.get("columns", ()) if any(each in row for row in report.rows)] or report.columns
    kept = {"n", *columns, *before.get("left_out", ())}
    content["tables"][name] = {
        "command": command, "date": time.strftime("%Y-%m-%d"),
        "commit": _git(root, "describe", "--always", "--dirty", "--exclude=*"),
        "machine": machine["processor"], "cores": machine["cores"], "injected": report.note, "columns": list(columns),
        **{key: before[key] for key in ("merged", "left_out") if key in before},
        "rows": [{key: value for key, value in row.items() if key.replace("_ci", "") in kept}
                 for row in report.rows], "published": before.get("published", list(report.reference))}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    renew(root)


def renew(root: Path = ROOT) -> None:
    """Renew the tables of all pages.

    Args:
        root: the workspace.
    """
    for file in (root / "README.md", *sorted((root / "docs").rglob("*.md"))):
        text = file.read_text(encoding="utf-8")
        made = renewed(text, root)
        if made != text:
            file.write_text(made, encoding="utf-8")


def renewed(page: str, root: Path = ROOT) -> str:
    """Renew the tables of a page.

    Args:
        page: its text.
        root: the workspace.

    Returns:
        The text with the tables that the figures give now.
    """
    return _BLOCK.sub(lambda found: f"{found[1]}{_table(root, found[2], found[3])}\n{found[4]}", page)


def _table(root: Path, suite: str, name: str) -> str:
    """Return a table, and below it when and with what it was measured."""
    content = _suite(root, suite)
    table = content["tables"][name]
    columns = table["columns"]
    left_out = table.get("left_out", {})
    rows = [{key: _joined(root, value) for key, value in row.items()} for row in table["rows"]
            if not any(row.get(key) in values for key, values in left_out.items())]
    rows += [{**row, columns[0]: f"published: {row['source']}"} for row in table.get("published", ())
             if any(each in row for each in columns[1:])]
    head, rest = markdown(_merged(rows, columns, table.get("merged", ())), columns).split("\n", 1)
    shown = f"{head.replace('_', ' ')}\n{rest}"
    if "command" not in table:
        return shown
    said = [table["date"] or f"by {table['entered']}", *([f"commit {table['commit']}"] if table["commit"] else [])]
    # Without git nothing is known to be old.
    commit = (table["commit"] or "").split("-")[0]
    after = f"{commit}..HEAD" if _git(root, "cat-file", "-e", commit) is not None else (
        f"--since={table['date'] or table['entered']} 23:59:59")
    changed = content["code"] and _git(root, "log", "-1", "--format=%h", after, "--", *content["code"])
    old = OLDER if changed else ""
    return f"{shown}\n\n`{table['command']}`: {', '.join(said)}. {table['injected']}".rstrip() + old


def _joined(root: Path, value: Any) -> Any:
    """Return a list of texts and of references to other tables' cells as one text; any other value as it is."""
    if not isinstance(value, list) or not any(isinstance(part, dict) for part in value):
        return value
    found = []
    for part in value:
        if isinstance(part, dict):
            rows = _suite(root, part["suite"])["tables"][part["table"]]["rows"]
            shown = [each for each in rows if part["row"].items() <= each.items()]
            if not shown:
                raise ConfigError(
                    f"docs/results/{part['suite']}.json: the table '{part['table']}' no longer has the row "
                    f"{part['row']}, which another table shows; measure it again, or take it out there")
            part = cells(shown[:1], [part["show"]])[0][0]
        found.append(part)
    return "".join(found)


def _merged(rows: Sequence[Row], columns: Sequence[str], keys: Sequence[str]) -> Sequence[Row]:
    """Return one row for all that agree in a column, for each of the columns in turn.

    Other values stand side by side unless they are the same: with commas for the first key,
    with semicolons for the next.
    """
    for key, between in zip(keys, (", ", "; ")):
        found: Dict[str, List[List[str]]] = {}
        for row, line in zip(rows, cells(rows, columns)):
            found.setdefault(row[key], []).append(line)
        rows = [dict(zip(columns, (between.join(each if len(set(each)) > 1 else each[:1]) for each in zip(*lines))))
                for lines in found.values()]
    return rows


def _git(root: Path, *asked: str) -> Optional[str]:
    """Return what git says; None where it cannot be asked."""
    try:
        return subprocess.check_output(["git", "-C", str(root), *asked], stderr=subprocess.DEVNULL, text=True).strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def _suite(root: Path, suite: str) -> Row:
    return dict(json.loads((root / "docs" / "results" / f"{suite}.json").read_text(encoding="utf-8")))


if __name__ == "__main__":
    renew()
