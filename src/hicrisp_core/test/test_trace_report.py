"""The report: one page that needs nothing else and trusts no text in it."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser

from hicrisp_core.trace import render_report
from jinja2 import Environment
from trace_events import HOSTILE, corrected_run, failed_run

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


class Balanced(HTMLParser):
    """Fails when a tag is closed that is not open; notes the tags."""

    void = ("meta", "img", "rect", "line", "circle", "br")

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.void:
            assert self.open.pop() == tag


def page_of(events, folder):
    page = render_report(events, folder)
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    return page, parser.seen


def test_the_report_tells_the_whole_run(tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "000.png").write_bytes(PIXEL)
    page, _ = page_of(corrected_run(), tmp_path)
    for text in ("Succeeded", "place box next to cylinder", "The box is 31 mm", "Aim 31 mm to the right",
                 "repair",
                 "panda place_next_to world", "data:image/png;base64,", "+31.0", "2.2 mm"):
        assert text in page


def test_the_templates_are_compiled_once(tmp_path, monkeypatch):
    page_of(corrected_run(), tmp_path)
    compiled = []
    monkeypatch.setattr(Environment, "compile", lambda self, source, name, file: compiled.append(name))
    page_of(corrected_run(), tmp_path)
    assert compiled == []


def test_the_report_needs_nothing_from_elsewhere_and_runs_no_script(tmp_path):
    page, tags = page_of(corrected_run(), tmp_path)
    assert not tags & {"script", "link", "iframe", "object"}
    assert not re.search(r"(src|href)\s*=\s*.(?!data:)", page)


def test_no_text_of_a_run_becomes_markup(tmp_path):
    def poisoned(value):
        if isinstance(value, str):
            return value + HOSTILE if value not in KINDS else value
        if isinstance(value, dict):
            return {poisoned(key) if key not in FIELDS else key: poisoned(entry)
                    for key, entry in value.items()}
        return [poisoned(entry) for entry in value] if isinstance(value, list) else value

    events = [*corrected_run(), {"kind": "fault", "fault": HOSTILE, "target": HOSTILE, "magnitude": [0.1]}]
    KINDS = {event["kind"] for event in events}
    FIELDS = {key for event in events for key in event} | {
        "level", "kind", "error", "reason", "suggestion", "deviation", "command", "attempts", "step"}
    page, tags = page_of([poisoned(event) for event in events], tmp_path / HOSTILE.replace("/", ""))
    assert "script" not in tags
    assert "<script" not in page.lower()
    assert "&lt;script&gt;" in page


def test_a_quote_in_a_caption_stays_inside_its_attribute(tmp_path):
    (tmp_path / "a.png").write_bytes(PIXEL)
    page, _ = page_of([{"kind": "picture", "file": "a.png", "caption": "x' onerror='alert(1)"}], tmp_path)
    assert "onerror='" not in page


def test_pictures_come_from_the_run_folder_alone(tmp_path):
    (tmp_path / "secret.png").write_bytes(PIXEL)
    run = tmp_path / "run"
    run.mkdir()
    page, _ = page_of([{"kind": "picture", "file": "../secret.png", "caption": "c"}], run)
    assert "data:image" not in page


def test_the_last_picture_stands_at_the_top_alone(tmp_path):
    run = corrected_run()
    ended = run[-2]["t"]
    run.insert(-1, {"kind": "picture", "file": "after.png", "caption": "after", "eye": "", "t": ended + 0.1})
    (tmp_path / "after.png").write_bytes(PIXEL)
    page, _ = page_of(run, tmp_path)
    assert page.count("<img") == 1
    assert page.index("<img") < page.index("What happened")


def test_what_the_robots_camera_saw_stands_beside_the_failure_it_shows(tmp_path):
    run = corrected_run()
    failed = next(at for at, event in enumerate(run) if event["kind"] == "verdict" and not event["ok"])
    for at, name, eye in ((failed + 1, "a.png", ""), (failed + 2, "b.png", "camera")):
        (tmp_path / name).write_bytes(PIXEL)
        run.insert(at, {"kind": "picture", "file": name, "caption": "missed", "eye": eye})
    page, _ = page_of(run, tmp_path)
    attempt = page.split('<div class="moment bad">')[1].split('<div class="moment ')[0]
    assert attempt.count("<img") == 2
    assert "missed (the robot&#39;s camera)" in attempt


def test_a_run_with_very_many_pictures_keeps_those_of_failures_and_opens(tmp_path):
    (tmp_path / "a.png").write_bytes(PIXEL)
    shot = {"kind": "picture", "file": "a.png", "caption": "c"}
    run = corrected_run()
    begin = next(at for at, event in enumerate(run) if event["kind"] == "verdict" and event["ok"])
    fail = next(at for at, event in enumerate(run) if event["kind"] == "verdict" and not event["ok"])
    run[fail + 1:fail + 1] = [{**shot, "caption": "the failure"}]
    run[begin + 1:begin + 1] = [shot] * 3000
    page, _ = page_of(run, tmp_path)
    assert 100 < page.count("<img") < 150
    assert 'alt="the failure"' in page


def test_a_failed_a_cut_off_and_an_empty_run_have_a_report_too(tmp_path):
    assert "Failed" in page_of(failed_run(), tmp_path)[0]
    assert "Not finished" in page_of(corrected_run()[:9], tmp_path)[0]
    assert "Not finished" in page_of([], tmp_path)[0]


def test_a_refusal_shows_what_to_try(tmp_path):
    page, _ = page_of([{"kind": "refused", "text": "no", "alternatives": ["place X on Y"]},
                       {"kind": "task_finished", "success": False, "message": "no"}], tmp_path)
    assert "Refused" in page
    assert "<li>place X on Y</li>" in page


def test_a_script_as_task_text_and_as_an_objects_name_is_shown_as_text(tmp_path):
    run = corrected_run(HOSTILE)
    run[4]["text"] = run[3]["text"] = f"pick up {HOSTILE}"
    page, tags = page_of(run, tmp_path)
    assert "script" not in tags
    assert page.count("&lt;script&gt;alert(&#39;box&#39;)&lt;/script&gt;") >= 4


def test_the_robots_side_by_side_are_drawn_with_their_names(tmp_path):
    run = corrected_run()
    for event, robot in ((run[3], "panda"), (run[8], "agv<b>")):
        event["robot"] = robot
    page, tags = page_of(run, tmp_path)
    assert "what each robot did when" in page
    assert "agv&lt;b&gt;" in page
    assert "b" in tags  # the page's own; the name's is text


GOAL = {"kind": "goal", "known": True, "said": f"the box ends up on {HOSTILE}", "source": "gpt",
        "end": ["on(box,plate)"],
        "keep": ["not(next_to(cup,glass))"], "t": 0.1}


def with_goal(*more, state):
    events = corrected_run()
    return [events[0], *more, *events[1:-1], {**events[-1], "goal": state}]


def test_the_report_says_what_the_task_means_what_was_asked_and_whether_it_is_seen(tmp_path):
    question = {"kind": "question", "text": "Which one?", "choices": ["cup", "glass"], "answer": "2"}
    page = render_report(with_goal(question, GOAL, state="seen"), tmp_path)
    for said in ("<h2>Goal</h2>", "The box ends up on &lt;script&gt;", "not(next_to(cup,glass))",
                 "Understood by gpt",
                 "The detector sees it.", "Asked: Which one? Answered: 2"):
        assert said in page, said
    assert "<script>" not in page


def test_a_report_says_that_nobody_knows_the_goal_or_what_of_it_is_missing(tmp_path):
    unknown = render_report(with_goal({"kind": "goal", "known": False}, state="unknown"), tmp_path)
    assert "Nobody could say what the task means as a whole" in unknown
    judged = {"kind": "goal_judged", "seen": False,
              "missing": "The task is not done: the box is not on the plate."}
    assert "the box is not on the plate" in render_report(with_goal(GOAL, judged, state="missed"), tmp_path)
    assert "<h2>Goal</h2>" not in render_report(corrected_run(), tmp_path)
