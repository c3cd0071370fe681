"""Endpoints that misbehave, each a real HTTP server on loopback: a clear message, or the next rung.

Nothing here is decided by the wall clock: a server that is to be slow never ends its answer.
"""

import json
import socket
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from chat_server import ChatServer
from hicrisp_core.brain.factory import make_brain
from hicrisp_core.domain import load_domain
from hicrisp_core.llm.bounded_http import MOST_BYTES
from hicrisp_core.llm.client import ChatClient
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.model import RobotState, Task, WorldObject, WorldState
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.time.deadline import Deadline

ASK = [{"role": "user", "content": "hello"}]
SCHEMA = {"type": "object", "properties": {}}
PLAN = '{"steps": [{"action": "pick", "arguments": {"item": "box"}}]}'


def error(message, **more):
    return json.dumps({"error": {"message": message, **more}})


def reply(text="hi", **message):
    return json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text, **message}}]})


@contextmanager
def raw_server(*answers):
    """A server that sends bytes of its own, whole answers with their heads; the last one for ever.

    An answer is bytes, or a function that is given the connection's writer.
    """
    script, asked = list(answers), []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            asked.append(self.rfile.read(int(self.headers["Content-Length"])))
            answer = script.pop(0) if len(script) > 1 else script[0]
            with suppress(OSError):  # The client has hung up.
                answer(self.wfile) if callable(answer) else self.wfile.write(answer)
            self.close_connection = True

        def do_GET(self):
            self.wfile.write(head(0, status="404 Not Found"))
            self.close_connection = True

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", asked
    finally:
        server.shutdown()
        server.server_close()


def head(length, *more, status="200 OK"):
    """It says that the server will close: else the next request would race the connection's end."""
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {length}",
             "Connection: close", *more, "", ""]
    return "\r\n".join(lines).encode()


def ask(url, deadline=60.0, schema=None, **settings):
    """A client's answer and its pauses."""
    pauses = []
    client = ChatClient(LlmSettings("t", base_url=url, model="qwen", **settings), pauses.append, seed=1)
    return client.complete(ASK, Deadline(deadline), schema), pauses


def scripted(*script, **more):
    with ChatServer(*script, **more.pop("server", {})) as server:
        return (*ask(server.url, **more), server.requests)


@pytest.fixture
def plan(config_dir):
    """What a brain makes of a server's answers to a task."""
    domain = load_domain(config_dir / "domains" / "tabletop.yaml")
    world = WorldState({"box": WorldObject("box", "box")}, robots={"panda": RobotState("panda")})

    def planned(*script):
        with ChatServer(*script) as server:
            brain = make_brain(LlmSettings("t", base_url=server.url), domain,
                               config_dir / "prompts" / "default")
            return brain.plan(PlanRequest(Task("lift the box"), world), Deadline(60.0)), server.requests
    return planned


def test_an_endpoint_that_is_down_is_named_with_what_to_look_at():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # Bound and not listening: nobody else can answer there.
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        answer, pauses = ask(url)
    assert (answer.kind, answer.calls, len(pauses)) == ("connection", 3, 2)
    assert url in answer.message
    assert "start the server" in answer.message


def test_a_wrong_key_is_not_tried_again_and_its_variable_is_named(monkeypatch):
    monkeypatch.setenv("LAB_KEY", "wrong-key-123")
    refusal = {"status": 401, "body": error("invalid key wrong-key-123")}
    answer, pauses, requests = scripted(refusal, api_key_env="LAB_KEY")
    assert (answer.kind, pauses, len(requests)) == ("unauthorised", [], 1)
    assert "set LAB_KEY" in answer.message
    assert "wrong-key-123" not in answer.message


def test_an_unknown_model_is_answered_with_those_that_there_are():
    pages = {"/v1/models": {"data": [{"id": "llama"}, {"id": "phi"}]}}
    answer, pauses, requests = scripted({"status": 404, "body": error("no model qwen")},
                                        server={"pages": pages})
    assert (answer.kind, pauses, len(requests)) == ("model", [], 1)
    assert "does not know the model 'qwen'" in answer.message
    assert "it has: llama, phi" in answer.message


def test_a_wrong_path_is_suspected_where_there_is_no_list_of_models():
    answer, _, _ = scripted({"status": 404, "body": "{}"})
    assert "'/v1'" in answer.message


@pytest.mark.parametrize(("status", "kind"), [(429, "rate_limit"), (500, "server"), (503, "server")])
def test_what_may_pass_is_tried_twice_more_after_the_time_that_the_server_says(status, kind, caplog):
    refusal = {"status": status, "headers": {"Retry-After": "7"}, "body": error("busy")}
    answer, pauses, requests = scripted(refusal)
    assert (answer.kind, answer.calls, len(requests), pauses) == (kind, 3, 3, [7.0, 7.0])
    assert f"HTTP {status}" in answer.message
    assert [record.getMessage().partition("asking again ")[2] for record in caplog.records
            if record.name.startswith("hicrisp_core.llm")] == ["in 7.0 s (retry 1 of 2)",
                                                               "in 7.0 s (retry 2 of 2)"]
    assert [each.kind for each in answer.before] == [kind, kind]


def test_the_usual_pauses_grow_and_differ():
    _, pauses, _ = scripted({"status": 503, "body": "{}"})
    assert 0.25 <= pauses[0] <= 0.5 <= pauses[1] <= 1.0


@pytest.mark.parametrize("refusal", [
    {"status": 400, "body": error("maximum context length is 4096 tokens", code="context_length_exceeded")},
    {"status": 400,
     "body": error("request exceeds the available context size", type="exceed_context_size_error")},
    {"status": 400, "body": json.dumps({"object": "error", "code": 400, "message":
     "This model's maximum context length is 2048 tokens. However, you requested 3000 tokens"})},
    {"status": 400,
     "body": json.dumps({"error": "The number of tokens to keep from the initial prompt is greater than "
                                                 "the context length"})},
    {"status": 500, "body": error("prompt is too long: 9000 tokens")}])
def test_a_prompt_beyond_the_context_is_said_and_not_sent_again(refusal):
    answer, pauses, requests = scripted(refusal, schema=SCHEMA)
    assert (answer.kind, pauses, len(requests)) == ("context", [], 1)
    assert "larger context" in answer.message


def test_a_refusal_ends_in_the_models_words(plan):
    answer, _ = plan({"text": None, "message": {"refusal": "I cannot help with that."}})
    assert answer.plan is None
    assert "the model refuses: I cannot help with that." in answer.refusal


def test_a_refusal_in_prose_is_asked_again_and_then_said(plan):
    answer, requests = plan("I'm sorry, but I can't help with that.")
    assert len(requests) == 2
    assert answer.refusal.startswith("The language model's answer cannot be used")


def test_an_answer_in_another_language_is_asked_again_in_the_right_form(plan):
    answer, requests = plan("抱歉，我不明白。请再说一遍。", PLAN)
    assert [step.action for step in answer.plan.steps] == ["pick"]
    assert requests[1]["messages"][-2]["content"] == "抱歉，我不明白。请再说一遍。"
    answer, _ = plan('{"steps": [{"aktion": "greifen", "argumente": {"ding": "Kiste"}}]}')
    assert answer.plan is None
    assert "cannot be used" in answer.refusal


def test_a_tool_call_in_place_of_text_is_named():
    call = {"id": "1", "type": "function", "function": {"name": "move_arm", "arguments": "{}"}}
    answer, _, requests = scripted({"text": None, "finish": "tool_calls", "message": {"tool_calls": [call]}})
    assert (answer.kind, len(requests)) == ("tool_call", 1)
    assert "'move_arm'" in answer.message


def test_half_a_body_is_tried_again_and_then_said():
    whole = reply().encode()
    half = head(len(whole)) + whole[:len(whole) // 2]
    with raw_server(half, head(len(whole)) + whole) as (url, asked):
        answer, pauses = ask(url)
    assert (answer.text, len(asked), len(pauses)) == ("hi", 2, 1)
    with raw_server(half) as (url, _):
        answer, _ = ask(url)
    assert (answer.kind, answer.calls) == ("broken_off", 3)
    assert "broke off in the middle" in answer.message


def test_half_a_stream_of_chunks_is_no_answer_either():
    part = reply().encode()[:40]
    chunked = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    with raw_server(chunked + f"{len(part):x}\r\n".encode() + part + b"\r\n") as (url, _):
        answer, _ = ask(url, retries=0)
    assert answer.kind == "broken_off"


def test_an_event_stream_that_nobody_asked_for_is_said():
    stream = b'data: {"choices": [{"delta": {"content": "hi"}}]}\n\ndata: [DO'
    sent = head(len(stream)).replace(b"application/json", b"text/event-stream") + stream
    with raw_server(sent) as (url, _):
        answer, _ = ask(url, retries=0)
    assert answer.kind == "server"


@pytest.mark.parametrize("status", ["200 OK", "500 Internal Server Error"])
def test_an_answer_without_end_is_not_read(status):
    """The server writes until the client hangs up: megabytes fit into the sockets' buffers."""
    hung_up = threading.Event()

    def flood(wire):
        wire.write(head(10 ** 12, status=status))
        try:
            while True:
                wire.write(b"x" * 10_000)
        except OSError:
            hung_up.set()
            raise

    with raw_server(flood) as (url, asked):
        answer, _ = ask(url)
        hung_up.wait()
    assert (answer.kind, len(asked)) == ("too_long", 1)
    assert f"larger than {MOST_BYTES // 1_000_000} MB" in answer.message


def test_a_server_that_ignores_the_schema_is_parsed_all_the_same(plan):
    answer, requests = plan(f"Sure! Here is the plan:\n```json\n{PLAN}\n```")
    assert requests[0]["response_format"]["type"] == "json_schema"
    assert [step.action for step in answer.plan.steps] == ["pick"]


def test_an_answer_that_drips_for_ever_ends_at_the_deadline_and_the_connection_with_it():
    hung_up = threading.Event()

    def drip(wire):
        wire.write(head(1_000_000))
        try:
            while not hung_up.wait(0.01):
                wire.write(b" ")
                wire.flush()
        except OSError:
            hung_up.set()

    with raw_server(drip) as (url, _):
        answer, _ = ask(url, deadline=0.3)
        assert hung_up.wait(60.0)
    assert answer.kind == "timeout"


def test_a_server_that_is_silent_ends_at_the_deadline():
    done = threading.Event()
    with raw_server(lambda _: done.wait(120.0)) as (url, _):
        answer, _ = ask(url, deadline=0.3)
        done.set()
    assert answer.kind == "timeout"


def body(**changed):
    """A chat completion of which something is otherwise."""
    return json.dumps({**json.loads(reply("{}")), **changed})


def choice(**changed):
    return body(choices=[{**json.loads(reply("{}"))["choices"][0], **changed}])


@pytest.mark.parametrize(("sent", "kind"), [
    ("[" * 5000 + "]" * 5000, "server"), (body(choices="abc"), "server"), (body(choices=[None]), "server"),
    (body(choices=[7]), "server"), (body(choices=[[]]), "server"), (choice(message="hi"), "server"),
    (choice(message=[1]), "server"), (choice(message=None), "empty"), (reply(7), "empty"),
    (reply({"a": 1}), "empty"), (reply(None, refusal=7), "refused"),
], ids=lambda value: str(value)[:24])
def test_json_of_any_shape_is_no_more_than_a_failure(sent, kind):
    with raw_server(head(len(sent)) + sent.encode()) as (url, _):
        answer, _ = ask(url)
    assert answer.kind == kind


def test_an_answer_in_parts_is_put_together_and_half_a_character_is_none():
    parts = [{"type": "text", "text": '{"a": '}, {"type": "image"}, 7, {"type": "text", "text": "1}\\ud800"}]
    sent = reply(parts).replace("\\\\ud800", "\\ud800")
    with raw_server(head(len(sent)) + sent.encode()) as (url, _):
        answer, _ = ask(url)
    assert answer.text == '{"a": 1}?'


@pytest.mark.parametrize(("told", "counted"), [
    (-7, 0), ("many", 0), ({}, 0), (10 ** 400, 10_000_000), (12, 12)], ids=lambda value: str(value)[:9])
def test_no_count_of_tokens_gives_a_budget_back_or_is_too_large_to_send(told, counted):
    sent = body(usage={"prompt_tokens": told, "completion_tokens": told, "total_tokens": told})
    with raw_server(head(len(sent)) + sent.encode()) as (url, _):
        answer, _ = ask(url)
    assert (answer.prompt_tokens, answer.completion_tokens) == (counted, counted)


@pytest.mark.parametrize("echo", [
    lambda key: body(model=key), lambda key: body(choices=key),
    lambda key: reply(None, refusal=f"not with {key}")], ids=("model", "shape", "refusal"))
def test_a_key_that_an_endpoint_sends_back_goes_no_further(monkeypatch, echo):
    key = "lab-secret-echo-9931"
    monkeypatch.setenv("LAB_KEY", key)
    sent = echo(key)
    with raw_server(head(len(sent)) + sent.encode()) as (url, asked):
        answer, _ = ask(url, api_key_env="LAB_KEY")
    assert asked
    assert key not in repr(answer)


def test_a_word_in_place_of_a_key_is_left_in_the_answer(monkeypatch):
    monkeypatch.setenv("LAB_KEY", "none")
    sent = reply("none of the boxes")
    with raw_server(head(len(sent)) + sent.encode()) as (url, _):
        assert ask(url, api_key_env="LAB_KEY")[0].text == "none of the boxes"


@pytest.mark.parametrize("said", [
    "\x1b[2J\x1b[31mall is well\x07", "one\ntwo\r\nthree", "\u202egnorw\u2066",
    "x" * 150 + " lab-secret-echo-9931"])
def test_a_servers_own_words_are_one_line_without_orders_to_a_terminal_or_a_part_of_a_key(monkeypatch, said):
    monkeypatch.setenv("LAB_KEY", "lab-secret-echo-9931")
    for sent, status in ((error(said), "400 Bad Request"), (reply(None, refusal=said), "200 OK")):
        with raw_server(head(len(sent), status=status) + sent.encode()) as (url, _):
            answer, _ = ask(url, api_key_env="LAB_KEY")
        assert answer.message.isprintable()
        assert "lab-sec" not in answer.message
        assert len(answer.message) < 500


def test_a_list_of_models_of_another_shape_is_none():
    with ChatServer({"status": 404, "body": error("no such model")}) as server:
        client = ChatClient(LlmSettings("t", base_url=server.url, model="qwen"), lambda _: None, seed=1)
        for listed in ({"data": 7}, {"data": {"id": "a"}}, {"data": [7, {"id": None}]}, [], None, "a"):
            client.get = lambda path, deadline, listed=listed: listed
            assert client.models(Deadline(5.0)) == []
