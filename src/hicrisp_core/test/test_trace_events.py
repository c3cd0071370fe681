"""The table of events: what is written follows it, and what is read need not."""

from __future__ import annotations

import math
from importlib import import_module
from pathlib import Path

import pytest
from hicrisp_core.model import Rung, Status
from hicrisp_core.policy.policy import Policy
from hicrisp_core.trace.events import EVENTS, CommandTried, Noted, StackChanged, TaskReceived, VerdictGiven
from hicrisp_core.trace.read_event import event_of, events_of, problems_of
from hicrisp_core.trace.records import StackRecord
from tabletop import Run, table_top
from trace_events import corrected_run

ROOT = Path(__file__).resolve().parents[3]
PICK_LID, PICK = "pick(panda, lid)", "pick(panda, box)"


def test_an_unknown_field_cannot_be_written() -> None:
    with pytest.raises(TypeError):
        Noted(words="hello")  # type: ignore[call-arg]


@pytest.mark.parametrize(("entry", "problem"), [
    ({"kind": "rumour"}, "unknown kind 'rumour'; valid are: task_received, plan"),
    ({"kind": "note", "words": "hello"},
     "unknown field 'words' of 'note'; valid are: t, sim_t, index, robot, text"),
    ({"kind": "verdict", "feedback": {"kind": "planning", "cause": {"kind": "blocked", "who": "cup"}}},
     "unknown field 'who' of 'verdict.feedback.cause'; valid are: kind, names, seconds, said, metres"),
    ({"kind": "stack", "entries": [{"command": "pick up box"}, {"comand": "pick up box"}]},
     "unknown field 'comand' of 'stack.entries.1'; valid are: command, error"),
    ({"kind": "step_finished", "ok": "yes"}, "the field 'ok' of 'step_finished' cannot be 'yes'"),
])
def test_what_does_not_follow_the_table_is_named(entry, problem) -> None:
    [found] = problems_of(entry)
    assert found.startswith(problem)


def test_every_event_of_a_run_with_nested_corrections_follows_the_table(domain) -> None:
    policy = Policy("test", rungs=(Rung.REPAIR,))
    run = Run(domain, table_top({"box": "box", "lid": "box"}, [("lid", "on", "box")]), policy, [PICK])
    run.world.fails(PICK_LID, status=Status.EXECUTION)
    run()
    assert {event["kind"] for event in run.events} >= {"plan", "command", "verdict", "correction", "stack"}
    assert [problem for event in run.events for problem in problems_of(event)] == []


def test_what_is_written_is_read_back_the_same() -> None:
    for event in (TaskReceived(task_id="7", text="pick up box", seed=3),
                  StackChanged(t=1.5, index=2, robot="panda",
                  entries=(StackRecord("pick up box", "it fell", 2),)), CommandTried(target=(0.1, 0.2, 0.3))):
        assert event_of(event.as_dict()) == event


def test_every_event_of_the_samples_follows_the_table() -> None:
    assert [problem for event in corrected_run() for problem in problems_of(event)] == []


def test_an_old_file_is_read_as_far_as_it_is_understood() -> None:
    old = [{"kind": "rumour", "text": "?"}, {"kind": "note", "text": "kept", "colour": "red"},
           {"kind": "command", "command": "pick(panda, box)", "depth": "deep", "t": None},
           {"text": "no kind"}]
    noted, tried = events_of(old)
    assert noted == Noted(text="kept")
    assert tried == CommandTried(command="pick(panda, box)")


def test_a_vector_that_was_not_finite_is_none() -> None:
    written = VerdictGiven(ok=True, deviation=(math.nan, 0.0, 0.0)).as_dict()
    assert written["deviation"] == [None, 0.0, 0.0]
    assert event_of(written) == VerdictGiven(ok=True)


def test_the_reference_describes_every_kind_with_its_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts" / "lib")
    sections = import_module("reference.events").events_page().split("\n## ")
    for kind, event in EVENTS.items():
        [section] = [each for each in sections if each.startswith(f"`{kind}`\n")]
        own = [name for name in event.__annotations__ if name != "kind"]
        assert [name for name in own if f"\n- `{name}`, " not in section] == []
