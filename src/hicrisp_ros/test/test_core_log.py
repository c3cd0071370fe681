"""A log on a disk that is full, and what of the core's is in it."""

from __future__ import annotations

import logging

from hicrisp_ros.core_log import Unfailing


class Full(logging.Handler):
    """A handler on a full disk, as rospy's is: it does not catch what goes wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.tried = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.tried += 1
        raise OSError(28, "No space left on device")


def test_a_log_on_a_full_disk_fails_nobody_who_logs() -> None:
    log, full = logging.getLogger("full_disk"), Full()
    log.propagate = False
    log.addHandler(Unfailing(full))
    log.warning("something")
    assert full.tried == 1
