"""Pictures go to a model that takes them, and into no record; over a real HTTP server."""

import base64
import json

import pytest
from chat_server import ChatServer
from hicrisp_core.llm.images import MOST_BYTES, MOST_IMAGES, misfit
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import VISION, LlmSettings, load_llm_settings
from hicrisp_core.llm.try_out import try_out
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.event_log import EventLog

PICTURE = f"data:image/jpeg;base64,{base64.b64encode(bytes(range(200)) * 20).decode()}"
ASK = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is it?", "images": [PICTURE]}]


def seen(folder, *script, ask=ASK, **settings):
    """The answer of the role that looks at pictures, and the requests; its exchanges go to the log of a run."""
    with ChatServer(*script) as server, EventLog(folder) as log:
        answer = Models(LlmSettings("t", base_url=server.url, **settings)).of(VISION).complete(ask, Deadline(30))
        for exchange in answer.exchanges:
            log(exchange.as_dict())
    return answer, server.requests


def test_a_picture_follows_the_words_to_the_endpoint_and_stays_out_of_the_record(tmp_path):
    answer, requests = seen(tmp_path, "a mug")
    assert answer.text == "a mug"
    assert requests[0]["messages"] == [ASK[0], {"role": "user", "content": [
        {"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": PICTURE}}]}]
    text = (tmp_path / "llm.jsonl").read_text()
    assert PICTURE[40:80] not in text
    assert json.loads(text)["messages"][1]["images"].startswith("5 kB, sha256 ")


def test_a_recorded_answer_serves_another_picture_of_the_same_question(tmp_path):
    seen(tmp_path, "a mug")
    other = [ASK[0], {**ASK[1], "images": [PICTURE.replace("AAEC", "AAED")]}]
    again = Models(load_llm_settings(f"replay:{tmp_path / 'llm.jsonl'}")).of(VISION).complete(other, Deadline(5))
    assert (again.text, again.note) == ("a mug", "")


def test_another_picture_is_another_question_to_the_memory(tmp_path):
    with ChatServer("a mug", "a bowl") as server:
        model = Models(LlmSettings("t", base_url=server.url)).of(VISION)
        other = [ASK[0], {**ASK[1], "images": [PICTURE.replace("AAEC", "AAED")]}]
        assert [model.complete(each, Deadline(30)).text for each in (ASK, other, ASK)] == ["a mug", "a bowl", "a mug"]


def test_a_model_that_takes_no_pictures_is_refused_with_the_remedy(tmp_path):
    refusal = {"status": 400, "body": json.dumps({"error": {"message": "image_url is not supported by this model"}})}
    answer, _ = seen(tmp_path, refusal, retries=0)
    assert answer.kind == "request"
    assert "image_url is not supported" in answer.message
    assert "roles: {vision: ...}" in answer.message


@pytest.mark.parametrize(("images", "why"), [
    ([PICTURE] * (MOST_IMAGES + 1), "this one has 9"),
    ([f"data:image/png;base64,{'A' * (MOST_BYTES + 1)}"], "make it smaller"),
    (["https://example.org/cat.jpg"], "a JPEG or PNG file as a data URI"),
    (["data:image/svg+xml;base64,AAAA"], "a JPEG or PNG file as a data URI")])
def test_what_no_server_shall_get_is_not_sent(tmp_path, images, why):
    answer, requests = seen(tmp_path, "a mug", ask=[{**ASK[1], "images": images}])
    assert (answer.kind, requests) == ("request", [])
    assert why in answer.message


def test_words_alone_fit():
    assert misfit([{"role": "user", "content": "hello"}]) == ""


def test_trying_a_configuration_out_shows_a_picture_to_the_role_that_looks():
    with ChatServer("red", "red") as server:
        looks = LlmSettings("t", base_url=server.url, model="looks", probe=False)
        settings = LlmSettings("t", base_url=server.url, probe=False, roles={VISION: looks})
        lines = [line for _, line in try_out(settings)]
        asked = [isinstance(request["messages"][0]["content"], list) for request in server.requests]
    assert asked == [False, True]
    assert "(vision, witness) answers 'red'" in lines[-1]
