"""What a task's words mean before it is submitted: read while they are typed, and on request."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread
from typing import Any, Callable, Dict, List

import pytest
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.model import RobotState, WorldState
from hicrisp_core.model.goal import Goal, Holds
from hicrisp_core.model.meaning import Answer, Choice, Meaning, Question, Reason, Refusal
from hicrisp_core.model.world import Relation
from hicrisp_core.ports.interpreter import Request, Understood
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_web.live.brain_reading import BrainReading
from hicrisp_web.server.deeds import Said
from hicrisp_web.view.reading import Reader, meaning_shown

CONFIG = Path(__file__).resolve().parents[3] / "config"
SCENE = load_scene(CONFIG / "scenes" / "blocks.yaml", 1)
ON_BLUE = Goal.of(Holds(Relation("red_box", "on", "blue_box")))
PATIENCE = 10.0


@pytest.fixture(scope="module")
def domain() -> Domain:
    return load_domain(CONFIG / "domains" / f"{SCENE.domain}.yaml")


@pytest.fixture(scope="module")
def world(domain: Domain) -> WorldState:
    facts = frozenset(Relation(thing.name, "on", "table") for thing in SCENE.things)
    return WorldState(SCENE.objects, facts, {"panda": RobotState("panda")})


@pytest.fixture(scope="module")
def reader(domain: Domain) -> Reader:
    return Reader(domain)


def test_controlled_english_is_read_with_the_steps_that_it_takes(reader: Reader, world: WorldState) -> None:
    meant = reader.read("put the red box on the blue box", world)
    assert meant is not None
    assert "red box" in meant["goal"]
    assert [step.split()[0] for step in meant["steps"]] == ["pick", "place"]


def test_what_is_so_already_needs_no_steps(reader: Reader, world: WorldState) -> None:
    meant = reader.read("put the red box on the table", world)
    assert meant is not None
    assert "so already" in meant["answer"]
    assert "steps" not in meant


def test_words_with_several_readings_are_asked_about(reader: Reader, world: WorldState) -> None:
    meant = reader.read("pick up the box", world)
    assert meant is not None
    assert meant["question"]
    assert "blue box" in meant["choices"]


def test_a_question_is_answered(reader: Reader, world: WorldState) -> None:
    meant = reader.read("where is the red box?", world)
    assert meant is not None
    assert "table" in meant["answer"]


def test_a_name_for_an_unknown_object_moves_nothing(reader: Reader, world: WorldState) -> None:
    meant = reader.read("call the unknown object coffee cup", world)
    assert meant is not None
    assert "coffee cup" in meant["answer"]


@pytest.mark.parametrize("text", ["tell me a story about dragons", "  "])
def test_other_words_are_not_read_while_they_are_typed(reader: Reader, world: WorldState, text: str) -> None:
    assert reader.read(text, world) is None


def test_every_example_can_be_carried_out_and_the_scenes_own_comes_first(
    reader: Reader, world: WorldState
) -> None:
    own = "put the red box on the blue box"
    examples = reader.examples(own, world)
    assert examples[0] == own
    assert len(examples) > 1
    assert len(set(examples)) == len(examples)
    for example in examples:
        assert reader.read(example, world), example


def test_a_scene_without_a_task_has_examples_too(reader: Reader, world: WorldState) -> None:
    assert all(reader.examples("", world))
    assert reader.examples("", world)


@pytest.mark.parametrize(("meaning", "shown"), [
    (Question("Which box?", (Choice("red box", ON_BLUE), Choice("blue box"))),
     {"question": "Which box?", "choices": ["red box", "blue box"]}),
    (Answer("It is on the table."), {"answer": "It is on the table."}),
    (Refusal(Reason.UNSAFE, "It would break.", ("pick up the cup",)),
     {"refusal": "It would break.", "alternatives": ["pick up the cup"]}),
    (Goal(ON_BLUE.stages, said="red on blue"), {"goal": "red on blue"}),
    (ON_BLUE, {"goal": "the red box ends up on the blue box"})])
def test_each_meaning_is_shown_in_words(meaning: Meaning, shown: Dict[str, Any], domain: Domain) -> None:
    assert meaning_shown(meaning, domain) == shown


class Interpreter:
    """Answers what a test gives it; a request for "slow" waits until it is ended early."""

    def __init__(self, understood: Understood) -> None:
        self.requests: List[Request] = []
        self.began = Event()
        self._understood = understood

    def behind(self, cancel: Event) -> "Interpreter":
        self.cancel = cancel
        return self

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        self.requests.append(request)
        if request.text == "slow":
            own = self.cancel
            self.began.set()
            assert own.wait(PATIENCE)
        return self._understood


Ask = Callable[[str], Said]


def asking(interpreter: Interpreter, domain: Domain, world: WorldState, hindrance: str = "") -> Ask:
    reading = BrainReading(interpreter.behind, lambda: domain, lambda: world, lambda: hindrance)
    call = reading.deeds()["understand"].call
    return lambda task: call(task=task)


def test_the_interpreter_says_on_request_what_a_task_means(domain: Domain, world: WorldState) -> None:
    interpreter = Interpreter(Understood(ON_BLUE))
    said = asking(interpreter, domain, world)("red onto blue")
    assert said == Said(True, "", {"goal": "the red box ends up on the blue box"})
    assert interpreter.requests == [Request("red onto blue", world)]


def test_why_there_is_no_meaning_is_said(domain: Domain, world: WorldState) -> None:
    silent = Interpreter(Understood(trouble="The model is away."))
    assert asking(silent, domain, world)("red onto blue") == Said(False, "The model is away.")
    assert asking(Interpreter(Understood()), domain, world)("red onto blue").message


def test_an_interpreter_that_is_needed_elsewhere_is_not_asked(domain: Domain, world: WorldState) -> None:
    interpreter = Interpreter(Understood(ON_BLUE))
    why = "A task is under way."
    assert asking(interpreter, domain, world, why)("x") == Said(False, why)
    assert asking(interpreter, domain, world)("  ") == Said(False, "")
    assert interpreter.requests == []


def test_a_newer_question_ends_the_one_under_way(domain: Domain, world: WorldState) -> None:
    interpreter = Interpreter(Understood(ON_BLUE))
    ask = asking(interpreter, domain, world)
    first: List[Said] = []
    asked = Thread(target=lambda: first.append(ask("slow")))
    asked.start()
    assert interpreter.began.wait(PATIENCE)
    assert ask("red onto blue").ok
    asked.join(PATIENCE)
    assert [said.ok for said in first] == [False]


def test_the_interpreter_is_not_asked_without_end(domain: Domain, world: WorldState) -> None:
    interpreter = Interpreter(Understood(ON_BLUE))
    ask = asking(interpreter, domain, world)
    answers = [ask(f"task {number}").ok for number in range(20)]
    assert answers[0]
    assert not answers[-1]
    assert len(interpreter.requests) == sum(answers)
