"""People in the loop: what the user says while a task runs changes its goal and its plan from there on."""

from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from agv_world import DOMAIN, seen
from hicrisp_core.executive.assembly import Parts
from hicrisp_core.model import Outcome, Relation, Status, Task
from hicrisp_core.policy.policy import Policy
from hicrisp_core.ports.remarks import Remarks
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until
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
    """A task in a world without physics, with somebody who speaks: ``said`` by the command that is under
    way."""

    def __init__(self, domain, said, state=None, policy=POLICY, robot="panda", **ports):
        self.events, self.remarks, self.cancel = [], Remarks(), Event()
        self.world = TalkedOver(domain, state or table_top(THINGS), self)
        self.world.said = {command: [said] if isinstance(said, str) else list(said)
                           for command, said in said.items()}
        self.executive = Parts(domain, policy).executive(
            {robot: self.world}, self.world, self.events.append, cancel=self.cancel, remarks=self.remarks,
            **ports)

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
WANTED = ["in(blue_box,bowl)", "not(in(red_box,bowl))"]
PICK_RED, RED_IN = "pick(panda, red_box)", "place_in(panda, red_box, bowl)"


def test_not_that_one_stops_the_motion_and_changes_goal_and_plan(domain):
    run = TalkRun(domain, {PICK_RED: "Not that one, the blue one!"})
    result = run(RED)
    assert (result.success, result.goal) == (True, "seen")
    assert run.world.stopped == [PICK_RED]
    assert run.holds("blue_box", "in", "bowl")
    assert run.holds("red_box", "on", "table")
    said, = run.told("said")
    assert (said["text"], said["effect"]) == ("Not that one, the blue one!", "changed")
    assert said["stopped"] == ["pick up red_box"]
    assert said["reply"].startswith("I understand: the blue box ends up in the bowl")
    feedback = said["feedback"]
    assert (feedback["kind"], feedback["conditions"]) == ("said_by_user", WANTED)
    assert feedback["error"] == "The user changed the task while it ran."
    assert feedback["reason"] == 'The user said: "Not that one, the blue one!".'
    assert "the blue box" in feedback["suggestion"]
    assert [goal["end"] for goal in run.told("goal")] == [["in(red_box,bowl)"], WANTED]
    stopped = next(event for event in run.told("verdict") if not event["ok"])
    assert stopped["feedback"]["kind"] == "said_by_user"
    assert result.failures == ()
    assert result.corrections == {}


def test_what_is_in_the_hand_by_then_is_put_down(domain):
    run = TalkRun(domain, {RED_IN: "not the red box, the blue one"})
    assert run(RED).success
    assert run.world.stopped == [RED_IN]
    assert run.holds("red_box", "on", "table")
    assert run.holds("blue_box", "in", "bowl")


def test_a_command_that_serves_the_new_goal_too_may_end(domain):
    run = TalkRun(domain, {PICK_RED: "no, in the big bowl"})
    assert run(RED).success
    assert run.world.stopped == []
    assert run.world.executed == [PICK_RED, "place_in(panda, red_box, big_bowl)"]


def test_a_place_where_the_thing_may_be_told_otherwise_while_it_is_put_down(domain):
    run = TalkRun(domain, {RED_IN: "no, on the green box"})
    assert run(RED).success
    assert run.world.stopped == [RED_IN]
    assert run.holds("red_box", "on", "green_box")


def test_more_can_be_asked_for(domain):
    run = TalkRun(domain, {PICK_RED: "also put the cup on the green box"})
    assert run(RED).success
    assert run.world.stopped == []
    assert run.holds("red_box", "in", "bowl")
    assert run.holds("cup", "on", "green_box")


def test_the_same_can_be_asked_of_another_thing(domain):
    run = TalkRun(domain, {PICK_RED: "and the green box too"})
    assert run(RED).success
    assert run.holds("red_box", "in", "bowl")
    assert run.holds("green_box", "in", "bowl")


def test_keeping_away_from_something_holds_from_then_on(domain):
    run = TalkRun(domain, {PICK_RED: "and keep away from the glass"})
    assert run(RED).success
    assert run.told("goal")[-1]["keep"] == ["not(next_to(red_box,glass))"]


@pytest.mark.parametrize("words", ["stop", "Stop!", "cancel the task", "never mind", "no, stop it please"])
def test_stop_ends_the_task_and_its_motion(domain, words):
    run = TalkRun(domain, {PICK_RED: words})
    result = run(RED)
    assert (result.success, result.canceled) == (False, True)
    assert run.world.stopped == [PICK_RED]
    assert run.told("said")[0]["effect"] == "canceled"


def test_an_unknown_thing_leaves_the_task_as_it_is_and_says_so(domain):
    run = TalkRun(domain, {PICK_RED: "not that one, the purple one"})
    assert run(RED).success
    assert run.world.executed == [PICK_RED, RED_IN]
    said, = run.told("said")
    assert said["effect"] == "kept"
    assert "purple thing" in said["reply"]
    assert "The task goes on as it was." in said["reply"]


@pytest.mark.parametrize("words", ["you are doing a wonderful job over there today", "wrong way round"])
def test_what_nobody_understands_leaves_the_task_as_it_is_and_offers_what_would_be(domain, words):
    run = TalkRun(domain, {PICK_RED: words})
    assert run(RED).success
    assert run.world.executed == [PICK_RED, RED_IN]
    assert "the blue one" in run.told("said")[0]["reply"]


def test_unclear_words_are_asked_back_while_the_next_command_waits(domain):
    heard = []

    def ask(question, seconds):
        heard.append((question.text, [each.text for each in question.choices], seconds,
                      list(run.world.executed)))
        return "2"

    run = TalkRun(domain, {PICK_RED: "not that one, the other box"}, ask=ask)
    assert run(RED).success
    (_, choices, seconds, _), = heard
    assert (choices, seconds) == (["blue box", "green box"], 20.0)
    assert run.holds("green_box", "in", "bowl")
    assert not run.holds("red_box", "in", "bowl")


def test_without_an_answer_the_task_goes_on_as_it_was(domain):
    run = TalkRun(domain, {PICK_RED: "not that one, the other box"}, ask=lambda question, seconds: "")
    assert run(RED).success
    assert run.holds("red_box", "in", "bowl")
    assert "Nobody answered within 20 s" in run.told("said")[0]["reply"]


def test_a_goal_that_cannot_be_leaves_the_task_as_it_is(domain):
    run = TalkRun(domain, {PICK_RED: "no, on the red box"})
    assert run(RED).success
    assert run.world.executed == [PICK_RED, RED_IN]
    assert run.told("said")[0]["effect"] == "kept"


def test_one_remark_follows_the_other(domain):
    run = TalkRun(domain, {PICK_RED: "not that one, the blue one",
                           "pick(panda, blue_box)": "no, in the big bowl"})
    assert run(RED).success
    assert run.holds("blue_box", "in", "big_bowl")
    assert [goal["end"] for goal in run.told("goal")][-1][-1] == "in(blue_box,big_bowl)"


def test_what_was_done_already_for_the_wrong_thing_is_undone(domain):
    state = table_top(THINGS)
    run = TalkRun(domain, {"pick(panda, cup)": "not the red box, the blue one"}, state=state)
    assert run("put the red box in the bowl and put the cup on the green box").success
    assert run.holds("cup", "on", "green_box")
    assert run.holds("blue_box", "in", "bowl")
    assert not run.holds("red_box", "in", "bowl")


def test_a_remark_on_the_last_command_is_still_heard(domain):
    run = TalkRun(domain, {RED_IN: "also the green box"})
    assert run(RED).success
    assert run.holds("green_box", "in", "bowl")
    assert not run.remarks.add("too late")


def test_a_remark_before_the_first_motion_is_taken_up_before_it(domain):
    run = TalkRun(domain, {})
    run.remarks.add("the blue one instead")
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
    world.said = {PICK_RED: ["not that one, the blue one"]}
    executive = Parts(domain, replace(POLICY, rungs=())).executive(
        {"panda": world}, world, run.events.append, remarks=run.remarks)
    result = executive.run(Task(RED))
    assert result.failures[0].kind == "lost"


def test_report_and_explanation_tell_what_was_said(domain, tmp_path):
    run = TalkRun(domain, {PICK_RED: "Not that one, the blue one!"})
    run(RED)
    words = explain(run.events)
    assert 'While it ran, the user said: "Not that one, the blue one!". That changed the task.' in words
    assert "It was understood to mean: the red box ends up in the bowl." in words
    page = render_report(run.events, Path(tmp_path))
    assert "Not that one, the blue one!" in page
    assert "stopped" in page


def test_approval_is_not_refused_by_a_remark_that_changes_nothing(domain):
    asked = []

    def approve(command, doubt):
        asked.append(str(command))
        if len(asked) == 1:
            run.remarks.add("what a lovely day it is to stack some boxes")
            return False
        return True

    once = replace(domain, actions={**domain.actions, "pick": replace(domain.actions["pick"],
                                                                      reversible=False)})
    run = TalkRun(once, {}, policy=replace(POLICY, autonomy="supervised"), approve=approve)
    assert run(RED).success
    assert asked == [PICK_RED, PICK_RED]


def test_a_drive_is_told_otherwise_and_what_was_visited_counts():
    """The order that the request told is over, and the base does not go again to where it was."""
    run = TalkRun(DOMAIN, {"visit(agv, area_2)": "not area 2, area 3"}, state=seen(), robot="agv")
    result = run("visit area 1, then area 2")
    assert (result.success, result.goal) == (True, "seen"), result.message
    assert run.world.stopped == ["visit(agv, area_2)"]
    assert [command.split(", ")[1] for command in run.world.executed] == ["area_1)", "area_3)"]
