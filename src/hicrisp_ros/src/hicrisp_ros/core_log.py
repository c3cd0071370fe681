"""What the libraries log, in the node's own log: what an endpoint can, why it is asked again, what is not
written, what a model names; a log that a full disk does not make fail, and that holds no keys.
"""

from __future__ import annotations

import logging
from contextlib import suppress

import rospy
from hicrisp_core.llm.redaction import redacted
from rosgraph.roslogging import RosStreamHandler

_LOGGED = ("hicrisp_core.llm", "hicrisp_core.trace", "hicrisp_perception")


class RosLog(logging.Handler):
    """Hands records of Python's logging to rospy's."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record at its level.

        Args:
            record: the log record.
        """
        say = rospy.logerr if record.levelno >= logging.ERROR else \
            rospy.logwarn if record.levelno >= logging.WARNING else rospy.loginfo
        say("%s", record.getMessage())


def begin_log() -> None:
    """Send the libraries' log records to the node's log; write errors are ignored."""
    survive_full_disk()
    hide_in_log()
    for name in _LOGGED:
        logging.getLogger(name).addHandler(RosLog(logging.INFO))


class Redacting(logging.Filter):
    """Takes the given secrets, and whatever looks like one, out of every record."""

    def __init__(self, *secrets: str) -> None:
        super().__init__()
        self._secrets = secrets

    def filter(self, record: logging.LogRecord) -> bool:
        """Remove the secrets from a record.

        Args:
            record: the record, changed in place.

        Returns:
            Always true.
        """
        record.msg, record.args = redacted(record.getMessage(), *self._secrets), None
        return True


def hide_in_log(*secrets: str) -> None:
    """Keep secrets out of this node's log, in its files and on ``/rosout``.

    Args:
        *secrets: texts to redact.
    """
    logging.getLogger("rosout").addFilter(Redacting(*secrets))


class Unfailing(logging.Handler):
    """Hands records to another handler, and drops one that it cannot write."""

    def __init__(self, inner: logging.Handler) -> None:
        super().__init__(inner.level)
        self._inner = inner

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record; write errors are ignored.

        Args:
            record: the log record.
        """
        with suppress(OSError):
            self._inner.emit(record)


def survive_full_disk() -> None:
    """Let nothing fail because what it logs goes to a disk that is full: rospy's own handler raises then."""
    for logger in (logging.getLogger(), *map(logging.getLogger, logging.root.manager.loggerDict)):
        logger.handlers[:] = [Unfailing(each) if isinstance(each, RosStreamHandler) else each
                              for each in logger.handlers]
