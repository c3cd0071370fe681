"""What servers do that the protocol does not promise, over a real HTTP server: slow, stubborn, broken, or costly."""

import json
import time
from email.utils import formatdate

import pytest
from chat_server import ChatServer
from hicrisp_core.llm.chat_model import LlmFailure
from hicrisp_core.llm.client import ChatClient, LlmBudget
from hicrisp_core.llm.settings import LlmSettings, choose_llm
from hicrisp_core.time.deadline import Deadline

ASK = [{"role": "user", "content": "hello"}]
SCHEMA = {"type": "object", "properties": {}}


def error(message, **more):
    return json.dumps({"error": {"message": message, **more}})


def asked(*script, schema=None, deadline=10.0, settings=None, times=1):
    """The last answer, the requests and the pauses of a client that asks a scripted server."""
    pauses = []
    with ChatServer(*script) as server:
        client = ChatClient(LlmSettings("t", base_url=server.url, **(settings or {})), pauses.append, seed=1)
        for _ in range(times):
            answer = client.complete(ASK, Deadline(deadline), schema)
    return answer, server.requests, pauses


def test_an_answer_that_trickles_in_ends_at_the_deadline():
    answer, _, _ = asked({"text": "slow" * 100, "trickle": 0.5}, deadline=0.5)
    assert answer.kind == "timeout"


def test_an_error_and_then_an_answer():
    answer, requests, _ = asked({"status": 500, "body": "{}"}, "well")
    assert (answer.text, answer.calls, len(requests)) == ("well", 2, 2)


def test_a_server_may_say_by_date_how_long_to_wait():
    when = formatdate(time.time() + 1000.0, usegmt=True)
    _, _, pauses = asked({"status": 429, "headers": {"Retry-After": when}, "body": "{}"}, "hi",
                         deadline=2000.0)
    assert 500.0 <= pauses[0] <= 1000.0


@pytest.mark.parametrize("said", ["soon", "nan", "-5", "inf"])
def test_a_senseless_retry_after_is_no_wait(said):
    answer, _, pauses = asked({"status": 429, "headers": {"Retry-After": said}, "body": "{}"}, "hi")
    assert answer.text == "hi"
    assert pauses[0] <= 0.5


def test_the_same_seed_makes_the_same_pauses():
    script = [{"status": 503, "body": "{}"}] * 2 + ["hi"]
    assert asked(*script)[2] == asked(*script)[2]


def test_a_used_up_quota_is_not_waited_for():
    answer, requests, _ = asked({"status": 429, "body": error("pay first", code="insufficient_quota")})
    assert (answer.kind, len(requests)) == ("unauthorised", 1)
    assert "pay first" in answer.message


def test_a_model_that_is_not_there_is_named():
    answer, requests, _ = asked({"status": 404, "body": error("no such model")}, settings={"model": "gpt-x"})
    assert (answer.kind, len(requests)) == ("model", 1)
    assert "no such model" in answer.message
    assert "'gpt-x'" in answer.message


def test_a_prompt_that_is_too_long_costs_one_call():
    refusal = {"status": 400, "body": error("too long", code="context_length_exceeded")}
    answer, requests, _ = asked(refusal, schema=SCHEMA)
    assert (answer.kind, len(requests)) == ("context", 1)


def test_a_format_is_given_up_only_where_a_plainer_one_was_answered():
    refused = {"status": 422, "body": error("no")}
    _, requests, _ = asked(refused, refused, refused, "hi", schema=SCHEMA, times=2)
    assert requests[3]["response_format"]["type"] == "json_schema"


def test_a_format_that_was_asked_for_is_kept():
    answer, requests, _ = asked({"status": 400, "body": error("no json_object here")}, schema=SCHEMA,
                                settings={"response_format": "json_object"})
    assert (answer.kind, len(requests)) == ("request", 1)


def test_a_model_that_wants_max_completion_tokens_gets_them():
    refused = {"status": 400,
               "body": error("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.")}
    answer, requests, _ = asked(refused, "hi", times=2, settings={"max_tokens": 77})
    assert answer.text == "hi"
    assert [request.get("max_completion_tokens") for request in requests] == [None, 77, 77]
    assert "max_tokens" not in requests[1]


def test_a_model_that_takes_no_temperature_gets_none():
    refused = {"status": 400, "body": error("Unsupported value: 'temperature' does not support 0.0")}
    answer, requests, _ = asked(refused, "hi", schema=SCHEMA)
    assert answer.text == "hi"
    assert "temperature" not in requests[1]
    assert requests[1]["response_format"]["type"] == "json_schema"


def test_the_seed_is_sent_where_one_is_configured():
    assert "seed" not in asked("hi")[1][0]
    assert asked("hi", settings={"seed": 7})[1][0]["seed"] == 7


@pytest.mark.parametrize(("reply", "kind", "said"), [
    ({"text": "", "finish": "length"}, "cut_off", "raise max_tokens"),
    ({"text": "", "finish": "content_filter"}, "refused", "content filter"),
    ({"text": "", "message": {"refusal": "I will not"}}, "refused", "I will not"),
    ({"body": "<html>gateway</html>", "headers": {"Content-Type": "text/html"}}, "server",
     "no chat completion"),
    ({"body": '{"choices": [{"message": '}, "server", "cannot be read"),
    ({"text": None}, "empty", "answered nothing")])
def test_what_is_no_answer_is_said(reply, kind, said):
    answer, _, _ = asked(reply, settings={"retries": 0})
    assert isinstance(answer, LlmFailure)
    assert answer.kind == kind
    assert said in answer.message


def test_a_server_that_counts_no_tokens_costs_none():
    body = json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hi"}}]})
    answer, _, _ = asked({"body": body})
    assert (answer.text, answer.prompt_tokens) == ("hi", 0)


def test_openais_key_is_not_sent_to_another_endpoint(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-only-for-openai")
    with ChatServer("hi") as server:
        ChatClient(LlmSettings("t", base_url=server.url)).complete(ASK, Deadline(10))
    assert "sk-only" not in server.keys[0]


def test_without_a_key_openai_is_not_asked(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HICRISP_LLM_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    answer = ChatClient(LlmSettings("t")).complete(ASK, Deadline(10))
    assert (answer.kind, answer.calls) == ("unauthorised", 0)
    assert "OPENAI_API_KEY" in answer.message


def test_the_environment_may_name_endpoint_and_model(monkeypatch):
    with ChatServer("hi") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        monkeypatch.setenv("HICRISP_LLM_BASE_URL", server.url)
        monkeypatch.setenv("HICRISP_LLM_MODEL", "llama")
        client = ChatClient(LlmSettings("t"))
        assert client.complete(ASK, Deadline(10)).text == "hi"
    assert (client.name, server.requests[0]["model"]) == ("openai:llama", "llama")
    assert choose_llm("", {"HICRISP_LLM_BASE_URL": "http://x"}) == (
        "openai", "HICRISP_LLM_BASE_URL is set: a language model plans")


def test_a_budget_ends_the_asking():
    answer, requests, _ = asked("hi", times=3, settings={"budget_calls": 2})
    assert (answer.kind, len(requests)) == ("budget", 2)
    answer, requests, _ = asked("hi", times=3, settings={"budget_tokens": 15})
    assert "15 tokens" in answer.message
    assert len(requests) == 1
    _, requests, _ = asked({"status": 500, "body": "{}"}, settings={"budget_calls": 2})
    assert len(requests) == 2


def test_a_budget_below_nothing_is_refused():
    with pytest.raises(ValueError, match="at least 0"):
        LlmBudget(calls=-1)


def test_a_key_in_an_error_is_taken_out(monkeypatch):
    monkeypatch.setenv("LAB_KEY", "plainword123")
    refusal = {"status": 400, "body": error("your key plainword123 is odd")}
    answer, _, _ = asked(refusal, settings={"api_key_env": "LAB_KEY"})
    assert "plainword123" not in answer.message
