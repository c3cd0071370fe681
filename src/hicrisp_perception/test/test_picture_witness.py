"""The second witness: which pictures a model is shown, and the way over ROS to whoever asks."""

from __future__ import annotations

import json
from dataclasses import replace
from threading import Event
from typing import Any, List, Optional

import numpy as np
import pytest
from hicrisp_core.llm.chat_model import ChatModel, Completion
from hicrisp_core.llm.images import misfit
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.model import Pose, WorldObject, WorldState
from hicrisp_core.model.picture import Lens, Picture
from hicrisp_core.ports.witness import Finding, Ruling
from hicrisp_core.time.deadline import Deadline
from hicrisp_perception.picture_witness import PictureWitness, picture_witness
from hicrisp_perception.ros.witness_server import WitnessServer
from hicrisp_ros.ports.node_client import NodeClient
from hicrisp_ros.ports.witness import RosWitness
from waiting import PATIENCE

from hicrisp_msgs.msg import WitnessAction

PICTURE = Picture(0.0, Lens(320, 240, 300.0, 300.0, 159.5, 119.5), np.full((240, 320, 3), 200, np.uint8),
                  np.ones((240, 320), np.float32), Pose((0.5, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0)))
MUG = WorldObject("mug", "box", "box", (0.06, 0.09, 0.08), {}, Pose((0.5, 0.1, 0.04)))
WORLD = WorldState({"mug": MUG, "bowl": replace(MUG, name="bowl", pose=Pose((0.5, -0.1, 0.04)))})
ASKED = "the task", ["the mug is in the bowl"], ["mug", "bowl"]


class Says(ChatModel):
    """Answers yes, and keeps what it was asked."""

    name = "stub"

    def __init__(self) -> None:
        self.asked: List[Any] = []

    def complete(self, messages: Any, deadline: Deadline, schema: Any = None) -> Completion:
        self.asked.append(messages)
        return Completion(json.dumps({"reason": "it fell"} if "failed" in messages[0]["content"] else {
            "answers": [{"number": 1, "why": "inside", "answer": "yes"}]}))


def witness(monkeypatch: pytest.MonkeyPatch, *pictures: Optional[Picture]) -> "tuple[PictureWitness, Says]":
    models, model, left = Models(LlmSettings("stub", roles={"vision": LlmSettings("stub")})), Says(), list(pictures)
    monkeypatch.setattr(models, "of", lambda role: model)
    found = picture_witness(models, lambda: left.pop(0))
    assert found is not None
    return found, model


def test_the_model_sees_the_names_before_and_nothing_but_the_picture_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, model = witness(monkeypatch, PICTURE, replace(PICTURE, colour=PICTURE.colour // 2))
    assert asked.keep("the task", WORLD)
    assert asked.ask(*ASKED, Deadline(PATIENCE)).said == (Finding(Ruling.YES, "inside"),)
    (messages,) = model.asked
    named, before, now = messages[-1]["images"]
    assert len({named, before, now}) == 3
    assert misfit(messages) == ""
    assert "mug: 9 x 6 x 8\n" in messages[-1]["content"]
    assert "1: the mug is in the bowl" in messages[-1]["content"]


def test_without_a_picture_from_before_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, model = witness(monkeypatch, None, PICTURE)
    assert not asked.keep("the task", WORLD)
    assert asked.ask(*ASKED, Deadline(PATIENCE)).trouble
    assert model.asked == []


def test_who_has_no_role_for_pictures_has_no_witness() -> None:
    assert picture_witness(Models(LlmSettings("stub")), lambda: PICTURE) is None
    assert not LlmSettings("stub", roles={"vision": LlmSettings("off", backend="offline")}).testifies


@pytest.mark.usefixtures("ros")
def test_pictures_are_kept_and_statements_answered_over_ros(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, model = witness(monkeypatch, *[PICTURE] * 4)
    server = WitnessServer(asked)
    port = RosWitness(NodeClient("witness", WitnessAction), Event())
    assert port.keep("the task", WORLD)
    said = port.ask(*ASKED, Deadline(PATIENCE))
    assert (said.said, said.trouble) == ((Finding(Ruling.YES, "inside"),), "")
    assert port.keep("panda", WORLD)
    assert port.explain("panda", ["the command: pick up mug"], ["mug"], Deadline(PATIENCE)).reason == "it fell"
    assert "- the command: pick up mug" in model.asked[-1][-1]["content"]
    assert len(model.asked[-1][-1]["images"]) == 3
    server.stop()


@pytest.mark.usefixtures("ros")
def test_a_node_that_is_away_keeps_nothing() -> None:
    port = RosWitness(NodeClient("witness_away", WitnessAction), Event())
    assert not port.keep("the task", WORLD)
    assert "gave no answer" in port.ask(*ASKED, Deadline(0.2)).trouble
