"""The live view of a run in a terminal, its plain form, and completion in shells."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, List

import pytest
from hicrisp_nodes.cli import watch as watching
from hicrisp_nodes.cli.completion import completion
from hicrisp_nodes.cli.console import Console
from hicrisp_nodes.cli.main import make_parser, parse
from hicrisp_nodes.cli.watch import live_is_wanted

rich = pytest.importorskip("rich.console", reason="rich is not installed")

from hicrisp_nodes.cli.live_screen import LiveScreen  # noqa: E402 - needs rich

MISSED = {"level": "low", "kind": "misplaced", "error": "31 mm off", "reason": "drift", "suggestion": ""}
RUN: List[Dict[str, Any]] = [
    {"kind": "task_received", "task_id": "t1", "text": "place the box", "policy": "hicrisp", "llm": "offline",
     "scene": "tabletop", "t": 0.0},
    {"kind": "goal", "known": True, "said": "the box is on the table", "t": 0.1},
    {"kind": "plan", "steps": ["pick up box", "place box", "go home"], "source": "offline", "t": 0.2},
    {"kind": "step_started", "index": 0, "text": "pick up box", "t": 0.3},
    {"kind": "command", "index": 0, "text": "pick up box", "purpose": "step", "t": 0.4},
    {"kind": "verdict", "index": 0, "ok": True, "t": 2.0},
    {"kind": "step_finished", "index": 0, "ok": True, "t": 2.1},
    {"kind": "step_started", "index": 1, "text": "place box", "t": 2.2},
    {"kind": "command", "index": 1, "text": "place box", "purpose": "step", "t": 2.3},
    {"kind": "verdict", "index": 1, "ok": False, "feedback": MISSED, "deviation": [0.031, 0.0, 0.0],
     "t": 4.0},
    {"kind": "stack", "entries": [{"command": "place box", "error": "31 mm off", "attempts": 2}], "t": 4.1},
    {"kind": "correction", "index": 1, "rung": "repair", "commands": ["pick up box"],
     "maker": {"kind": "search"}, "t": 4.2},
    {"kind": "usage", "calls": 2, "prompt_tokens": 300, "completion_tokens": 40, "seconds": 1.5, "t": 4.3}]
LEFT = "\x1b[?1049l"
"""By this the terminal leaves its second screen."""
END = {"kind": "task_finished", "success": True, "message": "done", "reason": "done", "steps_executed": 3,
       "corrections": {"repair": 1}, "wall_s": 6.0, "t": 6.0}


def shown(events: List[Dict[str, Any]], height: int = 40, width: int = 100, **more: Any) -> str:
    """What stands on the terminal once the view has been left."""
    stream, lines = io.StringIO(), io.StringIO()
    terminal = rich.Console(file=stream, width=width, height=height, force_terminal=True, color_system=None,
                            highlight=False, **more)
    with LiveScreen(Console(lines, colour=False), terminal) as screen:
        for event in events:
            screen.tell({**event, "task_id": "t1"})
    return stream.getvalue().rsplit(LEFT, 1)[-1] + lines.getvalue()


def test_the_plan_the_stack_the_rung_and_the_costs_are_in_view() -> None:
    text = shown(RUN)
    for part in ("place the box", "t1 · tabletop · hicrisp · offline", "the box is on the table",
                 "1. pick up box", "done", "2. place box", "running", "31 mm off", "3. go home", "waiting",
                 "Stack: 1", "tried 2 times", "repair, by", "2 calls, 340 tokens, 1.5 s"):
        assert part in text, part


def test_the_end_leaves_the_same_result_line_as_the_plain_form() -> None:
    assert "succeeded 3 commands, 1 correction (repair 1), 6.0 s" in shown([*RUN, END])


@pytest.mark.parametrize("height", [16, 24, 50])
def test_a_long_plan_is_cut_around_the_step_that_is_under_way(height: int) -> None:
    steps = [f"step number {number}" for number in range(40)]
    text = shown([RUN[0], {"kind": "plan", "steps": steps, "t": 0.2},
                  {"kind": "step_started", "index": 20, "text": steps[20], "t": 0.3}], height)
    assert "21. step number 20" in text
    assert "earlier" in text
    assert "more" in text
    assert len(text.splitlines()) <= height


def test_a_terminal_that_knows_only_ascii_gets_ascii() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    terminal = rich.Console(file=stream, width=80, height=40, force_terminal=True, color_system=None)
    with LiveScreen(Console(io.StringIO(), colour=False), terminal) as screen:
        for event in RUN:
            screen.tell({**event, "task_id": "t1"})
    stream.flush()
    assert b"place box" in stream.buffer.getvalue()  # type: ignore[attr-defined]


def test_words_of_a_task_draw_nothing_by_themselves() -> None:
    said = "\x1b[2Jgone [bold]loud[/bold] \u202eback"
    text = shown([{**RUN[0], "text": said}])
    assert "gone [bold]loud[/bold] back" in text


def test_what_ran_before_is_read_from_its_folder_and_counts_once(tmp_path: Path) -> None:
    with (tmp_path / "events.jsonl").open("w") as file:
        file.writelines(json.dumps(event) + "\n" for event in RUN[:-1])
    stream, lines = io.StringIO(), io.StringIO()
    terminal = rich.Console(file=stream, width=100, height=40, force_terminal=True, color_system=None)
    with LiveScreen(Console(lines, colour=False), terminal) as screen:
        screen.begin("t1", str(tmp_path))
        screen.tell({**RUN[-2], "task_id": "t1"})
        screen.tell({**RUN[-1], "task_id": "t1"})
    text = stream.getvalue().rsplit(LEFT, 1)[-1]
    assert "1. pick up box" in text
    assert "Corrections: repair 1; model: 2 calls" in text


def test_a_pipe_a_dumb_terminal_and_a_screen_reader_get_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert not live_is_wanted(False)
    monkeypatch.setattr(watching.sys, "stdout", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    assert live_is_wanted(False)
    assert not live_is_wanted(parse(["watch", "--plain"]).plain)
    monkeypatch.setenv("TERM", "dumb")
    assert not live_is_wanted(False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(watching, "find_spec", lambda name: None)
    assert not live_is_wanted(False)


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
