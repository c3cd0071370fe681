"""What is installed is what was locked: every pin has its hashes, and pip is told to look at them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/lib"))

import audited  # noqa: E402
import sbom  # noqa: E402

LISTS = sorted((ROOT / "requirements").glob("*.txt"))
ANY_BUILD = "train.txt"
"""The list that takes any build of torch."""
PATIENCE = 60.0


def versions(path: Path) -> Dict[str, str]:
    return {name: version for name, (version, _) in sbom.pins(path).items()}


@pytest.mark.parametrize("path", [each for each in LISTS if each.name != ANY_BUILD],
                         ids=lambda path: path.stem)
def test_every_pin_is_locked_with_the_hashes_of_its_files(path: Path) -> None:
    locked = path.parent / "locked" / path.name
    assert versions(locked) == versions(path), f"renew it: scripts/lib/lock.sh {path.stem}"
    assert all(hashes for _, hashes in sbom.pins(locked).values())


def shell(command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["bash", "-c", f". {ROOT}/scripts/lib/setup.sh; {command}"], text=True,
                          env={**os.environ, "HICRISP_ROS": "/nowhere"}, capture_output=True,
                          timeout=PATIENCE, check=False)


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    """A list and its locked form, and an interpreter that only says what it was called with."""
    (tmp_path / "locked").mkdir()
    (tmp_path / "some.txt").write_text("Some_Thing==1.0  # why\n", encoding="utf-8")
    (tmp_path / "locked/some.txt").write_text("some-thing==1.0 \\\n    --hash=sha256:00\n", encoding="utf-8")
    python = tmp_path / "venv/bin/python3"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/called\n', encoding="utf-8")
    python.chmod(0o755)
    return tmp_path


def test_pip_is_told_to_look_at_the_hashes(lists: Path) -> None:
    done = shell(f"HICRISP_ROOT={lists}; ensure_list {lists}/venv {lists}/some.txt")
    assert done.returncode == 0, done.stderr
    called = (lists / "called").read_text(encoding="utf-8")
    assert "--require-hashes" in called
    assert f"{lists}/locked/some.txt" in called


def test_a_list_with_other_pins_than_were_locked_is_not_installed(lists: Path) -> None:
    (lists / "some.txt").write_text("some-thing==1.1\n", encoding="utf-8")
    done = shell(f"HICRISP_ROOT={lists}; ensure_list {lists}/venv {lists}/some.txt")
    assert done.returncode != 0
    assert "scripts/lib/lock.sh some" in done.stderr
    assert not (lists / "called").exists()


def test_the_bill_of_materials_names_every_package_with_version_and_hashes() -> None:
    runtime = ROOT / "requirements/locked/runtime.txt"
    made: Any = json.loads(json.dumps(sbom.bill("1.2.3", sbom.python_packages([runtime]))))
    listed = {each["name"]: each for each in made["components"]}
    assert {name: each["version"] for name, each in listed.items()} == versions(runtime)
    assert all(each["externalReferences"][0]["hashes"] for each in listed.values())
    assert len({each["bom-ref"] for each in made["components"]}) == len(listed)
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")


GAP = {"id": "PYSEC-1", "fix_versions": ["2.0"]}
SOUND = {"name": "a", "version": "1.0", "vulns": []}
UNASKED = {"name": "b", "version": "1.0", "skip_reason": "not found"}


@pytest.mark.parametrize(("packages", "status"), [
    ([SOUND], 0), ([{**SOUND, "vulns": [GAP]}, UNASKED], 1), ([SOUND, UNASKED], 75), ([UNASKED], 69)])
def test_a_package_that_no_service_knows_is_not_taken_for_sound(packages: Any, status: int) -> None:
    assert audited.judged(json.dumps({"dependencies": packages}))[0] == status


def test_a_report_that_was_not_written_is_no_good_news() -> None:
    assert audited.judged("")[0] == 69
