"""A second witness: what counts, what is asked, and how a task ends that two witnesses see differently."""

import json
from dataclasses import replace

import pytest
from conftest import ROOT
from goals import ScriptedInterpreter, goal
from hicrisp_core.detector.witness import combined, is_asked, is_sure
from hicrisp_core.domain import load_domain
from hicrisp_core.executive.run_log import RunLog
from hicrisp_core.executive.second_witness import SecondWitness
from hicrisp_core.factory import load_factory
from hicrisp_core.llm.chat_model import ChatModel, Completion, LlmFailure
from hicrisp_core.model import Pose, Relation, Task, WorldObject, WorldState
from hicrisp_core.model.track import Visibility
from hicrisp_core.model.world import Uncertainty
from hicrisp_core.policy.policy import Budget, Policy
from hicrisp_core.ports.witness import Finding, Ruling
from hicrisp_core.ports.witness import Testimony as Told
from hicrisp_core.prompting.templates import Prompts
from hicrisp_core.prompting.testimony import MOST, PLACEHOLDERS, ask_witness
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace import explain
from tabletop import table_top
from test_active_observation import BESIDE as SIDE_BY_SIDE
from test_active_observation import SeenWorld, of, things
from test_goal_verdict import ON, PICK, TASK, THINGS, run_of

YES, NO, CANNOT = Ruling.YES, Ruling.NO, Ruling.CANNOT_TELL
BESIDE = Relation("box", "next_to", "cup")
WIPES = """
domain: wiping
description: What only pictures show.
types: {}
extends: [tabletop]
predicates:
  clean: {args: [thing], text: "{0} is clean", not_text: "{0} is not clean", detect: witness}
actions:
  wipe:
    text: "wipe {item}"
    parameters: {robot: arm, item: graspable}
    skill: shake
    effects: ["clean(item)"]
"""


class Telling:
    """A witness that answers as it is told, each question once."""

    def __init__(self, *answers, kept=True):
        self.answers, self.kept, self.asked, self.moments = list(answers), kept, [], []

    def keep(self, moment, world):
        self.moments.append(moment)
        return self.kept

    def ask(self, moment, statements, names, deadline):
        self.asked.append((moment, tuple(statements), tuple(names)))
        said = self.answers.pop(0)
        return said if isinstance(said, Told) else Told((Finding(said, "so it looks"),) * len(statements))


@pytest.mark.parametrize(("measured", "sure", "answer", "holds"), [
    (True, True, NO, True), (False, True, YES, False), (True, False, NO, None), (False, False, YES, None),
    (True, False, YES, True), (False, False, NO, False), (True, False, CANNOT, True), (False, False, CANNOT, False),
    (None, False, YES, True), (None, False, NO, False), (None, False, CANNOT, None)])
def test_a_sure_measurement_stands_and_else_disagreement_is_open(measured, sure, answer, holds):
    assert combined(measured, sure, answer) is holds


def seen_beside(sigma, visibility=Visibility.VISIBLE):
    at = [WorldObject(name, "box", "box", pose=Pose((0.5, y, 0.025)), uncertainty=Uncertainty(sigma),
                      visibility=visibility) for name, y in (("box", 0.0), ("cup", 0.1))]
    return WorldState({each.name: each for each in at}, frozenset((BESIDE,)))


def test_a_measurement_is_sure_in_view_and_with_a_deviation_below_half_its_tolerance(domain):
    assert is_sure(domain, BESIDE, seen_beside(0.02))
    assert not is_sure(domain, BESIDE, seen_beside(0.022)), "0.031 m of 0.06 m for both"
    assert not is_sure(domain, BESIDE, seen_beside(0.0, Visibility.HIDDEN))
    assert not is_sure(domain, BESIDE, seen_beside(0.0, Visibility.HELD)), "it may have slipped out of the hand"


@pytest.mark.parametrize(("policy", "asked"), [
    ("off", (False, False)), ("unmeasurable", (False, False)), ("doubt", (False, True)), ("always", (True, True)),
    ("all", (True, True)), ("failures", (False, False))])
def test_the_policy_says_what_is_asked(domain, policy, asked):
    assert tuple(is_asked(domain, BESIDE, seen_beside(sigma), policy) for sigma in (0.001, 0.05)) == asked


class Says(ChatModel):
    """Gives its answers one after another."""

    def __init__(self, *answers):
        self.answers = list(answers)

    @property
    def name(self):
        return "stub"

    def complete(self, messages, deadline, schema=None):
        said = self.answers.pop(0)
        return said if isinstance(said, LlmFailure) else Completion(
            said if isinstance(said, str) else json.dumps({"answers": said}))


def asked(*answers, statements=("the box is in the cup", "the cup stands")):
    prompts = Prompts(ROOT / "config" / "prompts" / "witness", PLACEHOLDERS)
    return ask_witness(Says(*answers), prompts, statements, (), (), Deadline(5.0))


def entry(number, answer, why=""):
    return {"number": number, "answer": answer, "why": why}


def test_each_statement_gets_its_answer_and_what_is_left_out_nobody_can_tell():
    assert asked([entry(2, "No", "it\nlies")]).said == (Finding(CANNOT), Finding(NO, "it lies"))


def test_who_says_yes_and_no_cannot_tell():
    assert [each.answer for each in asked([entry(1, "yes"), entry(1, "no"), entry(2, "yes")]).said] == [CANNOT, YES]


@pytest.mark.parametrize("nonsense", [
    "It is in the cup, I think.", [entry(3, "yes")], [entry(True, "yes")], [entry(1, "perhaps")], ["yes"]])
def test_what_cannot_be_used_is_asked_again_once(nonsense):
    assert asked(nonsense, [entry(1, "yes"), entry(2, "yes")]).said == (Finding(YES), Finding(YES))
    assert "cannot be used" in asked(nonsense, nonsense).trouble


def test_a_model_without_an_answer_is_trouble_and_too_many_statements_are_not_asked():
    assert "20 s" in asked(LlmFailure("timeout", "no answer in 20 s", 1)).trouble
    many = asked([entry(1, "yes")], statements=("so",) * (MOST + 2))
    assert [each.answer for each in many.said] == [YES] + [CANNOT] * (MOST + 1)


def put(domain, witness, policy="always", **more):
    run = run_of(domain, goal("on(box,plate)"), [PICK, ON], policy=replace(TASK, rungs=(), witness=policy),
                 witness=witness, **more)
    return run, run()


def test_a_witness_that_agrees_is_asked_once_and_told(domain):
    witness = Telling(YES)
    run, result = put(domain, witness)
    assert (result.success, result.goal) == (True, "seen")
    assert (witness.moments, witness.asked) == (["the task"], [
        ("the task", ("the box is on the plate",), ("box", "plate"))])
    told = 'Asked from pictures whether the box is on the plate, a model said: yes ("so it looks").'
    assert told in explain(run.events)


def test_a_sure_measurement_stands_against_the_witness_and_that_is_told(domain):
    run, result = put(domain, Telling(NO))
    assert result.success
    assert "The measurement says otherwise, is exact, and stands." in explain(run.events)


@pytest.mark.parametrize("witness", [Telling(kept=False), Telling(Told(trouble="It is slow."))])
def test_without_an_answer_the_measurement_stands(domain, witness):
    run, result = put(domain, witness)
    assert result.success
    assert "gives no answer, so what is measured stands" in run.told("note")[-1]["text"]
    assert len(witness.asked) <= 1


@pytest.mark.parametrize("policy", ["off", "unmeasurable", "doubt"])
def test_nobody_is_asked_about_what_is_sure_unless_the_policy_says_so(domain, policy):
    witness = Telling()
    _, result = put(domain, witness, policy)
    assert result.success
    assert witness.asked == []


class Moving(SeenWorld):
    """The arm's tool is elsewhere once it is out of sight."""

    def _frames(self):
        frames = super()._frames()
        pose, stamp = frames["panda_hand_tcp"]
        return {**frames, "panda_hand_tcp": (pose.shifted((-0.2, 0.0, 0.2)) if self.clear else pose, stamp)}


@pytest.mark.parametrize(("answers", "success"), [((NO, YES), True), ((NO, NO), False)])
def test_a_dispute_about_what_is_unsure_asks_for_another_view(config_dir, domain, monkeypatch, answers, success):
    monkeypatch.setattr("hicrisp_core.executive.second_witness.is_sure", lambda *_: False)
    witness, world, events = Telling(*answers), Moving(domain, things()), []
    parts = load_factory(config_dir, domain, "hierarchical")
    parts = replace(parts, memory=None, policy=replace(parts.policy, witness="always"))
    executive = parts.executive({"panda": world}, world, events.append, interpreter=ScriptedInterpreter(SIDE_BY_SIDE),
                                witness=witness)
    result = executive.run(Task("any words"))
    assert result.success is success
    assert len(witness.asked) == 2, "once more, as the arm is out of sight"
    assert ["panda"] in [event["cleared"] for event in of(events, "look")]
    assert success or "a model said: no" in result.message


def test_a_dispute_ends_once_the_measurement_is_sure_and_the_witness_is_not_asked_again(domain):
    witness = Telling(NO)
    second = SecondWitness(witness, domain, "doubt", RunLog(Budget(), lambda _: None))
    second.hear([BESIDE], seen_beside(0.03))
    assert "a model said: no." in second.doubts[BESIDE].said
    second.hear([BESIDE], seen_beside(0.03))
    assert BESIDE in second.doubts, "it looks the same"
    second.hear([BESIDE], seen_beside(0.001))
    assert (second.doubts, len(witness.asked)) == ({}, 1)


@pytest.fixture
def wiping(tmp_path):
    file = tmp_path / "wiping.yaml"
    file.write_text(WIPES)
    return load_domain(file)


def test_what_only_the_witness_sees_decides_on_the_step_and_on_the_goal(wiping):
    witness = Telling(NO, YES, YES)
    policy = Policy("test", verify_goal="task", autonomy="full", witness="unmeasurable")
    run = run_of(wiping, goal("clean(box)"), ["wipe(panda, box)"], policy=policy, state=table_top(THINGS),
                 witness=witness)
    result = run()
    assert (result.success, result.goal) == (True, "seen")
    assert run.world.executed == ["wipe(panda, box)"] * 2, "the first time it was not clean"
    assert witness.asked == [("panda", ("the box is clean",), ("box",))] * 2 + [
        ("the task", ("the box is clean",), ("box",))]


def test_where_the_only_witness_cannot_tell_the_step_is_not_taken_for_done(wiping):
    policy = Policy("test", rungs=(), verify_goal="task", autonomy="full", witness="unmeasurable")
    run = run_of(wiping, goal("clean(box)"), ["wipe(panda, box)"], policy=policy, witness=Telling(CANNOT, CANNOT))
    result = run()
    assert not result.success
    assert run.told("verdict")[-1]["feedback"]["error"] == "Cannot tell whether box is clean."
