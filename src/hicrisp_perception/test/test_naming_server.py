"""The naming over ROS: a name goes to the detector with its attributes, beside the images, and into a record."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event
from typing import Any, List

import numpy as np
import pytest
import rospy
from hicrisp_core.llm.chat_model import ChatModel, Completion
from hicrisp_core.llm.models import Models, RoleModel
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.picture import Lens, Picture
from hicrisp_core.model.track import Track, Tracks, Uncertainty
from hicrisp_core.time.deadline import Deadline
from hicrisp_perception.live_naming import live_namer
from hicrisp_perception.ros.naming_server import NamingServer, _unnamed
from hicrisp_ros.ports.detector import RosNamer
from waiting import PATIENCE, until

from hicrisp_msgs.msg import LlmUsage, WorldState
from hicrisp_msgs.msg import WorldObject as ObjectMessage
from hicrisp_msgs.srv import NameThing, NameThingResponse

pytestmark = pytest.mark.usefixtures("ros")
PICTURE = Picture(0.0, Lens(320, 240, 300.0, 300.0, 159.5, 119.5), np.full((240, 320, 3), 200, np.uint8),
                  np.ones((240, 320), np.float32), Pose((0.5, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0)))


class Slow(ChatModel):
    """Answers when it may."""

    name = "stub"

    def __init__(self) -> None:
        self.asked, self.may = Event(), Event()

    def complete(self, messages: Any, deadline: Deadline, schema: Any = None) -> Completion:
        self.asked.set()
        assert self.may.wait(PATIENCE)
        return Completion(json.dumps({"objects": [{
            "number": 1, "noun": "mug", "colour": "white", "use": "", "fragile": False, "liquid": False,
            "also": ["cup"], "sure": 0.9}]}))


def test_a_name_reaches_the_detector_while_images_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requests: List[Any] = []

    def name(request: Any) -> NameThingResponse:
        requests.append(request)
        return NameThingResponse(True, "named")

    service = rospy.Service("name_thing", NameThing, name)
    worlds = rospy.Publisher("world_state", WorldState, queue_size=1, latch=True)
    worlds.publish(WorldState(objects=[ObjectMessage(name="unknown_1"), ObjectMessage(name="salt")]))
    costs: List[Any] = []
    listener = rospy.Subscriber("llm_usage", LlmUsage, costs.append)
    slow = Slow()
    models = Models(LlmSettings("stub", roles={"vision": LlmSettings("stub")}))
    monkeypatch.setattr(models, "of", lambda role: RoleModel(slow, role, LlmSettings("stub")))
    namer = live_namer(models, RosNamer().give_name, _unnamed)
    assert namer is not None
    server = NamingServer(namer, tmp_path / "naming.jsonl")
    poses = {"unknown_1": Pose((0.5, 0.1, 0.04)), "unknown_2": Pose((0.5, -0.1, 0.04))}
    size = (0.06, 0.06, 0.08)
    tracks = tuple(Track(own, pose, Uncertainty(), 0.0, unknown=WorldObject(own, "", "box", size, {}, pose))
                   for own, pose in poses.items())  # A user calls the second one salt.
    for look in range(30):
        server.show(PICTURE, Tracks(0.1 * look, tracks))
    assert slow.asked.wait(PATIENCE)
    server.show(PICTURE, Tracks(3.0, tracks))
    until(listener.get_num_connections, "somebody who tells the costs")
    slow.may.set()
    until(lambda: (tmp_path / "naming.jsonl").exists(), "the record")
    until(lambda: costs, "the costs")
    server.stop()
    listener.unregister()
    service.shutdown()
    worlds.unregister()
    assert [(each.task_id, each.calls) for each in costs] == [("", 1)]
    (request,) = requests
    assert (request.thing, request.name, request.guess) == ("unknown_1", "mug", True)
    assert {each.key: each.value for each in request.attributes} == {"colour": "white", "also": "cup"}
    written = (tmp_path / "naming.jsonl").read_text()
    assert "mug" in written
    assert "base64" not in written
