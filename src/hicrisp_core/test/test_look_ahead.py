"""The next step is translated while the robot moves; nothing is done differently for it."""

import json
from dataclasses import replace

import pytest
from chat_server import ChatServer
from hicrisp_core.factory import RunFactory
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.model import Relation, Step, Task
from hicrisp_core.policy.policy import Policy, load_policy
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.time import Deadline, wait_until
from tabletop import ScriptedBrain, table_top

LIMIT = 60.0
STATE = table_top({"red_box": "box", "cylinder": "cylinder", "cup": "cylinder"})
PICK = {"kind": "command", "action": "pick", "arguments": {"item": "red_box"}}
BESIDE = {"kind": "command", "action": "place_next_to",
          "arguments": {"item": "red_box", "reference": "cylinder"}}
DONE = ["pick(panda, red_box)", "place_next_to(panda, red_box, cylinder)"]
POLICY = Policy("test", body="model", autonomy="full", prompts="brainbody")


def answered(asked):
    return json.dumps(PICK if "take the red box" in asked["messages"][-1]["content"] else BESIDE)


class Moving(SymbolicWorld):
    """A world whose first motion lasts until the body's model has been asked so often."""

    def __init__(self, domain, server, questions, meanwhile=()):
        super().__init__(domain, STATE)
        self._server, self._questions, self._meanwhile = server, questions, meanwhile

    def execute(self, command, deadline, cancel, progress=None):
        if not self.executed:
            assert wait_until(lambda: len(self._server.requests) >= self._questions, Deadline(LIMIT))
        outcome = super().execute(command, deadline, cancel, progress)
        for fact in self._meanwhile:
            self.state = self.state.with_relations(self.state.relations | {Relation(*fact)})
        return outcome


@pytest.fixture
def run(domain, config_dir):
    def of(policy, during, meanwhile=()):
        with ChatServer(answered) as server:
            settings = LlmSettings("t", base_url=server.url, probe=False, cache=0)
            world = Moving(domain, server, during, meanwhile)
            brain = ScriptedBrain(domain, [Step("take the red box", ""),
                                           Step("put it next to the cylinder", "")])
            executive = RunFactory(domain, policy, settings, config_dir / "prompts" / "brainbody").executive(
                {"panda": world}, world, lambda event: None, brain=brain)
            return executive.run(Task("do it")), world, len(server.requests)
    return of


def test_the_next_step_is_asked_for_while_the_robot_moves(run):
    result, world, questions = run(POLICY, during=2)
    assert result.success, result.message
    assert world.executed == DONE
    assert (questions, result.llm_calls) == (2, 2)


def test_switched_off_each_step_is_asked_for_at_its_turn(run):
    result, world, questions = run(replace(POLICY, look_ahead=False), during=1)
    assert (world.executed, questions, result.llm_calls) == (DONE, 2, 2)


def test_where_the_world_turns_out_otherwise_the_step_is_asked_for_again_and_both_are_counted(run):
    result, world, questions = run(POLICY, during=2, meanwhile=[("cup", "next_to", "cylinder")])
    assert world.executed == DONE
    assert (questions, result.llm_calls) == (3, 3)


def test_the_papers_policy_asks_as_in_the_paper(config_dir):
    assert not load_policy(config_dir / "policies" / "brainbody.yaml").look_ahead
    assert load_policy(config_dir / "policies" / "hierarchical.yaml").look_ahead
