"""A run's timeline and what the page shows of it: the replay's parts, the whole run in a page of its own."""

from __future__ import annotations

import json

import pytest
from hicrisp_core.trace.replay import Replay
from hicrisp_core.trace.sections import sections_of
from hicrisp_core.trace.timeline import timeline_of
from trace_events import corrected_run

MARKS = [{"what": "touched", "x": 1.5, "y": 0.5}]
DROVE = {"kind": "drove", "robot": "agv", "driven": [[1.0, 0.5], [1.5, 0.5], [1.5, 1.0]],
         "planned": [[1.0, 0.5], [1.6, 1.0]], "stop": [1.5, 1.0, 1.57], "marks": MARKS}


def test_where_an_object_ended_is_turned_with_the_target():
    half = 0.5**0.5
    command = {"kind": "command", "target": [1.0, 2.0, 0.0], "turn": [0.0, 0.0, half, half]}
    tried = timeline_of([command, {"kind": "verdict", "ok": True, "deviation": [0.01, 0.0, 0.0]}]).attempts[0]
    assert tried.achieved == pytest.approx([1.0, 2.01, 0.0])
    assert timeline_of([{**command, "turn": None}]).attempts[0].achieved is None


def test_a_drive_is_shown_with_its_length_its_stop_and_what_it_touched():
    drive, = sections_of(timeline_of([{"kind": "step_started", "index": 0, "robot": "agv"}, DROVE]))["drives"]
    assert drive == {"robot": "agv", "metres": 1.0, "stop": [1.5, 1.0, 1.57], "marks": MARKS}


def test_a_picture_belongs_to_the_command_that_it_was_taken_after():
    run = corrected_run()
    failed = next(at for at, event in enumerate(run) if event["kind"] == "verdict" and not event["ok"])
    run[failed + 1:failed + 1] = [{"kind": "picture", "file": f"{eye}.png", "caption": "missed", "eye": eye}
                                  for eye in ("", "camera")]
    moments = sections_of(timeline_of(run))["step:1"]["moments"]
    assert [[taken["eye"] for taken in each.get("pictures", ())] for each in moments[:2]] == [["", "camera"], []]


def test_a_step_that_is_planned_anew_begins_again_and_what_was_tried_stays_in_the_run():
    run = corrected_run()
    again = {"kind": "plan", "steps": ["push box"], "from_step": 1, "t": 11.0}
    timeline = timeline_of([*run[:-2], again, {"kind": "step_started", "index": 1, "text": "push box", "t": 11.1}])
    assert timeline.planned[1].state == "running"
    assert timeline.planned[1].moments == []
    assert [step.text for step in timeline.steps] == ["pick up box", "place box next to cylinder", "push box"]
    assert len(timeline.attempts) == 4


def test_the_whole_run_says_why_it_went_so_and_when_it_failed():
    replay = Replay(corrected_run())
    missed, = replay.about["failures"]
    why = next(each for each in replay.about["why"] if "failed: The box is 31 mm" in each["text"])
    assert why["t"] < missed["t"] == why["until"]
    assert why["at"] == missed["at"]
    assert replay.about["end"] == 11.5


@pytest.mark.parametrize("most", [3, 100])
def test_a_page_of_few_moments_ends_like_the_run_and_has_its_failures(most):
    replay = Replay(corrected_run())
    part = replay.whole(most)
    shown = dict(part["start"])
    for change in part["changes"]:
        shown.update(change["set"])
    assert json.loads(json.dumps(shown)) == json.loads(json.dumps(replay.last))
    assert part["count"] == len(part["changes"]) <= min(most + 2, replay.count)
    missed, = part["about"]["failures"]
    assert part["changes"][missed["at"]]["kind"] == "verdict"
