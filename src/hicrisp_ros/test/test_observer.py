"""The supervisor's eyes: new, settled, and never waiting beyond the deadline."""

from __future__ import annotations

import math
from threading import Event, Thread
from typing import Callable, Iterator, List, Optional

import pytest
import rospy
from hicrisp_core.model import Pose, WorldObject, WorldState
from hicrisp_core.model.track import Visibility
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.conversions import WORLD
from hicrisp_ros.ports.observer import TaskObserver, TopicObserver
from rosgraph_msgs.msg import Clock
from waiting import PATIENCE, until

from hicrisp_msgs.msg import WorldState as WorldStateMsg

pytestmark = pytest.mark.usefixtures("ros")


class Scene:
    """Publishes a box and the clock, 50 states a second of either; ``speed`` moves the box along x, m/s.

    ``rests_after`` is the number of states after which the box stands.
    """

    def __init__(self) -> None:
        self.speed, self.x, self.age, self.now, self.rests_after = 0.0, 0.0, 0.0, 100.0, math.inf
        self.visibility = Visibility.VISIBLE
        self.viewed: Optional[Callable[[float], float]] = None
        """When the picture was taken that a state of a moment shows, where a camera looks."""
        self._world = rospy.Publisher("world_state", WorldStateMsg, queue_size=1)
        self._clock = rospy.Publisher("/clock", Clock, queue_size=1)
        self._ended = Event()
        self._thread = Thread(target=self._publish, daemon=True)
        self._thread.start()

    def fall_silent(self) -> None:
        """Publish nothing more; the clock stands still."""
        self._ended.set()
        self._thread.join()

    def close(self) -> None:
        self.fall_silent()
        until(lambda: self._clock.publish(Clock(rospy.Time())) or rospy.get_time() == 0.0, "end of the clock")
        self._world.unregister()
        self._clock.unregister()

    def _publish(self) -> None:
        while not self._ended.wait(0.02):
            self.now += 0.02
            self.rests_after -= 1
            self.x += 0.02 * self.speed if self.rests_after > 0 else 0.0
            now = self.now
            self.tell(now)
            self.show(now)

    def tell(self, now: float) -> None:
        """Publish the clock."""
        self._clock.publish(Clock(rospy.Time.from_sec(now)))

    def show(self, stamp: float) -> None:
        """Publish a state with a stamp."""
        box = WorldObject("box", "box", pose=Pose((self.x, 0.0, 0.0)), pose_age=self.age,
                          visibility=self.visibility)
        viewed = None if self.viewed is None else self.viewed(stamp)
        self._world.publish(WORLD.to_msg(WorldState({"box": box}, stamp=stamp, viewed=viewed)))


@pytest.fixture
def scene() -> Iterator[Scene]:
    scene = Scene()
    yield scene
    scene.close()


def observe(observer: TopicObserver, seconds: float = PATIENCE) -> WorldState:
    return observer.observe(Deadline(seconds))


def shown(observer: TopicObserver, scene: Scene) -> None:
    """Wait until what the scene is now has been published and heard of."""
    heard, now = observer.count, scene.now
    until(lambda: observer.count > heard + 1 and rospy.get_time() > now, "newer state")


def test_a_world_at_rest_is_seen_at_once(scene: Scene) -> None:
    observer = TopicObserver(patience=PATIENCE, blind=PATIENCE)
    observe(observer)
    scene.fall_silent()
    until(lambda: rospy.get_time() == pytest.approx(scene.now), "clock")
    deadline = Deadline(PATIENCE)
    assert observer.observe(deadline).objects
    assert not deadline.passed, "it waited for a state after the call"


def test_a_state_that_was_overtaken_is_left_out(scene: Scene) -> None:
    late, show = rospy.Publisher("world_state", WorldStateMsg, queue_size=1), scene.show

    def show_and_repeat(stamp: float) -> None:
        show(stamp)
        box = WorldObject("box", "box", pose=Pose((9.0, 0.0, 0.0)))
        late.publish(WORLD.to_msg(WorldState({"box": box}, stamp=stamp - 0.5)))

    observer = TopicObserver(patience=PATIENCE, blind=PATIENCE)
    until(late.get_num_connections, "connection")
    scene.show = show_and_repeat
    shown(observer, scene)
    deadline = Deadline(PATIENCE)
    assert observe(observer).objects["box"].pose.position[0] == pytest.approx(0.0)
    assert not deadline.passed, "it took what is old for a motion"
    scene.fall_silent()
    late.unregister()


def test_after_a_command_only_what_is_newer_counts(scene: Scene) -> None:
    observer = TopicObserver()
    observe(observer)
    scene.x = 0.5
    now = scene.now  # Whatever shows the box elsewhere is not newer than this.
    until(lambda: rospy.get_time() >= now, "clock")
    observer.world_changed()
    assert observe(observer).objects["box"].pose.position[0] == pytest.approx(0.5)


def test_what_moves_is_waited_for(scene: Scene) -> None:
    observer = TopicObserver(patience=PATIENCE)
    observe(observer)
    scene.speed, scene.rests_after = 0.2, 30
    shown(observer, scene)
    world = observe(observer)
    assert scene.rests_after <= 0
    assert world.objects["box"].pose.position[0] == pytest.approx(scene.x, abs=0.003)


def test_what_never_rests_is_taken_as_it_is(scene: Scene) -> None:
    observer = TopicObserver(patience=0.4)
    observe(observer)
    scene.speed = 0.2
    shown(observer, scene)
    before = observer.count
    assert observe(observer).objects["box"].pose.position[0] > 0.0
    assert observer.count > before, "it waited for rest first"


def test_old_poses_are_returned_only_at_the_deadline(scene: Scene) -> None:
    observer = TopicObserver()
    observe(observer)
    scene.age = 5.0
    shown(observer, scene)
    observer.world_changed()
    deadline = Deadline(0.5)
    assert observer.observe(deadline).objects["box"].pose_age == pytest.approx(5.0)
    assert deadline.passed


def test_after_a_while_without_anything_new_it_is_blind(scene: Scene) -> None:
    observer = TopicObserver(blind=0.4)
    observe(observer)
    scene.age = 5.0
    shown(observer, scene)
    observer.world_changed()
    deadline = Deadline(PATIENCE)
    assert observer.observe(deadline).objects["box"].pose_age == pytest.approx(5.0)
    assert not deadline.passed


def test_a_canceled_task_looks_only_shortly(scene: Scene) -> None:
    scene.age, cancel = 5.0, Event()
    cancel.set()
    deadline = Deadline(PATIENCE)
    TaskObserver(TopicObserver(blind=PATIENCE), cancel).observe(deadline)
    assert not deadline.passed


def test_a_clock_that_was_set_back_is_no_reason_to_wait(scene: Scene) -> None:
    observer = TopicObserver(patience=PATIENCE, blind=PATIENCE)
    observer.world_changed()
    observe(observer)
    scene.now = 1.0
    until(lambda: rospy.get_time() < 50.0, "clock that was set back")
    deadline = Deadline(PATIENCE)
    assert observer.observe(deadline).stamp < 50.0
    assert not deadline.passed


def test_a_state_that_was_under_way_while_the_clock_was_set_back_does_not_count(scene: Scene) -> None:
    observer = TopicObserver(patience=PATIENCE, blind=PATIENCE)
    observe(observer)
    scene.fall_silent()
    scene.tell(5.0)
    until(lambda: rospy.get_time() == 5.0, "clock that was set back")
    seen: List[WorldState] = []
    looking = Thread(target=lambda: seen.append(observe(observer)), daemon=True)
    looking.start()
    heard = observer.count
    scene.show(105.0)  # The last one of before.
    until(lambda: observer.count > heard, "state of before")
    for stamp in (5.1, 5.2, 5.3):
        scene.show(stamp)
        until(lambda stamp=stamp: observer.next(0, 0.0)[1].stamp == pytest.approx(stamp), "state of now")
    looking.join(PATIENCE)
    assert seen[0].stamp < 6.0


def test_silence_ends_at_the_deadline() -> None:
    seen = observe(TopicObserver(), 0.4)
    assert not seen.objects
    assert "no state of the world has come" in seen.trouble


def test_what_a_camera_saw_before_the_command_ended_is_not_new(scene: Scene) -> None:
    scene.viewed = lambda now: 0.2 * math.floor(now / 0.2)
    observer = TopicObserver()
    shown(observer, scene)
    observer.world_changed()
    ended = rospy.get_time()
    seen = observe(observer)
    assert seen.viewed is not None
    assert seen.viewed > ended


def test_a_picture_of_the_moment_in_which_a_motion_ended_shows_its_end(scene: Scene) -> None:
    ended = scene.now + 0.2
    scene.viewed = lambda now: min(now, ended)
    observer = TopicObserver(patience=PATIENCE, blind=PATIENCE, recent=PATIENCE)
    until(lambda: rospy.get_time() > ended, "clock")
    shown(observer, scene)
    observer.world_changed(ended)
    deadline = Deadline(PATIENCE)
    assert observe(observer).viewed == pytest.approx(ended)
    assert not deadline.passed, "it waited for another picture"


def test_a_driver_whose_word_comes_before_the_clock_s_ended_its_command_when_it_says(scene: Scene) -> None:
    observer = TopicObserver()
    shown(observer, scene)
    ended = rospy.get_time() + 2.5
    observer.command_ended(ended)
    assert observe(observer).stamp >= ended - 1e-6
    observer.command_ended(rospy.get_time() + 3600.0)
    deadline = Deadline(PATIENCE)
    assert observe(observer).objects
    assert not deadline.passed, "a time that no clock of this run can show held it up"


def test_a_thing_that_moves_between_two_pictures_has_not_settled(scene: Scene) -> None:
    scene.viewed = lambda now: 0.2 * math.floor(now / 0.2)
    scene.speed, scene.rests_after = 0.2, 60
    observer = TopicObserver(patience=PATIENCE)
    shown(observer, scene)
    assert observe(observer).objects["box"].pose.position[0] == pytest.approx(scene.x, abs=1e-3)


def test_what_a_hand_holds_need_not_be_seen_twice_to_be_at_rest(scene: Scene) -> None:
    pictures = [scene.now]
    scene.viewed, scene.visibility = lambda now: pictures[-1], Visibility.HELD
    observer = TopicObserver(patience=PATIENCE, blind=PATIENCE)
    shown(observer, scene)
    observer.world_changed()
    scene.x = 0.3
    pictures.append(scene.now + 0.2)
    until(lambda: rospy.get_time() > pictures[-1], "clock")
    deadline = Deadline(PATIENCE)
    assert observer.observe(deadline).objects["box"].pose.position[0] == pytest.approx(0.3)
    assert not deadline.passed, "it waited for another picture"


def test_who_listens_hears_once_that_the_world_began_again(scene: Scene) -> None:
    observer, back = TopicObserver(), []
    observe(observer)
    with observer.hearing_resets(back.append):
        shown(observer, scene)
        assert back == []
        scene.now = 1.0
        until(lambda: back, "reset")
        shown(observer, scene)
    assert len(back) == 1
    assert back[0] > 50.0
