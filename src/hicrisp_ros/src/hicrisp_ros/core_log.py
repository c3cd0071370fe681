"""What the core logs, in the node's own log: what an endpoint can, why it is asked again, what is not
written; and a log that a full disk does not make fail.
"""

from __future__ import annotations

import logging
from contextlib import suppress

import rospy
from rosgraph.roslogging import RosStreamHandler

_LOGGED = ("hicrisp_core.llm", "hicrisp_core.trace")


class RosLog(logging.Handler):
    """Hands records of Python's logging to rospy's."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record at its level."""
        say = rospy.logerr if record.levelno >= logging.ERROR else \
            rospy.logwarn if record.levelno >= logging.WARNING else rospy.loginfo
        say("%s", record.getMessage())


def begin_log() -> None:
    """From now on the node's log has the core's records too, and fails nobody who logs."""
    survive_full_disk()
    for name in _LOGGED:
        logging.getLogger(name).addHandler(RosLog(logging.INFO))


class Unfailing(logging.Handler):
    """Hands records to another handler, and drops one that it cannot write."""

    def __init__(self, inner: logging.Handler) -> None:
        super().__init__(inner.level)
        self._inner = inner

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record where that can be done."""
        with suppress(OSError):
            self._inner.emit(record)


def survive_full_disk() -> None:
    """Let nothing fail because what it logs goes to a disk that is full: rospy's own handler raises then."""
    for logger in (logging.getLogger(), *map(logging.getLogger, logging.root.manager.loggerDict)):
        logger.handlers[:] = [Unfailing(each) if isinstance(each, RosStreamHandler) else each
                              for each in logger.handlers]
