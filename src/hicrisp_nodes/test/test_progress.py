"""Where a task stands, folded from events."""

from __future__ import annotations

from typing import Any, Dict

from hicrisp_core.trace.task_state import State
from hicrisp_core.trace.timeline import timeline_of
from hicrisp_nodes.supervisor.progress import Progress

PLAN: Dict[str, Any] = {"kind": "plan", "steps": ["pick box", "place box"], "from_step": 0}
STARTED = {"kind": "step_started", "index": 1, "text": "place box", "action": "place_on"}
PUSHED = {"kind": "stack", "entries": [{"command": "place box", "error": "it fell", "attempts": 1}]}
EMPTY = {"kind": "stack", "entries": []}


def after(*events: Dict[str, Any]) -> Progress:
    return Progress().at(timeline_of(events))


def test_a_plan_and_its_steps_are_counted() -> None:
    progress = after({"kind": "task_received"}, PLAN, STARTED)
    assert (progress.state, progress.step_index, progress.step_count) == (State.RUNNING, 1, 2)
    assert progress.step == "place box"


def test_a_new_plan_counts_from_its_step() -> None:
    assert after(PLAN, {**PLAN, "from_step": 1}).step_count == 3


def test_a_failure_is_being_corrected_until_the_stack_is_empty() -> None:
    assert after(PLAN, STARTED, PUSHED).state is State.CORRECTING
    assert after(PLAN, STARTED, PUSHED).stack_depth == 1
    assert after(PLAN, STARTED, PUSHED, EMPTY).state is State.RUNNING


def test_the_end_says_how_it_ended() -> None:
    assert after(PLAN, {"kind": "task_finished", "success": True, "message": "done"}).state is State.SUCCEEDED
    assert after(PLAN, {"kind": "task_finished", "success": False, "message": "no"}).state is State.FAILED
    canceled = after(PLAN, {"kind": "task_finished", "success": False, "message": "", "canceled": True})
    assert canceled.state is State.CANCELED


def test_a_refusal_stays_a_refusal_and_says_what_would_be_understood() -> None:
    progress = after({"kind": "refused", "text": "what?", "alternatives": ["place the X on the Y"]},
                     {"kind": "task_finished", "success": False, "message": "what?"})
    assert progress.state is State.REFUSED
    assert "place the X on the Y" in progress.message


def test_an_answer_is_no_failure() -> None:
    assert after({"kind": "answer", "text": "two boxes"}, {"kind": "task_finished", "success": True}).state \
        is State.ANSWERED


def test_the_goal_is_known_before_the_plan_and_judged_at_the_end() -> None:
    goal = {"kind": "goal", "known": True, "said": "the box ends up on the plate"}
    assert (after(goal).goal, after(goal).goal_state) == ("the box ends up on the plate", "")
    assert after(goal, {"kind": "task_finished", "success": True, "goal": "seen"}).goal_state == "seen"
    assert after({"kind": "goal", "known": False}).goal_state == "unknown"
