"""What a simulated world tells of itself: what was made to go wrong, and which layout it is."""

from __future__ import annotations

from typing import Sequence

import pytest
import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_core.scene import SceneFault, load_scene
from hicrisp_ros.simulated_world import begin_faults, injected, requested_scene, was_reset

from hicrisp_msgs.srv import InjectFaultRequest, ResetWorldRequest

SLIP = InjectFaultRequest("slip", "box", [1], 2)
TOLD = {"fault": "slip", "target": "box", "magnitude": [1.0], "count": 2}


def slips(kind: str, target: str, magnitude: Sequence[float], count: int) -> str:
    return f"{target}: {kind} {count} times"


def refuses(kind: str, target: str, magnitude: Sequence[float], count: int) -> str:
    raise ConfigError(f"there is no '{target}'")


def test_what_was_injected_is_told_after_what_the_scene_begins_with(ros: None) -> None:
    begin_faults([SceneFault("sensor_noise", "", (0.5,))])
    answer = injected(SLIP, slips)
    assert (answer.ok, answer.message) == (True, "box: slip 2 times")
    assert rospy.get_param("~faults") == [
        {"fault": "sensor_noise", "target": "", "magnitude": [0.5], "count": 0}, TOLD]


def test_what_was_refused_is_not_told(ros: None) -> None:
    begin_faults(())
    answer = injected(SLIP, refuses)
    assert (answer.ok, answer.message) == (False, "there is no 'box'")
    assert rospy.get_param("~faults") == []


def test_a_new_beginning_ends_what_was_injected(ros: None) -> None:
    injected(SLIP, slips)
    begin_faults(())
    assert rospy.get_param("~faults") == []


def test_a_reset_tells_its_seed(ros: None) -> None:
    answer = was_reset(load_scene("tabletop", 3), 3)
    assert (answer.ok, answer.message) == (True, "scene tabletop with seed 3")
    assert rospy.get_param("~seed") == 3


def test_a_request_without_a_scene_keeps_the_one_that_there_is(ros: None) -> None:
    assert requested_scene(ResetWorldRequest("", 1)) is None
    scene = requested_scene(ResetWorldRequest("agv", 2))
    assert scene is not None
    assert (scene.name, scene.seed) == ("agv", 2)


def test_a_scene_that_there_is_not_is_refused_with_those_that_there_are(ros: None) -> None:
    with pytest.raises(ConfigError, match="tabletop"):
        requested_scene(ResetWorldRequest("nowhere", 0))
