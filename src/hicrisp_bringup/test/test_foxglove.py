"""Foxglove's layout shows only what is recorded, and every panel of it has a place."""

from __future__ import annotations

import sys
from pathlib import Path

import genpy
import pytest

pytest.importorskip("mcap.reader")
sys.path.insert(0, str(Path(__file__).parent / "support"))
import foxglove  # noqa: E402
from hicrisp_core.scene.cameras import load_camera  # noqa: E402
from hicrisp_nodes.recording import MCAP  # noqa: E402
from hicrisp_nodes.recording.tape import Raw, Tape, packed  # noqa: E402
from hicrisp_nodes.recording.topics import BASE, Choice  # noqa: E402
from sensor_msgs.msg import Image, LaserScan  # noqa: E402

from hicrisp_msgs.msg import TaskStatus  # noqa: E402


def recording(folder: Path, **messages: genpy.Message) -> Path:
    tape = Tape(folder)
    for name, message in messages.items():
        tape.write(Raw("/" + name.replace("__", "/"), message._type, message._md5sum, message._full_text,
                       packed(message), "", False), genpy.Time(1))
    tape.close()
    return folder / MCAP


def test_every_panel_has_a_place_and_shows_topics_that_are_recorded() -> None:
    assert foxglove.panels_placed() == foxglove.panels_described()
    topics = load_camera("d435_fixed").topics
    pictures = tuple(f"/hicrisp/{name}".replace("/hicrisp//", "/") for name in (topics.colour, topics.info))
    choice = Choice("/hicrisp", pictures, more=BASE)
    for need in foxglove.needs():
        assert choice.of(need.topic, next(iter(need.types), "")) is not None, need


def test_a_recording_of_the_right_types_fits_and_one_of_others_is_told(tmp_path: Path) -> None:
    good = recording(tmp_path / "good", scan=LaserScan(), hicrisp__task_status=TaskStatus())
    assert foxglove.topics_of(good) == {"/scan", "/hicrisp/task_status"}
    assert foxglove.faults(good) == []
    bad = recording(tmp_path / "bad", scan=Image(), hicrisp__task_status=LaserScan())
    told = foxglove.faults(bad)
    assert told[0] == "3D!world cannot show sensor_msgs/Image of /scan"
    assert any(each.startswith("StateTransitions!state finds no number state") for each in told)
