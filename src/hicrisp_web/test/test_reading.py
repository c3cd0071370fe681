"""What a task's words mean before it is submitted, asked on request."""

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
from hicrisp_web.live.brain_reading import BrainReading, meaning_shown
from hicrisp_web.server.page_actions import Said

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
    call = reading.actions()["understand"].call
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
