"""BrainBody-LLM's Algorithm 1, and what its paper leaves open: oscillation and what cannot be undone."""

from dataclasses import replace

import pytest
from failures import words
from hicrisp_core.domain import Searcher, load_domain
from hicrisp_core.executive.rehearsal import rehearse
from hicrisp_core.model import FeedbackKind, Relation, Rung, Status, WorldObject, WorldState
from hicrisp_core.model.world import RobotState
from hicrisp_core.policy.policy import Budget, Policy, load_policy
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.time.deadline import Deadline
from tabletop import Run, steps, table_top

THINGS = {"box": "box", "lid": "box", "cylinder": "cylinder"}
PICK, BESIDE, ON = "pick(panda, box)", "place_next_to(panda, box, cylinder)", "place_on(panda, box, lid)"


@pytest.fixture
def brainbody(config_dir):
    return load_policy(config_dir / "policies" / "brainbody.yaml")


def rehearsed(domain, command, world, later, deadline=10.0):
    limits = SearchLimits(seconds=10.0)
    return rehearse(Searcher(domain), command, world, later, limits, Deadline(deadline))


def out_of_reach(run, *commands):
    for command in commands:
        run.world.fails(command, times=99, status=Status.PLANNING, message="out of the arm's reach")


def test_after_the_last_feedback_loop_the_next_step_follows(domain, brainbody):
    run = Run(domain, table_top(THINGS), replace(brainbody, replans=1), [PICK, BESIDE, "home(panda)"],
              [ON, "home(panda)"], [BESIDE])
    out_of_reach(run, BESIDE, ON)
    result = run()
    assert not result.success
    assert "place box on lid" in result.message
    assert run.world.executed == [PICK, BESIDE, ON, "home(panda)"]
    assert len(run.brain.requests) == 2


def test_without_feedback_a_step_that_cannot_be_done_is_skipped_and_no_new_plan_is_asked_for(domain, config_dir):
    run = Run(domain, table_top(THINGS), load_policy(config_dir / "policies" / "brainbody_no_feedback.yaml"),
              [PICK, BESIDE, "home(panda)"], [ON])
    out_of_reach(run, BESIDE)
    result = run()
    assert not result.success
    assert run.world.executed == [PICK, BESIDE, "home(panda)"]
    assert (len(run.brain.requests), result.corrections) == (1, {})


def test_five_feedback_loops_are_the_most_by_default(brainbody):
    assert (brainbody.replans, brainbody.on_failed_step, brainbody.rungs) == (5, "continue",
                                                                              (Rung.LLM_REPLAN,))


def test_each_new_plan_is_asked_with_all_earlier_errors(domain, brainbody):
    run = Run(domain, table_top(THINGS), brainbody, ["pick(panda, box)"], ["pick(panda, lid)"],
              ["pick(panda, cylinder)"])
    out_of_reach(run, "pick(panda, box)", "pick(panda, lid)")
    assert run().success
    assert [[words(domain, entry).error for entry in request.feedback] for request in run.brain.requests] == [
        [], ["Could not pick up box."], ["Could not pick up box.", "Could not pick up lid."]]


def test_a_brain_that_alternates_between_two_plans_ends_with_the_reason(domain, brainbody):
    policy = replace(brainbody, replans=1000, budget=Budget(corrections=1000))
    run = Run(domain, table_top(THINGS), policy, *([[PICK, BESIDE], [ON], [BESIDE]] + [[ON], [BESIDE]] * 50))
    out_of_reach(run, BESIDE, ON)
    result = run()
    assert not result.success
    assert run.world.executed == [PICK, BESIDE, ON, BESIDE]
    assert run.told("correction")[-1]["note"] == "every rung was tried in this situation"
    assert "Could not place box next to cylinder" in result.message
    assert "every rung was tried in this situation" in result.message


def test_a_used_up_budget_ends_a_policy_that_goes_on(domain, brainbody):
    policy = replace(brainbody, budget=Budget(corrections=1))
    run = Run(domain, table_top(THINGS), policy, [PICK, BESIDE, "home(panda)"], [ON, "home(panda)"])
    out_of_reach(run, BESIDE, ON)
    result = run()
    assert "budget of 1 corrections" in result.message
    assert "home(panda)" not in run.world.executed


SEALING = """
domain: canning
types: {jar: object}
predicates:
  filled: {args: [jar], text: "{0} is filled", not_text: "{0} is not filled"}
  sealed: {args: [jar], text: "{0} is sealed", not_text: "{0} is open"}
actions:
  fill:
    text: "fill {item}"
    parameters: {robot: arm, item: jar}
    preconditions: [{holds: "not sealed(item)", reason: "{item} is sealed"}]
    effects: ["filled(item)"]
  seal:
    text: "seal {item}"
    parameters: {robot: arm, item: jar}
    reversible: false
    preconditions: [{holds: "not sealed(item)", reason: "{item} is sealed"}]
    effects: ["sealed(item)"]
"""
JAR = WorldState({"jar": WorldObject("jar", "jar")}, frozenset(), {"panda": RobotState("panda")})
FILL, SEAL = "fill(panda, jar)", "seal(panda, jar)"


@pytest.fixture
def canning(tmp_path):
    file = tmp_path / "canning.yaml"
    file.write_text(SEALING)
    return load_domain(file)


class Asked:
    """Answers for the user and keeps what was asked."""

    def __init__(self, answer=True):
        self.answer, self.commands, self.doubts = answer, [], []

    def __call__(self, command, doubt):
        self.commands.append(str(command))
        self.doubts.append(doubt)
        return self.answer


def test_what_cannot_be_undone_is_tried_in_simulation_before_anybody_is_asked(canning, brainbody):
    asked = Asked()
    run = Run(canning, JAR, brainbody, [SEAL, FILL], [FILL, SEAL], approve=asked)
    result = run()
    assert result.success
    assert run.world.executed == [FILL, SEAL]
    assert asked.commands == [SEAL]
    assert result.failures[0].error == \
        "Cannot seal jar: it cannot be undone, and the plan could not fill jar any more."


def test_the_user_is_asked_with_what_the_simulation_made(canning, brainbody):
    run = Run(canning, JAR, brainbody, [SEAL], approve=Asked())
    assert run().success
    assert run.told("approval")[0]["rehearsed"] == ["jar is sealed"]


def test_what_is_not_approved_is_not_done(canning, brainbody):
    run = Run(canning, JAR, brainbody, [SEAL], approve=Asked(False))
    result = run()
    assert not result.success
    assert run.world.executed == []
    assert "was not approved" in result.message


def test_a_command_for_which_leave_is_not_given_is_not_carried_out_and_the_task_ends(canning, brainbody):
    asked = []

    def permit(command, purpose):
        asked.append((str(command), purpose))
        return False
    run = Run(canning, JAR, brainbody, [FILL], permit=permit)
    result = run()
    assert not result.success
    assert run.world.executed == []
    assert asked[0] == (FILL, "step")
    assert "was not approved" in result.message
    assert [event["granted"] for event in run.told("approval")][:1] == [False]


def test_nobody_is_asked_twice_about_what_cannot_be_undone(canning, brainbody):
    permitted = Asked()
    assert Run(canning, JAR, brainbody, [SEAL], approve=Asked(), permit=permitted)().success
    assert permitted.commands == []


def test_the_simulation_runs_with_full_autonomy_and_without_the_checker_too(canning):
    policy = Policy("t", rungs=(), check_preconditions=False, autonomy="full")
    asked = Asked()
    run = Run(canning, JAR, policy, [SEAL, FILL], approve=asked)
    assert not run().success
    assert run.world.executed == []
    assert asked.commands == []


def test_a_later_step_that_was_impossible_before_is_not_laid_to_the_command(canning):
    sealed = replace(JAR, objects={**JAR.objects, "tin": WorldObject("tin", "jar")},
                     relations=frozenset((Relation("tin", "sealed"),)))
    command = canning.ground(steps(canning, SEAL)[0], sealed)
    assert rehearsed(canning, command, sealed, steps(canning, "fill(panda, tin)")).refusal is None
    later = steps(canning, "fill(panda, tin)", FILL)
    assert "could not fill jar any more" in words(canning,
                                                  rehearsed(canning, command, sealed, later).refusal).error


def test_a_rehearsal_ends_where_a_step_is_only_words(canning):
    command = canning.ground(steps(canning, SEAL)[0], JAR)
    worded = replace(steps(canning, FILL)[0], action="", text="fill it", arguments={})
    assert rehearsed(canning, command, JAR, [worded]).refusal is None
    assert rehearsed(canning, command, JAR, steps(canning, FILL)).refusal.kind is FeedbackKind.BARS_LATER_STEP


def test_a_rehearsal_out_of_time_refuses_nothing_but_says_what_is_not_known(canning):
    command = canning.ground(steps(canning, SEAL)[0], JAR)
    found = rehearsed(canning, command, JAR, steps(canning, FILL), deadline=0.0)
    assert found.refusal is None
    assert "fill jar" in found.doubt
    assert not rehearsed(canning, command, JAR, ()).doubt


@pytest.mark.parametrize("autonomy", ["supervised", "full"])
def test_a_person_is_asked_with_the_doubt_under_full_autonomy_too(canning, autonomy):
    hurried = Policy("t", rungs=(), autonomy=autonomy, search=SearchLimits(seconds=1e-9))
    asked = Asked(False)
    run = Run(canning, JAR, hurried, [SEAL, FILL], approve=asked)
    assert not run().success
    assert run.world.executed == []
    assert "fill jar" in asked.doubts[0]
    assert run.told("approval")[0]["doubt"] == asked.doubts[0]


def test_the_ladder_goes_on_when_a_search_ran_out_of_time_and_says_so(domain):
    hurried = Policy("t", rungs=(Rung.REPAIR, Rung.LLM_REPLAN), autonomy="full",
                     search=SearchLimits(seconds=1e-9))
    run = Run(domain, table_top(THINGS), hurried, [ON], [PICK, ON])
    result = run()
    assert result.success
    assert result.corrections == {"llm_replan": 1}
    assert "ran out of time" in run.told("correction")[0]["note"]
