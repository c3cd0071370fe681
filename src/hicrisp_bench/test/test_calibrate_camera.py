"""Calibrating in an embedded world: the mounting is found from rendered pictures alone, wherever the
camera is.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hicrisp_bench.calibrate_camera import main
from hicrisp_core.model.geometry import distance
from hicrisp_core.scene.cameras import load_camera


@pytest.mark.parametrize(("scene", "camera"),
                         [("calibration", "d435_fixed"), ("calibration_in_hand", "d435_hand")])
def test_a_mounting_that_nobody_told_is_found_and_written(scene: str, camera: str, tmp_path: Path) -> None:
    file, figures = tmp_path / "camera.yaml", tmp_path / "figures.json"
    told = ["--camera", camera, "--seed", "8", "--views", "9", "--moved", "0.04", "4"]
    assert main([*told, "--write", str(file), "--json", str(figures)]) == 0
    found = json.loads(figures.read_text())
    assert found["wrong_mm"] < 1.0
    assert found["wrong_deg"] < 0.1
    assert found["wrong_mm"] < 4.0 * found["position_std_mm"]
    assert found["moved_deg"] == pytest.approx(4.0, abs=0.1)
    written, before = load_camera(file), load_camera(camera)
    assert written.mounting.link == before.mounting.link
    assert written.topics == before.topics
    assert distance(written.mounting.position, before.mounting.position) == pytest.approx(0.04, abs=0.001)
    assert math.isclose(sum(q * q for q in written.mounting.orientation or ()), 1.0, abs_tol=1e-4)


@pytest.mark.parametrize(("camera", "tags", "where"), [
    ("d435_hand", "calibration_hand", "the table"), ("d435_fixed", "calibration_table", "a link of the arm")])
def test_a_tag_that_moves_with_the_camera_is_refused(camera: str, tags: str, where: str,
                                                     capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--camera", camera, "--tags", tags]) == 2
    assert f"have none on {where}" in capsys.readouterr().err


def test_a_tag_that_nobody_sees_is_told_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tags = tmp_path / "back.yaml"
    tags.write_text("tags: [{number: 7, thing: panda_link1, size: 0.05, position: [-0.08, 0, 0]}]\n")
    assert main(["--tags", str(tags)]) == 1
    assert "tag 7" in capsys.readouterr().err
