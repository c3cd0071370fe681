"""An answer is for a question: a command that was only answered is not done, and is not repeated from memory."""

import json

import pytest
from chat_server import ChatServer
from goals import ScriptedInterpreter, goal
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.model import Rung
from hicrisp_core.model.goal import Goal
from hicrisp_core.policy.policy import Policy
from hicrisp_core.ports.brain import PlanAnswer
from hicrisp_core.understanding.factory import make_interpreter
from hicrisp_core.understanding.model import answer_of
from tabletop import Run, ScriptedBrain, table_top

THINGS = {"box": "box", "bowl": "bowl"}
POLICY = Policy("test", brain="goal", verify_goal="task", rungs=(Rung.REPAIR,), autonomy="full")
DONE = ["pick(panda, box)", "place_in(panda, box, bowl)"]
WORDS = json.dumps({**answer_of(Goal()), "kind": "answer", "say": "Sure, the box goes into the bowl."})
FACTS = json.dumps({**answer_of(Goal()), "kind": "answer", "say": "The box is on the table.", "facts": [
    {"predicate": "on", "subject": "box", "object": "table", "holds": True}]})
MEANT = json.dumps(answer_of(goal("in(box,bowl)")))


@pytest.fixture
def run(domain, config_dir):
    """Runs the same task some times with a model that gives these answers; the runs, and how often it was asked."""
    def of(*answers, times=1):
        with ChatServer(*answers) as server:
            models = Models(LlmSettings("t", base_url=server.url))
            runs = []
            for _ in range(times):
                task = Run(domain, table_top(THINGS), POLICY, brain=None, interpreter=make_interpreter(
                    models, domain, config_dir / "prompts" / "default"))
                runs.append((task, task("put the box into the bowl")))
            return runs, len(server.requests)
    return of


def test_a_command_that_was_answered_with_words_is_asked_about_once_more_and_done(run):
    ((task, result),), asked = run(WORDS, MEANT)
    assert (result.success, task.world.executed, asked) == (True, DONE, 2)
    assert not task.told("answer")


def test_an_answer_that_rests_on_facts_is_taken_at_once_and_words_about_nothing_after_a_second_look(run):
    for answer, most in ((FACTS, 1), (WORDS, 2)):
        ((task, result),), asked = run(answer)
        assert (asked, task.world.executed, result.plan) == (most, [], ())
        assert task.told("answer")


def test_an_answer_is_not_repeated_from_memory(run):
    runs, asked = run(FACTS, MEANT, times=2)
    assert [task.world.executed for task, _ in runs] == [[], DONE]
    assert asked == 2


def test_a_goal_is_repeated_from_memory(run):
    runs, asked = run(MEANT, times=2)
    assert [task.world.executed for task, _ in runs] == [DONE, DONE]
    assert asked == 1


class Talker(ScriptedBrain):
    """Answers every task with words."""

    def plan(self, request, deadline):
        return PlanAnswer(answer="The box is in the bowl.")


@pytest.mark.parametrize(("facts", "done"), [([], False), ([("box", "in", "bowl")], True)])
def test_words_in_the_place_of_steps_do_not_make_a_goal_hold(domain, facts, done):
    task = Run(domain, table_top(THINGS, facts), Policy("test", verify_goal="task", autonomy="full"),
               brain=Talker(domain), interpreter=ScriptedInterpreter(goal("in(box,bowl)")))
    result = task("put the box into the bowl")
    assert (result.success, bool(task.told("answer"))) == (done, done)
    assert done or "the box is not in the bowl" in result.message
