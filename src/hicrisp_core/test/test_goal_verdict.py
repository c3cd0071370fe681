"""The verdict on a task: done is what the detector sees of the goal, whoever planned."""

from dataclasses import replace
from threading import Event

import pytest
from goals import ScriptedInterpreter, goal, read
from hicrisp_core.domain.goal_wording import goal_words
from hicrisp_core.executive.goal_keeper import InvariantGuard
from hicrisp_core.model import Command, Plan, Pose, Relation, Rung, WorldObject, WorldState
from hicrisp_core.model.meaning import Choice, Question
from hicrisp_core.policy.policy import Policy, load_policy
from hicrisp_core.ports.brain import PlanAnswer
from hicrisp_core.trace import explain
from hicrisp_core.trace.result import trial_of
from tabletop import Run, ScriptedBrain, steps, table_top

THINGS = {"box": "box", "cup": "cylinder", "glass": "cylinder", "plate": "box"}
PICK, ON = "pick(panda, box)", "place_on(panda, box, plate)"
TASK = Policy("test", verify_goal="task", autonomy="full")


class StatingBrain(ScriptedBrain):
    """Plans as its script says, and states the same goal with each plan."""

    def __init__(self, domain, stated, *plans):
        super().__init__(domain, *plans)
        self.stated = stated

    def plan(self, request, deadline):
        answer = super().plan(request, deadline)
        stated = request.goal or self.stated
        if answer.plan is None or stated is None:
            return answer
        said = replace(stated, said=goal_words(stated, self.domain))
        return PlanAnswer(Plan(answer.plan.steps, "stub", goal=said))


def run_of(domain, stated, *plans, policy=TASK, state=None, **ports):
    brain = StatingBrain(domain, stated, *(steps(domain, *plan) for plan in plans))
    return Run(domain, state or table_top(THINGS), policy, brain=brain, **ports)


def test_half_a_plan_no_longer_ends_in_success_but_is_finished_by_search(domain):
    run = run_of(domain, goal("on(box,plate)"), [PICK])
    result = run()
    assert (result.success, result.goal) == (True, "seen")
    assert run.world.executed == [PICK, ON]
    assert result.corrections == {"repair": 1}
    assert result.failures[0].kind == "goal_missed"
    assert result.failures[0].error == "The task is not done: the box is not on the plate."


def test_without_a_way_up_half_a_plan_fails_and_says_what_is_missing(domain):
    run = run_of(domain, goal("on(box,plate)"), [PICK], policy=replace(TASK, rungs=()))
    result = run()
    assert (result.success, result.goal) == (False, "missed")
    assert "the box is not on the plate" in result.message


def test_where_the_search_may_not_help_the_brain_plans_anew_with_what_is_missing(domain):
    policy = replace(TASK, rungs=(Rung.LLM_REPLAN,))
    run = run_of(domain, goal("on(box,plate)"), [PICK], [ON], policy=policy)
    result = run()
    assert result.success
    assert result.corrections == {"llm_replan": 1}
    assert run.brain.requests[1].feedback[-1].kind.value == "goal_missed"
    assert run.brain.requests[1].goal.texts == {"stages": ("on(box,plate)",)}


def test_a_brain_that_repeats_half_a_plan_ends_in_failure(domain):
    policy = replace(TASK, rungs=(Rung.LLM_REPLAN,), replans=3)
    run = run_of(domain, goal("on(box,plate)", "on(cup,glass)"), [PICK],
                 *[["put_down(panda, box)", PICK]] * 9, policy=policy)
    result = run()
    assert not result.success
    assert "the cup is not on the glass" in result.message


def test_a_task_that_failed_on_its_way_says_what_is_missing(domain):
    run = run_of(domain, goal("on(box,plate)"), [PICK, ON], policy=replace(TASK, rungs=()))
    run.world.fails(PICK, times=9)
    result = run()
    assert (result.success, result.goal) == (False, "missed")
    assert run.told("goal_judged")[-1]["missing"] == "The task is not done: the box is not on the plate."


def test_a_task_whose_goal_is_seen_is_done_although_a_step_was_given_up(domain):
    run = run_of(domain, goal("on(box,plate)"), [PICK, ON], policy=replace(TASK, rungs=()))
    put = Command("place_on", {"robot": "panda", "item": "box", "surface": "plate"}, "panda")
    run.world.fails(PICK, times=9, instead=put)  # Somebody else does it meanwhile.
    result = run()
    assert (result.success, result.goal) == (True, "seen")
    assert result.given_up == (PICK,), "the report lists the step all the same"


def test_by_the_steps_alone_half_a_plan_still_passes(domain):
    result = run_of(domain, goal("on(box,plate)"), [PICK], policy=replace(TASK, verify_goal="steps"))()
    assert (result.success, result.goal) == (True, "")


def test_where_nobody_knows_the_goal_success_says_so(domain):
    run = run_of(domain, None, [PICK])
    result = run()
    assert (result.success, result.goal) == (True, "unknown")
    assert run.told("goal")[0]["known"] is False
    assert trial_of(run.events)["goal"]["state"] == "unknown"
    assert "Nobody could say what the task means as a whole" in explain(run.events)


def test_the_goal_is_said_back_before_anything_moves(domain):
    run = run_of(domain, goal("on(box,plate)", keep=["not(next_to(cup,glass))"]), [PICK, ON])
    run()
    kinds = [event["kind"] for event in run.events]
    assert kinds.index("goal") < kinds.index("plan") < kinds.index("command")
    told, = run.told("goal")
    assert told["said"] == "the box ends up on the plate, keeping the cup away from the glass"
    assert (told["stages"], told["invariants"]) == (["on(box,plate)"], ["not(next_to(cup,glass))"])


def test_what_a_step_undid_for_the_goal_is_made_again(domain):
    state = table_top(THINGS, [("cup", "on", "glass"), ("glass", "on", "table")])
    run = run_of(domain, goal("on(cup,glass)", "on(box,plate)"),
                 ["pick(panda, cup)", "put_down(panda, cup)", PICK, ON],
                 state=state)
    result = run()
    assert result.success
    assert Relation("cup", "on", "glass") in run.world.state.relations


def test_facts_that_nobody_asked_for_need_not_stay(domain):
    """The steps undo one of their own facts, which is none of the goal's."""
    run = run_of(domain, goal("on(box,plate)"), [PICK, "place_on(panda, box, cup)", PICK, ON])
    assert run().success
    assert len(run.world.executed) == 4


def test_what_comes_first_must_have_been_seen(domain):
    run = run_of(domain, goal("on(box,plate)", first=["on(box,cup)"]), [PICK, ON])
    result = run()
    assert result.success
    assert "place_on(panda, box, cup)" in run.world.executed
    staged = run_of(domain, goal("on(box,plate)", first=["on(box,cup)"]),
                    [PICK, "place_on(panda, box, cup)", PICK, ON])
    assert staged().corrections == {}


def test_a_step_that_would_end_what_is_to_stay_so_is_refused_with_that_reason(domain):
    stays = goal("on(box,plate)", keep=["not(next_to(cup,glass))"])
    run = run_of(domain, stays,
                 ["pick(panda, cup)", "place_next_to(panda, cup, glass)", "put_down(panda, cup)", PICK, ON],
                 policy=replace(TASK, rungs=(), on_failed_step="continue"))
    result = run()
    assert "place_next_to(panda, cup, glass)" not in run.world.executed
    failure = result.failures[0]
    assert (failure.kind, failure.error) == ("breaks_condition", "Cannot place cup next to glass.")
    told = next(event["feedback"] for event in run.told("verdict") if not event["ok"])
    assert told["reason"] == "The task is to be done keeping the cup away from the glass."
    assert told["conditions"] == ["not(next_to(cup,glass))"]
    assert result.success  # The step was beside the point, and the goal is seen.


def test_a_place_that_would_end_what_is_to_stay_so_is_left_for_another(domain):
    at = {"box": (0.4, 0.3), "cup": (0.5, 0.0), "glass": (0.5, 0.1)}
    things = {name: WorldObject(name, "box", size=(0.04, 0.04, 0.04), pose=Pose((*xy, 0.02)))
              for name, xy in at.items()}
    world = WorldState(things)
    places = [Pose((0.5, 0.16, 0.02)), Pose((0.5, -0.06, 0.02))]
    keeping = InvariantGuard(domain, read("not(next_to(box,glass))"))
    command = Command("place_next_to", {"robot": "panda", "item": "box", "reference": "cup"}, "panda")
    aimed = keeping.aimed(command, world, lambda each: each.aimed(places[min(1, len(each.avoid))], None))
    assert aimed.target == places[1]
    stuck = keeping.aimed(command, world, lambda each: each.aimed(places[0], None))
    assert stuck.kind.value == "breaks_condition"


QUESTION = Question("Which one do you mean: the cup or the glass?", (Choice("cup"), Choice("glass")))


def asked(domain, reply, *meanings, policy=TASK, **ports):
    heard = []
    interpreter = ScriptedInterpreter(*meanings)
    run = run_of(domain, None, [PICK, ON], policy=policy, interpreter=interpreter,
                 **{"ask": lambda question, seconds: heard.append((question.text, seconds)) or reply, **ports})
    return run, heard, interpreter


def turns(request):
    return [(each.speaker.value, each.text) for each in request.conversation]


def test_a_question_goes_to_the_user_and_question_and_answer_are_turns_of_the_conversation(domain):
    run, heard, interpreter = asked(domain, "2", QUESTION, goal("on(box,plate)"))
    assert run("put it on the plate").success
    assert heard == [(QUESTION.text, 60.0)]
    first, second = interpreter.requests
    assert (first.text, turns(first)) == ("put it on the plate", [])
    assert second.text == "glass"
    assert turns(second) == [("user", "put it on the plate"), ("robot", QUESTION.text)]
    assert run.told("question")[0]["answer"] == "2"


def test_choices_that_a_question_does_not_name_itself_are_part_of_its_turn(domain):
    asking = Question("Which one do you mean?", (Choice("cup"), Choice("glass")))
    run, _, interpreter = asked(domain, "the second one", asking, goal("on(box,plate)"))
    run("put it on the plate")
    assert turns(interpreter.requests[1])[-1] == ("robot", "Which one do you mean? 1. cup; 2. glass")


def test_an_answer_in_other_words_is_taken_as_it_is(domain):
    run, _, interpreter = asked(domain, "the tall one", QUESTION, goal("on(box,plate)"))
    run("put it on the plate")
    assert interpreter.requests[1].text == "the tall one"


def test_the_planner_gets_the_task_as_it_was_said_and_the_turns_since(domain):
    run, _, _ = asked(domain, "the tall one", QUESTION, goal("on(box,plate)"))
    run("put it on the plate")
    assert run.brain.requests[0].task.text == "put it on the plate"
    assert turns(run.brain.requests[0]) == [("robot", QUESTION.text), ("user", "the tall one")]


def test_a_choice_between_goals_settles_it_without_asking_the_model_again(domain):
    other = goal("on(box,plate)")
    run, _, interpreter = asked(domain, "1", Question("Which?", (
        Choice("this", other), Choice("that", goal("on(cup,plate)")))))
    assert run("put it there").success
    assert run.brain.requests[-1].goal == other
    assert len(interpreter.requests) == 1


def test_without_an_answer_in_time_the_task_is_refused_with_the_question(domain):
    run, _, _ = asked(domain, "", QUESTION, policy=replace(TASK, ask_time_limit=2.0))
    result = run("put it on the plate")
    assert not result.success
    assert result.message == f"{QUESTION.text} No answer came within 2 s, so nothing was changed."
    assert run.world.executed == []


def test_a_task_that_is_canceled_while_it_asks_is_canceled_and_not_refused(domain):
    cancel = Event()
    run, _, _ = asked(domain, "", QUESTION, cancel=cancel, ask=lambda question, seconds: cancel.set() or "")
    result = run("put it on the plate")
    assert (result.canceled, result.success) == (True, False)
    assert not run.told("refused")


def test_questions_without_end_are_refused(domain):
    run, heard, _ = asked(domain, "hm", QUESTION)
    assert not run("put it on the plate").success
    assert len(heard) == 4


@pytest.mark.parametrize(("name", "judged"), [
    ("hierarchical", "task"), ("cooperative", "task"), ("hicrisp", "steps"), ("brainbody", "off"),
    ("llm_p", "off"),
    ("copal_mh2", "steps"), ("copal_h2", "off"), ("open_loop", "off")])
def test_the_default_judges_tasks_and_the_papers_policies_keep_their_own(config_dir, name, judged):
    assert load_policy(config_dir / "policies" / f"{name}.yaml").verify_goal == judged
