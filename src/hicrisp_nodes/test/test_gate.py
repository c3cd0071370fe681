"""The pause, the emergency stop and the question to the user, without ROS."""

from __future__ import annotations

from threading import Event, Thread
from typing import List, Optional, Sequence

import pytest
from hicrisp_core.executive.rehearsal import CheckedSteps
from hicrisp_core.model import Plan, Step
from hicrisp_core.model.meaning import Choice, Question
from hicrisp_nodes.supervisor.gate import Gate
from waiting import PATIENCE, until


class Looked(Event):
    """A cancel that counts how often somebody who waits has looked at it."""

    looks = 0

    def is_set(self) -> bool:
        self.looks += 1
        return super().is_set()


def gate(autonomy: str = "supervised", patience: float = PATIENCE) -> Gate:
    return Gate(autonomy, patience, lambda: None)


def asked(gate: Gate, cancel: Event) -> "tuple[Thread, List[bool]]":
    answers: List[bool] = []
    thread = Thread(target=lambda: answers.append(gate.approve("May it pour?", cancel)))
    thread.start()
    until(lambda: gate.question, "question")
    return thread, answers


def test_an_unknown_autonomy_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="full, supervised, corrections, reviewed, manual"):
        gate("wild")


@pytest.mark.parametrize("granted", [True, False])
def test_a_question_waits_for_its_answer(granted: bool) -> None:
    subject = gate()
    thread, answers = asked(subject, Event())
    assert subject.answer(granted)[0]
    thread.join(PATIENCE)
    assert answers == [granted]
    assert subject.question == ""


def test_no_answer_in_time_is_a_no() -> None:
    assert gate(patience=0.1).approve("May it pour?", Event()) is False


def test_nothing_is_asked_with_full_autonomy() -> None:
    assert gate("full").approve("May it pour?", Event()) is True


@pytest.mark.parametrize(("level", "purpose", "waits"), [
    ("full", "step", False), ("full", "correction", False),
    ("supervised", "step", False), ("supervised", "correction", False),
    ("reviewed", "step", False), ("reviewed", "correction", False),
    ("corrections", "step", False), ("corrections", "correction", True), ("corrections", "retry", False),
    ("manual", "step", True), ("manual", "correction", True), ("manual", "retry", True)])
def test_a_level_asks_for_leave_for_the_commands_that_it_is_for(
    level: str, purpose: str, waits: bool
) -> None:
    subject = gate(level, patience=0.05)  # Nobody answers, so who asks is told no.
    assert subject.permit("May it pick up the box?", purpose, Event()) is not waits


@pytest.mark.parametrize("level", ["supervised", "corrections", "reviewed", "manual"])
def test_what_cannot_be_undone_is_asked_about_below_full_autonomy(level: str) -> None:
    assert gate(level, patience=0.05).approve("May it pour?", Event()) is False


def test_full_autonomy_is_no_leave_where_nobody_knows_what_a_command_takes_away() -> None:
    subject = gate("full")
    answers: List[bool] = []
    thread = Thread(target=lambda: answers.append(subject.approve("May it pour?", Event(), doubtful=True)))
    thread.start()
    until(lambda: subject.question, "question")
    subject.answer(True)
    thread.join(PATIENCE)
    assert answers == [True]


def test_full_autonomy_answers_the_question_that_waits() -> None:
    subject = gate()
    thread, answers = asked(subject, Event())
    subject.set_autonomy("full")
    thread.join(PATIENCE)
    assert answers == [True]


def test_a_cancel_ends_the_question_with_a_no() -> None:
    subject, cancel = gate(), Event()
    thread, answers = asked(subject, cancel)
    cancel.set()
    thread.join(PATIENCE)
    assert answers == [False]


def test_an_answer_that_nobody_waits_for_is_refused() -> None:
    assert gate().answer(True)[0] is False


def test_a_pause_holds_until_resume() -> None:
    subject = gate()
    subject.pause()
    passed = Event()
    cancel = Looked()
    Thread(target=lambda: (subject.pass_through(cancel), passed.set()), daemon=True).start()
    until(lambda: cancel.looks > 2, "wait at the gate")
    assert not passed.is_set()
    subject.resume()
    assert passed.wait(PATIENCE)


@pytest.mark.parametrize("how", ["cancel", "stop"])
def test_cancel_and_emergency_stop_end_a_pause(how: str) -> None:
    subject, cancel, passed = gate(), Event(), Event()
    subject.pause()
    Thread(target=lambda: (subject.pass_through(cancel), passed.set()), daemon=True).start()
    cancel.set() if how == "cancel" else subject.stop("smoke")
    assert passed.wait(PATIENCE)


def test_an_emergency_stop_holds_until_it_is_cleared_and_then_nothing_moves_until_resume() -> None:
    subject = gate()
    assert subject.clear()[0] is False
    for _ in range(2):  # Whoever presses Stop once more never clears it.
        subject.stop("smoke")
        assert subject.estop.is_set()
    assert subject.reason == "smoke"
    assert subject.resume()[0] is False
    cleared, said = subject.clear()
    assert cleared
    assert "until you resume" in said
    assert (subject.estop.is_set(), subject.paused, bool(subject.waits)) == (False, True, True)
    assert subject.resume() == (True, "commands run again")
    assert (subject.paused, subject.waits) == (False, "")


def test_a_stop_while_an_earlier_one_is_being_cleared_holds() -> None:
    def changed() -> None:
        if not subject.estop.is_set() and not stopped:  # In the middle of the clearing.
            stopped.append(subject.stop("smoke again"))

    stopped: List[str] = []
    subject = Gate("supervised", PATIENCE, changed)
    subject.stop("smoke")
    subject.clear()
    assert stopped
    assert subject.estop.is_set()
    assert subject.reason == "smoke again"


def heard(gate: Gate, seconds: float, cancel: Event) -> "tuple[Thread, List[str]]":
    answers: List[str] = []
    question = Question("Which one?", (Choice("red box"), Choice("blue box")))
    thread = Thread(target=lambda: answers.append(gate.ask(question, seconds, cancel)))
    thread.start()
    until(lambda: gate.asked is not None, "question")
    return thread, answers


def test_a_question_about_a_task_takes_words_for_an_answer() -> None:
    subject = gate()
    thread, answers = heard(subject, PATIENCE, Event())
    assert subject.say("  ")[0] is False
    assert subject.say(" the  blue one ")[0]
    thread.join(PATIENCE)
    assert answers == ["the blue one"]
    assert subject.asked is None
    assert subject.say("2") == (False, "nothing is asked")


def test_without_an_answer_in_time_or_after_a_cancel_there_is_none() -> None:
    question = Question("Which one?")
    assert gate().ask(question, 0.05, Event()) == ""
    canceled = Event()
    thread, answers = heard(gate(), PATIENCE, canceled)
    canceled.set()
    thread.join(PATIENCE)
    assert answers == [""]


class Offer:
    """A plan of two steps of which only "good" can run."""

    question = "May this plan run?"
    plan = Plan((Step("good", ""), Step("good", "")))

    def check(self, lines: Sequence[str]) -> CheckedSteps:
        return CheckedSteps(tuple(Step(line, "") for line in lines),
                            tuple("" if line == "good" else "cannot run" for line in lines))

    def changed(self, checked: CheckedSteps) -> Plan:
        return Plan(checked.steps)


def offered(subject: Gate) -> "tuple[Thread, List[Optional[Plan]]]":
    plans: List[Optional[Plan]] = []
    thread = Thread(target=lambda: plans.append(
        subject.review(Offer(), Event())))  # type: ignore[arg-type]
    thread.start()
    until(lambda: subject.question, "question")
    return thread, plans


@pytest.mark.parametrize("autonomy", ["full", "supervised"])
def test_a_plan_waits_only_where_plans_are_reviewed(autonomy: str) -> None:
    assert gate(autonomy).review(Offer(), Event()) is Offer.plan  # type: ignore[arg-type]


def test_a_plan_runs_as_it_is_or_as_it_was_changed_or_not_at_all() -> None:
    cases = ((True, [], ["good", "good"]), (True, ["good"], ["good"]), (False, [], None))
    for granted, steps, texts in cases:
        subject = gate("reviewed")
        thread, plans = offered(subject)
        assert subject.answer_plan(granted, steps, only_check=False)[1] == ""
        thread.join(PATIENCE)
        assert [plan and [step.text for step in plan.steps] for plan in plans] == [texts]
        assert subject.offered is None


def test_a_plan_with_a_step_that_cannot_run_goes_on_waiting() -> None:
    subject = gate("reviewed")
    thread, plans = offered(subject)
    checked, why = subject.answer_plan(True, ["good", "bad"], only_check=False)
    assert (checked.problems, bool(why)) == (("", "cannot run"), True)
    assert subject.answer_plan(False, ["good"], only_check=True)[1] == ""
    assert not plans
    assert subject.offered is not None
    subject.answer(True)
    thread.join(PATIENCE)
    assert plans == [Offer.plan]
    assert subject.answer_plan(True, [], only_check=False)[1]


def test_another_autonomy_lets_the_plan_go() -> None:
    subject = gate("reviewed")
    thread, plans = offered(subject)
    subject.set_autonomy("supervised")
    thread.join(PATIENCE)
    assert plans == [Offer.plan]
