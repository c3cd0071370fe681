"""CoPAL's eight configurations (Table IV) over one executive: what each repairs itself and what it tells the model."""

import pytest
from failures import words
from hicrisp_core.model import FeedbackKind, Plan, Status
from hicrisp_core.policy.policy import load_policy
from hicrisp_core.ports.brain import PlanAnswer
from tabletop import Run, steps, table_top

THINGS = {"box": "box", "cylinder": "cylinder"}
PICK, BESIDE, DOWN = "pick(panda, box)", "place_next_to(panda, box, cylinder)", "put_down(panda, box)"
ALL = ("bl", "m", "h0", "h1", "h2", "mh0", "mh1", "mh2")
WITH_M = tuple(name for name in ALL if name.startswith("m"))
WITH_H = tuple(name for name in ALL if "h" in name)


@pytest.fixture
def run(domain, config_dir):
    def make(name, *plans, **world):
        policy = load_policy(config_dir / "policies" / f"copal_{name}.yaml")
        return Run(domain, table_top(THINGS, **world), policy, *plans)
    return make


def told(run):
    """The sentences of the feedback with which each new plan was asked for, as far as a model is told them."""
    said = [words(run.brain.domain, entry).at_level(request.feedback_level)
            for request in run.brain.requests[1:] for entry in request.feedback]
    return [tuple(filter(None, (each.error, each.reason, each.suggestion))) for each in said]


@pytest.mark.parametrize("name", ALL)
def test_a_plan_without_failures_needs_one_question_only(run, name):
    task = run(name, [PICK, BESIDE])
    assert task().success
    assert len(task.brain.requests) == 1


@pytest.mark.parametrize("name", ALL)
def test_a_missing_step_is_repaired_without_a_model_where_the_mid_level_planner_is_on(run, name):
    task = run(name, [BESIDE], [PICK, BESIDE])
    result = task()
    assert result.success == (name != "bl")
    assert result.corrections == ({"repair": 1} if name in WITH_M else {"llm_replan": 1} if name in WITH_H
                                  else {})
    assert len(task.brain.requests) == (2 if name in WITH_H and name not in WITH_M else 1)
    assert task.world.executed == ([] if name == "bl" else [PICK, BESIDE])


@pytest.mark.parametrize("name", ALL)
def test_the_baseline_ends_at_its_first_failing_step_with_the_reason(run, name):
    task = run(name, [BESIDE, "home(panda)"], [PICK, BESIDE])
    result = task()
    ended_there = "home(panda)" not in task.world.executed
    assert ended_there == (name == "bl" or name in ("h0", "h1", "h2"))  # These have a new plan without it.
    if name == "bl":
        assert result.message.startswith("Cannot place box next to cylinder: panda does not hold box.")


@pytest.mark.parametrize("name", ALL)
def test_what_the_robot_cannot_reach_needs_a_new_plan(run, name):
    task = run(name, [PICK, BESIDE], [PICK, BESIDE])
    task.world.fails(PICK, status=Status.PLANNING, message="out of reach")
    result = task()
    assert result.success == (name in WITH_H)
    assert result.corrections == ({"llm_replan": 1} if name in WITH_H else {})


@pytest.mark.parametrize("name", ALL)
def test_a_wrong_name_needs_a_new_plan_with_the_valid_names(run, name):
    task = run(name, ["pick(panda, bax)"], [PICK, BESIDE])
    result = task()
    assert result.success == (name in WITH_H)
    assert result.corrections == ({"llm_replan": 1} if name in WITH_H else {})
    if name in WITH_H:
        assert "box" in task.brain.requests[1].feedback[0].alternatives


@pytest.mark.parametrize(("name", "parts"), [
    ("h0", 1), ("h1", 2), ("h2", 3), ("mh0", 1), ("mh1", 2), ("mh2", 3)])
def test_the_model_is_told_what_failed_then_why_then_how_to_resolve_it(run, name, parts):
    task = run(name, [BESIDE], [PICK, BESIDE])
    task.world.fails(PICK, status=Status.PLANNING, message="out of reach")  # Also what a repair would need.
    task()
    whole = ("Cannot place box next to cylinder.", "Panda does not hold box.", "Pick up box first.")
    assert told(task)[0] == whole[:parts]


@pytest.mark.parametrize("name", [name for name in WITH_M if name in WITH_H])
def test_a_repair_that_fails_itself_is_told_on_top_of_what_it_was_for(run, name):
    task = run(name, [BESIDE], [PICK, BESIDE])
    task.world.fails(PICK, status=Status.PLANNING, message="out of reach")
    result = task()
    assert result.success
    assert result.corrections == {"repair": 1, "llm_replan": 1}
    assert [words(task.brain.domain, entry).error for entry in task.brain.requests[1].feedback] == [
        "Cannot place box next to cylinder.", "Could not pick up box."]


@pytest.mark.parametrize("name", ALL)
def test_at_most_five_new_plans_are_made_then_the_reason_is_told(run, name):
    task = run(name, *[[PICK, BESIDE]] * 9)
    task.world.fails(PICK, times=99, status=Status.PLANNING, message="out of reach")
    result = task()
    assert not result.success
    assert len(task.brain.requests) == (6 if name in WITH_H else 1)
    assert result.corrections == ({"llm_replan": 5} if name in WITH_H else {})
    assert result.message.startswith("Could not pick up box: out of reach (")
    assert ("its 5 are used up" in result.message) == (name in WITH_H)


@pytest.mark.parametrize("name", WITH_H)
def test_a_new_plan_is_asked_for_what_remains_knowing_what_is_done(run, name):
    task = run(name, ["home(panda)", PICK, BESIDE], [PICK, BESIDE])
    task.world.fails(PICK, status=Status.PLANNING)
    assert task().success
    assert task.brain.requests[1].done[0].names() == ("panda",)
    assert [record.step.action for record in task.brain.requests[1].done] == ["home"]
    assert [str(step) for step in task.brain.requests[1].remaining] == [PICK, BESIDE]


@pytest.mark.parametrize("name", WITH_H)
def test_a_brain_that_sees_no_way_ends_the_task_with_its_reason(run, name):
    task = run(name, [PICK])
    task.world.fails(PICK, times=9, status=Status.PLANNING)
    result = task()
    assert not result.success
    assert "no plan is left in the script" in result.message


@pytest.mark.parametrize("name", WITH_H)
def test_a_brains_word_that_nothing_is_left_does_not_make_a_failed_step_good(run, name):
    task = run(name, [PICK, DOWN], [])
    task.world.fails(PICK, status=Status.PLANNING)
    assert not task().success


def judged_by(run, *answers):
    """The task with the brain's answers once a plan was carried out: another plan, or words."""
    plan, left = run.brain.plan, list(answers)

    def answered(request, deadline):
        if not request.feedback or request.feedback[-1].kind is not FeedbackKind.CARRIED_OUT:
            return plan(request, deadline)
        run.brain.requests.append(request)
        found = left.pop(0)
        return found if isinstance(found, PlanAnswer) else PlanAnswer(
            Plan(tuple(steps(run.brain.domain, *found)), "script"))

    run.brain.plan = answered
    return run


def test_after_a_plan_the_model_judges_the_goal_and_plans_what_is_left(run):
    task = judged_by(run("blocks", [PICK]), [BESIDE], PlanAnswer(answer="The box stands next to the cylinder."))
    result = task()
    assert result.success
    assert task.world.executed == [PICK, BESIDE]
    assert result.corrections == {"llm_replan": 1}
    last = words(task.brain.domain, task.brain.requests[-1].feedback[-1])
    assert last.error == "Every step of the plan was carried out."
    assert [str(record.step) for record in task.brain.requests[-1].done] == [PICK, BESIDE]


def test_a_goal_that_the_model_does_not_find_reached_fails_once_its_new_plans_are_used_up(run):
    task = judged_by(run("blocks", ["home(panda)"]), *[["home(panda)"]] * 6)
    result = task()
    assert not result.success
    assert "all 5 new plans are used up" in result.message
    assert len(task.world.executed) == 6


def test_a_refusal_to_judge_is_no_success(run):
    result = judged_by(run("blocks", [PICK]), PlanAnswer(refusal="No model can be reached."))()
    assert not result.success
    assert "No model can be reached." in result.message
