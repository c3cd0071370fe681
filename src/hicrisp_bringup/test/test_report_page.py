"""The report in a real browser: opened from the disk, with no server and no network."""

from __future__ import annotations

import base64
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="no browser to test with: requirements/dev.txt")
CHROMIUM = Path("/usr/bin/chromium")
if not CHROMIUM.exists():
    pytest.skip("no browser to test with: it takes Debian's chromium", allow_module_level=True)

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "hicrisp_core/test")]
from hicrisp_core.trace import render_report  # noqa: E402
from trace_events import HOSTILE, corrected_run  # noqa: E402

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
DARK, LIGHT = "rgb(15, 22, 29)", "rgb(241, 244, 247)"
PATIENCE = 60_000.0


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        yield found
        found.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(color_scheme="light")
    context.set_default_timeout(PATIENCE)
    sync_api.expect.set_options(timeout=PATIENCE)
    opened, problems = context.new_page(), []  # type: ignore[var-annotated]
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda said: problems.append(said.text))
    opened.on("request", lambda asked: problems.extend([] if asked.url[:5] in ("file:", "data:") else [asked.url]))
    yield opened
    assert problems == []
    context.close()


def opened(page: Any, folder: Path, events: List[Dict[str, Any]]) -> Any:
    """The page as it shows the report of a run."""
    (folder / "report.html").write_text(render_report(events, folder), encoding="utf-8")
    page.goto((folder / "report.html").as_uri())
    return page


def test_the_report_shows_the_whole_run_with_its_animation_first(page: Any, tmp_path: Path) -> None:
    run = corrected_run()
    (tmp_path / "overview.webp").write_bytes(PIXEL)  # A browser looks at the bytes.
    (tmp_path / "missed.png").write_bytes(PIXEL)
    failed = next(at for at, event in enumerate(run) if event["kind"] == "verdict" and not event["ok"])
    run.insert(failed + 1, {"kind": "picture", "file": "missed.png", "caption": "it missed"})
    shown = opened(page, tmp_path, run)
    sync_api.expect(shown.locator("#replay section").first.get_by_alt_text("the whole run")).to_be_visible()
    sync_api.expect(shown.locator(".step.done")).to_have_count(2)
    sync_api.expect(shown.locator(".moment.bad")).to_contain_text("The box is 31 mm from where it should be.")
    sync_api.expect(shown.locator(".injected")).to_have_text("No injected fault is recorded in this run.")
    sync_api.expect(shown.locator(".stack svg[role=img]")).to_have_attribute(
        "aria-label", "11.5 s of 11.5 s, 1 failures. The stack changed 2 times, was at most 1 deep, and now holds 0.")
    shown.locator(".moment.bad .enlarge").click()
    sync_api.expect(shown.locator("dialog.large")).to_contain_text("Close")
    shown.keyboard.press("Escape")
    sync_api.expect(shown.locator("dialog")).to_have_count(0)


def test_a_sentence_of_the_explanation_leads_to_its_moment(page: Any, tmp_path: Path) -> None:
    shown = opened(page, tmp_path, corrected_run())
    shown.get_by_role("button", name="failed: The box is 31 mm").click()
    sync_api.expect(shown.locator(".where")).to_contain_text("6.0 s: verdict")
    sync_api.expect(shown.locator(".moment.correction")).to_have_count(0)
    shown.get_by_role("button", name="repaired it").click()
    sync_api.expect(shown.locator(".moment.correction")).to_have_count(1)
    sync_api.expect(shown.locator(".stack .drawing rect.bar")).to_have_count(1)


def test_it_follows_the_systems_colours_and_can_be_changed(page: Any, tmp_path: Path) -> None:
    shown = opened(page, tmp_path, corrected_run())
    sync_api.expect(shown.locator("body")).to_have_css("background-color", LIGHT)
    shown.emulate_media(color_scheme="dark")
    sync_api.expect(shown.locator("body")).to_have_css("background-color", DARK)
    shown.locator("#theme").click()
    sync_api.expect(shown.locator("body")).to_have_css("background-color", LIGHT)


def test_a_script_in_the_words_of_a_task_is_shown_as_text(page: Any, tmp_path: Path) -> None:
    shown = opened(page, tmp_path, corrected_run(HOSTILE))
    sync_api.expect(shown.locator("h2.task")).to_have_text(HOSTILE)
