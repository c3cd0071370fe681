"""The client against a real HTTP server: formats, retries, deadlines, keys, recordings."""

import pytest
from chat_server import ChatServer
from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.chat_model import Completion, LlmFailure
from hicrisp_core.llm.client import ChatClient
from hicrisp_core.llm.settings import LlmSettings, choose_llm, load_llm_settings
from hicrisp_core.time.deadline import Deadline
from waiting import PATIENCE

ASK = [{"role": "user", "content": "hello"}]
SCHEMA = {"type": "object", "properties": {}}


def client(server, **settings):
    pauses = []
    made = ChatClient(LlmSettings("test", base_url=server.url, **settings), pauses.append, seed=1)
    return made, pauses


def test_an_answer_comes_with_its_cost():
    with ChatServer("hi") as server:
        answer = client(server)[0].complete(ASK, Deadline(10))
    assert isinstance(answer, Completion)
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens, answer.calls) == ("hi", 10, 5, 1)


def test_the_format_steps_down_to_what_the_server_takes_and_is_remembered():
    refused = {"status": 400, "body": '{"error": {"message": "response_format is not supported"}}'}
    with ChatServer(refused, refused, "plain") as server:
        made, _ = client(server)
        assert made.complete(ASK, Deadline(10), SCHEMA).text == "plain"
        made.complete(ASK, Deadline(10), SCHEMA)
    formats = [request.get("response_format", {}).get("type", "none") for request in server.requests]
    assert formats == ["json_schema", "json_object", "none", "none"]


def test_a_rate_limit_waits_as_long_as_the_server_says():
    limited = {"status": 429, "headers": {"Retry-After": "3"}, "body": "{}"}
    with ChatServer(limited, "at last") as server:
        made, pauses = client(server)
        assert made.complete(ASK, Deadline(10)).text == "at last"
    assert pauses == [3.0]


def test_a_wait_beyond_the_deadline_is_not_waited_for():
    with ChatServer({"status": 429, "headers": {"Retry-After": "60"}, "body": "{}"}) as server:
        made, pauses = client(server)
        answer = made.complete(ASK, Deadline(5))
    assert (answer.kind, pauses) == ("rate_limit", [])


def test_server_errors_are_tried_again_a_bounded_number_of_times():
    with ChatServer({"status": 503, "body": "{}"}) as server:
        made, pauses = client(server, retries=2)
        answer = made.complete(ASK, Deadline(60))
    assert (answer.kind, answer.calls, len(pauses)) == ("server", 3, 2)
    assert 0.25 <= pauses[0] <= 0.5 <= pauses[1] <= 1.0


def test_a_server_that_hangs_ends_at_the_deadline():
    with ChatServer({"delay": PATIENCE, "text": "too late"}) as server:
        answer = client(server)[0].complete(ASK, Deadline(0.4))
    assert answer.kind == "timeout"


def test_a_refused_key_is_said_at_once():
    with ChatServer({"status": 401, "body": "{}"}) as server:
        answer = client(server)[0].complete(ASK, Deadline(10))
    assert (answer.kind, answer.calls) == ("unauthorised", 1)
    assert "OPENAI_API_KEY" in answer.message


@pytest.mark.parametrize(("reply", "kind"), [
    ({"text": ""}, "empty"), ({"text": "   "}, "empty"), ({"body": '{"choices": []}'}, "empty"),
    ({"body": "<html>gateway</html>"}, ("server", "empty"))])
def test_an_answer_without_text_is_a_failure(reply, kind):
    with ChatServer(reply) as server:
        answer = client(server, retries=0)[0].complete(ASK, Deadline(10))
    assert isinstance(answer, LlmFailure)
    assert answer.kind in kind


def test_an_endpoint_that_is_not_there_is_said():
    made = ChatClient(LlmSettings("test", base_url="http://127.0.0.1:9/v1", retries=1), lambda _: None)
    answer = made.complete(ASK, Deadline(10))
    assert (answer.kind, answer.calls) == ("connection", 2)
    assert "127.0.0.1:9" in answer.message


def test_a_cut_off_answer_is_marked():
    with ChatServer({"text": "{", "finish": "length"}) as server:
        assert client(server)[0].complete(ASK, Deadline(10)).cut_off


def test_the_key_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-secret-123456")
    with ChatServer("hi") as server:
        client(server, api_key_env="MY_KEY")[0].complete(ASK, Deadline(10))
    assert server.keys == ["Bearer sk-secret-123456"]


def test_a_key_file_that_others_can_read_is_refused_with_the_mend(tmp_path):
    file = tmp_path / "key"
    file.write_text("sk-1\n")
    file.chmod(0o644)
    with pytest.raises(ConfigError, match="has mode 0644.*chmod 600"):
        LlmSettings("test", api_key_file=str(file)).api_key()
    file.chmod(0o600)
    assert LlmSettings("test", api_key_file=str(file)).api_key() == "sk-1"


def test_a_shipped_configuration_bears_its_files_name(config_dir):
    for file in sorted((config_dir / "llm").glob("*.yaml")):
        assert load_llm_settings(file).name == file.stem


@pytest.mark.parametrize(("text", "message"), [
    ("llm: a\nbackend: claude", "unknown backend 'claude'; valid are: openai, embedded, or offline for"),
    ("llm: a\nbackend: openai\napi_key: sk-1", "unknown key 'api_key'.*valid are"),
    ("llm: a\nbackend: openai\nretries: 99", "retries: at most 10 is needed, got 99"),
    ("llm: a\nbackend: openai\ntimeout_s: 0", "more than 0 is needed")])
def test_a_wrong_configuration_is_refused(tmp_path, text, message):
    file = tmp_path / "a.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_llm_settings(file)


@pytest.mark.parametrize(("environment", "backend", "why"), [
    ({"OPENAI_API_KEY": "k"}, "openai", "OPENAI_API_KEY is set"),
    ({"OPENAI_BASE_URL": "http://x"}, "openai", "OPENAI_BASE_URL is set")])
def test_the_default_backend_says_why(environment, backend, why):
    chosen, reason = choose_llm("auto", environment)
    assert chosen == backend
    assert why in reason


@pytest.mark.parametrize(("missing", "backend"), [("", "embedded"), ("x is not installed", "offline")])
def test_without_a_key_the_embedded_model_is_asked_where_it_runs(monkeypatch, missing, backend):
    monkeypatch.setattr("hicrisp_core.llm.settings.what_is_missing", lambda package, adapter: missing)
    chosen, reason = choose_llm("auto", {})
    assert chosen == backend
    assert missing in reason
