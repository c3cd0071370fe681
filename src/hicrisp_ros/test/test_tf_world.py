"""Frames from TF in the world frame, also after the clock was set back."""

from __future__ import annotations

import math
from typing import Callable, Iterator

import pytest
import rospy
from geometry_msgs.msg import TransformStamped
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import from_yaw
from hicrisp_ros.conversions.geometry import transform_to_msg
from hicrisp_ros.tf_world import TfWorld
from rosgraph_msgs.msg import Clock
from tf2_msgs.msg import TFMessage
from waiting import until

pytestmark = pytest.mark.usefixtures("ros")


def transform(parent: str, child: str, x: float, stamp: float, yaw: float = 0.0) -> TransformStamped:
    return transform_to_msg(parent, child, Pose((x, 0.0, 0.0), from_yaw(yaw)), rospy.Time.from_sec(stamp))


class Eyes:
    """A TfWorld and a publisher that is connected to it."""

    def __init__(self, root: str = "world") -> None:
        self.publisher = rospy.Publisher("/tf", TFMessage, queue_size=10)
        self.world = TfWorld(root=root)
        until(self.publisher.get_num_connections, "connection")

    def show(self, *transforms: TransformStamped) -> None:
        """Publish until they are heard: the connection that is counted may still be that of a test before."""
        message = TFMessage(list(transforms))

        def heard() -> bool:
            self.publisher.publish(message)
            return any(self.world.heard_at(each.child_frame_id, each.header.stamp, 1e-6)
                       for each in transforms)

        until(heard, "the transforms, whatever else is latched on /tf")


@pytest.fixture
def eyes() -> Iterator[Eyes]:
    eyes = Eyes()
    yield eyes
    eyes.publisher.unregister()
    for subscriber in eyes.world._subscribers:
        subscriber.unregister()


def test_chains_end_in_the_world_frame(eyes: Eyes) -> None:
    eyes.show(transform("world", "base", 1.0, 5.0, math.pi / 2), transform("base", "hand", 0.5, 5.0))
    pose, stamp = eyes.world.frames(["hand", "unknown"])["hand"]
    assert pose.position == pytest.approx((1.0, 0.5, 0.0))
    assert pose.yaw == pytest.approx(math.pi / 2)
    assert stamp == pytest.approx(5.0)


@pytest.mark.parametrize(("told", "root", "asked"), [("/", "world", ""), ("", "/world", ""), ("", "world", "/"),
                                                     ("/", "/world", "/")])
def test_a_leading_slash_makes_no_other_frame(told: str, root: str, asked: str) -> None:
    eyes = Eyes(root)
    eyes.show(transform(f"{told}world", f"{told}slashed_odom", 1.0, 5.0),
              transform(f"{told}slashed_odom", f"{told}slashed_base", 0.5, 5.0))
    name = f"{asked}slashed_base"
    assert eyes.world.frames([name])[name][0].position == pytest.approx((1.5, 0.0, 0.0))
    assert eyes.world.problems([name]) == {}
    assert eyes.world.heard_at(name, rospy.Time.from_sec(5.0), 1e-6)


def test_the_newest_pose_counts(eyes: Eyes) -> None:
    eyes.show(transform("world", "box", 0.1, 5.0))
    eyes.show(transform("world", "box", 0.2, 5.1))
    assert eyes.world.frames(["box"])["box"][0].position[0] == pytest.approx(0.2)


def test_a_clock_that_was_set_back_forgets_the_old_run(eyes: Eyes) -> None:
    eyes.show(transform("world", "box", 0.1, 500.0), transform("world", "gone", 0.1, 500.0))
    eyes.show(transform("world", "box", 0.3, 1.0))
    frames = eyes.world.frames(["box", "gone"])
    assert frames["box"][0].position[0] == pytest.approx(0.3)
    assert "gone" not in frames


def test_waiting_for_news_ends_in_wall_time(eyes: Eyes) -> None:
    seen, came = -1, eyes.world.count
    while came > seen:  # What others latched comes at first; then nothing does, and the clock stands still.
        seen, came = came, eyes.world.wait_for_news(came, 0.2)
    assert came == seen


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_transform_without_numbers_is_no_news_of_its_frame_and_is_named(eyes: Eyes, bad: float) -> None:
    eyes.show(transform("world", "box", 0.1, 5.0))
    eyes.show(transform("world", "box", bad, 6.0), transform("world", "cup", 0.4, 6.0))
    frames = eyes.world.frames(["box", "cup"])
    assert frames["box"][1] == pytest.approx(5.0), "its age must grow"
    assert frames["cup"][1] == pytest.approx(6.0)
    assert list(eyes.world.problems(["box", "cup"])) == ["box"]
    eyes.show(transform("world", "box", 0.2, 7.0))
    assert not eyes.world.problems(["box"])


def test_a_frame_under_an_unknown_one_is_not_placed_and_is_named(eyes: Eyes) -> None:
    eyes.show(transform("camera_9", "box", 0.1, 5.0))
    assert not eyes.world.frames(["box"])
    assert "'world'" in eyes.world.problems(["box"])["box"]
    assert eyes.world.problems(["saucer"])["saucer"] == "nobody publishes its frame"


@pytest.fixture
def clock() -> Iterator[Callable[[float], None]]:
    """Sets the clock, seconds; at the end it stands at 0 again."""
    publisher = rospy.Publisher("/clock", Clock, queue_size=1)

    def put(now: float) -> None:
        until(lambda: publisher.publish(Clock(rospy.Time.from_sec(now))) or rospy.get_time() == now, "clock")

    yield put
    put(0.0)
    publisher.unregister()


def test_a_transform_from_the_future_is_not_taken_and_is_named_with_how_far_ahead(
    eyes: Eyes, clock: Callable[[float], None]
) -> None:
    clock(100.0)
    eyes.show(transform("world", "box", 0.1, 99.5), transform("world", "cup", 0.4, 99.5))
    eyes.show(transform("world", "box", 9.9, 3700.0), transform("world", "cup", 0.5, 100.0))
    frames = eyes.world.frames(["box", "cup"])
    assert frames["box"][1] == pytest.approx(99.5), "its age must grow"
    assert frames["cup"][1] == pytest.approx(100.0), "what others say is not forgotten for it"
    assert eyes.world.ahead(["box", "cup"]) == {"box": pytest.approx(3600.0)}
    assert "3600.0 s ahead of the clock" in eyes.world.problems(["box", "cup"])["box"]
    eyes.show(transform("world", "box", 0.2, 100.1))
    assert eyes.world.frames(["box"])["box"][0].position[0] == pytest.approx(0.2)
    assert not eyes.world.ahead(["box"])


def test_what_hangs_under_a_frame_from_the_future_is_ahead_too(
    eyes: Eyes, clock: Callable[[float], None]
) -> None:
    clock(100.0)
    eyes.show(transform("world", "table_top", 0.1, 107.0), transform("table_top", "box", 0.1, 100.0))
    assert eyes.world.ahead(["box", "cup"]) == {"box": pytest.approx(7.0)}


def test_clocks_of_two_hosts_may_differ_a_little(eyes: Eyes, clock: Callable[[float], None]) -> None:
    clock(100.0)
    eyes.show(transform("world", "box", 0.1, 100.8))
    assert eyes.world.frames(["box"])["box"][1] == pytest.approx(100.8)
    assert not eyes.world.problems(["box"])
