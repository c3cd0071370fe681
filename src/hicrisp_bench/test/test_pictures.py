"""Pictures of a suite's figures, and the page over all suites."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict

from hicrisp_bench.cli import about, main
from hicrisp_bench.index import write_index
from hicrisp_bench.pictures.charts import Chart, share_bars, spread_bars, words
from hicrisp_bench.pictures.drawing import HATCHES, OKABE_ITO, draw
from PIL import Image

CONFIG = Path(__file__).resolve().parents[3] / "config"
ROWS = [{"case": "clean", "policy": name, "success": share, "success_ci": (share - 0.1, share)}
        for name, share in (("open_loop", 0.5), ("hierarchical", 0.9))]
PAPER = [{"case": "clean", "llm": "gpt-4", "success": 0.8, "source": "a paper"}]


def chart(**more: Any) -> Chart:
    return Chart("success", "Success of both", (
        *share_bars(ROWS, "case", "policy", "success"),
        *share_bars(PAPER, "case", "llm", "success", published=True)), "Success", **more)


def test_a_chart_is_a_png_and_an_svg_with_its_words_in_it(tmp_path: Path) -> None:
    png, svg = draw(chart(), tmp_path)
    assert Image.open(png).size[0] > 900
    text = svg.read_text()
    for said in ("Success of both", "open_loop", "hierarchical", "published: gpt-4",
                 "95 % interval (Wilson)"):
        assert said in text


def test_the_same_figures_give_the_same_picture(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    _, first = draw(chart(), tmp_path)
    _, again = draw(chart(), tmp_path / "again")
    assert first.read_bytes() == again.read_bytes()


def test_neighbouring_series_differ_in_colour_and_in_hatch() -> None:
    assert len(set(OKABE_ITO)) == len(OKABE_ITO) == len(set(HATCHES))


def test_who_does_not_see_a_picture_gets_its_figures() -> None:
    told = chart().in_words
    assert "clean, hierarchical: 90 % (80 % to 90 %)" in told
    assert "clean, gpt-4 (published): 80 %" in told


def test_a_series_is_a_rows_entry_or_the_same_words_for_all() -> None:
    bars = (*share_bars(PAPER, "case", "llm", "success"),
            *share_bars(PAPER, "case", words("a paper's"), "success"))
    assert [bar.series for bar in bars] == ["gpt-4", "a paper's"]


def test_rows_without_a_figure_leave_no_bar() -> None:
    assert share_bars([{"case": "none", "policy": "p", "success": None}], "case", "policy", "success") == ()
    assert spread_bars([{"case": "none", "policy": "p", "ms": {"n": 0}}], "case", "policy", "ms") == ()


def results(folder: Path, name: str, rows: Any, **more: Any) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "results.json").write_text(json.dumps(
        {"suite": name, "machine": {"processor": "a core", "cores": 2}, "columns": ["case", "success"],
         "rows": rows, "run": {"ok": True, "options": {"quick": True}}, "note": "", **more}))


def test_the_page_shows_every_suite_that_ran_and_why_one_did_not(tmp_path: Path) -> None:
    results(tmp_path, "tabletop", ROWS, reference=PAPER,
            pictures=[{"name": "success", "title": "Success", "words": "in words"}])
    draw(chart(), tmp_path / "tabletop")
    (tmp_path / "barman").mkdir()
    (tmp_path / "barman" / "not_run.json").write_text(json.dumps({"why": "no recordings <here>"}))
    page = write_index(tmp_path, about()).read_text()
    assert '<img src="tabletop/success.png" alt="in words"' in page
    assert "90% (80-90)" in page
    assert "a paper" in page
    assert "no recordings &lt;here&gt;" in page
    assert 'id="agv"' not in page


def test_what_a_suite_found_cannot_write_on_the_page(tmp_path: Path) -> None:
    results(tmp_path, "agv", [{"case": "<script>alert(1)</script>", "success": 1.0}])
    page = write_index(tmp_path, about()).read_text()
    assert "<script>" not in page


def test_a_suite_leaves_its_pictures_and_says_what_it_was_asked(tmp_path: Path) -> None:
    assert main(["search", "--questions", "1", "--config", str(CONFIG), "--out", str(tmp_path)]) == 0
    found: Dict[str, Any] = json.loads((tmp_path / "results.json").read_text())
    assert [picture["name"] for picture in found["pictures"]] == ["times"]
    assert found["run"]["options"]["questions"] == 1
    assert (tmp_path / "times.svg").is_file()
