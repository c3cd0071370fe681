"""What joint states show, and what they do not."""

from __future__ import annotations

import math
from itertools import cycle

import pytest
import rospy
from hicrisp_core.model import CauseKind, Status
from hicrisp_core.time.deadline import Deadline
from hicrisp_moveit.joints import JointWatch
from sensor_msgs.msg import JointState
from waiting import until

pytestmark = pytest.mark.usefixtures("ros")
TOPIC = "/states_of_nonsense"


def test_a_joint_without_a_number_is_not_known_and_does_not_stand() -> None:
    publisher = rospy.Publisher(TOPIC, JointState, queue_size=5)
    watch = JointWatch(TOPIC, ("elbow", "wrist"), age=60.0, still=0.01, still_time=0.0)
    bad = JointState(name=["elbow", "wrist"], position=[0.5, math.nan])
    until(lambda: publisher.publish(bad) or "wrist" in watch.silent().message, "message")
    assert watch.positions() is None
    outcome = watch.wait_until_standing(Deadline(0.1))
    assert outcome.status is Status.LOST
    assert outcome.cause is not None
    assert outcome.cause.names == (TOPIC,)
    good = JointState(name=["wrist"], position=[1.5])
    until(lambda: publisher.publish(good) or watch.positions() is not None, "number")
    assert watch.positions() == (0.5, 1.5)


def test_joint_states_from_the_future_show_nothing_and_are_named_with_how_far_ahead() -> None:
    publisher = rospy.Publisher(f"{TOPIC}_to_come", JointState, queue_size=5)
    watch = JointWatch(f"{TOPIC}_to_come", ("elbow",), age=60.0, still=0.01, still_time=0.0)
    state = JointState(name=["elbow"], position=[0.5])
    until(lambda: publisher.publish(stamped(state, 3600.0))
          or "ahead of the clock" in watch.silent().message, "message")
    assert watch.positions() is None
    outcome = watch.wait_until_standing(Deadline(0.1))
    assert outcome.cause is not None
    assert (outcome.cause.kind, outcome.cause.names) == (CauseKind.AHEAD, (f"{TOPIC}_to_come",))
    assert outcome.cause.seconds == pytest.approx(3600.0, abs=60.0)
    until(lambda: publisher.publish(stamped(state)) or watch.positions() == (0.5,), "a state of now")
    assert watch.stamp < rospy.get_time() + 1.0


def test_joint_states_that_are_old_when_they_arrive_show_nothing_and_are_named_with_their_age() -> None:
    publisher = rospy.Publisher(f"{TOPIC}_late", JointState, queue_size=5)
    watch = JointWatch(f"{TOPIC}_late", ("elbow",), age=20.0, still=0.01, still_time=0.0)
    state = JointState(name=["elbow"], position=[0.5])
    until(lambda: publisher.publish(stamped(state, -60.0)) or watch.silent().cause.seconds, "message")
    assert watch.positions() is None
    outcome = watch.wait_until_standing(Deadline(0.1))
    assert outcome.status is Status.LOST
    assert outcome.cause is not None
    assert (outcome.cause.kind, outcome.cause.names) == (CauseKind.STALE_SENSOR, (f"{TOPIC}_late",))
    assert outcome.cause.seconds == pytest.approx(60.0, abs=30.0)
    until(lambda: publisher.publish(stamped(state)) or watch.positions() == (0.5,), "a state of now")


def test_joint_states_that_repeat_a_stamp_grow_old_and_show_no_standstill() -> None:
    publisher = rospy.Publisher(f"{TOPIC}_again", JointState, queue_size=5)
    watch = JointWatch(f"{TOPIC}_again", ("elbow",), age=1.0, still=0.01, still_time=0.0)
    state = JointState(name=["elbow"], position=[0.5])
    until(lambda: publisher.publish(stamped(state)) or watch.alive, "a state of now")
    until(lambda: publisher.publish(state) or not watch.alive, "its stamp to grow old")
    assert not watch.standing()
    assert not watch.wait_until_standing(Deadline(0.1)).ok
    assert watch.silent().status is Status.LOST
    until(lambda: publisher.publish(stamped(state)) or watch.standing(), "states of now")


def stamped(state: JointState, seconds: float = 0.0) -> JointState:
    """A message with the stamp of now, or so many seconds off."""
    state.header.stamp = rospy.Time.now() + rospy.Duration.from_sec(seconds)
    return state


def test_a_continuous_joint_is_where_a_motion_ended_a_turn_farther_and_a_bounded_one_is_not() -> None:
    publisher = rospy.Publisher(f"{TOPIC}_turning", JointState, queue_size=5)
    free, bound = (JointWatch(f"{TOPIC}_turning", ("base", "lift"), 60.0, 0.01, 0.0, bounded)
                   for bounded in ((), ("base", "lift")))
    state = JointState(name=["base", "lift"], position=[math.remainder(3.3, math.tau), 0.2])
    until(lambda: publisher.publish(state) or free.positions() is not None and bound.positions() is not None, "state")
    assert free.farthest([3.3, 0.2])[0] == pytest.approx(0.0, abs=1e-9)
    off, joint = bound.farthest([3.3, 0.2])
    assert (off, joint) == (pytest.approx(math.tau), "base")


def test_a_continuous_joint_that_trembles_at_half_a_turn_stands() -> None:
    publisher = rospy.Publisher(f"{TOPIC}_trembling", JointState, queue_size=5)
    watch = JointWatch(f"{TOPIC}_trembling", ("base",), age=60.0, still=0.01, still_time=0.2)
    told = cycle((math.pi - 1e-3, 1e-3 - math.pi))
    until(lambda: publisher.publish(stamped(JointState(name=["base"], position=[next(told)]))) or watch.standing(),
          "a joint that stands")
