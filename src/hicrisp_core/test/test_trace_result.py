"""The trial and the explanation that a run's events give."""

from __future__ import annotations

from hicrisp_core.trace import explain, trial_of
from trace_events import corrected_run, failed_run

FIELDS = {
    "task", "scene", "seed", "policy", "llm", "success", "plan", "steps_executed", "corrections", "failures",
    "llm_calls", "tokens", "placement_error_m", "first_motion_s", "wall_s", "sim_s", "run",
}


def test_a_trial_has_every_field_of_the_design():
    assert set(trial_of(corrected_run())) >= FIELDS
    assert set(trial_of([])) >= FIELDS


def test_a_trial_takes_its_figures_from_the_end_of_the_task():
    trial = trial_of(corrected_run(), "runs/1")
    assert trial["success"]
    assert trial["plan"] == ["pick up box", "place box next to cylinder"]
    assert trial["corrections"] == {"repair": 1, "offset": 1}
    assert trial["steps_executed"] == 4
    assert (trial["seed"], trial["run"]) == (7, "runs/1")


def test_a_run_that_was_cut_off_is_counted_from_what_it_left():
    trial = trial_of(corrected_run()[:-2])
    assert not trial["success"]
    assert trial["verdict"] == "unfinished"
    assert trial["corrections"] == {"repair": 1}
    assert trial["steps_executed"] == 4
    assert [failure["kind"] for failure in trial["failures"]] == ["misplaced"]


def test_an_explanation_says_what_failed_and_what_corrected_it():
    text = explain(corrected_run())
    assert 'The task was: "place the box next to the cylinder".' in text
    assert "The box is 31 mm from where it should be." in text
    assert "A search over the known actions repaired it: pick up box." in text
    assert "Then 'place box next to cylinder' worked." in text
    assert "The action decoder also corrected the aim 1 time by the measured deviation." in text
    assert "The task succeeded (4 commands, 2 corrections" in text


def test_an_explanation_of_a_failure_tells_what_is_left_on_the_stack():
    text = explain(failed_run())
    assert "The task failed" in text
    assert "It was given up: nothing is left to try." in text
    assert "This was left to do, the latest first: place box next to cylinder" in text


def test_an_explanation_of_a_refusal_names_what_would_have_been_understood():
    events = [{"kind": "task_received", "text": "fly"},
              {"kind": "refused", "text": "'fly' was not understood", "alternatives": ["place X on Y"]},
              {"kind": "task_finished", "success": False, "message": "'fly' was not understood"}]
    text = explain(events)
    assert "It was refused: 'fly' was not understood." in text
    assert "place X on Y" in text


def test_there_is_an_explanation_even_of_nothing_and_of_a_run_under_way():
    assert explain([]) == "Nothing is recorded of this task yet."
    assert "has not ended" in explain(corrected_run()[:6])
