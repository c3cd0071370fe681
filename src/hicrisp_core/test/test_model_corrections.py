"""A model's correction may leave the failed step out or put another in its place; where none can help it is not asked,
and why it has none reaches the new plan.
"""

import json

import pytest
from chat_server import ChatServer
from hicrisp_core.brain.factory import make_brain
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.model import Cause, CauseKind, Rung, Status
from hicrisp_core.policy.policy import Policy, load_policy
from tabletop import Run, table_top
from test_relapses import PLAN as TOWER
from test_relapses import knocked_over

THINGS = {"box": "box", "cylinder": "cylinder", "lid": "box"}
PICK, PICK_LID, HOME = "pick(panda, box)", "pick(panda, lid)", "home(panda)"


def answered(kind, reasoning="", *texts):
    steps = [{"action": text.partition("(")[0], "arguments": {"item": text.rstrip(")").partition(", ")[2]}}
             for text in texts]
    return json.dumps({"kind": kind, "reasoning": reasoning, "steps": steps, "why": ""})


@pytest.fixture
def run(domain, config_dir):
    """A task under HiCRISP whose plan and corrections a model writes, and in which picking up the box fails."""
    def make(*script, failing=()):
        with ChatServer(*script) as server:
            brain = make_brain(LlmSettings("t", base_url=server.url), domain, config_dir / "prompts" / "default")
            task = Run(domain, table_top(THINGS), load_policy(config_dir / "policies" / "hicrisp.yaml"),
                       brain=brain)
            for command in (PICK, *failing):
                task.world.fails(command, status=Status.PLANNING, message="no grasp fits")
            return task, task()
    return make


PLAN = '{"steps": ["home(panda)", "pick(panda, box)", "home(panda)"]}'


def test_a_step_that_the_model_does_not_want_any_more_is_left_out_and_the_next_one_follows(run):
    task, result = run(PLAN, answered("skip", "The box is not part of the request."))
    assert result.success
    assert task.world.executed == [HOME, PICK, HOME]
    assert result.corrections == {"llm_step": 1}
    assert result.done[1] == "pick up box (not needed: The box is not part of the request.)"
    assert [len(event["entries"]) for event in task.told("stack")] == [1, 0]


def test_of_a_correction_that_fails_only_itself_is_left_out(run):
    task, result = run(PLAN, answered("plan", "", PICK_LID), answered("skip"), failing=[PICK_LID])
    assert task.world.executed == [HOME, PICK, PICK_LID, PICK, HOME], "the step was tried again after it"
    assert result.success


def test_steps_beside_a_skipped_one_stand_in_for_it(run):
    task, result = run(PLAN, answered("skip", "Any box will do.", PICK_LID))
    assert result.success
    assert task.world.executed == [HOME, PICK, PICK_LID, HOME]


def test_leaving_a_step_out_does_not_make_up_for_what_is_lost_in_the_end(domain, config_dir):
    with ChatServer(json.dumps({"steps": TOWER}), answered("skip", "It lies well.")) as server:
        brain = make_brain(LlmSettings("t", base_url=server.url), domain, config_dir / "prompts" / "default")
        task = Run(domain, table_top({"plate": "box", "box": "box", "can": "box"}),
                   load_policy(config_dir / "policies" / "hicrisp.yaml"), brain=brain)
        result = knocked_over(task)()
    assert not result.success
    assert result.message.startswith("It does not hold that box is on plate")
    assert "It lies well." in result.message
    assert len(server.requests) == 2


LADDER = Policy("test", rungs=(Rung.LLM_STEP, Rung.LLM_REPLAN))


def test_why_the_model_has_no_correction_reaches_the_new_plan(domain, config_dir):
    refusal = json.dumps({"kind": "refuse", "reasoning": "", "steps": [], "why": "The lid is glued to it."})
    with ChatServer('{"steps": ["pick(panda, box)"]}', refusal, '{"steps": ["home(panda)"]}') as server:
        brain = make_brain(LlmSettings("t", base_url=server.url), domain, config_dir / "prompts" / "default")
        task = Run(domain, table_top(THINGS), LADDER, brain=brain)
        task.world.fails(PICK, status=Status.PLANNING, message="no grasp fits")
        assert task().success
    asked = server.requests[2]["messages"][-1]["content"]
    assert "No grasp fits." in asked
    assert "No single action corrects it: The lid is glued to it." in asked


@pytest.mark.parametrize(("kind", "blockers", "calls"), [
    (CauseKind.OUT_OF_REACH, (), 0), (CauseKind.NO_PATH, (), 0), (CauseKind.FORBIDDEN, (), 0),
    (CauseKind.NO_PATH, ("table",), 0), (CauseKind.NO_PATH, ("lid",), 1), (CauseKind.SLIPPED, (), 1)])
def test_a_single_action_is_asked_for_only_where_one_can_change_something(domain, kind, blockers, calls):
    task = Run(domain, table_top(THINGS), LADDER, [PICK], [HOME])
    task.world.fails(PICK, times=9, status=Status.PLANNING, blockers=blockers, cause=Cause(kind))
    task()
    assert len(task.brain.corrections) == calls
    assert task.world.executed[-1] == HOME, "the new plan was asked for in its place"
