"""Calibrating in an embedded world: the mounting is found from rendered pictures alone, wherever the camera is."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hicrisp_bench.calibrate_camera import main
from hicrisp_core.model.geometry import distance
from hicrisp_core.scene.cameras import load_camera


@pytest.mark.parametrize(("scene", "camera"), [("calibration", "d435_fixed"), ("calibration_in_hand", "d435_hand")])
def test_a_mounting_that_nobody_told_is_found_and_written(scene: str, camera: str, tmp_path: Path) -> None:
    file, figures = tmp_path / "camera.yaml", tmp_path / "figures.json"
    told = ["--scene", scene, "--seed", "8", "--views", "9", "--moved", "0.04", "4"]
    assert main([*told, "--write", str(file), "--json", str(figures)]) == 0
    found = json.loads(figures.read_text())
    assert found["wrong_mm"] < 1.0 and found["wrong_deg"] < 0.1
    assert found["wrong_mm"] < 4.0 * found["position_std_mm"]
    assert found["moved_deg"] == pytest.approx(4.0, abs=0.1)
    written, before = load_camera(file), load_camera(camera)
    assert written.mounting.link == before.mounting.link and written.topics == before.topics
    assert distance(written.mounting.position, before.mounting.position) == pytest.approx(0.04, abs=0.001)
    assert math.isclose(sum(q * q for q in written.mounting.orientation or ()), 1.0, abs_tol=1e-4)


def test_a_scene_without_markers_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--scene", "tabletop"]) == 2
    assert "has no markers" in capsys.readouterr().err


def test_a_camera_in_the_hand_needs_a_tag_that_stands_still(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--scene", "calibration", "--camera", "d435_hand"]) == 2
    assert "the table" in capsys.readouterr().err
