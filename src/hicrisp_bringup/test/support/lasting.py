"""Tests that take long: what they show, quicker ones and those over ROS show in part."""

import os

import pytest

LONG = pytest.mark.skipif(not os.environ.get("HICRISP_TEST_ALL"), reason="takes long; scripts/test --all runs it")
