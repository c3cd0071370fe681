"""The report: one page that needs nothing else and trusts no text in it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

from hicrisp_core.trace import render_report
from trace_events import HOSTILE, corrected_run, failed_run

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


class Page(HTMLParser):
    """A report as a browser takes it apart: its tags, the texts between them, its script and its data."""

    void = ("meta", "img", "br")

    def __init__(self, events, folder):
        super().__init__()
        self.text = render_report(events, folder)
        self.open, self.seen, self.scripts, self.policy = [], set(), {}, ""
        self.feed(self.text)
        assert self.open == []
        self.data = json.loads(self.scripts["run"])
        self.shown = dict(self.data["part"]["start"])
        for change in self.data["part"]["changes"]:
            self.shown.update(change["set"])

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        named = dict(attrs)
        if named.get("http-equiv") == "Content-Security-Policy":
            self.policy = named["content"]
        assert not set(named) & {"src", "href", "srcdoc", "onclick", "onload", "onerror"}
        if tag not in self.void:
            self.open.append((tag, named.get("id", "")))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "script":
            self.scripts[self.open[-1][1]] = data


def with_picture(folder, run, at, *names, caption="c"):
    for name in names:
        (folder / name).write_bytes(PIXEL)
    run[at:at] = [{"kind": "picture", "file": name, "caption": caption} for name in names]
    return run


def test_the_report_holds_the_whole_run(tmp_path):
    page = Page(with_picture(tmp_path, corrected_run(), 2, "000.png"), tmp_path)
    assert page.shown["run"]["verdict"] == "succeeded"
    assert page.shown["run"]["figures"]["placement_error_m"] == 0.0022
    missed = page.shown["step:1"]["moments"][0]
    assert missed["feedback"]["suggestion"] == "Aim 31 mm to the right."
    assert missed["deviation"]["y"] == 31.0
    assert page.data["files"]["000.png"].startswith("data:image/png;base64,")
    assert page.data["part"]["start"]["plan"]["steps"] == []


def test_the_report_reads_without_its_script(tmp_path):
    text = Page(corrected_run(), tmp_path).text
    told = re.search(r"<noscript>(.*?)</noscript>", text, re.DOTALL).group(1)
    assert "succeeded: place the box next to the cylinder" in told
    assert "The box is 31 mm from where it should be." in told


def test_the_report_needs_nothing_from_elsewhere_and_runs_its_own_script_alone(tmp_path):
    page = Page(corrected_run(), tmp_path)
    assert not page.seen & {"link", "iframe", "object", "img"}
    digest = base64.b64encode(hashlib.sha256(page.scripts[""].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page.policy
    assert page.policy.startswith("default-src 'none'; img-src data:;")
    assert not re.search(r"^\s*(import|export)\b", page.scripts[""], re.MULTILINE)


def test_no_text_of_a_run_becomes_markup(tmp_path):
    def poisoned(value):
        if isinstance(value, str):
            return value + HOSTILE if value not in KINDS else value
        if isinstance(value, dict):
            return {poisoned(key) if key not in FIELDS else key: poisoned(entry) for key, entry in value.items()}
        return [poisoned(entry) for entry in value] if isinstance(value, list) else value

    events = [*corrected_run(HOSTILE), {"kind": "fault", "fault": HOSTILE, "target": HOSTILE, "magnitude": [0.1]}]
    KINDS = {event["kind"] for event in events}
    FIELDS = {key for event in events for key in event} | {
        "level", "kind", "error", "reason", "suggestion", "deviation", "command", "attempts", "step"}
    page = Page([poisoned(event) for event in events], tmp_path / HOSTILE.replace("/", ""))
    assert set(page.scripts) == {"run", ""}
    assert HOSTILE in page.shown["run"]["text"]
    assert HOSTILE not in page.text
    assert page.text.count("<script") == 2


def test_pictures_come_from_the_run_folder_alone(tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    (tmp_path / "secret.png").write_bytes(PIXEL)
    assert Page([{"kind": "picture", "file": "../secret.png", "caption": "c"}], run).data["files"] == {}


def test_a_run_with_very_many_pictures_keeps_those_of_failures_and_opens(tmp_path):
    run = corrected_run()
    fail = next(at for at, event in enumerate(run) if event["kind"] == "verdict" and not event["ok"])
    begin = next(at for at, event in enumerate(run) if event["kind"] == "verdict" and event["ok"])
    with_picture(tmp_path, run, fail + 1, "failure.png")
    with_picture(tmp_path, run, begin + 1, *(f"{number}.png" for number in range(1000)))
    files = Page(run, tmp_path).data["files"]
    assert 100 < len(files) < 150
    assert "failure.png" in files


def test_the_animation_comes_along(tmp_path):
    (tmp_path / "overview.webp").write_bytes(b"RIFF")
    assert "overview.webp" in Page(corrected_run(), tmp_path).data["files"]


def test_a_failed_a_cut_off_and_an_empty_run_have_a_report_too(tmp_path):
    cut_off = corrected_run()[:9]
    for events, title in ((failed_run(), "failed: place"), (cut_off, "unfinished: place"), ([], "unfinished: a run")):
        assert f"<title>{title}" in Page(events, tmp_path).text


def test_the_report_names_what_was_injected(tmp_path):
    scene = {"fault": "miss", "target": "box", "magnitude": [], "count": 1}
    run = [{**corrected_run()[0], "faults": [scene]}, {"kind": "fault", **scene, "target": "bowl", "t": 3.0}]
    told = Page(run, tmp_path).shown["run"]["faults"]
    assert [(each["t"], each["target"]) for each in told] == [(None, "box"), (3.0, "bowl")]


def test_the_report_says_what_the_task_means_what_was_asked_and_whether_it_is_seen(tmp_path):
    goal = {"kind": "goal", "known": True, "said": "the box ends up on the plate", "source": "gpt",
            "stages": ["on(box,plate)"], "invariants": ["not(next_to(cup,glass))"], "t": 0.1}
    question = {"kind": "question", "text": "Which one?", "choices": ["cup", "glass"], "answer": "2"}
    judged = {"kind": "goal_judged", "seen": False, "missing": "The box is not on the plate."}
    begun, *run, ended = corrected_run()
    shown = Page([begun, question, goal, *run, judged, ended], tmp_path).shown
    assert (shown["goal"]["said"], shown["goal"]["state"]) == ("the box ends up on the plate", "missed")
    assert shown["goal"]["missing"] == "The box is not on the plate."
    assert {"when": "on the way", "text": "not(next_to(cup,glass))"} in shown["goal"]["conditions"]
    assert (shown["said"][0]["text"], shown["said"][0]["reply"]) == ("Which one?", "2")
