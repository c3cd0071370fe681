"""Endpoints of today, each a small server with its vendor's documented manners: what is asked of them, what they
refuse in which words, and how they think.
"""

import json

import pytest
from chat_server import ChatServer
from hicrisp_core.llm.chat_model import Completion
from hicrisp_core.llm.client import ChatClient
from hicrisp_core.llm.dialect import LEAST_TOKENS, is_strict
from hicrisp_core.llm.settings import LlmSettings, load_llm_settings
from hicrisp_core.time.deadline import Deadline

ASK = [{"role": "user", "content": "hello"}]
GOOD = '{"verdict": "cold"}'
STRICT = {"type": "object", "required": ["steps"], "additionalProperties": False, "properties": {
    "steps": {"type": "array", "minItems": 1, "items": {"type": "string", "maxLength": 9, "pattern": "a"}}}}
LOOSE = {"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "null"}]}


def refused(message, status=400, **more):
    return {"status": status, "body": json.dumps({"error": {"message": message, **more}})}


def listed(message):
    """A refusal as Gemini sends it."""
    return {"status": 400, "body": json.dumps([{"error": {"code": 400, "message": message,
                                                          "status": "INVALID_ARGUMENT"}}])}


def asked(*script, schema=None, times=1, **settings):
    """The last answer, and the requests that came to it."""
    with ChatServer(*script) as server:
        client = ChatClient(LlmSettings("t", base_url=server.url, **settings), lambda _: None)
        for _ in range(times):
            answer = client.complete(ASK, Deadline(60), schema)
    return answer, server.requests


def form_of(request):
    """The response format of a request, and whether it is strict."""
    form = request.get("response_format", {"type": "none"})
    return form["type"] + (" strict" if form.get("json_schema", {}).get("strict") else "")


def keywords_of(request):
    return json.dumps(request["response_format"]["json_schema"]["schema"])


# OpenAI: models that reason.


def gpt5(request):
    """It refuses what its predecessors took, and thinks for 500 tokens."""
    if "max_tokens" in request:
        return refused("Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                       "'max_completion_tokens' instead.", param="max_tokens", code="unsupported_parameter")
    if request.get("temperature", 1) != 1:
        return refused("Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) "
                       "value is supported.", param="temperature", code="unsupported_value")
    if "maxLength" in json.dumps(request.get("response_format", {})):
        return refused("Invalid schema for response_format 'answer': In context=('properties', 'steps', 'items'), "
                       "'maxLength' is not permitted.", param="response_format")
    if request["max_completion_tokens"] < 500:
        return {"text": "", "finish": "length"}
    return GOOD


def test_gpt5_is_asked_as_it_wants_and_what_it_takes_is_remembered():
    answer, requests = asked(gpt5, schema=STRICT, times=2, max_tokens=4000)
    assert answer.text == GOOD
    assert len(requests) == 5  # Three refusals, and then each question is one request.
    last = requests[-1]
    assert last["max_completion_tokens"] == 4000
    assert not {"max_tokens", "temperature"} & set(last)
    assert form_of(last) == "json_schema strict"
    assert "minItems" in keywords_of(last)


def test_the_probe_gives_a_model_room_to_think_and_reports_what_it_took():
    with ChatServer(gpt5, probed=True) as server:
        client = ChatClient(LlmSettings("t", base_url=server.url, max_tokens=64))
        found = client.probe(Deadline(60))
    assert found.failure is None
    assert (found.schema, found.strict) == (True, True)
    assert server.requests[-1]["max_completion_tokens"] == LEAST_TOKENS
    assert "does not take max_tokens and temperature" in found.line


def test_the_probe_asks_as_the_settings_say():
    with ChatServer(GOOD, probed=True) as server:
        ChatClient(LlmSettings("t", base_url=server.url, temperature=None, reasoning_effort="low",
                               max_tokens=2048)).probe(Deadline(60))
    (request,) = server.requests
    assert "temperature" not in request
    assert (request["reasoning_effort"], request["max_tokens"], request["seed"]) == ("low", 2048, 1)


def test_hidden_reasoning_that_uses_all_tokens_up_asks_for_more():
    answer, _ = asked(gpt5, max_tokens=64)
    assert (answer.kind, answer.message.endswith("raise max_tokens")) == ("cut_off", True)


@pytest.mark.parametrize("message", [
    "`temperature` is deprecated for this model.", "temperature is deprecated for this model.",
    "Unsupported parameter: 'temperature'", 'Unsupported value: "temperature" does not support 0',
    "Unknown name \"temperature\": Cannot find field.", "[{'loc': ['body', 'temperature'], 'msg': 'Extra inputs'}]"])
@pytest.mark.parametrize("refusal", [refused, listed])
def test_a_parameter_that_is_refused_in_whatever_quotes_is_left_out_and_the_words_are_logged(refusal, message, caplog):
    caplog.set_level("INFO")
    answer, requests = asked(lambda request: refusal(message) if "temperature" in request else "hi", schema=STRICT)
    assert answer.text == "hi"
    assert message in caplog.text
    assert len(requests) == 2
    assert form_of(requests[1]) == "json_schema strict"


def test_a_parameter_may_be_named_beside_the_message():
    _, requests = asked(lambda request: refused("bad value", param="seed") if "seed" in request else "hi", seed=3)
    assert [request.get("seed") for request in requests] == [3, None]


def test_of_two_parameters_in_a_refusal_the_first_is_meant():
    answer, requests = asked(
        lambda request: refused("'temperature' is not supported with 'reasoning_effort'")
        if "temperature" in request else "hi", reasoning_effort="low")
    assert answer.text == "hi"
    assert requests[-1]["reasoning_effort"] == "low"


def test_more_tokens_than_a_model_can_write_are_not_asked_for_again():
    message = "max_tokens is too large: 8192. This model supports at most 4096 completion tokens."
    answer, requests = asked(lambda request: refused(message) if "max_tokens" in request else "hi", times=2)
    assert answer.text == "hi"
    assert ["max_tokens" in request for request in requests] == [True, False, False]


# vLLM, Ollama, LM Studio.


@pytest.mark.parametrize("message", [
    "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 8192 tokens "
    "and your request has 900 input tokens (8192 > 8192 - 900).",
    "This model's maximum context length is 8192 tokens. However, you requested 8192 output tokens and your prompt "
    "contains at least 1 input tokens, for a total of at least 8193 tokens. Please reduce the length of the input "
    "prompt or the number of requested output tokens."])
def test_a_prompt_that_fits_without_room_for_max_tokens_is_sent_without_it(message):
    answer, requests = asked(lambda request: refused(message) if "max_tokens" in request else "hi")
    assert answer.text == "hi"
    assert set(requests[1]) == set(requests[0]) - {"max_tokens"}
    answer, requests = asked(refused(message))
    assert (answer.kind, len(requests)) == ("context", 2)


def test_a_thinking_model_at_vllm_answers_beside_its_reasoning():
    answer, _ = asked({"text": "hi", "message": {"reasoning": "the user greets", "reasoning_content": None}})
    assert answer.text == "hi"
    answer, _ = asked({"text": None, "message": {"reasoning_content": GOOD}}, schema=STRICT)
    assert answer.text == GOOD


def test_extra_keys_and_the_effort_go_out_with_every_request():
    _, (request,) = asked("hi", reasoning_effort="none", temperature=None,
                          extra_body={"chat_template_kwargs": {"enable_thinking": False}})
    assert request["reasoning_effort"] == "none"
    assert request["chat_template_kwargs"] == {"enable_thinking": False}
    assert "temperature" not in request


@pytest.mark.parametrize("message", ['think value "low" is not supported for this model',
                                     '"llama3.1" does not support thinking'])
def test_a_model_at_ollama_that_does_not_think_is_asked_without_an_effort(message):
    answer, requests = asked(lambda request: refused(message) if "reasoning_effort" in request else "hi",
                             reasoning_effort="low")
    assert (answer.text, len(requests)) == ("hi", 2)


def test_lm_studio_takes_a_schema_or_text():
    def studio(request):
        if form_of(request) == "json_object":
            return {"status": 400, "body": json.dumps({"error": "'response_format.type' must be 'json_schema' or "
                                                                "'text'"})}
        return "<think>They greet.</think>hi"

    answer, requests = asked(studio, schema=STRICT, response_format="json_schema")
    assert (answer.text, form_of(requests[-1])) == ("hi", "json_schema strict")
    answer, requests = asked(studio, schema=STRICT, response_format="json_object")
    assert answer.message == ("the server refuses the request (HTTP 400): 'response_format.type' must be "
                              "'json_schema' or 'text'")


# Claude and Gemini.


def test_claude_ignores_the_schema_and_is_found_out():
    def claude(request):
        if "temperature" in request:
            return refused("`temperature` is deprecated for this model.", type="invalid_request_error")
        return "Yes, ice is cold."

    with ChatServer(claude, probed=True) as server:
        client = ChatClient(LlmSettings("t", base_url=server.url))
        found = client.probe(Deadline(60))
        client.complete(ASK, Deadline(60), STRICT)
    assert (found.schema, found.object, found.strict) == (False, False, False)
    assert "JSON schema no, JSON object no, strict no" in found.line
    assert form_of(server.requests[-1]) == "none"


def test_the_reason_in_geminis_list_of_errors_reaches_the_user():
    answer, _ = asked(listed("The model is overloaded with robots."))
    assert answer.message == "the server refuses the request (HTTP 400): The model is overloaded with robots."


def test_geminis_refusal_of_a_key_names_its_variable(monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-wrong-key-123")
    answer, requests = asked(listed("API key not valid. Please pass a valid API key."), schema=STRICT,
                             api_key_env="GEMINI_API_KEY")
    assert (answer.kind, len(requests)) == ("unauthorised", 1)
    assert "API key not valid" in answer.message
    assert "set GEMINI_API_KEY" in answer.message


def test_a_message_without_content_is_one_that_was_cut_off():
    body = {"choices": [{"index": 0, "finish_reason": "length", "message": {"role": "assistant"}}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 0, "total_tokens": 40}, "object": "chat.completion"}
    answer, _ = asked({"body": json.dumps(body)})
    assert (answer.kind, answer.message.endswith("raise max_tokens")) == ("cut_off", True)


def test_fastapis_list_of_details_reaches_the_user():
    body = {"detail": [{"loc": ["body", "model"], "msg": "Field required"}]}
    answer, _ = asked({"status": 422, "body": json.dumps(body)})
    assert answer.message.endswith("(HTTP 422): Field required")


# Azure.


def test_a_prompt_that_azures_filter_stops_is_not_sent_again():
    answer, requests = asked(refused("The response was filtered", code="content_filter"), schema=STRICT)
    assert (answer.kind, len(requests)) == ("refused", 1)
    assert "reword the task" in answer.message
    assert "The response was filtered" in answer.message


# Schemas.


def test_a_schema_that_strict_mode_takes_goes_out_strict_and_another_does_not():
    _, (strict,) = asked("hi", schema=STRICT)
    _, (loose,) = asked("hi", schema=LOOSE)
    assert (form_of(strict), form_of(loose)) == ("json_schema strict", "json_schema")


def test_what_is_refused_steps_down_from_strict_to_text():
    no = refused("no")
    answer, requests = asked(no, no, no, "hi", schema=STRICT, times=2)
    assert answer.text == "hi"
    assert list(map(form_of, requests)) == ["json_schema strict", "json_schema", "json_object", "none", "none"]


def test_a_format_of_the_settings_is_kept_without_strict_mode():
    _, requests = asked(lambda request: refused("no") if "strict" in form_of(request) else "hi", schema=STRICT,
                        response_format="json_schema")
    assert list(map(form_of, requests)) == ["json_schema strict", "json_schema"]


def test_the_refusal_of_a_loose_schema_leaves_strict_ones_as_they_are():
    with ChatServer(lambda request: refused("no") if form_of(request) == "json_schema" else "hi") as server:
        client = ChatClient(LlmSettings("t", base_url=server.url))
        for schema in (LOOSE, STRICT, LOOSE):
            assert isinstance(client.complete(ASK, Deadline(60), schema), Completion)
    assert list(map(form_of, server.requests)) == ["json_schema", "json_object", "json_schema strict", "json_object"]


@pytest.mark.parametrize("message", [
    "Invalid schema for response_format 'answer': In context=('properties', 'anyOf', '0'), '{}' is not permitted.",
    "Invalid JSON payload received. Unknown name \"{}\" at 'generation_config.any_of[0].enum': Cannot find field.",
    "For 'array' type, property `{}` is not supported"])
@pytest.mark.parametrize("keyword", ["minItems", "maxLength", "pattern"])
def test_a_refused_keyword_is_left_out_of_the_schema_and_the_rest_stays(keyword, message):
    answer, requests = asked(lambda request: refused(message.format(keyword)) if keyword in keywords_of(request)
                             else "hi", schema=STRICT, times=2)
    assert answer.text == "hi"
    assert list(map(form_of, requests)) == ["json_schema strict"] * 3
    kept = [each for each in ("minItems", "maxLength", "pattern") if each in keywords_of(requests[-1])]
    assert kept == [each for each in ("minItems", "maxLength", "pattern") if each != keyword]


def test_a_property_is_no_keyword():
    schema = {"type": "object", "required": ["pattern"], "additionalProperties": False,
              "properties": {"pattern": {"type": "string", "pattern": "a"}}}
    _, requests = asked(lambda request: refused("'pattern' is not permitted") if '"pattern": "a"'
                        in keywords_of(request) else "hi", schema=schema)
    sent = requests[-1]["response_format"]["json_schema"]["schema"]
    assert sent == {**schema, "properties": {"pattern": {"type": "string"}}}


def test_a_choice_at_the_root_is_given_up_where_it_is_refused():
    answer, requests = asked(lambda request: refused("schema must not have 'anyOf' at the top level")
                             if "anyOf" in keywords_of(request) else "hi", schema=LOOSE)
    assert answer.text == "hi"
    assert requests[-1]["response_format"]["json_schema"]["schema"] == {"type": "object"}


@pytest.mark.parametrize("schema", [
    LOOSE, {"type": "object", "properties": {}}, {**STRICT, "required": []}, {**STRICT, "anyOf": []},
    {**STRICT, "$defs": {"a": {"type": "object", "properties": {}}}}])
def test_strict_mode_takes_closed_objects_only(schema):
    assert is_strict(STRICT)
    assert not is_strict(schema)


# Keys.


@pytest.mark.parametrize("key", ["x", "your-key-here", "sk-..."])
def test_openai_is_not_asked_with_a_placeholder(monkeypatch, key):
    for name in ("OPENAI_BASE_URL", "HICRISP_LLM_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", key)
    client = ChatClient(LlmSettings("t"))
    for failure in (client.complete(ASK, Deadline(10)), client.probe(Deadline(10)).failure):
        assert (failure.kind, failure.calls) == ("unauthorised", 0)
        assert f"OPENAI_API_KEY holds a placeholder ('{key}')" in failure.message


def test_another_endpoint_may_be_asked_with_a_placeholder(monkeypatch):
    monkeypatch.setenv("LAB_KEY", "not-needed")
    assert asked("hi", api_key_env="LAB_KEY")[0].text == "hi"
    answer, _ = asked(refused("who are you?", status=401), api_key_env="LAB_KEY")
    assert "who are you?" in answer.message
    assert "LAB_KEY holds a placeholder" in answer.message


# Files.


def test_a_file_may_leave_the_temperature_out_and_set_what_an_endpoint_has_beside(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text("llm: a\nbackend: openai\ntemperature: null\nreasoning_effort: low\n"
                    "extra_body: {top_k: 20}\nroles: {body: {base_url: 'http://127.0.0.1:1/v1'}}\n")
    settings = load_llm_settings(file)
    assert (settings.temperature, settings.reasoning_effort, settings.extra_body) == (None, "low", {"top_k": 20})
    assert settings.of_role("body").extra_body == {}  # It was meant for the other endpoint.


# Gateways and templates.


@pytest.mark.parametrize("body", [
    {"choices": None, "error": {"message": "too many requests", "code": 429}},
    {"choices": [], "error": {"message": "too many requests", "code": "rate_limited"}},
    {"error": "too many requests"},
    {"choices": [{"index": 0, "finish_reason": "error", "error": {"message": "too many requests", "code": 503},
                  "message": {"role": "assistant", "content": "half an"}}]}])
def test_an_error_inside_a_good_answer_is_tried_again_as_that_error_would_be(body):
    inside = {"body": json.dumps({"id": "1", "object": "chat.completion", **body})}
    answer, requests = asked(inside, GOOD, retries=1)
    assert (answer.text, len(requests)) == (GOOD, 2)
    assert answer.before[0].kind in ("rate_limit", "server")
    failure, _ = asked(inside, retries=0)
    assert "too many requests" in failure.message


def test_an_error_inside_a_good_answer_that_will_not_pass_is_final_and_told():
    inside = {"body": json.dumps({"choices": None, "error": {"message": "no credits are left", "code": 402}})}
    failure, requests = asked(inside, retries=2)
    assert len(requests) == 1
    assert "no credits are left" in failure.message


@pytest.mark.parametrize("said", [
    "System role not supported", "Developer instruction is not enabled for models/gemma-3-27b-it",
    "Only user and assistant roles are supported!", "Conversation roles must alternate user/assistant/user/assistant",
    "Unexpected role 'system' after role 'user'"])
def test_a_model_without_a_system_role_gets_the_rules_with_the_first_question(said):
    def templated(request):
        roles = [each["role"] for each in request["messages"]]
        return refused(said) if "system" in roles else json.dumps(request["messages"])

    with ChatServer(templated) as server:
        client = ChatClient(LlmSettings("t", base_url=server.url), lambda _: None)
        messages = [{"role": "system", "content": "the rules"}, *ASK, {"role": "assistant", "content": "yes"}, *ASK]
        for _ in range(2):
            answer = client.complete(messages, Deadline(60), STRICT)
        assert len(server.requests) == 3
        sent = json.loads(answer.text)
        assert [each["role"] for each in sent] == ["user", "assistant", "user"]
        assert sent[0]["content"] == "the rules\n\nhello"
        assert form_of(server.requests[-1]) == "json_schema strict"
        assert "system role" in client._dialect.refused
