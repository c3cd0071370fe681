#!/usr/bin/env python3
"""The table of interfaces that the tests elsewhere are made from agrees with the real packages."""

from __future__ import annotations

import sys
import unittest
from importlib import import_module
from pathlib import Path

import rospkg
import rostest

sys.path.insert(0, str(Path(rospkg.RosPack().get_path("hicrisp_moveit")) / "test"))
import interfaces  # noqa: E402


class Interfaces(unittest.TestCase):
    """Names and types of every field."""

    def test_every_field_is_in_the_real_message(self) -> None:
        compared = 0
        for module, name, kind, field in interfaces.fields():
            message = getattr(import_module(module), name)
            types = dict(zip(message.__slots__, message._slot_types))
            qualified = {kind, f"{module.split('.')[0]}/{kind}", f"std_msgs/{kind}"}
            assert types.get(field) in qualified, f"{module}.{name}.{field} is {types.get(field)}"
            compared += 1
        assert compared > 150


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "interfaces", Interfaces)
