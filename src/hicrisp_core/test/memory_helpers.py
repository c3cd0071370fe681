"""Entries, and a memory in a file, for the tests of the memory."""

from __future__ import annotations

from typing import Any, Dict

from hicrisp_core.memory.memory import FileMemory
from hicrisp_core.memory.store import Store
from hicrisp_core.memory.transfer import read_lines, take_in
from hicrisp_core.trace.plain import to_json

NOW = 1_700_000_000.0
DAY = 86400.0


def example(text: str = "put the box in the bowl", **more: Any) -> Dict[str, Any]:
    """The record of a task that went well."""
    return {
        "kind": "example", "domain": "tabletop", "text": text,
        "things": {"panda": {"type": "arm"}, "box": {"type": "box"}, "bowl": {"type": "bowl"}},
        "goal": {"end": ["in(box,bowl)"]},
        "steps": [step("pick", robot="panda", item="box"),
                  step("place_in", robot="panda", item="box", container="bowl")],
        **more}


def correction(**more: Any) -> Dict[str, Any]:
    """The record of a correction: where no motion led onto a box, the thing was put down first."""
    return {
        "kind": "correction", "domain": "tabletop",
        "failure": {"kind": "planning", "label": "",
                    "command": step("place_on", robot="panda", item="box", surface="block"), "about": []},
        "things": {"panda": {"type": "arm"}, "box": {"type": "box"}, "block": {"type": "box"}},
        "steps": [step("place_apart", robot="panda", item="box"), step("pick", robot="panda", item="box")],
        **more}


def offset(x: float = 0.05, **more: Any) -> Dict[str, Any]:
    """The record of an arm that places too far."""
    return {"kind": "offset", "body": "robot", "key": "panda/place/world", "samples": 3.0, "mean": [x, 0.0],
            "scatter": 0.0001, "when": NOW, **more}


def step(action: str, **arguments: str) -> Dict[str, Any]:
    """The record of a step."""
    return {"action": action, "arguments": arguments}


def filled(store: Store, domain: Any, *records: Dict[str, Any]) -> Store:
    """The store with records taken in."""
    entries, left_out = read_lines([to_json(each) for each in records], lambda _: domain)
    assert not left_out
    store.write(lambda file: take_in(file, entries))
    return store


def memory_of(store: Store, domain: Any, **more: Any) -> FileMemory:
    """A memory whose clock stands still."""
    return FileMemory(store, domain, **{"clock": lambda: NOW, **more})
