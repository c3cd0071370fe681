"""Goals compared with near ones by how likely the user's words are for each, over real HTTP."""

import math

import pytest
from chat_server import ChatServer
from hicrisp_core.brain.back_translation import BackTranslation
from hicrisp_core.goals.near import near_goals
from hicrisp_core.language.doubts import doubt
from hicrisp_core.language.repairs import repaired
from hicrisp_core.llm.client import ChatClient
from hicrisp_core.llm.exactly import exactly
from hicrisp_core.llm.exchange import Completion, LlmFailure
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.goal_text import parse_statement
from hicrisp_core.time.deadline import Deadline
from tabletop import table_top

WORLD = table_top({"red_box": "box", "mug": "cylinder", "bowl": "bowl"})
TEXT = "the red box is a good place for the mug"
CUT = {"/tokenize": {"tokens": [11, 7, 12]}}


def goal(*conditions):
    return Goal(tuple(map(parse_statement, conditions)))


def client(server):
    return ChatClient(LlmSettings("t", base_url=server.url))


def said(likely):
    """A server's answer to a request to say TEXT, by the command it stands for."""
    def answer(request):
        command = request["messages"][-1]["content"]
        return {"text": TEXT, "logprobs": [likely.get(command, -30.0)], "finish": "length"}
    return answer


@pytest.mark.parametrize(("one", "others"), [
    ("on(mug,red_box)", {"on(red_box,mug)", "next_to(mug,red_box)", "holding(panda,mug)"}),
    ("in(mug,bowl)", {"on(bowl,mug)", "next_to(mug,bowl)", "holding(panda,mug)"}),
    ("left_of(mug,red_box)", {"left_of(red_box,mug)", "next_to(mug,red_box)", "holding(panda,mug)"}),
    ("next_to(mug,bowl)", {"in(mug,bowl)", "on(bowl,mug)", "holding(panda,mug)"}),
    ("on(mug,table)", {"holding(panda,mug)", "not(on(mug,table))"}),
    ("holding(panda,mug)", set()), ("not(on(mug,red_box))", set())])
def test_near_goals_turn_a_fact_round_or_have_a_near_one(domain, one, others):
    found = near_goals(goal(one), domain, WORLD)
    assert {text for each in found for text in each.texts["end"]} == others


def test_only_one_fact_differs_at_a_time_and_none_contradicts_another(domain):
    found = near_goals(goal("on(mug,red_box)", "on(red_box,bowl)"), domain, WORLD)
    assert found
    assert all(len({"on(mug,red_box)", "on(red_box,bowl)"} & set(each.texts["end"])) == 1 for each in found)


def test_what_the_words_tell_plainly_is_not_compared(domain):
    with ChatServer(said({"put the red box on the mug": -1.0}), pages=CUT) as server:
        found = BackTranslation(client(server), domain, "Say it otherwise.").compare(
            "the mug should be on the red box by noon", goal("on(mug,red_box)"), WORLD, Deadline(20))
        assert not server.requests
    assert found.goal == goal("on(mug,red_box)")


@pytest.mark.parametrize(("text", "said", "others"), [
    ("a mug has to be with the red box in the bowl", ["in(red_box,bowl)"],
     {("in(red_box,bowl)", "in(mug,bowl)")}),
    ("a mug has to be in the bowl", ["in(red_box,bowl)"],
     {("in(red_box,bowl)", "in(mug,bowl)"), ("in(mug,bowl)",)}),
    ("from the top down: the mug, the red box, the green box", ["on(red_box,mug)", "on(green_box,red_box)"],
     {("on(mug,red_box)", "on(red_box,green_box)")}),
    ("the mug goes on the red box", ["next_to(mug,red_box)"], {("on(mug,red_box)",)}),
    ("the mug goes on the red box", ["on(mug,red_box)"], set())])
def test_a_goal_is_repaired_by_what_the_words_tell(domain, text, said, others):
    meant, world = goal(*said), table_top(
        {"red_box": "box", "green_box": "box", "mug": "cylinder", "bowl": "bowl"})
    found = repaired(text, meant, doubt(text, meant, domain, world), domain, world)
    assert {each.texts["end"] for each in found} == others


def test_the_likelihood_is_that_of_the_text_in_the_servers_own_tokens():
    with ChatServer({"text": TEXT, "logprobs": [-1.0, -2.0, -3.0], "finish": "length"}, pages=CUT) as server:
        answer = client(server).complete([{"role": "user", "content": "go"}], Deadline(20), exactly(TEXT))
    assert isinstance(answer, Completion)
    assert math.log(answer.sure) == pytest.approx(-6.0)
    assert (answer.text, answer.cut_off) == (TEXT, False)
    request = server.requests[0]
    assert request["grammar"] == "root ::= <[11]> <[7]> <[12]>"
    assert (request["max_tokens"], request["temperature"], request["logprobs"]) == (3, 0.0, True)


@pytest.mark.parametrize(("pages", "answer"), [
    ({}, TEXT), ({"/tokenize": {"tokens": "many"}}, TEXT), ({"/tokenize": {"tokens": [1] * 1000}}, TEXT),
    (CUT, {"text": "something else", "logprobs": [-1.0]}), (CUT, TEXT)])
def test_a_server_that_cannot_tell_is_said_so(pages, answer):
    with ChatServer(answer, pages=pages) as server:
        found = client(server).complete([{"role": "user", "content": "go"}], Deadline(20), exactly(TEXT))
    assert isinstance(found, LlmFailure)
    assert found.kind == "request"
    assert "does not say how likely a text is" in found.message


@pytest.mark.parametrize(("turned", "end", "unsure"), [
    (-12.0, "on(red_box,mug)", False), (-9.8, "on(red_box,mug)", False),
    (-9.2, "on(red_box,mug)", True), (-4.0, "on(mug,red_box)", False)])
def test_a_goal_for_which_the_words_are_likelier_is_asked_back_or_taken(domain, turned, end, unsure):
    likely = {"put the red box on the mug": -10.0, "put the mug on the red box": turned}
    with ChatServer(said(likely), pages=CUT) as server:
        found = BackTranslation(client(server), domain, "Say it otherwise.").compare(
            TEXT, goal("on(red_box,mug)"), WORLD, Deadline(20))
    assert (found.goal.texts["end"], found.unsure) == ((end,), unsure)
    assert found.usage.calls == len(server.requests) == 4


def test_a_server_that_cannot_tell_is_asked_once_and_goals_stay_as_they_are(domain):
    with ChatServer(TEXT, pages={"/tokenize": {}}) as server:
        back = BackTranslation(client(server), domain, "Say it otherwise.")
        found = [back.compare(TEXT, goal("on(red_box,mug)"), WORLD, Deadline(20)) for _ in range(2)]
        assert not server.requests
    assert [each.goal for each in found] == [goal("on(red_box,mug)")] * 2
