"""The containers: what is built, who runs in it, what of it may be reached. No engine is needed to look."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
DOCKERFILE = (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def services() -> Dict[str, Any]:
    found = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text(encoding="utf-8"))["services"]
    assert {"sim", "nodes", "dashboard"} <= set(found)
    return found


def test_the_base_image_is_pinned_by_its_digest() -> None:
    base = re.search(r"^ARG BASE=(\S+)$", DOCKERFILE, re.MULTILINE)
    assert base is not None
    assert re.fullmatch(r"ros:noetic-[\w-]+@sha256:[0-9a-f]{64}", base.group(1))
    assert set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)) == {"${BASE}"}


def test_what_is_copied_and_run_is_in_the_tree() -> None:
    for source in re.findall(r"^COPY (?:--chown=\S+ )?(?!--from)(\S+) \S+$", DOCKERFILE, re.MULTILINE):
        assert (ROOT / source).exists(), source
    entry = re.search(r'^ENTRYPOINT \["/opt/hicrisp/([^"]+)"\]$', DOCKERFILE, re.MULTILINE)
    assert entry is not None
    assert (ROOT / entry.group(1)).stat().st_mode & 0o111


def test_nothing_runs_as_root(services: Dict[str, Any]) -> None:
    last = re.findall(r"^(USER .*|RUN .*|ENTRYPOINT .*)$", DOCKERFILE, re.MULTILINE)
    users = [line for line in last if line.startswith("USER")]
    assert users == ["USER $UID"]
    assert re.search(r"^ARG UID=[1-9]\d*$", DOCKERFILE, re.MULTILINE)
    for name, service in services.items():
        assert "user" not in service, name
        assert not service.get("privileged"), name
        assert service["cap_drop"] == ["ALL"], name


def test_no_secret_gets_into_the_image(services: Dict[str, Any]) -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {".git", "runs", "**/.env", "config/llm/*key*"} <= set(ignored)
    assert not re.search(r"^(ENV|ARG)\s.*(KEY=sk|TOKEN|SECRET|PASSWORD)", DOCKERFILE, re.MULTILINE)
    for name, service in services.items():
        for variable, value in service.get("environment", {}).items():
            assert value is None or "API_KEY" not in variable, f"{name} has a value for {variable}"


def test_only_this_machine_sees_the_reports_and_nobody_writes_them(services: Dict[str, Any]) -> None:
    dashboard = services["dashboard"]
    assert all(port.startswith("127.0.0.1:") for port in dashboard["ports"])
    assert dashboard["read_only"]
    assert all(volume.endswith(":ro") for volume in dashboard["volumes"])


def test_a_real_robot_moves_only_when_its_profile_is_asked_for(services: Dict[str, Any]) -> None:
    for name, service in services.items():
        real = "real_" in str(service.get("command"))
        assert (service.get("profiles") == ["hardware"]) is real, name
        assert ("network_mode" in service) is real, name
