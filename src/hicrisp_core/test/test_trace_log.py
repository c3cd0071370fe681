"""The event log on the disk, and reading it back."""

from __future__ import annotations

import json
import math
from threading import Thread

import numpy as np
import pytest
from hicrisp_core.model import Rung
from hicrisp_core.trace import EventLog, finish_run, read_events
from trace_events import corrected_run


def test_every_event_is_on_the_disk_at_once(tmp_path):
    with EventLog(tmp_path / "run") as log:
        log({"kind": "plan", "steps": ["pick up box"]})
        assert read_events(tmp_path / "run") == [{"kind": "plan", "steps": ["pick up box"]}]


def test_values_that_json_does_not_know_are_written_all_the_same(tmp_path):
    event = {"kind": "odd", "nan": math.nan, "rung": Rung.REPAIR, "array": np.array([1.0, math.inf]),
             "number": np.float64(2.5), "path": tmp_path, "text": "Würfel 箱 \udc80", "pair": (1, 2)}
    with EventLog(tmp_path) as log:
        log(event)
    [read] = read_events(tmp_path)
    assert read["nan"] is None
    assert read["array"] == [1.0, None]
    assert (read["rung"], read["number"], read["pair"]) == ("repair", 2.5, [1, 2])
    assert read["text"].startswith("Würfel 箱")


def test_a_listener_that_raises_does_not_stop_the_run_or_the_others(tmp_path):
    heard = []

    def broken(event):
        raise ValueError("no")

    with EventLog(tmp_path, [broken, heard.append]) as log:
        log({"kind": "a"})
        log({"kind": "b"})
    assert [event["kind"] for event in heard] == ["a", "b"]


def test_events_of_several_threads_do_not_mix(tmp_path):
    with EventLog(tmp_path) as log:
        threads = [Thread(target=lambda n=n: [log({"kind": "x", "n": n, "pad": "y" * 500})
                                              for _ in range(50)])
                   for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(read_events(tmp_path)) == 200


def test_a_line_that_was_cut_off_is_left_out(tmp_path):
    (tmp_path / "events.jsonl").write_text('{"kind": "plan"}\n\n[1]\n{"kind": "comm', encoding="utf-8")
    assert read_events(tmp_path) == [{"kind": "plan"}]


def test_a_folder_without_a_log_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_events(tmp_path)


def test_a_finished_run_has_its_result_and_its_report(tmp_path):
    with EventLog(tmp_path) as log:
        for event in corrected_run():
            log(event)
    trial = finish_run(tmp_path)
    assert json.loads((tmp_path / "result.json").read_text(encoding="utf-8")) == trial
    assert trial["run"] == str(tmp_path)
    assert "<html" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_disk_that_takes_nothing_more_does_not_end_the_task(tmp_path, caplog):
    (tmp_path / "events.jsonl").symlink_to("/dev/full")
    heard = []
    with EventLog(tmp_path, [heard.append]) as log:
        log({"kind": "a"})
        log({"kind": "b"})
    assert [event["kind"] for event in heard] == ["a", "b"]
    assert "cannot be written any more" in caplog.text
