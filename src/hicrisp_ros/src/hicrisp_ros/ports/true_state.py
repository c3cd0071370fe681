"""The true state of a simulated world, for what the memory keeps: no plan, no verdict and no motion rests on it."""

from __future__ import annotations

from typing import Optional

import rospy
from hicrisp_core.detector.state_estimator import StateEstimator
from hicrisp_core.model import WorldState
from tf2_msgs.msg import TFMessage

from hicrisp_ros.config_files import Configuration
from hicrisp_ros.conversions.geometry import frames_from_msg

_TOPIC = "ground_truth"
_PATIENCE = 3.0
"""Wall seconds in which a simulation that publishes true poses does so."""


def true_state(configuration: Configuration) -> Optional[WorldState]:
    """Return the world as its simulation knows it.

    Args:
        configuration: scene and domain of the running workspace.

    Returns:
        ``None`` if no node publishes true poses; an empty world, in which nothing holds, if they do not arrive.
    """
    if [rospy.resolve_name(_TOPIC), TFMessage._type] not in rospy.get_published_topics():
        return None
    try:
        frames = frames_from_msg(rospy.wait_for_message(_TOPIC, TFMessage, _PATIENCE))
    except rospy.ROSException as error:
        rospy.logwarn("nothing is kept of this run: the simulation's true poses do not come (%s)", error)
        return WorldState()
    newest = max((stamp for _, stamp in frames.values()), default=0.0)
    return StateEstimator(configuration.scene, configuration.domain).see(frames, newest)
