"""Every command of docs/papers.md in its quick form; a few of them without ``HICRISP_TEST_ALL``."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hicrisp_bench.virtualhome import package
from test_papers import ROOT, commands

SAMPLE = ("pizza", "virtualhome10 --tasks light", "ablate virtualhome10 --policy open_loop hicrisp --forget 0.2")
ALL = bool(os.environ.get("HICRISP_TEST_ALL"))
PATIENCE = 1800.0


@pytest.mark.parametrize("command", commands() if ALL else SAMPLE)
def test_the_command_shows_rows(command: str, tmp_path: Path) -> None:
    if ("virtualhome" in command or command == "ablate") and not package.installed():
        pytest.skip(str(package.Missing()))
    arguments = [*shlex.split(command.replace("NAME", "offline")), "--quick", "--jobs", "2", "--out", str(tmp_path)]
    done = subprocess.run([sys.executable, "-m", "hicrisp_bench", *arguments], cwd=ROOT, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
    said = done.stderr.splitlines()[-1] if done.stderr.strip() else ""
    if done.returncode and "HICRISP_DATA" in said:
        pytest.skip(said)
    assert done.returncode == 0, said
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["rows"]
