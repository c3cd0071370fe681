"""HiCRISP's feedback stack (section III-D): corrections of several commands, failures inside them, what stays."""

from itertools import groupby

import pytest
from hicrisp_core.model import Correction, Plan, Rung, Status
from hicrisp_core.policy.policy import Policy, load_policy
from hicrisp_core.ports.brain import PlanAnswer
from hicrisp_core.ports.corrector import CorrectorAnswer
from hicrisp_core.trace import explain
from hicrisp_core.trace.sections import sections_of
from hicrisp_core.trace.timeline import timeline_of
from tabletop import Run, steps, table_top

PICK, PICK_LID, PICK_CAP = "pick(panda, box)", "pick(panda, lid)", "pick(panda, cap)"
DOWN_LID, DOWN_CAP = "put_down(panda, lid)", "put_down(panda, cap)"
THINGS = {"box": "box", "cylinder": "cylinder", "lid": "box"}
COVERED = [("lid", "on", "box")]
SEARCH = Policy("test", rungs=(Rung.REPAIR,))


def stacks(run):
    """The commands on the stack after each of its changes, bottom first."""
    return [tuple(entry["command"] for entry in event["entries"]) for event in run.told("stack")]


def attempts(run):
    """Command and purpose of everything that was tried."""
    return [(event["command"], event["purpose"]) for event in run.told("command")]


def test_a_correction_may_be_several_commands_after_which_the_step_is_tried_again(domain):
    run = Run(domain, table_top(THINGS, COVERED), SEARCH, [PICK])
    assert run().success
    assert attempts(run) == [
        (PICK, "step"), (PICK_LID, "correction"), (DOWN_LID, "correction"), (PICK, "retry")]
    assert stacks(run) == [("pick up box",), ()]


def test_a_correction_that_fails_is_pushed_and_retried_before_the_step(domain):
    run = Run(domain, table_top(THINGS, COVERED), SEARCH, [PICK])
    run.world.fails(PICK_LID, status=Status.EXECUTION)
    assert run().success
    assert stacks(run) == [
        ("pick up box",), ("pick up box", "pick up lid"), ("pick up box",), ("pick up box",), ()]
    tried = attempts(run)
    assert tried[1:4] == [(PICK_LID, "correction"), (PICK_LID, "retry"), (PICK, "retry")]


def test_the_correction_of_a_correction_may_fail_too(domain):
    cap_on_lid = [*COVERED, ("cap", "on", "lid")]
    run = Run(domain, table_top({**THINGS, "cap": "box"}, cap_on_lid), Policy("test", rungs=(Rung.LLM_STEP,)),
              [PICK])
    run.brain.correct = scripted(run, [PICK_LID], [PICK_CAP], [], [DOWN_CAP], [DOWN_LID])
    run.world.fails(PICK_CAP, status=Status.EXECUTION)
    assert run().success
    deepest = ("pick up box", "pick up lid", "pick up cap")
    assert stacks(run)[:3] == [deepest[:1], deepest[:2], deepest]
    assert [len(stack) for stack in stacks(run)] == [1, 2, 3, 2, 2, 1, 1, 0]
    assert run.world.executed == [PICK_CAP, PICK_CAP, DOWN_CAP, PICK_LID, DOWN_LID, PICK]


def test_the_brain_is_told_the_whole_stack_the_latest_failure_last(domain):
    run = Run(domain, table_top(THINGS, COVERED), Policy("test", rungs=(Rung.LLM_STEP,)), [PICK])
    run.world.fails(PICK_LID, status=Status.EXECUTION)
    assert run().success
    assert [[str(entry.command) for entry in request.stack] for request in run.brain.corrections] == [
        [PICK], [PICK, PICK_LID], [PICK]]


def test_a_retry_that_fails_otherwise_gives_the_top_its_new_error(domain):
    run = Run(domain, table_top(THINGS, COVERED), SEARCH, [PICK])
    run.world.fails(PICK_LID, status=Status.EXECUTION)
    run()
    updated = run.told("stack")[3]["entries"][0]
    assert updated["attempts"] == 2
    reasons = [event["feedback"]["reason"] for event in run.told("verdict") if event["feedback"]]
    assert reasons[0] == "Lid is on top of box."
    # What the correction has changed is kept, not rolled back.
    assert reasons[-1] == "Panda is already holding lid."


def test_what_a_correction_changed_is_seen_by_the_next_question(domain):
    run = Run(domain, table_top(THINGS, COVERED), Policy("test", rungs=(Rung.LLM_STEP,)), [PICK])
    run.world.fails(DOWN_LID, status=Status.EXECUTION)
    assert run().success
    first, second = run.brain.corrections[:2]
    assert first.world.holds("on", "lid", "box")
    assert second.world.holds("holding", "panda", "lid")
    assert not second.world.holds("on", "lid", "box")


@pytest.mark.parametrize(("policy", "reason"), [
    (Policy("test", rungs=(Rung.LLM_STEP,), threshold=3, depth=9), "3 corrections did not help"),
    (Policy("test", rungs=(Rung.LLM_STEP,), threshold=9, depth=3), "the stack is full at 3")])
def test_both_thresholds_end_the_correction_and_leave_the_stack_to_be_explained(domain, policy, reason):
    things = {"box": "box", **{name: "box" for name in "abcdefgh"}}
    run = Run(domain, table_top(things), policy, [PICK])
    run.brain.correct = scripted(run, *[[f"pick(panda, {name})"] for name in "abcdefgh"])
    for name in ("box", *"abcdefgh"):
        run.world.fails(f"pick(panda, {name})", times=99, status=Status.EXECUTION)
    result = run()
    assert not result.success
    assert reason in result.message
    assert len(run.told("correction")) == 3
    assert "This was left to do, the latest first: pick up" in explain(run.events)


def test_the_page_shows_the_stack_growing_to_two_and_falling_and_how_deep_each_command_was(domain):
    run = Run(domain, table_top(THINGS, COVERED), SEARCH, [PICK])
    run.world.fails(PICK_LID, status=Status.EXECUTION)
    run()
    shown = sections_of(timeline_of(run.events))
    depths = [len(column["bars"]) for column in shown["stack"]["columns"]]
    assert [depth for depth, _ in groupby(depths)] == [1, 2, 1, 0]
    assert shown["stack"]["deepest"] == 2
    assert shown["stack"]["legend"] == ["pick up box", "pick up lid"]
    assert {each["depth"] for each in shown["step:0"]["moments"] if each["is"] == "command"} == {0, 1, 2}
    assert "The correction failed too: 'pick up lid' failed" in explain(run.events)


def scripted(run, *answers):
    """Corrections as they are written, one answer after another."""
    left = [steps(run.brain.domain, *answer) for answer in answers]
    return lambda request, deadline: PlanAnswer(Plan(tuple(left.pop(0)), "script"))


def test_a_policy_that_corrects_after_completion_carries_out_the_plan_first(domain, config_dir):
    place, home = "place_next_to(panda, box, cylinder)", "home(panda)"
    runs = {}
    for name in ("hicrisp", "hicrisp_after"):
        runs[name] = Run(domain, table_top(THINGS), load_policy(config_dir / "policies" / f"{name}.yaml"),
                         [PICK, place, home])
        runs[name].world.fails(place)
        result = runs[name]()
        assert result.success
        assert result.corrections["llm_step"] == 1
    assert runs["hicrisp"].world.executed[-1] == home
    assert runs["hicrisp_after"].world.executed[:3] == [PICK, place, home]
    assert runs["hicrisp_after"].world.executed[-1] == place
    assert [attempt[1] for attempt in attempts(runs["hicrisp_after"])][:3] == ["step"] * 3


def test_a_rung_of_ones_own_may_answer_steps_in_place_of_the_rest_of_the_plan(domain):
    class Instead:
        def correct(self, request, deadline):
            return CorrectorAnswer(Correction("instead", steps=steps(domain, "home(panda)")))

    run = Run(domain, table_top(THINGS), SEARCH, [PICK], corrector=Instead())
    run.world.fails(PICK, status=Status.EXECUTION)
    assert run().success
    assert run.world.executed == [PICK, "home(panda)"]
