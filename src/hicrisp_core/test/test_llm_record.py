"""What a run keeps of its language models, and a run that is repeated from it; over a real HTTP server."""

import json

import pytest
from chat_server import ChatServer
from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.chat_model import Completion
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.redaction import is_placeholder, redacted, redacted_values
from hicrisp_core.llm.replay import difference
from hicrisp_core.llm.settings import LlmSettings, load_llm_settings
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.event_log import EventLog
from hicrisp_core.trace.read_event import problems_of

ASK = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "one\nhello"}]
SCHEMA = {"type": "object", "properties": {}}
REFUSED = {"status": 400, "body": json.dumps({"error": {"message": "response_format is not supported"}})}


def question(text):
    return [ASK[0], {"role": "user", "content": text}]


def recorded(folder, *script, asks=(ASK,), role="brain", schema=None, **settings):
    """The answers of a role's model, whose exchanges went to the log of a run."""
    with ChatServer(*script) as server, EventLog(folder) as log:
        models = Models(LlmSettings("t", base_url=server.url, **settings))
        answers = [models.of(role).complete(each, Deadline(60), schema) for each in asks]
        for answer in answers:
            for exchange in answer.exchanges:
                log(exchange.as_dict())
    return answers


def lines(folder):
    return [json.loads(line) for line in (folder / "llm.jsonl").read_text().splitlines()]


def replay(folder, role="brain"):
    return Models(load_llm_settings(f"replay:{folder / 'llm.jsonl'}")).of(role)


def test_every_exchange_of_a_run_is_in_its_folder_with_who_asked_what_and_what_it_cost(tmp_path):
    recorded(tmp_path, "first", "second", asks=[ASK, question("two")], schema=SCHEMA)
    first, second = lines(tmp_path)
    assert (first["role"], first["number"], first["attempt"], first["model"]) == ("brain", 1, 1,
                                                                                  "openai:gpt-4o-mini")
    assert first["messages"] == ASK
    assert len(first["schema"]) == 64
    assert (first["answer"], first["prompt_tokens"], first["completion_tokens"]) == ("first", 10, 5)
    assert first["seconds"] > 0.0
    assert (second["number"], second["answer"]) == (2, "second")
    assert problems_of(first) == []
    assert (tmp_path / "events.jsonl").read_text() == ""


def test_an_attempt_that_failed_is_kept_with_the_one_that_followed(tmp_path):
    recorded(tmp_path, REFUSED, "at last", schema=SCHEMA)
    assert [(each["number"], each["attempt"], each["failure"], each["answer"])
            for each in lines(tmp_path)] == [
        (1, 1, "form", ""), (1, 2, "", "at last")]


def test_a_recorded_run_gives_the_same_answers_without_the_network(tmp_path):
    script = [{"status": 503, "body": "{}", "headers": {"Retry-After": "0"}}, "first", "second\u2028still"]
    answers = recorded(tmp_path, *script, asks=[ASK, question("two")])
    again = replay(tmp_path)
    assert [again.complete(each, Deadline(10)) for each in (ASK, question("two"))] == answers
    assert again.name == "openai:gpt-4o-mini"


def test_a_failure_is_repeated_as_well(tmp_path):
    (failed,) = recorded(tmp_path, {"status": 401, "body": "{}"})
    assert replay(tmp_path).complete(ASK, Deadline(10)) == failed


def test_answers_to_the_same_question_are_repeated_in_their_order(tmp_path):
    recorded(tmp_path, "first", "second", asks=[ASK, ASK], cache=0)
    again = replay(tmp_path)
    assert [again.complete(ASK, Deadline(1)).text for _ in range(3)] == ["first", "second", "second"]


def test_a_changed_prompt_gets_the_answer_of_its_number_and_its_first_line_that_differs_is_reported(
        tmp_path, caplog):
    recorded(tmp_path, "hi", "ho", "he", asks=[ASK, question("two"), question("three")])
    again = replay(tmp_path)
    assert again.complete(ASK, Deadline(1)).exchanges[-1].note == ""
    second, third = (again.complete(question(each), Deadline(1)) for each in ("one\nhelp", "four"))
    assert (second.text, third.text) == ("ho", "he")
    assert second.exchanges[-1].note == ("the prompt of brain 2 is not the recorded one: message 2 (user), "
                                         "line 1: recorded 'two', asked 'one'")
    assert "recorded 'three', asked 'four'" in third.exchanges[-1].note
    (warned,) = [each.getMessage() for each in caplog.records if each.name == "hicrisp_core.llm.replay"]
    assert warned.startswith(second.exchanges[-1].note)


def test_the_exact_prompt_goes_before_the_number_of_the_call(tmp_path):
    recorded(tmp_path, "hi", "ho", asks=[ASK, question("two")])
    again = replay(tmp_path)
    assert [again.complete(each, Deadline(1)).text for each in (question("two"), ASK)] == ["ho", "hi"]


def test_another_schema_is_reported_as_the_difference(tmp_path):
    recorded(tmp_path, "hi")
    said = replay(tmp_path).complete(ASK, Deadline(1), SCHEMA)
    assert said.text == "hi"
    assert "the JSON schema is not: recorded none" in said.note


def test_a_task_that_is_run_once_more_is_answered_from_its_beginning(tmp_path):
    recorded(tmp_path, "hi", "ho", asks=[ASK, question("two")])
    again = replay(tmp_path)
    asks = [ASK, question("two"), ASK, question("changed")]
    assert [again.complete(each, Deadline(1)).text for each in asks] == ["hi", "ho", "hi", "ho"]


def test_a_recording_of_an_earlier_release_is_still_read(tmp_path):
    recorded(tmp_path, "hi")
    (entry,) = lines(tmp_path)
    (tmp_path / "llm.jsonl").write_text(json.dumps({**entry, "goal_prompt": "goal_short", "read_back": True}) + "\n")
    assert replay(tmp_path).complete(ASK, Deadline(1)).text == "hi"


def test_a_role_that_was_not_recorded_is_said(tmp_path):
    recorded(tmp_path, "hi")
    assert "holds no prompt of body" in replay(tmp_path, "body").complete(ASK, Deadline(1)).message


def test_more_questions_than_were_recorded_are_said(tmp_path):
    recorded(tmp_path, "hi")
    again = replay(tmp_path)
    again.complete(ASK, Deadline(1))
    beyond = again.complete(question("more"), Deadline(1))
    assert (beyond.kind, beyond.calls) == ("replay", 0)
    assert beyond.message.startswith("call 2 of brain is beyond the end of ")


def test_a_long_line_is_shown_where_it_differs():
    old, new = ("a" * 500 + end for end in ("x", "y"))
    said = difference([{"role": "user", "content": old}], [{"role": "user", "content": new}])
    assert "ax'" in said
    assert len(said) < 300
    assert difference(ASK, ASK[:1]) == "it has 2 messages in the recording, 1 here"
    assert difference(ASK, ASK) == ""


def test_a_recording_that_is_missing_or_something_else_is_said_at_once(tmp_path):
    with pytest.raises(ConfigError, match="there is no recording"):
        load_llm_settings(f"replay:{tmp_path / 'away.jsonl'}")
    (tmp_path / "llm.jsonl").write_text("{}\n")
    with pytest.raises(ConfigError, match=r"llm.jsonl:1: not a recorded exchange"):
        load_llm_settings(f"replay:{tmp_path}")


def test_a_file_of_ones_own_is_a_recording_too(tmp_path):
    file = tmp_path / "new" / "mine.jsonl"
    recorded(tmp_path / "run", "hi", record=str(file))
    again = Models(LlmSettings("t", replay=str(file))).of("brain").complete(ASK, Deadline(1))
    assert isinstance(again, Completion)
    (tmp_path / "plain").write_text("")
    with pytest.raises(ConfigError, match="cannot record to"):
        Models(LlmSettings("t", base_url="http://127.0.0.1:9/v1",
                           record=str(tmp_path / "plain" / "f"))).of("brain")


def test_secrets_never_reach_a_record_and_the_program_reads_the_true_answer(tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_KEY", "plainword123")
    (said,) = recorded(tmp_path, "Bearer abc.def and plainword123 stay out",
                       asks=[question("my key is sk-abcdefghijkl")],
                       api_key_env="LAB_KEY")
    (line,) = lines(tmp_path)
    assert said.text == "Bearer abc.def and plainword123 stay out"
    assert line["answer"] == "[redacted] and [redacted] stay out"
    assert line["messages"][1]["content"] == "my key is [redacted]"
    again = replay(tmp_path).complete(question("my key is sk-abcdefghijkl"), Deadline(1))
    assert isinstance(again, Completion)


@pytest.mark.parametrize("key", ["x", "box", "your-key-here", "EMPTY"])
def test_a_short_key_or_a_placeholder_is_a_word_and_stays_in_record_and_answer(tmp_path, monkeypatch, key):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    text = f"put the box down: {key}"
    (said,) = recorded(tmp_path, text, api_key_env="OPENAI_API_KEY")
    assert (said.text, lines(tmp_path)[0]["answer"]) == (text, text)


def test_what_goes_to_events_and_reports_can_be_freed_of_the_keys_of_all_roles(monkeypatch, tmp_path):
    for name, key in (("LAB_KEY", "plainword123"), ("BODY_KEY", "otherword456"), ("SHORT", "box")):
        monkeypatch.setenv(name, key)
    body, goal = (LlmSettings(base_url="http://127.0.0.1:9/v1", api_key_env=name) for name in ("BODY_KEY", "SHORT"))
    unreadable = LlmSettings(api_key_file=str(tmp_path / "away"))
    settings = LlmSettings("t", base_url="http://127.0.0.1:9/v1", api_key_env="LAB_KEY",
                           roles={"body": body, "goal": goal, "alex": unreadable})
    said = redacted_values({"plan": ["say plainword123", ("otherword456", "box")]}, *settings.api_keys)
    assert said == {"plan": ["say [redacted]", ["[redacted]", "box"]]}


@pytest.mark.parametrize("key", ["x", "xxx", "test", "none", "changeme", "EMPTY", "not-needed", "your-key-here",
                                 "sk-...", "sk-xxxx", "<your key>", "sk-your-key"])
def test_a_placeholder_is_told_from_a_key(key):
    assert is_placeholder(key)
    assert not is_placeholder(f"sk-proj-{key}4fT9")


@pytest.mark.parametrize(("text", "left"), [
    ("https://me:pass@host/v1", "https://[redacted]@host/v1"),
    ("GET http://h/v1?api-version=1&api-key=abc&x=1", "GET http://h/v1?api-version=1&api-key=[redacted]&x=1"),
    ("http://h/?access_token=abc", "http://h/?access_token=[redacted]"),
    ("Authorization: Bearer abc.def", "Authorization: [redacted]"),
    ('{"api-key": "abc"}', '{"api-key": "[redacted]"}'),
    ("the desk-lamp and a key-holder", "the desk-lamp and a key-holder"),
    ("why? key = red box", "why? key = red box")])
def test_keys_and_tokens_are_taken_out_wherever_they_stand(text, left):
    assert redacted(text) == left


def test_the_same_question_at_temperature_0_costs_one_call(tmp_path):
    first, second = recorded(tmp_path, "hi", "other", asks=[ASK, ASK])
    assert (second.text, second.calls, second.prompt_tokens) == ("hi", 0, 0)
    assert [(each["attempt"], each["cached"], each["answer"]) for each in lines(tmp_path)] == [
        (1, False, "hi"), (0, True, "hi")]
    again = replay(tmp_path)
    assert [again.complete(ASK, Deadline(1)) for _ in range(2)] == [first, second]


@pytest.mark.parametrize("settings", [{"cache": 0}, {"temperature": 0.8}])
def test_a_repeat_is_asked_again_where_the_cache_is_off_or_the_model_samples(tmp_path, settings):
    _, second = recorded(tmp_path, "hi", "other", asks=[ASK, ASK], **settings)
    assert second.text == "other"


def test_the_cache_is_bounded_and_keeps_no_failure(tmp_path):
    asks = [ASK, question("two"), ASK]
    assert recorded(tmp_path, "a", "b", "c", asks=asks, cache=1)[2].text == "c"
    answers = recorded(tmp_path, {"status": 401, "body": "{}"}, "well", asks=[ASK, ASK])
    assert answers[1].text == "well"


def test_after_a_failure_the_model_is_asked_again_and_the_new_answer_is_remembered():
    with ChatServer("first", "second") as server:
        model = Models(LlmSettings("t", base_url=server.url)).of("brain")
        asks = [model, model.afresh(), model, model]
        answers = [each.complete(ASK, Deadline(10)).text for each in asks]
    assert answers == ["first", "second", "second", "second"]


def test_another_schema_is_another_question(tmp_path):
    with ChatServer("a", "b") as server:
        model = Models(LlmSettings("t", base_url=server.url)).of("brain")
        assert [model.complete(ASK, Deadline(10), schema).text for schema in (None, SCHEMA)] == ["a", "b"]


def test_a_role_with_its_own_settings_has_a_model_of_its_own_and_the_others_share_one():
    with ChatServer("a") as one, ChatServer("b") as two:
        body = LlmSettings("small", base_url=two.url, model="small")
        models = Models(LlmSettings("t", base_url=one.url, roles={"body": body}))
        assert models.of("body").complete(ASK, Deadline(10)).text == "b"
        assert models.of("body").name == "openai:small"
        models.of("brain").complete(ASK, Deadline(10))
        models.of("corrector").complete(ASK, Deadline(10))
        assert (len(one.requests), len(two.requests)) == (1, 1)
