"""What a thinking model throws away is never carried out: tasks over a chat server on a symbolic table."""

import json

import pytest
from chat_server import ChatServer
from hicrisp_core.brain.factory import make_brain
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.policy.policy import Policy
from tabletop import Run, table_top

WRONG = json.dumps({"steps": [{"action": "pick", "item": "cylinder"}, {"action": "put_down", "item": "cylinder"}]})
RIGHT = json.dumps({"steps": [{"action": "pick", "item": "box"},
                              {"action": "place_next_to", "item": "box", "reference": "cylinder"}]})
CALLS = [json.dumps({"name": "pick", "arguments": {"item": "box"}}),
         json.dumps({"name": "place_next_to", "arguments": {"item": "box", "reference": "cylinder"}})]
MEANT = ["pick(panda, box)", "place_next_to(panda, box, cylinder)"]


@pytest.fixture
def run(domain, config_dir):
    """Runs a task with a model that gives these answers; what was carried out, and how often it was asked."""
    def of(*answers):
        with ChatServer(*answers) as server:
            brain = make_brain(LlmSettings("t", base_url=server.url), domain, config_dir / "prompts" / "default")
            world = table_top({"box": "box", "cylinder": "cylinder"})
            task = Run(domain, world, Policy("t", rungs=(), autonomy="full"), brain=brain)
            task("place the box next to the cylinder")
            return task.world.executed, len(server.requests)
    return of


@pytest.mark.parametrize("text", [
    "One idea: {}\nNo, the box.\n</think>\n\n{}", "<think>{}</think>{}", "<thinking>\n{}\n</thinking>\n{}",
    "[THINK]{}[/THINK]{}", "<reasoning>{}</reasoning>{}", "{} is wrong.</reasoning>\n{}", "◁think▷{}◁/think▷{}",
    "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>{}<|return|>",
    "<|channel>thought\n{}<channel|>{}", "<|START_THINKING|>{}<|END_THINKING|><|START_RESPONSE|>{}<|END_RESPONSE|>",
    "<|begin_of_thought|>{}<|end_of_thought|><|begin_of_solution|>{}<|end_of_solution|>",
    "<seed:think>{}</seed:think>{}",
    "<weighing_up>{}</weighing_up><answer>{}</answer>", "<think>a <think>b</think> {}</think>{}",
    "<Thought>{}</Thought>\n```json\n{}\n```"])
def test_a_plan_that_is_thrown_away_is_not_run_whatever_marks_the_thought(run, text):
    assert run(text.replace("{}", WRONG, 1).replace("{}", RIGHT, 1)) == (MEANT, 1)


@pytest.mark.parametrize("text", [f"<think>{WRONG}", f"{WRONG} No.</think>", f"<|channel|>analysis<|message|>{WRONG}"])
def test_a_thought_alone_is_no_answer(run, text):
    executed, _ = run(text)
    assert executed == []


@pytest.mark.parametrize("text", [
    f"First I wanted {WRONG}, but the box is meant: {RIGHT}", f"```json\n{WRONG}\n```\nBetter:\n```json\n{RIGHT}\n```",
    f"{WRONG}\n{RIGHT}", f"Maybe {CALLS[0]}. No: {CALLS[1]}", f"{{'steps': ['pick(cylinder)']}} or {RIGHT}"])
def test_of_several_answers_none_is_chosen_but_the_model_is_asked_once_more(run, text):
    assert run(text, RIGHT) == (MEANT, 2)
    assert run(text) == ([], 2)


@pytest.mark.parametrize("text", [
    "".join(f"<tool_call>\n{each}\n</tool_call>\n" for each in CALLS), "\n".join(CALLS),
    f"<think>{WRONG}</think>" + ", ".join(CALLS)])
def test_calls_one_after_another_are_the_plan(run, text):
    assert run(text) == (MEANT, 1)


@pytest.mark.parametrize("text", [
    f"{RIGHT}</s>", f"<commands>{RIGHT}</commands>", f"Here:\n{RIGHT}\n</assistant>",
    f"<think>{WRONG}</think>{RIGHT}</s>"])
def test_a_mark_that_names_no_thought_does_not_hide_the_only_answer(run, text):
    assert run(text) == (MEANT, 1)


def test_a_long_row_of_calls_is_read_to_its_end(run):
    there_and_back = [CALLS[0], json.dumps({"name": "put_down", "arguments": {"item": "box"}})] * 15
    executed, _ = run("\n".join(there_and_back))
    assert len(executed) == 30
