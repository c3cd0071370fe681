"""People in the loop: what the user says while a task runs changes its goal and its plan from there on."""

from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from agv_world import DOMAIN, seen
from goals import SayingInterpreter, goal
from hicrisp_core.factory import RunFactory
from hicrisp_core.model import Outcome, Relation, Status, Task
from hicrisp_core.model.meaning import Answer, Choice, Question, Reason, Refusal, Speaker, Turn
from hicrisp_core.model.track import DOUBT
from hicrisp_core.policy.policy import Policy
from hicrisp_core.ports.remarks import Remarks
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.time import Deadline, wait_until
from hicrisp_core.trace import explain
from hicrisp_core.trace.report import render_report
from tabletop import table_top

THINGS = {"red_box": "box", "blue_box": "box", "green_box": "box", "cup": "cylinder", "glass": "cylinder",
          "bowl": "bowl", "big_bowl": "bowl"}
POLICY = Policy("test", verify_goal="task", autonomy="full", ask_time_limit=20.0)
LIMIT = 60.0


class TalkedOver(SymbolicWorld):
    """A world in which somebody says something while a command is in its motion.

    The motion goes on until the executive has heard it, and stops when it is told to.
    """

    def __init__(self, domain, state, run):
        super().__init__(domain, state)
        self.run = run
        self.said = {}
        self.stopped = []

    def execute(self, command, deadline, cancel, progress=None):
        for text in self.said.pop(str(command), ()):
            said = self.run.say(text)
            if said["effect"] == "canceled" or said["stopped"]:
                assert cancel.wait(LIMIT)
                self.stopped.append(str(command))
                return Outcome(Status.CANCELED)
        return super().execute(command, deadline, cancel, progress)


class TalkRun:
    """A task in a world without physics, with somebody who speaks: ``said`` by the command that is under way."""

    def __init__(self, domain, said, state=None, policy=POLICY, robot="panda", **ports):
        self.events, self.remarks, self.cancel = [], Remarks(), Event()
        self.world = TalkedOver(domain, state or table_top(THINGS), self)
        self.world.said = {command: [said] if isinstance(said, str) else list(said)
                           for command, said in said.items()}
        self.interpreter = SayingInterpreter(MEANINGS)
        self.executive = RunFactory(domain, policy).executive(
            {robot: self.world}, self.world, self.events.append, cancel=self.cancel, remarks=self.remarks,
            interpreter=self.interpreter, **ports)

    def __call__(self, text):
        return self.executive.run(Task(text))

    def say(self, text):
        """Say something, and wait until it is known what it does."""
        heard = len(self.told("said"))
        self.remarks.add(text)
        assert wait_until(lambda: len(self.told("said")) > heard, Deadline(LIMIT))
        return self.told("said")[heard]

    def told(self, kind):
        return [event for event in self.events if event["kind"] == kind]

    def holds(self, *fact):
        return Relation(*fact) in self.world.state.relations


RED = "put the red box in the bowl"
BLUE = "Not that one, the blue one!"
OTHER, WHICH = "not that one, the other box", "Which box do you mean?"
UNCLEAR, COLOURS = "not that box", "Which colour has the box?"
PURPLE, FULL = "the purple one", "is the bowl empty?"
TWO_BOXES, ONE_IN_PLACE = "red box in the bowl, cup on the green box", "not the red box, the blue one"
PRAISE = "you are doing a wonderful job over there today"
BLUE_STAGE = "in(blue_box,bowl) & not(in(red_box,bowl))"
INSTEAD = goal("in(blue_box,bowl)", "not(in(red_box,bowl))")
MEANINGS = {
    RED: goal("in(red_box,bowl)"),
    BLUE: INSTEAD,
    "the big bowl": goal("in(red_box,big_bowl)"),
    "the big bowl, for the blue one": goal("in(blue_box,big_bowl)", "not(in(red_box,bowl))"),
    "on the green box": goal("on(red_box,green_box)"),
    "on itself": goal("on(red_box,red_box)"),
    "the cup too": goal("in(red_box,bowl)", "on(cup,green_box)"),
    "the green box too": goal("in(red_box,bowl)", "in(green_box,bowl)"),
    "keep away from the glass": goal("in(red_box,bowl)", keep=["not(next_to(red_box,glass))"]),
    "as I said": goal("in(red_box,bowl)"),
    PURPLE: Refusal(Reason.UNKNOWN_OBJECT, "There is no purple thing."),
    FULL: Answer("Yes, the bowl is empty."),
    OTHER: Question(WHICH, (Choice("blue box", INSTEAD),
                            Choice("green box", goal("in(green_box,bowl)", "not(in(red_box,bowl))")))),
    UNCLEAR: Question(COLOURS, (Choice("blue"), Choice("green"))),
    "blue": INSTEAD,
    TWO_BOXES: goal("in(red_box,bowl)", "on(cup,green_box)"),
    ONE_IN_PLACE: goal("in(blue_box,bowl)", "not(in(red_box,bowl))", "on(cup,green_box)"),
    "visit area 1, then area 2": goal("visited(agv,area_2)", first=["visited(agv,area_1)"]),
    "not area 2, area 3": goal("visited(agv,area_3)", first=["visited(agv,area_1)"]),
}
PICK_RED, RED_IN = "pick(panda, red_box)", "place_in(panda, red_box, bowl)"


def test_not_that_one_stops_the_motion_and_changes_goal_and_plan(domain):
    run = TalkRun(domain, {PICK_RED: BLUE})
    result = run(RED)
    assert (result.success, result.goal) == (True, "seen")
    assert run.world.stopped == [PICK_RED]
    assert run.holds("blue_box", "in", "bowl")
    assert run.holds("red_box", "on", "table")
    said, = run.told("said")
    assert (said["text"], said["effect"]) == (BLUE, "changed")
    assert said["stopped"] == ["pick up red box"]
    assert said["reply"].startswith("I understand: the blue box ends up in the bowl")
    feedback = said["feedback"]
    assert (feedback["kind"], feedback["conditions"]) == ("said_by_user", BLUE_STAGE.split(" & "))
    assert feedback["error"] == "The user changed the task while it ran."
    assert feedback["reason"] == f'The user said: "{BLUE}".'
    assert "the blue box" in feedback["suggestion"]
    assert [event["stages"] for event in run.told("goal")] == [["in(red_box,bowl)"], [BLUE_STAGE]]
    stopped = next(event for event in run.told("verdict") if not event["ok"])
    assert stopped["feedback"]["kind"] == "said_by_user"
    assert result.failures == ()
    assert result.corrections == {}


def test_a_remark_is_understood_with_the_conversation_the_goal_and_what_is_handled(domain):
    run = TalkRun(domain, {PICK_RED: [PURPLE, BLUE]})
    result = run(RED)
    assert result.success
    assert [turn.text for turn in result.conversation if turn.speaker is Speaker.USER] == [RED, PURPLE, BLUE]
    task, first, second = run.interpreter.requests
    assert (task.conversation, task.goal) == ((), None)
    assert first.conversation == (Turn(Speaker.USER, RED),)
    assert first.goal == MEANINGS[RED]
    assert first.handled == ("red_box",)
    assert second.conversation == (
        Turn(Speaker.USER, RED), Turn(Speaker.USER, PURPLE),
        Turn(Speaker.ROBOT, "There is no purple thing. The task goes on as it was."))


def test_a_remark_that_changed_the_task_is_answered_in_the_conversation(domain):
    run = TalkRun(domain, {PICK_RED: BLUE, "pick(panda, blue_box)": "the big bowl, for the blue one"})
    assert run(RED).success
    said, reply = run.interpreter.requests[-1].conversation[-2:]
    assert said == Turn(Speaker.USER, BLUE)
    assert (reply.speaker, reply.text) == (Speaker.ROBOT, run.told("said")[0]["reply"])


def test_what_is_in_the_hand_by_then_is_put_down(domain):
    run = TalkRun(domain, {RED_IN: BLUE})
    assert run(RED).success
    assert run.world.stopped == [RED_IN]
    assert run.holds("red_box", "on", "table")
    assert run.holds("blue_box", "in", "bowl")


def test_a_command_that_serves_the_new_goal_too_may_end(domain):
    run = TalkRun(domain, {PICK_RED: "the big bowl"})
    assert run(RED).success
    assert run.world.stopped == []
    assert run.world.executed == [PICK_RED, "place_in(panda, red_box, big_bowl)"]


def test_a_place_where_the_thing_may_be_told_otherwise_while_it_is_put_down(domain):
    run = TalkRun(domain, {RED_IN: "on the green box"})
    assert run(RED).success
    assert run.world.stopped == [RED_IN]
    assert run.holds("red_box", "on", "green_box")


def test_more_can_be_asked_for(domain):
    run = TalkRun(domain, {PICK_RED: "the cup too"})
    assert run(RED).success
    assert run.world.stopped == []
    assert run.holds("red_box", "in", "bowl")
    assert run.holds("cup", "on", "green_box")


def test_keeping_away_from_something_holds_from_then_on(domain):
    run = TalkRun(domain, {PICK_RED: "keep away from the glass"})
    assert run(RED).success
    assert run.told("goal")[-1]["invariants"] == ["not(next_to(red_box,glass))"]


@pytest.mark.parametrize("words", ["stop", "Stop!", "cancel the task", "no, stop it please"])
def test_stop_ends_the_task_and_its_motion_without_an_interpreter(domain, words):
    run = TalkRun(domain, {PICK_RED: words})
    result = run(RED)
    assert (result.success, result.canceled) == (False, True)
    assert run.world.stopped == [PICK_RED]
    assert run.told("said")[0]["effect"] == "canceled"
    assert [each.text for each in run.interpreter.requests] == [RED]


@pytest.mark.parametrize(("words", "reply"), [
    (PURPLE, "There is no purple thing. The task goes on as it was."),
    (FULL, "Yes, the bowl is empty."),
    (PRAISE, f"I do not understand '{PRAISE}'. The task goes on as it was."),
    ("as I said", "It means what the task means already: the red box ends up in the bowl."),
    ("on itself", "so the task goes on as it was."),
])
def test_what_means_no_other_goal_leaves_the_task_as_it_is_and_says_why(domain, words, reply):
    run = TalkRun(domain, {PICK_RED: words})
    assert run(RED).success
    assert run.world.executed == [PICK_RED, RED_IN]
    said, = run.told("said")
    assert said["effect"] == "kept"
    assert said["reply"].endswith(reply)


def test_unclear_words_are_asked_back_while_the_next_command_waits(domain):
    heard = []

    def ask(question, seconds):
        heard.append((question.text, [each.text for each in question.choices], seconds,
                      list(run.world.executed)))
        return "2"

    run = TalkRun(domain, {PICK_RED: OTHER}, ask=ask)
    assert run(RED).success
    (text, choices, seconds, _), = heard
    assert (text, choices, seconds) == (WHICH, ["blue box", "green box"], 20.0)
    assert run.holds("green_box", "in", "bowl")
    assert not run.holds("red_box", "in", "bowl")


def test_an_answer_whose_goal_is_not_known_yet_is_understood_with_the_question(domain):
    run = TalkRun(domain, {PICK_RED: UNCLEAR}, ask=lambda question, seconds: "the blue")
    assert run(RED).success
    assert run.holds("blue_box", "in", "bowl")
    answer = run.interpreter.requests[-1]
    assert answer.text == "blue"
    assert answer.conversation[:2] == (Turn(Speaker.USER, RED), Turn(Speaker.USER, UNCLEAR))
    assert answer.conversation[2].speaker is Speaker.ROBOT
    assert answer.conversation[2].text.startswith(COLOURS)


def test_without_an_answer_the_task_goes_on_as_it_was(domain):
    run = TalkRun(domain, {PICK_RED: OTHER}, ask=lambda question, seconds: "")
    assert run(RED).success
    assert run.holds("red_box", "in", "bowl")
    assert "No answer came within 20 s" in run.told("said")[0]["reply"]


def test_one_remark_follows_the_other(domain):
    run = TalkRun(domain, {PICK_RED: BLUE, "pick(panda, blue_box)": "the big bowl, for the blue one"})
    assert run(RED).success
    assert run.holds("blue_box", "in", "big_bowl")
    assert run.told("goal")[-1]["stages"] == ["in(blue_box,big_bowl) & not(in(red_box,bowl))"]


def test_what_was_done_already_for_the_wrong_thing_is_undone(domain):
    run = TalkRun(domain, {"pick(panda, cup)": ONE_IN_PLACE})
    assert run(TWO_BOXES).success
    assert run.holds("cup", "on", "green_box")
    assert run.holds("blue_box", "in", "bowl")
    assert not run.holds("red_box", "in", "bowl")


def test_a_remark_on_the_last_command_is_still_heard(domain):
    run = TalkRun(domain, {RED_IN: "the green box too"})
    assert run(RED).success
    assert run.holds("green_box", "in", "bowl")
    assert not run.remarks.add("too late")


def test_a_remark_before_the_first_motion_is_taken_up_before_it(domain):
    run = TalkRun(domain, {})
    run.remarks.add(BLUE)
    assert run(RED).success
    assert run.world.executed == ["pick(panda, blue_box)", "place_in(panda, blue_box, bowl)"]


def test_a_driver_that_does_not_confirm_that_it_stands_ends_the_task(domain):
    run = TalkRun(domain, {})

    class Loose(TalkedOver):
        def execute(self, command, deadline, cancel, progress=None):
            outcome = super().execute(command, deadline, cancel, progress)
            return Outcome(Status.LOST, "no answer") if outcome.status is Status.CANCELED else outcome

        def stop(self, deadline):
            return Outcome(Status.LOST, "the driver does not answer")

    world = Loose(domain, table_top(THINGS), run)
    world.said = {PICK_RED: [BLUE]}
    executive = RunFactory(domain, replace(POLICY, rungs=())).executive(
        {"panda": world}, world, run.events.append, remarks=run.remarks, interpreter=run.interpreter)
    result = executive.run(Task(RED))
    assert result.failures[0].kind == "lost"


def test_report_and_explanation_tell_what_was_said(domain, tmp_path):
    run = TalkRun(domain, {PICK_RED: BLUE})
    run(RED)
    words = explain(run.events)
    assert f'While it ran, the user said: "{BLUE}". That changed the task.' in words
    assert "It was understood to mean: the red box ends up in the bowl." in words
    page = render_report(run.events, Path(tmp_path))
    assert BLUE in page
    assert '"stopped": true' in page


def test_approval_is_not_refused_by_a_remark_that_changes_nothing(domain):
    asked = []

    def approve(command, doubt):
        asked.append(str(command))
        if len(asked) == 1:
            run.remarks.add(PRAISE)
            return False
        return True

    once = replace(domain, actions={**domain.actions, "pick": replace(domain.actions["pick"],
                                                                      reversible=False)})
    run = TalkRun(once, {}, policy=replace(POLICY, autonomy="supervised"), approve=approve)
    assert run(RED).success
    assert asked == [PICK_RED, PICK_RED]


def test_a_drive_is_told_otherwise_and_what_was_visited_counts():
    """The order that the request told is over, and the base does not go again to where it was."""
    run = TalkRun(DOMAIN, {"go_to(agv, area_2)": "not area 2, area 3"}, state=seen(), robot="agv")
    result = run("visit area 1, then area 2")
    assert (result.success, result.goal) == (True, "seen"), result.message
    assert run.world.stopped == ["go_to(agv, area_2)"]
    assert [command.split(", ")[1] for command in run.world.executed] == ["area_1)", "area_3)"]


@pytest.mark.parametrize(("said", "moved"), [("yes", True), ("no", False), ("", False)])
def test_what_may_be_two_that_touch_is_moved_only_if_the_user_says_so(domain, said, moved):
    asked, state = [], table_top(THINGS)
    doubtful = replace(state.objects["red_box"], attributes={DOUBT: "may be two objects that touch"})
    run = TalkRun(domain, {}, replace(state, objects={**state.objects, "red_box": doubtful}),
                  ask=lambda question, patience: asked.append(question.text) or said)
    result = run(RED)
    assert asked == ["The red box may be two objects that touch. Go on as if it were one? (yes, no)"]
    assert (result.success, run.holds("red_box", "in", "bowl"), bool(result.plan)) == (moved, moved, moved)
