"""The perception node: pictures in, tracks out; what is wrong with a camera is said with its topic."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from threading import Event, Lock
from typing import Any, Iterator, List, Optional

import numpy as np
import pytest
import rospy
from hicrisp_core.domain import load_domain
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.picture import Lens
from hicrisp_core.model.track import Track, Uncertainty, Visibility
from hicrisp_core.policy.policy import load_policy
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.cameras import CameraSettings, CameraTopics, load_camera
from hicrisp_perception.calibration.mounting import CameraMisplaced, MountingError
from hicrisp_perception.ros import perception_node
from hicrisp_perception.ros.perception_node import PerceptionServer
from hicrisp_ros.config_files import Configuration
from hicrisp_ros.conversions.geometry import transform_to_msg
from hicrisp_ros.conversions.picture import colour_to_msg, depth_to_msg, lens_to_msg
from hicrisp_ros.given_names import PARAMETER, keep_names
from hicrisp_ros.node_threads import end_threads
from hicrisp_ros.tracks import TrackTopic
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage
from waiting import PATIENCE, until

from hicrisp_msgs.srv import Snapshot, SnapshotRequest

pytestmark = pytest.mark.usefixtures("ros")
CONFIG = Path(__file__).parents[3] / "config"
CAMERA = load_camera("d435_fixed", CONFIG / "cameras/any")
HAND = replace(CAMERA, name="hand", frame="hand_optical", topics=CameraTopics("hand/colour", "hand/info", "hand/depth"))
LENS = Lens(8, 6, 600.0, 600.0, 3.5, 2.5)
BOX, JUG = Pose((0.5, 0.1, 0.025)), WorldObject("unknown_1", "?", "box", (0.1, 0.05, 0.2))


class Told:
    """A perception that says of each picture what it was told to say."""

    def __init__(self) -> None:
        self.pictures: List[Any] = []
        self.robots: List[Any] = []
        self.closer: List[Any] = []
        self.forgotten = self.asked = 0
        self.hides = True
        self.busy = Lock()
        self.fails = Event()
        self.refuses: Optional[CameraMisplaced] = None

    def look(self, picture, robots):
        self.asked += 1
        with self.busy:
            if self.refuses is not None:
                raise self.refuses
            self.pictures.append(picture)
            self.robots.append(robots)
            sure = Uncertainty(0.002, 0.001, 0.01)
            return (Track("box", BOX, sure, picture.stamp),
                    Track("cylinder", BOX, sure, picture.stamp - 2.0,
                          Visibility.HIDDEN if self.hides else Visibility.GONE),
                    Track("unknown_1", BOX, sure, picture.stamp, unknown=JUG))

    def look_closer(self, picture, robots):
        self.closer.append((picture, robots))
        return (Track("cylinder", BOX, Uncertainty(0.002, 0.001, 0.01), picture.stamp),)

    def afterwards(self) -> None:
        pass

    def forget(self) -> None:
        self.forgotten += 1


ROBOT = ("panda_hand_tcp", "panda_leftfinger", "panda_rightfinger", "panda_hand",
         *(f"panda_link{number}" for number in range(8)))
_STARTS = itertools.count(100.0, 100.0)
"""When each test begins, seconds: TF keeps what it heard."""


class Rig:
    """A camera on its topics, the robot's frames on TF, and the server."""

    def __init__(self, patience: float = 0.3, second: Optional[CameraSettings] = None) -> None:
        scene = load_scene(CONFIG / "scenes/tabletop.yaml", 1)
        configuration = Configuration(scene, load_domain(CONFIG / "domains/tabletop.yaml"),
                                      load_policy(CONFIG / "policies/hierarchical.yaml"))
        names = CAMERA.topics
        self.colour = rospy.Publisher(names.colour, Image, queue_size=1)
        self.depth = rospy.Publisher(names.depth, Image, queue_size=1)
        self.info = rospy.Publisher(names.info, CameraInfo, queue_size=1, latch=True)
        self.tf = rospy.Publisher("/tf", TFMessage, queue_size=10)
        self.seen, self.topic = Told(), TrackTopic("tracks")
        self.now = next(_STARTS)
        self.server = PerceptionServer(configuration, CAMERA, lambda _: self.seen, patience, second=lambda: second)
        until(lambda: all(topic.get_num_connections() for topic in (self.colour, self.depth, self.info)),
              "connections")
        until(lambda: self.tf.get_num_connections(), "TF")

    def close(self) -> None:
        self.server.stop()
        for topic in (self.colour, self.depth, self.info, self.tf):
            topic.unregister()
        self.topic._subscriber.unregister()

    def calibrate(self, lens: Lens = LENS) -> None:
        self.info.publish(lens_to_msg(lens, CAMERA.frame, rospy.Time(1)))

    def take(self, value: int = 10, encoding: str = "", size=(6, 8), frames: bool = True) -> float:
        """Publish one picture; the moment of its stamp."""
        self.now += 0.2
        stamp = rospy.Time.from_sec(self.now)
        if frames:
            self.tf.publish(TFMessage([transform_to_msg("world", name, Pose((0.3, 0.0, 0.5)), stamp)
                                       for name in (CAMERA.frame, *ROBOT)]))
        colour = colour_to_msg(np.full((6, 8, 3), value, dtype=np.uint8), CAMERA.frame, stamp)
        colour.encoding = encoding or colour.encoding
        self.depth.publish(depth_to_msg(np.full(size, 0.8), CAMERA.frame, stamp))
        self.colour.publish(colour)
        return self.now

    def until_trouble(self, *parts: str, **picture: Any) -> None:
        """Publish pictures until whoever hears of the tracks is told of a trouble with all these parts."""
        def told() -> bool:
            self.take(**picture)
            return all(part in self.topic.view.trouble for part in parts)
        until(told, f"trouble with {parts}")


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    yield rig
    rig.close()


def seen(rig: Rig) -> None:
    """Take pictures until one was looked at and told of."""
    before = rig.topic.view.stamp
    until(lambda: rig.take() and rig.topic.view.stamp > before and not rig.topic.view.trouble, "tracks")


def test_pictures_become_tracks_with_how_sure_they_are(rig: Rig) -> None:
    rig.calibrate()
    seen(rig)
    box, cylinder, unknown = rig.topic.view.tracks
    assert (box.name, box.pose, box.uncertainty.position) == ("box", BOX, 0.002)
    assert (cylinder.visibility, cylinder.stamp) == (
        Visibility.HIDDEN, pytest.approx(rig.topic.view.stamp - 2.0))
    assert unknown.unknown.size == JUG.size
    assert rig.seen.pictures[-1].lens == LENS
    assert rig.seen.pictures[-1].camera == Pose((0.3, 0.0, 0.5))
    assert "panda_link4" in rig.seen.robots[-1], "every frame of the robot tells its body from things"
    assert "box" not in rig.seen.robots[-1]


def test_what_is_hidden_is_looked_for_by_the_second_camera_which_is_subscribed_only_then() -> None:
    """As the hand's camera, which a simulator renders for subscribers alone."""
    rig = Rig(second=HAND)
    hand = [rospy.Publisher(name, kind, queue_size=1) for name, kind in
            ((HAND.topics.info, CameraInfo), (HAND.topics.colour, Image), (HAND.topics.depth, Image))]

    def take() -> None:
        """Publish a picture of each camera; that of the hand to subscribers."""
        stamp = rospy.Time.from_sec(rig.take())
        if all(topic.get_num_connections() for topic in hand):
            rig.tf.publish(TFMessage([transform_to_msg("world", HAND.frame, Pose((0.1, 0.0, 0.4)), stamp)]))
            for topic, message in zip(hand, (
                    lens_to_msg(LENS, HAND.frame, stamp),
                    colour_to_msg(np.full((6, 8, 3), 99, np.uint8), HAND.frame, stamp),
                    depth_to_msg(np.full((6, 8), 0.3), HAND.frame, stamp))):
                topic.publish(message)

    def shown() -> bool:
        take()
        return [track.visibility for track in rig.topic.view.tracks] == [Visibility.VISIBLE]

    try:
        rig.calibrate()
        rig.seen.hides = False
        seen(rig)
        assert not any(topic.get_num_connections() for topic in hand)
        rig.seen.hides = True
        until(shown, "what the second camera shows")
        picture, robots = rig.seen.closer[-1]
        assert picture.camera == Pose((0.1, 0.0, 0.4))
        assert int(picture.colour[0, 0, 0]) == 99
        assert robots["panda_link4"][1] == picture.stamp >= rig.seen.pictures[-1].stamp - 0.5 / HAND.rate
        rig.seen.hides = False
        until(lambda: take() or not any(topic.get_num_connections() for topic in hand), "the end of the subscription")
    finally:
        rig.close()
        for topic in hand:
            topic.unregister()


def test_only_the_newest_picture_is_looked_at(rig: Rig) -> None:
    rig.calibrate()
    seen(rig)
    with rig.seen.busy:
        begun, asked = len(rig.seen.pictures), rig.seen.asked
        rig.take()
        until(lambda: rig.seen.asked > asked, "a look that is held up")
        stamps = [rig.take() for _ in range(4)]  # Less than what TF takes for a clock that was set back.
        until(lambda: rig.server._pictures._pair is not None
              and rig.server._pictures._pair[0].header.stamp.to_sec() > stamps[-2], "the last picture")
    until(lambda: rig.topic.view.stamp > stamps[-2], "the newest")
    assert len(rig.seen.pictures) - begun <= 2


def test_a_camera_without_calibration_is_told_by_its_topic(rig: Rig) -> None:
    rig.until_trouble(rospy.resolve_name(CAMERA.topics.info), "nothing comes")


def test_a_wrong_encoding_is_told_by_its_topic(rig: Rig) -> None:
    rig.calibrate()
    rig.until_trouble(rospy.resolve_name(CAMERA.topics.colour), "yuv422", encoding="yuv422")


def test_a_depth_of_another_size_is_told_by_its_topic(rig: Rig) -> None:
    rig.calibrate()
    rig.until_trouble(rospy.resolve_name(CAMERA.topics.depth), "4 x 3 pixels", size=(3, 4))


def test_a_camera_that_nobody_places_is_told_by_its_frame(rig: Rig) -> None:
    rig.calibrate()
    rig.until_trouble(CAMERA.frame, "TF does not place", frames=False)


def test_at_the_start_nobody_is_troubled_by_a_picture_that_comes_before_tf(
        rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hicrisp_perception.ros.picture_topics._START_LIMIT", PATIENCE)
    pictures, told = rig.server._pictures, []
    monkeypatch.setattr(pictures, "_trouble", told.append)
    rig.calibrate()
    rig.take(frames=False)
    until(lambda: pictures._starting is not None, "a look for its place")
    seen(rig)
    assert [each for each in told if "TF does not place" in each] == []


def test_a_silent_camera_is_told_of_and_comes_back(rig: Rig) -> None:
    rig.calibrate()
    seen(rig)
    until(lambda: "no new pictures" in rig.topic.view.trouble, "the silence")
    assert rig.topic.view.tracks, "what was seen before stands"
    until(lambda: rig.take() and not rig.topic.view.trouble, "pictures again")


def test_a_topic_that_was_lost_while_others_speak_is_listened_to_anew(rig: Rig) -> None:
    rig.calibrate()
    until(lambda: rig.take() and rig.seen.pictures, "a picture")
    lost = rig.server._pictures._subscribers[0].impl
    for line in list(lost.connections):
        line.close()  # As rospy leaves a subscriber whose topic was closed and opened again at a bad moment.
    until(lambda: not rig.colour.get_num_connections(), "the end of the connection")
    before = len(rig.seen.pictures)
    until(lambda: rig.take() and len(rig.seen.pictures) > before, "a picture of both topics")


def test_why_a_picture_cannot_be_used_is_told_with_the_tracks(rig: Rig) -> None:
    rig.calibrate()
    rig.seen.refuses = CameraMisplaced(MountingError(0.02, 0.035, 0.03, 0.01, Pose((0.0, 0.0, 0.0))))
    rig.until_trouble("20 mm and 2.0 degrees", "scripts/calibrate_camera")
    rig.seen.refuses = None
    until(lambda: rig.take() and not rig.topic.view.trouble, "pictures that can be used")


def test_a_clock_that_was_set_back_begins_anew(rig: Rig) -> None:
    rig.calibrate()
    seen(rig)
    rig.now = 5.0
    until(lambda: rig.take() and rig.topic.view.stamp < 50.0, "tracks of the new run")
    assert rig.seen.forgotten >= 1


def test_what_was_seen_before_the_world_began_again_is_forgotten(rig: Rig) -> None:
    rig.calibrate()
    seen(rig)
    rospy.wait_for_service("~forget", 10.0)
    assert rospy.ServiceProxy("~forget", Trigger)().success
    assert rig.seen.forgotten == 1


def test_the_newest_picture_is_drawn_for_whoever_asks(rig: Rig) -> None:
    view = rospy.ServiceProxy("camera_view", Snapshot)
    view.wait_for_service(10.0)
    assert not view(SnapshotRequest()).ok
    rig.calibrate()
    seen(rig)
    answer = view(SnapshotRequest())
    assert answer.ok
    assert answer.image.format == "jpeg"
    assert answer.image.header.stamp.to_sec() == pytest.approx(rig.topic.view.stamp, abs=0.5)
    assert bytes(answer.image.data).startswith(b"\xff\xd8")


def test_the_picture_calls_unknown_objects_by_their_given_names(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: List[List[str]] = []

    def draw(picture: Any, tracks: Any, objects: Any) -> np.ndarray:
        drawn.append([track.name for track in tracks])
        return picture.colour

    monkeypatch.setattr(perception_node, "annotated", draw)
    keep_names({"session": 1, "names": {"unknown_1": {"name": "jug"}, "unknown_2": {"name": ""}}})
    rig.calibrate()
    seen(rig)
    view = rospy.ServiceProxy("camera_view", Snapshot)
    view.wait_for_service(10.0)
    assert view(SnapshotRequest()).ok
    assert drawn[-1] == ["box", "cylinder", "jug"]
    with monkeypatch.context() as silent:  # Names come when they change; no picture asks for them.
        silent.setattr(rospy.client._param_server, "target", None)
        assert not view(SnapshotRequest(thing="what nobody sees")).ok
    keep_names({"session": 1, "names": {"unknown_1": {"name": "vase"}}})

    def renamed() -> bool:
        seen(rig)
        return bool(view(SnapshotRequest()).ok) and drawn[-1] == ["box", "cylinder", "vase"]

    until(renamed, "the new name in the picture")
    rospy.delete_param(PARAMETER)


def test_unknown_objects_are_numbered_anew_after_the_world_began_again(rig: Rig) -> None:
    rig.calibrate()
    seen(rig)
    before = rig.topic.view.session
    rospy.wait_for_service("~forget", 10.0)
    rospy.ServiceProxy("~forget", Trigger)()
    seen(rig)
    assert rig.topic.view.session != before


def test_pictures_from_the_future_are_told_by_topic_and_how_far_ahead(rig: Rig) -> None:
    clock = rospy.Publisher("/clock", Clock, queue_size=1)

    def put(now: float) -> None:
        until(lambda: clock.publish(Clock(rospy.Time.from_sec(now))) or abs(rospy.get_time() - now) < 1e-3,
              "the clock")

    def later(moment: float) -> bool:
        """Let the clock go on to a picture's moment, take it, and see whether one after a moment was told."""
        put(rig.now + 0.2)
        rig.take()
        return rig.topic.view.stamp > moment

    try:
        rig.calibrate()
        before = rig.now
        until(lambda: later(before), "tracks")
        last = rig.now
        rig.now = last + 50.0
        rig.until_trouble("s ahead of the clock", rospy.resolve_name(CAMERA.topics.colour))
        assert rig.topic.view.stamp <= last, "what was seen before stands, and grows old"
        rig.now = last
        until(lambda: later(last), "pictures of now")
    finally:
        put(0.0)
        clock.unregister()


def test_a_node_that_ends_waits_for_no_picture_of_a_silent_camera() -> None:
    rig = Rig(patience=10.0 * PATIENCE)
    assert end_threads(0.1 * PATIENCE) == []
    rig.close()
