"""What an endpoint can is found out at the start and used; over real HTTP servers of different minds."""

import json

import pytest
from chat_server import ChatServer
from hicrisp_core.llm.client import ChatClient
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.llm.try_out import try_out
from hicrisp_core.time.deadline import Deadline

ASK = [{"role": "user", "content": "hello"}]
SCHEMA = {"type": "object", "properties": {}}
GOOD, OBJECT, PROSE = '{"verdict": "cold"}', '{"answer": "Ice is cold."}', 'Yes: ```{"answer": "yes"}```'


def error(message, **more):
    return json.dumps({"error": {"message": message, **more}})


def kind_of(request):
    return request.get("response_format", {}).get("type", "none")


def server_that(answers, refuses=(), pages=None):
    """A server that answers each response format in its own way and refuses requests with some keys."""
    def answer(request):
        for key in refuses:
            if key in request or key == kind_of(request):
                return {"status": 400, "body": error(f"unsupported: '{key}'")}
        return answers.get(kind_of(request), PROSE)
    return ChatServer(answer, pages=pages, probed=True)


def probed(server, **settings):
    """What a client finds, and the format of its next question."""
    client = ChatClient(LlmSettings("t", base_url=server.url, model="qwen", **settings), lambda _: None)
    found = client.probe(Deadline(60))
    client.complete(ASK, Deadline(60), SCHEMA)
    return found, kind_of(server.requests[-1])


def test_a_server_that_sees_to_the_schema_costs_one_question():
    with server_that({"json_schema": GOOD}) as server:
        found, used = probed(server)
    assert (found.schema, found.object, found.seed, used) == (True, True, True, "json_schema")
    assert len(server.requests) == 2


@pytest.mark.parametrize(("answers", "refuses", "expected"), [
    ({"json_schema": PROSE, "json_object": OBJECT}, (), (False, True, "json_object")),
    ({"json_schema": OBJECT, "json_object": OBJECT}, (), (False, True, "json_object")),
    ({"json_object": OBJECT}, ("json_schema",), (False, True, "json_object")),
    ({}, (), (False, False, "none")),
    ({}, ("response_format",), (False, False, "none"))])
def test_a_form_that_is_refused_or_ignored_is_not_used(answers, refuses, expected):
    with server_that(answers, refuses) as server:
        found, used = probed(server)
    assert (found.schema, found.object, used) == expected


@pytest.mark.parametrize("message", ["unsupported: 'seed'", "bad request"])
def test_a_server_without_a_seed_keeps_its_schema(message):
    def answer(request):
        return {"status": 400, "body": error(message)} if "seed" in request else GOOD

    with ChatServer(answer, probed=True) as server:
        found, used = probed(server)
    assert (found.schema, found.seed, used) == (True, False, "json_schema")


def test_a_format_that_the_settings_say_is_kept_whatever_the_server_does():
    with server_that({}) as server:
        found, used = probed(server, response_format="json_schema")
    assert (found.schema, used) == (False, "json_schema")


@pytest.mark.parametrize(("pages", "context", "listed"), [
    ({"/v1/models": {"data": [{"id": "qwen", "max_model_len": 8192}]}}, 8192, True),
    ({"/v1/models": {"data": [{"id": "other", "max_model_len": 8192}]}, }, 0, False),
    ({"/v1/models": {"data": [{"id": "qwen"}]},
      "/props": {"default_generation_settings": {"n_ctx": 4096}}}, 4096, True),
    ({"/v1/models": {"data": [{"id": "qwen"}]},
      "/api/v0/models": {"data": [{"id": "qwen", "loaded_context_length": 4096,
                                   "max_context_length": 32768}]}}, 4096,
     True),
    ({"/v1/models": {"data": [{"id": "qwen:latest"}]},
      "/api/ps": {"models": [{"name": "qwen:latest", "context_length": 2048}]}}, 2048, True),
    ({"/v1/models": {"data": "odd"}, "/props": [1]}, 0, None),
    ({}, 0, None)])
def test_the_context_is_what_the_servers_own_pages_say(pages, context, listed):
    with server_that({"json_schema": GOOD}, pages=pages) as server:
        found, _ = probed(server)
    assert (found.context, found.listed) == (context, listed)


def test_everything_is_told_in_one_line_once_for_all_roles():
    pages = {"/v1/models": {"data": [{"id": "qwen", "max_model_len": 8192}]}}
    with server_that({"json_schema": GOOD}, pages=pages) as server:
        models = Models(LlmSettings("t", base_url=server.url, model="qwen"))
        for role in ("brain", "body", "corrector"):
            models.of(role)
        (line,) = [found.line for found in models.probe(Deadline(60))]
        assert models.probe(Deadline(60)) == []
    assert line.startswith(f"openai:qwen at {server.url}: JSON schema yes, JSON object yes, strict yes, "
                           "seed yes, context 8192 tokens, model listed (")
    assert "\n" not in line


def test_an_endpoint_that_is_down_is_said_in_the_same_line():
    (line,) = _line(LlmSettings("t", base_url="http://127.0.0.1:9/v1"))
    assert "gives no answer: the endpoint http://127.0.0.1:9/v1 cannot be reached" in line


def test_the_line_shows_no_key(monkeypatch):
    monkeypatch.setenv("LAB_KEY", "plainword123")
    with ChatServer({"status": 500, "body": error("plainword123 is odd")}, probed=True) as server:
        url = server.url.replace("http://", "http://me:pass@")
        (line,) = _line(LlmSettings("t", base_url=url, api_key_env="LAB_KEY"))
    assert "plainword123" not in line
    assert "pass" not in line


def test_a_probe_may_be_left_out():
    with ChatServer("hi", probed=True) as server:
        assert _line(LlmSettings("t", base_url=server.url, probe=False)) == []
    assert server.requests == []


def _line(settings):
    models = Models(settings)
    models.of("brain")
    return [found.line for found in models.probe(Deadline(60))]


def test_one_real_call_to_each_model_says_what_it_took_or_what_to_change():
    with ChatServer("Red.") as server:
        small = LlmSettings("small", base_url=server.url, model="small", roles={})
        settings = LlmSettings("t", base_url=server.url, model="qwen", roles={"body": small, "goal": small})
        told = list(try_out(settings))
    assert [ok for ok, _ in told] == [True] * 4
    assert told[0][1].startswith("openai:qwen at")
    assert told[1][1].startswith("openai:qwen (brain) answers 'Red.' in ")
    assert told[1][1].endswith("with 10 tokens asked and 5 answered")
    assert told[3][1].startswith("openai:small (goal, body) answers")
    with ChatServer({"status": 401, "body": "{}"}, probed=True) as server:
        ((ok, line),) = try_out(LlmSettings("t", base_url=server.url, api_key_env="LAB_KEY"))
    assert not ok
    assert "set LAB_KEY" in line
