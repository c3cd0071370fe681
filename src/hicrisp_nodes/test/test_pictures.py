"""Pictures of a task, as a service of the scene hands them out."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest
from hicrisp_nodes.supervisor import pictures

from hicrisp_msgs.srv import SnapshotRequest, SnapshotResponse


class Scene:
    """A client of a service that draws what it is asked for."""

    def __init__(self, name: str, kind: type) -> None:
        pass

    def call(self, request: SnapshotRequest, limit: float) -> SimpleNamespace:
        drawn = SnapshotResponse(ok=True)
        drawn.image.format = "webp" if request.since > 0.0 else "jpeg"
        drawn.image.data = f"{request.caption} since {request.since:g}".encode()
        return SimpleNamespace(response=drawn, message="")


def test_a_run_has_its_pictures_and_an_animation_from_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "parameter", lambda name, default: default)
    monkeypatch.setattr(pictures, "offered", lambda name: name == "snapshot")
    monkeypatch.setattr(pictures, "ServiceClient", Scene)
    camera = pictures.Camera()
    camera.begin(tmp_path)
    assert [camera.take(each) for each in ("before", "after")] == ["pictures/001-before.jpg", "pictures/002-after.jpg"]
    camera.animate(2.5, Event())
    assert (tmp_path / "overview.webp").read_bytes() == b"overview since 2.5"
