"""What the core's language models log, in the node's own log: what an endpoint can, and why it is asked
again.
"""

from __future__ import annotations

import logging

import rospy

_LOGGED = "hicrisp_core.llm"


class RosLog(logging.Handler):
    """Hands records of Python's logging to rospy's."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record at its level."""
        say = rospy.logerr if record.levelno >= logging.ERROR else \
            rospy.logwarn if record.levelno >= logging.WARNING else rospy.loginfo
        say("%s", record.getMessage())


def show_core_log() -> None:
    """From now on the node's log has these records too."""
    logging.getLogger(_LOGGED).addHandler(RosLog(logging.INFO))
