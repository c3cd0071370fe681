"""Past runs: found, filtered, compared and replayed from their folders."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict

import pytest
from conftest import Entries, a_run, an_hour, write_run
from hicrisp_core.trace.result import trial_of
from hicrisp_core.trace.sections import changed_sections
from hicrisp_core.trace.timeline import Timeline
from hicrisp_web.history.comparing import moved_apart
from hicrisp_web.history.history import History
from hicrisp_web.history.index import FILE_NAME, Filter, Index
from hicrisp_web.replay import find_run, main

NAMES = ("20260101-120000-001", "20260102-120000-001", "20260103-120000-001")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A success, a failure in another scene, and a run that was cut off."""
    for name, scene, success in zip(NAMES, ("tabletop", "sorting", "tabletop"), (True, False, True)):
        entries = a_run(name, f"put the {'red ' if success else ''}box away", scene, success)
        if name == NAMES[2]:
            entries = entries[:-1]
        folder = write_run(tmp_path / "runs" / name, entries)
        if name != NAMES[2]:
            (folder / "result.json").write_text(json.dumps(trial_of(entries)))
    (tmp_path / "runs" / "bench").mkdir()
    return tmp_path / "runs"


def ids(history: History, **wanted: object) -> "list[str]":
    return [run["id"] for run in history.find(Filter(**wanted))["runs"]]  # type: ignore[arg-type]


def test_the_newest_run_comes_first_and_what_is_no_run_is_left_out(runs: Path) -> None:
    assert ids(History(runs)) == list(reversed(NAMES))


def test_runs_are_found_by_result_scene_and_words(runs: Path) -> None:
    history = History(runs)
    assert ids(history, verdict="failed") == [NAMES[1]]
    assert ids(history, verdict="unfinished") == [NAMES[2]]
    assert ids(history, scene="sorting") == [NAMES[1]]
    assert ids(history, words="RED box") == [NAMES[2], NAMES[0]]
    assert ids(history, words="red sorting") == []
    assert ids(history, words="100%") == []
    assert ids(history, words="'; DROP TABLE runs; --") == []
    assert len(ids(history)) == 3


def test_runs_have_a_date_and_a_cause_are_sorted_and_say_how_many_succeeded(runs: Path) -> None:
    history = History(runs)
    found = history.find(Filter())
    assert (found["succeeded"], found["total"]) == (1, 3)
    assert [run["date"] for run in found["runs"]] == [f"2026-01-0{day} 12:00:00" for day in (3, 2, 1)]
    assert found["runs"][1]["cause"] == "off_target"
    told = json.loads((runs / NAMES[1] / "result.json").read_text())
    told["failures"][0].update(cause="unknown", label="slipped")
    (runs / NAMES[1] / "result.json").write_text(json.dumps(told))
    assert History(runs).find(Filter())["runs"][1]["cause"] == "slipped"
    assert ids(history, sort="verdict", rising=True) == [NAMES[1], NAMES[0], NAMES[2]]
    assert ids(history, sort="seconds; DROP TABLE runs") == list(reversed(NAMES))


def test_the_list_comes_in_pages_with_its_whole_number(runs: Path) -> None:
    found = History(runs).find(Filter(first=1, most=1))
    assert (found["total"], [run["id"] for run in found["runs"]]) == (3, [NAMES[1]])
    assert found["verdict"] == {"failed": 1, "succeeded": 1, "unfinished": 1}


def test_the_index_notices_what_is_new_finished_and_gone(runs: Path) -> None:
    index = Index(runs)
    assert index.refresh() == 3
    assert index.refresh() == 0
    (runs / NAMES[2] / "result.json").write_text(json.dumps(trial_of(a_run())))
    assert index.refresh() == 1
    assert index.find(Filter(verdict="succeeded"))["total"] == 2
    os.rename(runs / NAMES[0], runs.parent / "away")
    index.refresh()
    assert index.find(Filter())["total"] == 2


def test_the_index_is_kept_from_one_start_to_the_next(runs: Path) -> None:
    Index(runs).refresh()
    again = Index(runs)
    assert again.refresh() == 0
    assert again.find(Filter())["total"] == 3


def test_a_damaged_index_and_damaged_results_do_no_harm(runs: Path) -> None:
    (runs / FILE_NAME).write_bytes(b"no database at all, " * 100)
    for name, text in zip(NAMES, ('{"task": 3, "goal": "x", "corrections": [1]}', "[]", "[" * 100_000)):
        (runs / name / "result.json").write_text(text)
    assert len(ids(History(runs))) == 3


def test_a_folder_that_cannot_be_written_or_is_not_there_is_read_all_the_same(tmp_path: Path) -> None:
    assert History(tmp_path / "none").find(Filter())["total"] == 0


def test_many_runs_are_found_by_reading_none_of_them_again(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    result = json.dumps(trial_of(a_run()))
    for number in range(10_000):
        folder = runs / f"20260101-{number:06d}-001"
        folder.mkdir(parents=True)
        (folder / "result.json").write_text(result)
    assert Index(runs).refresh() == 10_000
    index = Index(runs)
    assert index.refresh() == 0
    found = index.find(Filter(words="box", first=9_990))
    assert (found["total"], len(found["runs"])) == (10_000, 10)


def test_a_replay_sets_what_the_live_page_showed(runs: Path, entries: Entries) -> None:
    part = History(runs).part(NAMES[0], 0)
    assert part is not None
    run = Timeline()
    for change, entry in zip(part["changes"], a_run(NAMES[0], "put the red box away")):
        event = run.take(entry)
        assert event is not None
        assert change["set"] == changed_sections(run, event)
    assert part["count"] == len(part["changes"]) == len(entries)
    assert part["changes"][4]["words"] == "pick box"
    assert History(runs).part("none", 0) is None


def test_an_hour_of_events_is_looked_at_in_small_parts_from_any_moment_on(tmp_path: Path) -> None:
    told = an_hour()
    write_run(tmp_path / "runs" / NAMES[0], told)
    history = History(tmp_path / "runs")
    run, sections = Timeline(), {}
    at = len(told) * 2 // 3
    for entry in told[:at + 1]:
        event = run.take(entry)
        assert event is not None
        sections.update(changed_sections(run, event))
    part = history.part(NAMES[0], at)
    assert part is not None
    assert part["count"] == len(told) > 15_000
    shown = dict(part["start"])
    for change in part["changes"][:at - part["first"] + 1]:
        shown.update(change["set"])
    assert {name: shown[name] for name in sections} == sections
    for moment in (0, at, len(told), 10 ** 9):
        assert len(json.dumps(history.part(NAMES[0], moment))) < 2_000_000
    running = max(index for index in range(200) if sections[f"step:{index}"]["state"] == "running")
    assert sections[f"step:{running}"]["moments"]
    assert sections["step:3"] == {**sections["step:3"], "folded": 8, "moments": []}


def test_a_run_that_goes_on_is_replayed_with_what_is_new(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "runs" / NAMES[0], a_run()[:5])
    history = History(tmp_path / "runs")
    counts = [history.part(NAMES[0], 0)["count"]]  # type: ignore[index]
    with (folder / "events.jsonl").open("a") as stream:
        stream.write(json.dumps(a_run()[5]) + "\n")
    counts.append(history.part(NAMES[0], 0)["count"])  # type: ignore[index]
    assert counts == [5, 6]


def test_two_runs_side_by_side_say_what_differs(runs: Path) -> None:
    found = History(runs).compare(NAMES[0], NAMES[1])
    assert found is not None
    lines = {line["title"]: line for line in found["lines"]}
    assert lines["Result"]["differs"]
    assert (lines["Result"]["left"], lines["Result"]["right"]) == ("succeeded", "failed")
    assert not lines["Commands"]["differs"]
    assert lines["Placement error, mm"]["left"] == "2.2"
    assert found["pictures"] == [None, None]
    assert [step["differs"] for step in found["steps"]] == [False, False]
    assert History(runs).compare(NAMES[0], "none") is None
    (runs / NAMES[0] / "events.jsonl").unlink()
    assert History(runs).compare(NAMES[0], NAMES[1]) is not None


def test_two_runs_say_in_millimetres_how_far_apart_their_objects_ended() -> None:
    def world(**places: float) -> Dict[str, Any]:
        return {"things": [{"name": name, "movable": name != "table", "x": x, "y": 0.1, "z": 0.03}
                           for name, x in places.items()]}

    found = moved_apart(world(box=0.5, cup=0.2, table=0.0, lid=0.1), world(box=0.512, cup=0.2, table=1.0))
    assert [(each["name"], each["mm"]) for each in found] == [("box", 12.0), ("cup", 0.0)]
    assert found[0]["left"] == [500, 100, 30]
    assert moved_apart(None, world(box=0.5)) == []


@pytest.mark.parametrize("name", ["", "..", ".", "../runs", "a/b", "\0", ".index.sqlite", "x" * 200])
def test_only_a_folder_of_the_folder_is_a_run(runs: Path, name: str) -> None:
    assert History(runs).folder(name) is None


@pytest.mark.parametrize("path", ["../secret.json", "/etc/passwd", "events.jsonl/..", "link.json",
                                  "notes.txt", "\0"])
def test_only_files_of_a_run_are_handed_out(runs: Path, path: str) -> None:
    (runs / "secret.json").write_text("{}")
    (runs / NAMES[0] / "notes.txt").write_text("x")
    (runs / NAMES[0] / "link.json").symlink_to(runs / "secret.json")
    assert History(runs).file(NAMES[0], path) is None
    assert History(runs).file(NAMES[0], "result.json") is not None


def test_a_replay_of_a_run_that_is_not_there_says_where_runs_are(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["none", "--runs-dir", str(runs)]) == 1
    assert "there is no run 'none'" in capsys.readouterr().err


def test_a_run_is_found_by_its_path_its_events_or_its_name(runs: Path) -> None:
    run = runs / NAMES[0]
    assert find_run(str(run), Path("none")) == find_run(str(run / "events.jsonl"), Path("none")) == run
    assert find_run(NAMES[0], runs) == run
    assert find_run("bench", runs) is None
