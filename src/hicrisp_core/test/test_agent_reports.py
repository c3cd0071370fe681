"""What Alex tells the user when a task has ended."""

import pytest
from chat_server import ChatServer
from hicrisp_core.model import Command, Feedback, FeedbackKind, Level, StackEntry, Status, Step, StepRecord, Task
from hicrisp_core.ports.brain import ReportRequest
from hicrisp_core.time.deadline import Deadline
from test_agents import PICK, ROPA, TRAVI, Asked, Over, brain_over, forwards, says


def test_a_report_is_told_from_what_was_done_and_what_failed(domain, config_dir):
    pick = Command("pick", {"robot": "panda", "item": "red_box"}, "panda")
    request = ReportRequest(Task("leg die Box hin"), False, "It slipped.",
                            (StepRecord(Step("pick up red_box", "pick")),),
                            (StackEntry(pick, Feedback(Level.LOW, FeedbackKind.NOT_GRASPED, pick,
                                                       subjects=("red_box",))),),
                            ("User: hallo",))
    with ChatServer(says("Das ging leider nicht.")) as server:
        said = brain_over(server, domain, config_dir).report(request, Deadline(10))
        prompt = Asked(server).prompts[0]
    assert said.text == "Das ging leider nicht."
    for text in ("<<<leg die Box hin>>>", "it was not done", "<<<It slipped.>>>", "- pick up red_box",
                 "- pick up red_box: The red_box is not in the gripper of panda.", "<<<User: hallo>>>"):
        assert text in prompt


@pytest.mark.parametrize(("said", "text"), [
    ("I did it, friend.", "I did it, friend."), ('{"words": 1}', ""), ({"status": 401, "body": "{}"}, "")])
def test_a_report_may_be_prose_or_missing(domain, config_dir, said, text):
    with ChatServer(said) as server:
        brain = brain_over(server, domain, config_dir)
        assert brain.report(ReportRequest(Task("t"), True, "done"), Deadline(10)).text == text


def test_the_result_of_a_task_is_told_in_alexs_words(domain, config_dir):
    with ChatServer(forwards(), TRAVI, ROPA, says("The red box stands where you wanted it.")) as server:
        run = Over(server, domain, config_dir, "copal_mh2")
        result = run.executive.run(Task("place the red box next to the cylinder"), ("User: hello",))
        asked = Asked(server)
    assert result.success
    assert result.message == "The red box stands where you wanted it."
    assert result.done == ("pick up red box", "place red box next to cylinder")
    assert run.events[-1]["reason"] == "done"
    assert asked.who == ["Alex", "Travi", "Ropa", "Alex"]
    assert "<<<User: hello>>>" in asked.prompts[0]
    assert "<<<User: hello>>>" in asked.prompts[-1]
    assert result.llm_calls == 4


def test_the_plain_message_stands_when_the_model_fails_at_the_end(domain, config_dir):
    with ChatServer(forwards(), TRAVI, ROPA, {"status": 401, "body": "{}"}) as server:
        result = Over(server, domain, config_dir, "copal_mh2").executive.run(Task("do it"))
    assert result.success
    assert result.message == "done"


def test_after_five_new_plans_the_user_is_told_why(domain, config_dir):
    told = says("I could not reach the box.")
    with ChatServer(forwards(), *[TRAVI, ROPA] * 6, told) as server:
        run = Over(server, domain, config_dir, "copal_h2")
        run.world.fails(PICK, times=99, status=Status.PLANNING, message="out of reach")
        result = run.executive.run(Task("place the red box next to the cylinder"))
        asked = Asked(server)
    assert not result.success
    assert asked.who == ["Alex", *["Travi", "Ropa"] * 6, "Alex"]
    assert result.corrections == {"llm_replan": 5}
    assert result.message == "I could not reach the box."
    assert "its 5 are used up" in run.events[-1]["reason"]
    assert "out of reach" in run.events[-1]["reason"].lower()
    assert run.events[-1]["reason"] in asked.prompts[-1]


def test_a_new_plan_is_asked_for_the_request_as_alex_understood_it(domain, config_dir):
    with ChatServer(forwards("place red_box next to cylinder"), TRAVI, ROPA, TRAVI, ROPA,
                    says("Done.")) as server:
        run = Over(server, domain, config_dir, "copal_h0")
        run.world.fails(PICK, status=Status.EXECUTION, message="it slipped")
        assert run.executive.run(Task("put it there")).success
        asked = Asked(server)
    assert asked.who == ["Alex", "Travi", "Ropa", "Travi", "Ropa", "Alex"]
    assert "<<<place red_box next to cylinder>>>" in asked.prompts[3]
    assert "- error: Could not pick up red_box." in asked.prompts[3].splitlines()
    assert "it slipped" not in asked.prompts[3].lower()


def test_a_canceled_task_is_not_reported(domain, config_dir):
    with ChatServer(forwards(), TRAVI, ROPA, says("Never said.")) as server:
        run = Over(server, domain, config_dir, "copal_mh2")
        run.executive._cancel.set()
        result = run.executive.run(Task("do it"))
        assert Asked(server).who == ["Alex", "Travi", "Ropa"]
    assert result.canceled
    assert "Never" not in result.message
