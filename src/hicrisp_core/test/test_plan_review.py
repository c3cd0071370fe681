"""A plan that a person looks at, and changes, before it runs."""

import pytest
from hicrisp_core.executive.plan_review import PlanReview
from hicrisp_core.model import Plan, Rung, Step
from hicrisp_core.policy.policy import Policy
from tabletop import Run, steps, table_top

PICK, BESIDE = "pick(panda, box)", "place_next_to(panda, box, cylinder)"
THINGS = {"box": "box", "red_box": "box", "cylinder": "cylinder"}
POLICY = Policy("test", autonomy="full")


@pytest.fixture
def offered(domain):
    return PlanReview(Plan(tuple(steps(domain, PICK, BESIDE)), "script"), domain, table_top(THINGS))


def test_the_plan_itself_can_run(offered):
    checked = offered.check([PICK, BESIDE])
    assert checked.ok
    assert checked.steps == offered.plan.steps
    assert PICK in offered.question


def test_a_line_in_plain_words_becomes_a_step(offered):
    checked = offered.check(["Pick up the red box.", "place the red box next to the cylinder"])
    assert checked.ok, checked.problems
    assert [step.action for step in checked.steps] == ["pick", "place_next_to"]


def test_a_step_that_cannot_run_where_it_stands_says_why(offered):
    checked = offered.check([BESIDE, PICK])
    assert not checked.ok
    assert checked.problems[0]


def test_the_steps_behind_a_wrong_line_are_checked_all_the_same(offered):
    checked = offered.check([PICK, "juggle the box", BESIDE])
    assert [bool(problem) for problem in checked.problems] == [False, True, False]
    assert "juggle" in checked.problems[1]


@pytest.mark.parametrize("line", ["", "   ", "pick the teapot", "pick the box, then pick the red box", "{",
                                  "x" * 5000, "import os", "[" * 3000])
def test_what_cannot_be_read_is_said_and_never_run(offered, line):
    checked = offered.check([line])
    assert not checked.ok


def test_a_step_in_words_alone_can_run_as_far_as_anybody_knows(domain):
    worded = Plan((Step("tidy up a little", ""), *steps(domain, BESIDE)))
    assert PlanReview(worded, domain, table_top(THINGS)).check(["tidy up a little", BESIDE]).ok


def test_what_the_person_makes_of_the_plan_is_carried_out(domain):
    def review(plan, world):
        changed = PlanReview(plan, domain, world)
        return changed.changed(changed.check([PICK, "place the box next to the red box"]))

    run = Run(domain, table_top(THINGS), POLICY, [PICK, BESIDE], review=review)
    assert run().success
    assert run.world.executed == [PICK, "place_next_to(panda, box, red_box)"]


def test_a_plan_that_is_refused_moves_nothing(domain):
    run = Run(domain, table_top(THINGS), POLICY, [PICK, BESIDE], review=lambda *_: None)
    result = run()
    assert not result.success
    assert run.world.executed == []
    assert run.told("refused")


def test_a_new_plan_that_is_refused_ends_the_task(domain):
    seen = []

    def review(plan, _):
        seen.append(plan)
        return plan if len(seen) == 1 else None

    policy = Policy("test", rungs=(Rung.LLM_REPLAN,), autonomy="full")
    run = Run(domain, table_top(THINGS), policy, [BESIDE], [PICK, BESIDE], review=review)
    result = run()
    assert not result.success
    assert len(seen) == 2
    assert run.world.executed == []
