"""What the dashboard's tests share: a run that fails once, is corrected and succeeds, as its events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List

import pytest

Entries = List[Dict[str, Any]]


def a_run(task_id: str = "20260101-120000-001", text: str = "place the box next to the cylinder",
          scene: str = "tabletop", success: bool = True) -> Entries:
    """The events of a run: a placement ends 40 mm off, the aim is corrected, the next try holds."""
    entry = {"command": "place box next to cylinder", "error": "box is beside its place", "attempts": 1,
             "kind": "off_target", "label": ""}
    place = {"index": 1, "robot": "panda", "action": "place_beside", "command": "place_beside(box, cylinder)",
             "text": "place box next to cylinder", "arguments": {"item": "box"}, "turn": [0, 0, 0, 1]}
    return [
        {"kind": "task_received", "t": 0.0, "task_id": task_id, "text": text, "policy": "hierarchical",
         "llm": "offline", "scene": scene, "seed": 3},
        {"kind": "goal", "t": 0.1, "known": True, "said": "box is next to cylinder", "source": "offline",
         "stages": ["next_to(box,cylinder)"]},
        {"kind": "plan", "t": 0.2, "steps": ["pick box", "place box next to cylinder"], "source": "offline",
         "from_step": 0, "robots": ["panda", "panda"]},
        {"kind": "step_started", "t": 0.3, "index": 0, "robot": "panda", "text": "pick box",
         "action": "pick"},
        {"kind": "command", "t": 0.3, "index": 0, "robot": "panda", "command": "pick(box)",
         "text": "pick box", "purpose": "step", "depth": 0},
        {"kind": "outcome", "t": 1.0, "index": 0, "robot": "panda", "status": "success", "message": ""},
        {"kind": "verdict", "t": 1.1, "index": 0, "robot": "panda", "ok": True, "note": ""},
        {"kind": "step_finished", "t": 1.1, "index": 0, "robot": "panda", "ok": True},
        {"kind": "step_started", "t": 1.2, "index": 1, "robot": "panda",
         "text": "place box next to cylinder", "action": "place_beside"},
        {"kind": "command", "t": 1.2, **place, "purpose": "step", "depth": 0,
         "target": [0.5, 0.1, 0.03], "aim": [0.5, 0.1, 0.03]},
        {"kind": "outcome", "t": 2.0, "index": 1, "robot": "panda", "status": "success", "message": ""},
        {"kind": "verdict", "t": 2.1, "index": 1, "robot": "panda", "ok": False, "feedback": {
            "level": "low", "kind": "off_target", "error": "box is beside its place", "reason": "40 mm off",
            "suggestion": "aim again", "deviation": [0.04, 0.0, 0.0]}},
        {"kind": "stack", "t": 2.1, "index": 1, "entries": [entry]},
        {"kind": "offset", "t": 2.2, "index": 1, "key": "panda/place/world", "mean": [0.04, 0.0],
         "applied": [0.03, 0.0, 0.0], "sigma": [0.01, 0.01], "samples": 1.0},
        {"kind": "correction", "t": 2.2, "index": 1, "rung": "offset", "commands": [], "note": "30 mm in x",
         "maker": {"kind": "decoder", "name": ""}},
        {"kind": "command", "t": 2.3, **place, "purpose": "retry", "depth": 1,
         "target": [0.5, 0.1, 0.03], "aim": [0.47, 0.1, 0.03]},
        {"kind": "outcome", "t": 3.0, "index": 1, "robot": "panda", "status": "success", "message": ""},
        {"kind": "verdict", "t": 3.1, "index": 1, "robot": "panda", "ok": success,
         "deviation": [0.002, -0.001, 0.0]},
        {"kind": "stack", "t": 3.1, "index": 1, "entries": []},
        {"kind": "step_finished", "t": 3.2, "index": 1, "robot": "panda", "ok": success},
        {"kind": "goal_judged", "t": 3.3, "seen": success, "missing": ""},
        {"kind": "task_finished", "t": 3.4, "success": success, "message": "done", "reason": "done",
         "steps_executed": 3, "corrections": {"offset": 1}, "llm_calls": 0, "tokens": 0, "wall_s": 3.4,
         "sim_s": 6.1, "placement_error_m": 0.0022, "goal": "seen" if success else "missed"},
    ]


def an_hour(steps: int = 200, tries: int = 8) -> Entries:
    """The events of a run that goes on for an hour: many steps, in each of which much is tried."""
    head, goal, _, *_ = a_run(text="tidy up all day")
    texts = [f"place box {index} next to cylinder" for index in range(steps)]
    told = [head, goal, {"kind": "plan", "steps": texts, "source": "offline", "from_step": 0}]
    for index, text in enumerate(texts):
        own = {"index": index, "robot": "panda"}
        told.append({"kind": "step_started", **own, "text": text, "action": "place_beside"})
        for number in range(tries):
            ok = number == tries - 1
            error = f"box {index} is 40 mm beside its place"
            entry = {"command": f"{text}, try {number}", "error": error, "attempts": number}
            missed = {"level": "low", "kind": "off_target", "error": error, "reason": "40 mm off"}
            told += [
                {"kind": "command", **own, "command": "place_beside(box, cylinder)", "text": text,
                 "purpose": "retry", "arguments": {"item": "box"}, "target": [0.5, 0.1, 0.03],
                 "turn": [0, 0, 0, 1]},
                {"kind": "outcome", **own, "status": "success"},
                {"kind": "verdict", **own, "ok": ok, "deviation": [0.04, 0.001 * number, 0.0],
                 "feedback": None if ok else missed},
                {"kind": "picture", **own, "file": f"pictures/{index}-{number}.png", "caption": error},
                {"kind": "stack", **own, "entries": [] if ok else [entry] * min(3, number + 1)},
                *({"kind": "usage", "calls": index, "prompt_tokens": each} for each in range(7))]
        told.append({"kind": "step_finished", **own, "ok": True})
    return [{**event, "t": round(3600.0 * at / len(told), 3)} for at, event in enumerate(told)]


def write_run(folder: Path, entries: Entries) -> Path:
    """A run folder with its event log."""
    folder.mkdir(parents=True)
    (folder / "events.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return folder


@pytest.fixture
def entries() -> Entries:
    return a_run()
