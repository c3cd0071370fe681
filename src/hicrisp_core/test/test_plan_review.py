"""A plan that a person looks at, and changes, before it runs."""

import pytest
from hicrisp_core.brain.factory import make_brain
from hicrisp_core.config.files import config_file
from hicrisp_core.domain import load_domain
from hicrisp_core.executive.rehearsal import PlanReview
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import OFFLINE, load_llm_settings
from hicrisp_core.model import Plan, Relation, Rung, Step, Task
from hicrisp_core.model.goal import Goal, Holds, Not, Stage
from hicrisp_core.plan import first_look, outlook
from hicrisp_core.policy.policy import Policy, load_policy
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.factory import make_interpreter
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


def test_each_line_is_told_as_the_robot_reads_it(offered):
    checked = offered.check(["Pick up the red box.", "juggle the box", "place the red box next to the cylinder"])
    assert checked.readings == ("panda: pick up red box", "", "panda: place red box next to cylinder")


@pytest.mark.parametrize(("lines", "missed"), [
    ([PICK, BESIDE], ""),
    ([PICK, "place the box next to the red box"], "the box ends up next to the cylinder"),
    ([PICK, BESIDE, PICK], "the box ends up next to the cylinder"),
    ([PICK, BESIDE, "pick up the red box"], "the panda is not holding the red box"),
    (["pick up the red box", "place the red box next to the box", PICK, BESIDE], ""),
    ([], "the box ends up next to the cylinder"),
])
def test_an_edit_that_misses_the_goal_is_warned_of(domain, lines, missed):
    goal = Goal.of(Holds(Relation("box", "next_to", "cylinder")), Not(Holds(Relation("panda", "holding", "red_box"))))
    offered = PlanReview(Plan(tuple(steps(domain, PICK, BESIDE)), "script", goal=goal), domain, table_top(THINGS))
    assert missed in offered.check(lines).warning
    assert bool(offered.check(lines).warning) is bool(missed)


def test_stages_are_missed_out_of_their_order(domain):
    red, brown = (Holds(Relation("panda", "holding", name)) for name in ("red_box", "box"))
    goal = Goal((Stage((red,)), Stage((brown,))))
    offered = PlanReview(Plan((), "script", goal=goal), domain, table_top(THINGS))
    first, then = ["pick up the red box", "place the red box next to the cylinder"], [PICK, BESIDE]
    assert not offered.check([*first, PICK]).warning
    assert offered.check([*then, *first]).warning


@pytest.mark.parametrize("name", ["agv", "barman", "franka7_3_beside", "franka7_6_bowls", "lab", "sorting"])
def test_a_plan_that_was_found_for_a_goal_is_never_warned_of_and_half_of_it_always(name):
    scene = load_scene(config_file("scenes", name), 0)
    domain = load_domain(config_file("domains", scene.domain, beside=scene.source))
    models, world = Models(load_llm_settings(config_file("llm", OFFLINE))), first_look(scene, domain)
    file = config_file("policies", "hierarchical")
    prompts = file.parents[1] / "prompts"
    plan = outlook(make_interpreter(models, domain, prompts), make_brain(models, domain, prompts, load_policy(file)),
                   Task(scene.task), world, Deadline(600.0)).plan.plan
    lines = [step.text or str(step) for step in plan.steps]
    assert not PlanReview(plan, domain, world).check(lines).warning
    assert PlanReview(plan, domain, world).check(lines[:-1]).warning


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
