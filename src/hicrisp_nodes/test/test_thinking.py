"""Nodes that think, behind their actions: a body with a language model, a corrector that knows earlier errors."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Event
from typing import List

import pytest
import rospy
from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.domain import load_domain
from hicrisp_core.factory import RunFactory
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.model import (
    Cause,
    CauseKind,
    Command,
    Feedback,
    FeedbackKind,
    Level,
    Maker,
    MakerKind,
    Plan,
    Pose,
    Relation,
    RobotState,
    Rung,
    StackEntry,
    Step,
    StepRecord,
    Task,
    TriedCommand,
    WorldObject,
    WorldState,
)
from hicrisp_core.model.meaning import Choice, Question, Speaker, Turn
from hicrisp_core.model.offsets import DecoderOffsets
from hicrisp_core.model.remembered import KnownWay, Remembered
from hicrisp_core.policy.policy import Policy
from hicrisp_core.ports.brain import Brain, CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.ports.corrector import CorrectorRequest
from hicrisp_core.ports.interpreter import Request
from hicrisp_core.time.deadline import Deadline
from hicrisp_nodes.brain_server import BrainServer
from hicrisp_nodes.corrector_node import CorrectorServer
from hicrisp_nodes.supervisor.dry_run import rehearse
from hicrisp_ros.ports.body import RosBody
from hicrisp_ros.ports.brain import RosBrain, RosInterpreter
from hicrisp_ros.ports.node_client import NodeClient, RosCorrector
from hicrisp_ros.service_client import ServiceClient

from hicrisp_msgs.msg import CorrectStepAction, PlanTaskAction, TranslateStepAction, UnderstandAction
from hicrisp_msgs.srv import AimCommand
from hicrisp_nodes import body_node

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "src" / "hicrisp_core" / "test"))
from chat_server import ChatServer  # noqa: E402 - the core's tests lie beside, in no package
from goals import ScriptedInterpreter, goal  # noqa: E402

pytestmark = pytest.mark.usefixtures("ros")
DOMAIN = load_domain(ROOT / "config" / "domains" / "tabletop.yaml")
WORLD = WorldState(
    {"table": WorldObject("table", "surface", "surface", (0.8, 1.2, 0.04), pose=Pose((0.5, 0.0, -0.02)),
                          movable=False),
     "box": WorldObject("box", "box", pose=Pose((0.4, 0.1, 0.025))),
     "cylinder": WorldObject("cylinder", "cylinder", "cylinder", pose=Pose((0.5, -0.1, 0.025)))},
    frozenset((Relation("panda", "holding", "box"), Relation("cylinder", "on", "table"))),
    {"panda": RobotState("panda")})
BESIDE = '{"steps": ["place_next_to(box, cylinder)"]}'


@pytest.fixture(scope="module")
def body(ros: None, tmp_path_factory: pytest.TempPathFactory):
    """The body node as its parameters make it, and the server that it asks."""
    with ChatServer("pass: waiting needs no command", BESIDE, '{"steps": ["pick(salt)"]}') as server:
        llm = tmp_path_factory.mktemp("llm") / "loopback.yaml"
        llm.write_text(f"llm: loopback\nbackend: openai\nbase_url: {server.url}\n")
        for name, value in (("scene", "tabletop"), ("policy", "brainbody"), ("llm", str(llm))):
            rospy.set_param(f"~{name}", value)
        body_node.build()
        yield RosBody(NodeClient("body/translate", TranslateStepAction), ServiceClient("body/aim", AimCommand),
                      Event())


def test_a_body_with_a_model_passes_commands_and_refuses_over_ros(body: RosBody) -> None:
    passed = body.translate(Step("wait a moment", ""), WORLD, Deadline(20.0))
    assert (passed.commands, passed.pass_reason) == ((), "waiting needs no command")
    placed = body.translate(Step("set it beside the cylinder", ""), WORLD, Deadline(20.0))
    assert [str(command) for command in placed.commands] == ["place_next_to(panda, box, cylinder)"]
    assert (placed.usage.calls, placed.usage.tokens) == (1, 15)
    refused = body.translate(Step("take the salt", ""), WORLD, Deadline(20.0))
    assert refused.feedback is not None
    assert refused.feedback.kind is FeedbackKind.INVALID
    assert refused.feedback.cause is not None
    assert "no object 'salt'" in refused.feedback.cause.said


def test_a_body_with_a_model_aims_as_every_body_does(body: RosBody) -> None:
    command = Command("place_next_to", {"robot": "panda", "item": "box", "reference": "cylinder"}, "panda")
    aimed = body.aim(command, WORLD, DecoderOffsets(), Deadline(20.0))
    assert isinstance(aimed, Command)
    assert aimed.target is not None


class Planner:
    """A brain that keeps what it was asked."""

    def __init__(self) -> None:
        self.requests: List[PlanRequest] = []
        self.corrections: List[CorrectionRequest] = []

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        self.requests.append(request)
        return PlanAnswer(Plan((Step("rest", "home", {"robot": "panda"}, "panda"),), "test"))

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        self.corrections.append(request)
        return PlanAnswer(refusal="no action helps")


@pytest.fixture(scope="module")
def door(ros: None) -> CorrectorServer:
    """The corrector's door; each test puts a corrector behind it."""
    return CorrectorServer(RunFactory(DOMAIN, Policy("test", rungs=())).corrector(Planner()))


def corrector_of(door: CorrectorServer, planner: Brain, *rungs: str) -> RosCorrector:
    """A ladder with these rungs behind the door."""
    door.use(RunFactory(DOMAIN, Policy("test", rungs=rungs)).corrector(planner))
    return RosCorrector(NodeClient("corrector/correct", CorrectStepAction), Event())


@pytest.fixture(scope="module")
def brain_door(ros: None) -> BrainServer:
    """The brain's doors; each test puts a brain behind them."""
    return BrainServer(Planner())


def test_what_is_remembered_reaches_the_brain(brain_door: BrainServer) -> None:
    planner = Planner()
    brain_door.use(planner)
    examples = (Remembered("e1", "rest a moment", (Step("rest", "home", {"robot": "panda"}, "panda"),),
                           likeness=0.5),)
    RosBrain(NodeClient("brain/plan", PlanTaskAction), Event()).plan(
        PlanRequest(Task("rest"), WORLD, examples=examples), Deadline(20.0))
    assert planner.requests[0].examples == examples


def test_a_correction_is_asked_with_the_goal_the_plan_and_what_was_tried(
    door: CorrectorServer, brain_door: BrainServer
) -> None:
    planner = Planner()
    brain_door.use(planner)
    pick = Command("pick", {"robot": "panda", "item": "box"}, "panda")
    failed = Feedback(Level.HIGH, FeedbackKind.PRECONDITION, pick)
    rest, wanted = Step("rest", "home", {"robot": "panda"}, "panda"), goal("holding(panda,box)")
    tried = (TriedCommand(pick, failed), TriedCommand(Command("home", {"robot": "panda"}, "panda")))
    brain = RosBrain(NodeClient("brain/plan", PlanTaskAction), Event())
    door.use(RunFactory(DOMAIN, Policy("test", rungs=(Rung.LLM_STEP,))).corrector(brain))
    RosCorrector(NodeClient("corrector/correct", CorrectStepAction), Event()).correct(CorrectorRequest(
        Task("take it"), (StackEntry(pick, failed),), WORLD, (StepRecord(rest),), (rest,), goal=wanted, tried=tried),
        Deadline(20.0))
    asked = planner.corrections[0]
    assert (asked.goal, asked.remaining, asked.tried) == (wanted, (rest,), tried)
    assert [record.step for record in asked.done] == [rest]


def test_a_known_correction_reaches_the_ladder_and_comes_back_with_its_id(door: CorrectorServer) -> None:
    pick = Command("pick", {"robot": "panda", "item": "cylinder"}, "panda")
    entry = StackEntry(pick, Feedback(Level.HIGH, FeedbackKind.PRECONDITION, pick))
    way = KnownWay("c7", (Step("", "put_down", {"robot": "panda", "item": "box"}, "panda"),), times=3)
    answer = corrector_of(door, Planner(), Rung.MEMORY).correct(
        CorrectorRequest(Task("take it"), (entry,), WORLD, known=(way,)), Deadline(20.0))
    assert answer.correction.rung is Rung.MEMORY
    assert answer.correction.maker == Maker(MakerKind.MEMORY, "c7")
    assert [str(each) for each in answer.correction.commands] == ["put_down(panda, box)"]


def test_a_brain_that_leaves_a_step_out_does_so_over_ros(door: CorrectorServer, brain_door: BrainServer) -> None:
    planner = Planner()
    planner.correct = lambda request, deadline: PlanAnswer(Plan((), "test", "it is not wanted"), drop=True)
    brain_door.use(planner)
    brain = RosBrain(NodeClient("brain/plan", PlanTaskAction), Event())
    pick = Command("pick", {"robot": "panda", "item": "cylinder"}, "panda")
    entry = StackEntry(pick, Feedback(Level.LOW, FeedbackKind.PLANNING, pick))
    answer = corrector_of(door, brain, Rung.LLM_STEP).correct(
        CorrectorRequest(Task("take it"), (entry,), WORLD), Deadline(20.0))
    assert (answer.correction.rung, answer.correction.drop, answer.correction.commands) == (Rung.LLM_STEP, True, ())
    assert answer.correction.note == "it is not wanted"


def test_the_corrector_hands_the_brain_the_errors_that_led_to_new_plans_before(door: CorrectorServer) -> None:
    planner = Planner()
    corrector = corrector_of(door, planner, Rung.LLM_REPLAN)
    picks = (Command("pick", {"robot": "panda", "item": name}, "panda") for name in ("box", "cylinder"))
    old, new = (Feedback(Level.LOW, FeedbackKind.PLANNING, pick, cause=Cause(CauseKind.BLOCKED, ("salt",)))
                for pick in picks)
    assert new.command is not None
    entry = StackEntry(new.command, new)
    done = StepRecord(Step("rest", "home", {"robot": "panda"}, "panda"), note="it rests")
    answer = corrector.correct(
        CorrectorRequest(Task("take a thing"), (entry,), WORLD, (done,), replans_left=3, earlier=(old,)),
        Deadline(20.0))
    assert answer.correction.rung is Rung.LLM_REPLAN
    assert answer.correction.maker == Maker(MakerKind.MODEL, "test")
    assert planner.requests[0].feedback == (old, new)
    assert planner.requests[0].done == (done,)


class Eyes:
    """Sees one world, for ever."""

    def observe(self, deadline: Deadline) -> WorldState:
        return WORLD


def test_a_dry_run_asks_the_body_for_the_commands_of_steps_in_words() -> None:
    domain = load_domain(ROOT / "config" / "domains" / "tabletop.yaml")
    prompts = ROOT / "config" / "prompts" / "brainbody"
    plan = '{"reasoning": "", "steps": ["wait a moment", "set it beside the cylinder", "do it again"]}'
    with ChatServer(plan, "pass: waiting needs no command", BESIDE, BESIDE) as server:
        llm = LlmSettings("loopback", base_url=server.url)
        policy = Policy("test", body="model", verify_goal="off")
        ports = RunFactory(domain, policy, llm, prompts).ports({}, Eyes())
        told = rehearse(domain, policy, ports, Task("place the box next to the cylinder"))
    assert told.success
    assert told.message.splitlines() == [
        "would do: 1. nothing (waiting needs no command); 2. place box next to cylinder; "
        "3. nothing ('place box next to cylinder' holds already)"]


def test_a_dry_run_says_what_it_understands_and_asks_no_model_where_there_is_none() -> None:
    ports = RunFactory(DOMAIN, Policy("test")).ports({}, Eyes())
    told = rehearse(DOMAIN, Policy("test"), ports, Task("place the box next to the cylinder"))
    assert told.success
    assert told.message == ("I understand: the box ends up next to the cylinder. "
                            "would do: 1. place box next to cylinder")
    refused = rehearse(DOMAIN, Policy("test"), ports, Task("tidy up as I like it"))
    assert not refused.success
    assert refused.message


def test_what_is_said_reaches_the_interpreter_with_its_conversation_and_comes_back_as_a_goal(
    brain_door: BrainServer
) -> None:
    interpreter = ScriptedInterpreter(goal("next_to(box,cylinder)"), Question("Which box?", (Choice("box"),)))
    planner = Planner()
    brain_door.use(planner, interpreter)
    behind = RosInterpreter(NodeClient("brain/understand", UnderstandAction), Event())
    said = Request("no, the other one", WORLD, (Turn(Speaker.USER, "put it away"),), handled=("box",),
                   goal=goal("on(box,table)"))
    assert behind.understand(said, Deadline(20.0)).meaning == goal("next_to(box,cylinder)")
    assert interpreter.requests[0].conversation == said.conversation
    assert (interpreter.requests[0].text, interpreter.requests[0].handled, interpreter.requests[0].goal) == (
        said.text, said.handled, said.goal)
    assert behind.understand(said, Deadline(20.0)).meaning == Question("Which box?", (Choice("box"),))
    brain_door.use(planner)
    assert behind.understand(said, Deadline(20.0)).trouble == "This brain has no interpreter."


def test_the_goal_and_the_conversation_reach_the_brain_which_may_ask_for_a_goal(brain_door: BrainServer) -> None:
    planner = Planner()
    brain_door.use(planner)
    brain = RosBrain(NodeClient("brain/plan", PlanTaskAction), Event())
    turns = (Turn(Speaker.USER, "put it away"), Turn(Speaker.ROBOT, "Which one?"), Turn(Speaker.USER, "the box"))
    wanted = goal("next_to(box,cylinder)")
    brain.plan(PlanRequest(Task("put it away"), WORLD, goal=wanted, conversation=turns), Deadline(20.0))
    assert (planner.requests[0].goal, planner.requests[0].conversation) == (wanted, turns)
    brain_door.use(SearchBrain(DOMAIN))
    assert brain.plan(PlanRequest(Task("put it away"), WORLD), Deadline(20.0)).needs_goal
    found = brain.plan(PlanRequest(Task("put it away"), WORLD, goal=wanted), Deadline(20.0))
    assert found.plan is not None
    assert [step.action for step in found.plan.steps] == ["place_next_to"]
