"""What joint states show, and what they do not."""

from __future__ import annotations

import math

import pytest
import rospy
from hicrisp_core.model import Status
from hicrisp_core.time.deadline import Deadline
from hicrisp_moveit.joints import JointWatch
from sensor_msgs.msg import JointState
from waiting import until

pytestmark = pytest.mark.usefixtures("ros")
TOPIC = "/states_of_nonsense"


def test_a_joint_without_a_number_is_not_known_and_does_not_stand() -> None:
    publisher = rospy.Publisher(TOPIC, JointState, queue_size=5)
    watch = JointWatch(TOPIC, ("elbow", "wrist"), age=60.0, still=0.01, still_time=0.0)
    until(publisher.get_num_connections, "connection")
    publisher.publish(JointState(name=["elbow", "wrist"], position=[0.5, math.nan]))
    until(lambda: "wrist" in watch.silent().message, "message")
    assert watch.positions() is None
    outcome = watch.wait_until_standing(Deadline(0.1))
    assert outcome.status is Status.LOST
    assert outcome.cause is not None
    assert outcome.cause.names == (TOPIC,)
    publisher.publish(JointState(name=["wrist"], position=[1.5]))
    until(lambda: watch.positions() is not None, "number")
    assert watch.positions() == (0.5, 1.5)
