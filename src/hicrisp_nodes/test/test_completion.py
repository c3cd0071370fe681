"""Completion in shells."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import List

import pytest
from hicrisp_nodes.cli.completion import completion
from hicrisp_nodes.cli.main import make_parser


def completed(root: Path, function: str, *words: str) -> List[str]:
    """What bash offers for the last word."""
    script = root / "completion.bash"
    script.write_text(completion("bash", make_parser()))
    asked = " ".join(f"'{word}'" for word in words)
    told = subprocess.run(
        ["bash", "-c", f"source {script}; COMP_WORDS=({asked}); COMP_CWORD={len(words) - 1}; "
                       f"COMP_LINE='{' '.join(words)}'; COMP_POINT=${{#COMP_LINE}}; {function}; "
                       "printf '%s\\n' \"${COMPREPLY[@]}\""],
        env={"HICRISP_ROOT": str(root), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True)
    return [line.strip() for line in told.stdout.splitlines() if line.strip()]


def test_bash_completes_commands_task_ids_scenes_and_policies(tmp_path: Path) -> None:
    pytest.importorskip("shtab", reason="shtab is not installed")
    for name in ("runs/20260101-101010-001/events.jsonl", "runs/20260202-101010-001/events.jsonl",
                 "runs/bench/index.html", "config/scenes/tabletop.yaml", "config/scenes/agv.yaml",
                 "config/policies/hicrisp.yaml", "config/llm/offline.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    hicrisp, demo = "_shtab_hicrisp", "_shtab_scripts_demo"
    assert completed(tmp_path, hicrisp, "hicrisp", "wat") == ["watch"]
    assert completed(tmp_path, hicrisp, "hicrisp", "watch", "202602") == ["20260202-101010-001"]
    assert len(completed(tmp_path, hicrisp, "hicrisp", "explain", "")) == 2
    assert completed(tmp_path, hicrisp, "hicrisp", "reset", "") == ["agv", "tabletop"]
    assert completed(tmp_path, demo, "scripts/demo", "--policy", "hi") == ["hicrisp"]
    assert completed(tmp_path, demo, "scripts/demo", "--scene", "ta") == ["tabletop"]


def test_zsh_takes_the_script_as_it_is(tmp_path: Path) -> None:
    pytest.importorskip("shtab", reason="shtab is not installed")
    script = tmp_path / "completion.zsh"
    script.write_text(completion("zsh", make_parser()))
    for part in ("compdef _shtab_hicrisp", "_hicrisp_tasks", "_hicrisp_policies"):
        assert part in script.read_text()
    zsh = shutil.which("zsh")
    if zsh is not None:
        subprocess.run([zsh, "-n", str(script)], check=True)
