"""The end of an action server, of which actionlib knows none: its timer would go on publishing."""

from __future__ import annotations

import actionlib


def silence(server: actionlib.SimpleActionServer) -> None:
    """It hears and says nothing any more, as if its process were gone."""
    inner = server.action_server
    inner.started = False
    if inner.status_timer is not None:
        inner.status_timer.shutdown()
    for end in (inner.goal_sub, inner.cancel_sub, inner.status_pub, inner.result_pub, inner.feedback_pub):
        end.unregister()


def end(server: actionlib.SimpleActionServer) -> None:
    """Its thread ends, too."""
    server.need_to_terminate = True
    silence(server)
