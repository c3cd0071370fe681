"""The figures of the pages are those of docs/results, and a run can replace them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Dict

import pytest
from hicrisp_bench.published import OLDER, ROOT, publish, renew, renewed
from hicrisp_bench.suite import Report
from hicrisp_core.errors import ConfigError

from hicrisp_bench import cli

PAGES = [file for file in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
         if "<!-- figures: " in file.read_text(encoding="utf-8")]
RESULTS = sorted((ROOT / "docs" / "results").glob("*.json"))
REPORT = Report([{"policy": "open_loop", "n": 4, "success": 0.5, "success_ci": [0.2, 0.8], "seeds": [1, 2]}],
                ("policy", "n", "success"), [{"source": "A paper", "success": "90%"}], "Nothing was injected.")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_tables_of_a_page_are_its_figures(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert renewed(text).replace(OLDER, "") == text.replace(OLDER, ""), "renew them: scripts/docs --figures"


@pytest.mark.parametrize("file", RESULTS, ids=lambda file: file.stem)
def test_every_figure_says_when_and_how_it_was_measured(file: Path) -> None:
    content = json.loads(file.read_text(encoding="utf-8"))
    assert content["suite"] == file.stem
    assert all((ROOT / each).exists() for each in content["code"])
    for table in content["tables"].values():
        assert any(column in row for column in table["columns"] for row in table["rows"])
        if "command" in table:
            assert table.keys() >= {"date", "commit", "machine", "cores", "injected"}
            assert table["date"] or table["entered"]


def test_every_suite_has_figures() -> None:
    assert {file.stem for file in RESULTS} >= set(cli.SUITES)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with a suite of one file and a page that shows its figures."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "towers.py").write_text("HEIGHT = 4\n")
    (tmp_path / "README.md").write_text("Towers:\n\n<!-- figures: towers all -->\n<!-- /figures -->\n")
    return tmp_path


def published(workspace: Path) -> Dict[str, Any]:
    publish("towers", "all", REPORT, "scripts/bench towers", workspace / "towers.py", workspace)
    table: Dict[str, Any] = json.loads((workspace / "docs" / "results" / "towers.json").read_text())["tables"]["all"]
    return table


def git(workspace: Path, *asked: str) -> None:
    subprocess.run(["git", "-C", str(workspace), "-c", "user.name=a", "-c", "user.email=a@b", *asked], check=True,
                   capture_output=True)


def test_a_run_replaces_the_figures_and_the_page_shows_them(workspace: Path) -> None:
    table = published(workspace)
    page = (workspace / "README.md").read_text()
    assert table["rows"] == [{"policy": "open_loop", "n": 4, "success": 0.5, "success_ci": [0.2, 0.8]}]
    assert table["commit"] is None, "no git is here"
    assert "| open_loop | 4 | 50% (20-80) |\n| published: A paper |  | 90% |\n" in page
    assert "`scripts/bench towers`: " in page
    assert OLDER not in page


def test_a_table_leaves_out_the_rows_that_it_is_told_to(workspace: Path) -> None:
    published(workspace)
    file = workspace / "docs" / "results" / "towers.json"
    told = json.loads(file.read_text())
    told["tables"]["all"].update(left_out={"policy": ["open_loop"]}, columns=["n", "success"])
    file.write_text(json.dumps(told))
    for again in (renew, published):  # A run renews the page by the same form, also without the column.
        again(workspace)
        assert "50%" not in (workspace / "README.md").read_text()
    assert json.loads(file.read_text())["tables"]["all"]["left_out"] == {"policy": ["open_loop"]}


def test_figures_are_marked_once_their_code_has_changed(workspace: Path) -> None:
    git(workspace, "init")
    git(workspace, "add", "towers.py")
    git(workspace, "commit", "-m", "Towers")
    git(workspace, "tag", "-a", "v1", "-m", "A version")
    git(workspace, "commit", "--allow-empty", "-m", "After it")
    published(workspace)
    assert OLDER not in (workspace / "README.md").read_text()
    (workspace / "towers.py").write_text("HEIGHT = 5\n")
    git(workspace, "commit", "-a", "-m", "Higher towers")
    renew(workspace)
    assert OLDER in (workspace / "README.md").read_text()


def test_a_quick_run_is_not_published(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.parse(["search", "--quick", "--publish", "random"])
    assert "too little to be published" in capsys.readouterr().err


def test_a_table_that_shows_a_row_which_is_gone_says_which(workspace: Path) -> None:
    published(workspace)
    file = workspace / "docs" / "results" / "towers.json"
    told = json.loads(file.read_text())
    part = {"suite": "towers", "table": "all", "row": {"policy": "hicrisp"}, "show": "success"}
    told["tables"]["short"] = {"columns": ["policy", "success"], "rows": [{"policy": "hicrisp", "success": [part]}]}
    file.write_text(json.dumps(told))
    with pytest.raises(ConfigError, match="'all' no longer has the row {'policy': 'hicrisp'}"):
        renewed("<!-- figures: towers short -->\n<!-- /figures -->\n", workspace)
