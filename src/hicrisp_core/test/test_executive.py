"""Algorithm 1 on whole symbolic tasks."""

from threading import Event

import pytest
from failures import words
from hicrisp_core.domain.saying import spoken
from hicrisp_core.model import Cause, CauseKind, Rung, Status, WorldState
from hicrisp_core.model.cause import SUPERVISOR
from hicrisp_core.policy.policy import Budget, Policy, load_policy
from tabletop import Run, steps, table_top

PICK, BESIDE = "pick(panda, box)", "place_next_to(panda, box, cylinder)"
THINGS = {"box": "box", "cylinder": "cylinder"}
LADDER = Policy("test", autonomy="full")


def misplaced(run: Run, domain, times: int = 1) -> None:
    """Let the box land somewhere else on the table; the driver claims success."""
    elsewhere = domain.ground(steps(domain, "put_down(panda, box)")[0], run.world.state)
    run.world.fails(BESIDE, times=times, instead=elsewhere)


def test_a_plan_without_failures_runs_as_it_stands(domain):
    run = Run(domain, table_top(THINGS), LADDER, [PICK, BESIDE])
    result = run()
    assert result.success
    assert run.world.executed == [PICK, BESIDE]
    assert result.corrections == {}
    assert result.plan == (spoken(PICK), spoken(BESIDE))


def test_people_read_names_in_words_wherever_a_task_is_told(domain):
    things = {"box_2": "box", "cylinder": "cylinder"}
    place = "place_next_to(panda, box_2, cylinder)"
    run = Run(domain, table_top(things), LADDER, ["pick(panda, box_2)", place])
    run.world.fails(place, instead=domain.ground(steps(domain, "put_down(panda, box_2)")[0], run.world.state))
    assert run().success
    told = {"plan": ("steps",), "step_started": ("text",), "command": ("text",), "correction": ("commands",),
            "stack": ("entries",), "task_finished": ("done",)}
    said = {kind: str([event[part] for event in run.told(kind) for part in parts]) for kind, parts in told.items()}
    assert not [kind for kind, text in said.items() if "box_2" in text]
    assert not [kind for kind, text in said.items() if "box 2" not in text]


def test_a_task_in_a_world_that_nobody_sees_is_refused_for_that(domain):
    run = Run(domain, WorldState(trouble="no state has come"), LADDER, [PICK, BESIDE])
    result = run()
    assert not result.success
    assert result.message == "No state has come."


def test_a_misplaced_item_is_picked_up_again_and_placed_inside_the_same_step(domain):
    run = Run(domain, table_top(THINGS), LADDER, [PICK, BESIDE])
    misplaced(run, domain)
    result = run()
    assert result.success
    assert run.world.executed == [PICK, BESIDE, PICK, BESIDE]
    assert result.corrections == {"repair": 1}
    assert result.failures[0].error == "The box is not in close proximity to the cylinder."
    assert result.failures[0].level == "high"
    assert [event["index"] for event in run.told("step_started")] == [0, 1]


def test_the_drivers_claim_of_success_is_not_believed(domain):
    run = Run(domain, table_top(THINGS), LADDER, [PICK, BESIDE])
    run.world.fails(PICK, status=Status.SUCCESS)
    result = run()
    assert result.success
    assert run.world.executed == [PICK, PICK, BESIDE]
    assert result.failures[0].kind == "not_grasped"


def test_a_drivers_claim_of_failure_is_overruled_when_the_effect_is_seen(domain):
    run = Run(domain, table_top(THINGS), LADDER, [PICK])
    pick = domain.ground(steps(domain, PICK)[0], run.world.state)
    run.world.fails(PICK, status=Status.TIMEOUT, instead=pick)
    assert run().success
    assert run.world.executed == [PICK]


def test_a_failed_correction_is_pushed_and_retried_before_the_step(domain):
    run = Run(domain, table_top({**THINGS, "lid": "box"}, [("lid", "on", "box")]), LADDER, [PICK, BESIDE])
    run.world.fails("pick(panda, lid)", status=Status.EXECUTION, message="the box slipped")
    result = run()
    assert result.success
    assert run.world.executed == [
        "pick(panda, lid)", "pick(panda, lid)", "put_down(panda, lid)", PICK, BESIDE]
    depths = [len(event["entries"]) for event in run.told("stack")]
    assert depths == [1, 2, 1, 1, 0]
    nested = run.told("stack")[1]["entries"]
    assert [entry["command"] for entry in nested] == ["pick up box", "pick up lid"]


def test_the_correction_ends_when_the_stack_is_empty_not_after_the_threshold(domain):
    run = Run(domain, table_top(THINGS), LADDER, [PICK, BESIDE])
    misplaced(run, domain)
    run()
    assert len(run.told("correction")) == 1


def test_the_threshold_bounds_the_corrections_of_a_step(domain):
    policy = Policy("test", rungs=(Rung.LLM_STEP,), threshold=3)
    run = Run(domain, table_top(THINGS), policy, [PICK, BESIDE])
    misplaced(run, domain, times=99)
    run.world.state = table_top({**THINGS})
    result = run()
    assert not result.success
    assert sum(result.corrections.values()) <= 3
    assert "close proximity" in result.message


def test_a_loop_climbs_to_the_next_rung_and_ends(domain):
    run = Run(domain, table_top(THINGS), LADDER, [PICK, BESIDE], [PICK, BESIDE], [PICK, BESIDE])
    misplaced(run, domain, times=99)
    result = run()
    assert not result.success
    rungs = [event["rung"] for event in run.told("correction")]
    assert rungs[0] == "repair"
    assert rungs[1] == "llm_step"
    assert "llm_replan" in rungs
    assert rungs[-1] == "give_up"


def test_a_full_stack_ends_the_correction(domain):
    things = {**THINGS, "lid": "box", "cap": "box"}
    run = Run(domain, table_top(things, [("lid", "on", "box"), ("cap", "on", "lid")]),
              Policy("test", rungs=(Rung.REPAIR,), depth=1), [PICK])
    run.world.fails("pick(panda, cap)", times=9, status=Status.EXECUTION)
    result = run()
    assert not result.success
    assert "stack is full" in result.message


def test_replanning_starts_from_the_failed_step_and_knows_what_is_done(domain):
    policy = Policy("test", rungs=(Rung.LLM_REPLAN,), threshold=1)
    run = Run(domain, table_top(THINGS), policy, [PICK, BESIDE], [PICK, BESIDE])
    misplaced(run, domain)
    assert run().success
    request = run.brain.requests[1]
    assert [(str(record.step), [str(command) for command in record.commands]) for record in request.done] == [
        (PICK, [PICK])]
    assert [str(step) for step in request.remaining] == [BESIDE]
    assert request.feedback[0].misses("next_to")


@pytest.mark.parametrize(("level", "reason", "suggestion"), [
    ("what", "", ""), ("why", "some", ""), ("how", "some", "some")])
def test_a_model_is_told_as_much_as_the_policy_says(domain, level, reason, suggestion):
    policy = Policy("test", rungs=(Rung.LLM_STEP,), feedback_level=level)
    run = Run(domain, table_top({**THINGS, "lid": "box"}, [("lid", "on", "box")]), policy, [PICK])
    run()
    asked = run.brain.corrections[0]
    told = words(domain, asked.stack[0].feedback).at_level(asked.feedback_level)
    assert bool(told.reason) == bool(reason)
    assert bool(told.suggestion) == bool(suggestion)


def test_open_loop_carries_on_and_says_at_the_end_what_is_not_so(domain):
    policy = Policy("test", rungs=(), check_preconditions=False, detect=False, on_failed_step="continue",
                    verify_goal="off")
    run = Run(domain, table_top(THINGS), policy, [PICK, BESIDE])
    misplaced(run, domain)
    result = run()
    assert not result.success
    assert run.world.executed == [PICK, BESIDE]
    assert result.corrections == {}


def test_what_a_later_step_undid_is_made_again_at_the_end(domain):
    plan = [PICK, "place_on(panda, box, table)", "pick(panda, cylinder)", "put_down(panda, cylinder)"]
    run = Run(domain, table_top(THINGS), LADDER, plan)
    beside = domain.ground(steps(domain, "place_on(panda, box, table)")[0], run.world.state)
    assert beside.action == "place_on"
    run.world.fails("put_down(panda, cylinder)", instead=domain.ground(
        steps(domain, "place_on(panda, cylinder, box)")[0], run.world.state))
    result = run()
    assert result.success
    assert run.world.state.holds("on", "cylinder", "table")


def test_a_step_whose_effect_holds_already_is_passed_over_with_a_note(domain):
    run = Run(domain, table_top({"box": "box"}, [("panda", "holding", "box")]), LADDER, [PICK])
    assert run().success
    assert run.world.executed == []
    assert "holds already" in run.told("note")[0]["text"]


def test_a_refused_task_moves_nothing(domain):
    run = Run(domain, table_top(THINGS), LADDER)
    result = run()
    assert not result.success
    assert run.world.executed == []
    assert result.message == "no plan is left in the script"


def test_a_canceled_task_sends_no_further_command(domain):
    cancel = Event()
    run = Run(domain, table_top(THINGS), LADDER, [PICK, BESIDE], gate=lambda _: cancel.set())
    run.executive._cancel = cancel
    result = run()
    assert not result.success
    assert result.canceled
    assert run.world.executed == []
    assert result.message == "the task was canceled; panda stands still"


@pytest.mark.parametrize(("times", "succeeds"), [(1, True), (2, False)])
def test_a_supervisor_that_was_away_goes_on_where_the_robot_was_stopped_but_not_for_ever(
        domain, times, succeeds):
    run = Run(domain, table_top(THINGS), LADDER, [PICK, BESIDE])
    run.world.fails(PICK, times=times, status=Status.SAFETY,
                    cause=Cause(CauseKind.UNREACHABLE_NODE, (SUPERVISOR,)))
    result = run()
    assert result.success == succeeds, result.message
    assert run.world.executed == ([PICK, PICK, BESIDE] if succeeds else [PICK, PICK])


@pytest.mark.parametrize("cause", [
    None, Cause(CauseKind.STOPPED, ("the emergency stop",)),
    Cause(CauseKind.UNREACHABLE_NODE, ("move_base",))])
def test_after_any_other_stop_for_safety_nothing_is_tried(domain, cause):
    run = Run(domain, table_top(THINGS), LADDER, [PICK, BESIDE])
    run.world.fails(PICK, status=Status.SAFETY, cause=cause)
    assert not run().success
    assert run.world.executed == [PICK]


def test_a_used_up_budget_ends_the_task_with_its_name(domain):
    policy = Policy("test", budget=Budget(corrections=1), threshold=9)
    run = Run(domain, table_top(THINGS), policy, [PICK, BESIDE], [PICK, BESIDE])
    misplaced(run, domain, times=99)
    result = run()
    assert not result.success
    assert "budget of 1 corrections" in result.message


def test_an_unknown_name_in_a_step_is_refused_with_the_valid_ones(domain):
    policy = Policy("test", rungs=())
    run = Run(domain, table_top(THINGS), policy, ["pick(panda, bax)"])
    result = run()
    assert not result.success
    assert "did you mean 'box'" in result.message
    assert run.world.executed == []


def test_a_failed_step_whose_effect_came_otherwise_is_dropped_with_a_note(domain):
    run = Run(domain, table_top(THINGS, [("panda", "holding", "cylinder")]), LADDER, [PICK])
    box_in_hand = domain.ground(steps(domain, PICK)[0], run.world.state)
    run.world.fails("put_down(panda, cylinder)", instead=box_in_hand)
    result = run()
    assert result.success
    assert "not needed" in run.told("correction")[-1]["note"]


def test_what_a_robot_waits_for_under_a_command_is_told_before_the_command_ends(domain):
    run = Run(domain, table_top(THINGS), LADDER, [PICK])
    execute = run.world.execute

    def waits(command, deadline, cancel, progress):
        for phase in ("approach", "wait for move_group: 5 s of 30 s", "wait"):
            progress(phase, 0.1)
        return execute(command, deadline, cancel, progress)

    run.world.execute = waits
    assert run().success
    assert [event["text"] for event in run.told("waiting")] == ["wait for move_group: 5 s of 30 s"]
    kinds = [event["kind"] for event in run.events]
    assert kinds.index("command") < kinds.index("waiting") < kinds.index("outcome")


def test_what_was_never_seen_to_hold_is_not_called_lost(domain, config_dir):
    policy = load_policy(config_dir / "policies" / "base_llm.yaml")
    run = Run(domain, table_top(THINGS), policy, [PICK, BESIDE])
    run.world.fails(BESIDE)
    assert run().message == ("It does not hold that box is in close proximity to cylinder: it should since "
                             "'place box next to cylinder'. Place box next to cylinder again.")
