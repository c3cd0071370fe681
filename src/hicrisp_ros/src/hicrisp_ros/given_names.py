"""The names of unknown objects on the parameter server: they outlive the detector, and other nodes find them."""

from __future__ import annotations

import logging
from typing import Any, Callable, Dict, Mapping

import rospy

log = logging.getLogger(__name__)

PARAMETER = "given_names"


def keep_names(record: Mapping[str, Any]) -> None:
    """Keep the names for the next start of the detector in this launch.

    Args:
        record: of ``GivenNames``, JSON values.
    """
    try:
        rospy.set_param(PARAMETER, dict(record))
    except (OSError, rospy.ROSException) as error:
        log.warning("after a restart of the detector unknown objects would lose their names: %s", error)


def kept_record(read: Callable[[str, Any], Any] = rospy.get_param) -> Any:
    """Return what was kept last; an empty dictionary if nothing was.

    Args:
        read: reads a parameter, or its default.
    """
    try:
        return read(PARAMETER, {})
    except (OSError, rospy.ROSException):
        return {}


def kept_names() -> Dict[str, str]:
    """Return the given names by the names of their tracks; the parameter server sends them when they change."""
    record = kept_record(rospy.get_param_cached)
    return {own: str(each["name"]) for own, each in record.get("names", {}).items() if each.get("name")}
