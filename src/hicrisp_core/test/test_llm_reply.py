"""How a model's reply is read: its text, how sure it is of it, and why there is none."""

import json
import math
from types import SimpleNamespace

import pytest
from hicrisp_core.llm.reply import read_reply


def sure(*tokens):
    told = [SimpleNamespace(token=text, logprob=math.log(chance)) for text, chance in tokens]
    return read_reply(SimpleNamespace(choices=[SimpleNamespace(
        message=SimpleNamespace(content="".join(text for text, _ in tokens)), finish_reason="stop",
        logprobs=SimpleNamespace(content=told))])).sure


def test_a_model_is_as_sure_as_the_product_of_all_its_tokens():
    assert sure(('{"say":"red",', 0.9), ('"kind":', 0.8), ('"goal"}', 0.5)) == pytest.approx(0.36)


PLAN = '{"kind": "plan"}'


def read(content, finish="stop", tokens=0, **message):
    return read_reply(SimpleNamespace(
        choices=[SimpleNamespace(message=SimpleNamespace(content=content, **message), finish_reason=finish)],
        usage=SimpleNamespace(prompt_tokens=1, completion_tokens=tokens)))


@pytest.mark.parametrize("text", [
    f"<think>I could pick.</think>\n{PLAN}", f"I could pick.\n</think>\n\n{PLAN}",
    f"<thinking>{{</thinking>{PLAN}", f"[THINK]hm[/THINK]{PLAN}", f"<think></think><think>so</think>{PLAN}"])
def test_what_a_model_thinks_in_tags_is_no_part_of_its_answer(text):
    assert read(text).text.strip() == PLAN


def test_a_tag_inside_an_answer_stays():
    text = json.dumps({"text": "write </think> there"})
    assert read(text).text == text


@pytest.mark.parametrize("message", [{"reasoning_content": "First I pick"}, {"reasoning": "First I pick"}])
@pytest.mark.parametrize("content", [None, "", "<think>First I pick"])
def test_an_answer_that_ended_in_its_reasoning_asks_for_a_higher_max_tokens(content, message):
    failure = read(content, "length", 1500, **message)
    assert failure.kind == "cut_off"
    assert failure.message.endswith("after 1500 tokens of reasoning; raise max_tokens")


def test_a_model_that_only_reasons_is_named_as_one():
    failure = read(None, reasoning="First I pick")
    assert failure.kind == "empty"
    assert "only reasoned" in failure.message


def test_an_object_that_a_parser_took_for_reasoning_is_the_answer():
    assert read(None, reasoning_content=PLAN).text == PLAN
    assert read(None, "length", reasoning_content=PLAN).kind == "cut_off"


def test_half_an_answer_that_a_filter_stopped_is_none():
    failure = read('{"kind": "plan", "steps": [', "content_filter")
    assert failure.kind == "refused"
    assert "reword the task" in failure.message
