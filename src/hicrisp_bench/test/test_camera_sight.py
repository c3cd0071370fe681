"""The embedded world by its own camera begins only where that is where it is told to be."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hicrisp_bench.trial import Touches, camera_sight, look_steadily
from hicrisp_core.factory import load_factory
from hicrisp_core.llm.chat_model import ChatModel, Completion
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.model import Pose, Task
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.embedded import EmbeddedWorld

from hicrisp_perception import CameraMisplaced

CONFIG = Path(__file__).resolve().parents[3] / "config"

@pytest.mark.parametrize(("scene", "seed"), [("tabletop", 3), ("clutter", 5)])
def test_a_knocked_camera_is_refused_with_the_deviation(scene: str, seed: int) -> None:
    world = EmbeddedWorld(scene, seed)
    world.inject("camera_moved", "", (0.003, 0.0))
    assert {track.name for track in camera_sight(world).look().tracks} >= {"box", "cylinder"}
    world.inject("camera_moved", "", (0.02, 2.0))
    with pytest.raises(CameraMisplaced) as refused:
        camera_sight(world).look()
    assert refused.value.misfit.deviation > world.scene.camera_error
    assert refused.value.misfit.offset == pytest.approx(0.02, abs=0.008)


def test_a_thing_that_no_file_describes_is_named_by_the_user_and_moved_by_that_name() -> None:
    world = EmbeddedWorld("tabletop", 3, sight=camera_sight)
    world.inject("intruder", "", (0.45, -0.25, 0.04, 0.04, 0.06))
    world.observe(Deadline(10.0))
    parts = replace(load_factory(CONFIG, world.domain, "hierarchical"), memory=None)
    executive = parts.executive({world.robot.name: world.robot}, world, lambda _: None)
    refused = executive.run(Task("call the unknown thing cylinder"))
    assert not refused.success
    for text in ("call the unknown thing coffee cup", "place the coffee cup next to the cylinder"):
        result = executive.run(Task(text))
        assert result.success, result.message
    frames = world.true_frames()
    assert planar_distance(frames["intruder_1"][0].position, frames["cylinder"][0].position) < 0.13


class Names(ChatModel):
    """Calls the first object in a picture a mug."""

    questions = 0
    name = "stub"

    def complete(self, messages: Any, deadline: Deadline, schema: Any = None) -> Completion:
        self.questions += 1
        return Completion(json.dumps({"objects": [{
            "number": 1, "noun": "mug", "colour": "white", "use": "for drinking", "fragile": True, "liquid": False,
            "also": ["cup"], "sure": 0.9}]}))


def test_a_thing_that_a_model_names_is_moved_by_its_name_or_another_noun(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Names()
    models = Models(replace(LlmSettings("offline", backend="offline"), roles={"vision": LlmSettings("stub")}))
    monkeypatch.setattr(models, "of", lambda role: model)
    world = EmbeddedWorld("tabletop", 3, sight=partial(camera_sight, models=models))
    world.inject("intruder", "", (0.45, -0.25, 0.04, 0.04, 0.06))
    look_steadily(world)
    assert "mug" in world.look().objects
    parts = replace(load_factory(CONFIG, world.domain, "hierarchical"), memory=None)
    executive = parts.executive({world.robot.name: world.robot}, world, lambda _: None)
    for text in ("put the cup next to the cylinder", "call the mug coffee cup", "pick up the coffee cup"):
        result = executive.run(Task(text))
        assert result.success, result.message
    assert model.questions == 1


def test_a_box_of_which_the_hand_leaves_little_open_to_view_is_seen_where_it_is() -> None:
    world = EmbeddedWorld("clutter", 2, sight=camera_sight)
    parts = replace(load_factory(CONFIG, world.domain, "hierarchical"), memory=None)
    assert parts.executive({world.robot.name: world.robot}, world, lambda _: None).run(Task("pick up the box")).success
    for _ in range(4):  # Each look moves the thing in the hand a little.
        seen = world.observe(Deadline(10.0)).objects["box"].pose
        assert seen is not None
        assert math.dist(seen.position, world.true_frames()["box"][0].position) < 0.006


def test_what_the_arm_touches_of_things_that_no_file_describes_is_counted() -> None:
    world = EmbeddedWorld("tabletop", 3)
    world.inject("intruder", "", (0.45, -0.25, 0.04, 0.04, 0.06))
    touches = Touches(world)
    world.settle(1.0)
    assert not touches.names
    world.simulation.put("box", Pose((0.45, -0.25, 0.10)))
    world.settle(1.0)
    assert touches.names == ["intruder_1"]
