"""A camera's file with another mounting: the rest of it stays, and no half of it is ever there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_core.model.geometry import Pose, distance, from_euler, turn_between
from hicrisp_core.scene.cameras import load_camera, save_mounting

POSE = Pose((0.9, -0.1, 0.8), from_euler(-2.4, 0.1, 1.5))
TEXT = """\
# The laboratory's camera.
frame: eye   # as the driver calls it
mounting:    # measured with a rule
  link: panda_hand
  # beside the fingers
  position: [0.1, 0.0, 0.0]
  orientation: [0, 0, 0, 1]

# Its lens.
lens: {width: 640, height: 480, fx: 615.0, fy: 615.0, cx: 319.5, cy: 239.5}
"""


def check(file: Path, link: str) -> None:
    mounting = load_camera(file).mounting
    assert mounting.link == link
    assert distance(mounting.pose.position, POSE.position) < 1e-6
    assert turn_between(mounting.pose.orientation, POSE.orientation) < 1e-5


def test_the_comments_and_the_link_stay(tmp_path: Path) -> None:
    source = tmp_path / "own.yaml"
    source.write_text(TEXT)
    save_mounting(source, POSE, source)
    check(source, "panda_hand")
    text = source.read_text()
    for kept in ("# The laboratory's camera.", "# as the driver calls it", "# measured with a rule",
                 "\n\n# Its lens."):
        assert kept in text
    assert "0.1, 0.0, 0.0" not in text
    assert list(tmp_path.iterdir()) == [source]


def test_a_new_file_leaves_the_old_one_alone(tmp_path: Path) -> None:
    target = tmp_path / "new" / "camera.yaml"
    before = load_camera("d435_fixed")
    assert save_mounting("d435_fixed", POSE, target, "found today") == target
    check(target, "")
    assert "# found today" in target.read_text()
    assert load_camera("d435_fixed") == before
    assert load_camera(target).depth == before.depth


def test_a_mounting_in_one_line_is_replaced_too(tmp_path: Path) -> None:
    source = tmp_path / "own.yaml"
    source.write_text("mounting: {position: [1, 0, 1], target: [0, 0, 0]}\n" + TEXT.split("# Its lens.\n")[1])
    save_mounting(source, POSE, source)
    check(source, "")


def test_where_nothing_can_be_written_the_old_file_stays_whole(tmp_path: Path) -> None:
    target = tmp_path / "taken"
    target.mkdir()
    (target / "inside").write_text("")
    with pytest.raises(ConfigError, match="taken cannot be written"):
        save_mounting("d435_fixed", POSE, target)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["taken"]
