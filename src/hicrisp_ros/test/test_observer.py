"""The supervisor's eyes: new, settled, and never waiting beyond the deadline."""

from __future__ import annotations

import time
from threading import Event, Thread
from typing import Iterator

import pytest
import rospy
from hicrisp_core.model import Pose, WorldObject, WorldState
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.conversions import world_to_msg
from hicrisp_ros.ports.observer import TaskObserver, TopicObserver
from rosgraph_msgs.msg import Clock

from hicrisp_msgs.msg import WorldState as WorldStateMsg

pytestmark = pytest.mark.usefixtures("ros")


class Scene:
    """Publishes a box and the clock; ``speed`` moves the box along x, m/s."""

    def __init__(self) -> None:
        self.speed, self.x, self.age, self.now = 0.0, 0.0, 0.0, 100.0
        self._world = rospy.Publisher("world_state", WorldStateMsg, queue_size=1)
        self._clock = rospy.Publisher("/clock", Clock, queue_size=1)
        self._ended = Event()
        self._thread = Thread(target=self._publish, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
        self._clock.publish(Clock(rospy.Time()))
        time.sleep(0.1)
        self._world.unregister()
        self._clock.unregister()

    def _publish(self) -> None:
        while not self._ended.wait(0.02):
            self.now += 0.02
            self.x += 0.02 * self.speed
            box = WorldObject("box", "box", pose=Pose((self.x, 0.0, 0.0)), pose_age=self.age)
            self._clock.publish(Clock(rospy.Time.from_sec(self.now)))
            self._world.publish(world_to_msg(WorldState({"box": box}, stamp=self.now)))


@pytest.fixture
def scene() -> Iterator[Scene]:
    scene = Scene()
    yield scene
    scene.close()


def observe(observer: TopicObserver, seconds: float = 5.0) -> "tuple[WorldState, float]":
    start = time.monotonic()
    return observer.observe(Deadline(seconds)), time.monotonic() - start


def test_a_world_at_rest_is_seen_at_once(scene: Scene) -> None:
    observer = TopicObserver()
    observe(observer)
    assert observe(observer)[1] < 0.1


def test_after_a_command_only_what_is_newer_counts(scene: Scene) -> None:
    observer = TopicObserver()
    observe(observer)
    scene.x = 0.5
    shown = scene.now  # Whatever shows the box elsewhere is not newer than this.
    end = time.monotonic() + 5.0
    while rospy.get_time() < shown and time.monotonic() < end:
        time.sleep(0.002)
    observer.world_changed()
    assert observe(observer)[0].objects["box"].pose.position[0] == pytest.approx(0.5)


def test_what_moves_is_waited_for(scene: Scene) -> None:
    observer = TopicObserver()
    observe(observer)
    scene.speed = 0.2
    time.sleep(0.2)
    Thread(target=lambda: (time.sleep(0.5), setattr(scene, "speed", 0.0)), daemon=True).start()
    world, seconds = observe(observer)
    assert 0.4 < seconds < 1.5
    assert world.objects["box"].pose.position[0] == pytest.approx(scene.x, abs=0.003)


def test_what_never_rests_is_taken_as_it_is(scene: Scene) -> None:
    observer = TopicObserver(patience=0.4)
    observe(observer)
    scene.speed = 0.2
    time.sleep(0.2)
    assert 0.3 < observe(observer)[1] < 1.0


def test_old_poses_are_returned_only_at_the_deadline(scene: Scene) -> None:
    observer = TopicObserver()
    observe(observer)
    scene.age = 5.0
    time.sleep(0.3)
    observer.world_changed()
    world, seconds = observe(observer, 0.5)
    assert seconds == pytest.approx(0.5, abs=0.2)
    assert world.objects["box"].pose_age == pytest.approx(5.0)


def test_after_a_while_without_anything_new_it_is_blind(scene: Scene) -> None:
    observer = TopicObserver(blind=0.4)
    observe(observer)
    scene.age = 5.0
    time.sleep(0.3)
    observer.world_changed()
    assert observe(observer, 5.0)[1] == pytest.approx(0.4, abs=0.2)


def test_a_canceled_task_looks_only_shortly(scene: Scene) -> None:
    scene.age, cancel = 5.0, Event()
    cancel.set()
    start = time.monotonic()
    TaskObserver(TopicObserver(), cancel).observe(Deadline(30.0))
    assert time.monotonic() - start < 2.0


def test_a_clock_that_was_set_back_is_no_reason_to_wait(scene: Scene) -> None:
    observer = TopicObserver()
    observer.world_changed()
    observe(observer)
    scene.now = 1.0
    time.sleep(0.2)
    assert observe(observer)[1] < 0.5


def test_silence_ends_at_the_deadline() -> None:
    world, seconds = observe(TopicObserver(), 0.4)
    assert seconds == pytest.approx(0.4, abs=0.2)
    assert not world.objects
