"""A key, searched for in everything that a run leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator, Tuple

import rosbag
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until
from mcap.reader import make_reader

from hicrisp_bench.faults import wild_model as wild
from hicrisp_bench.faults.case import MODEL, FaultCase, Seen
from hicrisp_bench.faults.rig import CANARY, LIMIT, Rig

_LONG = 300.0
_STEPS = (("pick", {"item": "box"}), ("place_next_to", {"item": "box", "reference": "cylinder"}))


def key_searched_for(rig: Rig, seen: Seen) -> None:
    """After a task that was done, and two whose endpoint says the key back, in an error and in an answer."""
    if rig.model is None:
        raise ValueError("this world has no model")
    error = json.dumps({"error": {"message": f"no such key: {CANARY}"}})
    for play in (wild.plan(_STEPS), wild.sends(error, "400 Bad Request"),
                 wild.says(f'{{"kind": "answer", "text": "Your key is {CANARY}."}}')):
        rig.model.plays(play)
        task = rig.submit()
        rig.ended(task, _LONG)
        wait_until((rig.runs / task / "run.mcap").exists, Deadline(LIMIT))
    searched = [(name, CANARY.encode() in data) for name, data in _everything(rig)]
    found = [name for name, there in searched if there]
    seen.note(f"{len(searched)} files and the parameters searched; found in: {', '.join(found) or 'none'}",
              not found)
    recordings = [name for name, _ in searched if name.endswith((".mcap", ".bag"))]
    seen.note(f"{len(recordings)} recordings among them", len(recordings) >= 2)


def _everything(rig: Rig) -> Iterator[Tuple[str, bytes]]:
    """Every file that the launch wrote, recordings as they are unpacked, and the parameters."""
    yield "parameters", rig.parameters.encode()
    for file in sorted(rig.folder.rglob("*")):
        if file.is_file() and file.name != "key":
            yield str(file.relative_to(rig.folder)), file.read_bytes() + b"".join(_unpacked(file))


def _unpacked(file: Path) -> Iterator[bytes]:
    if file.suffix == ".mcap":
        with open(file, "rb") as stream:
            for _, _, message in make_reader(stream).iter_messages():
                yield message.data
    elif file.suffix == ".bag":
        with rosbag.Bag(str(file)) as bag:
            for _, raw, _ in bag.read_messages(raw=True):
                yield raw[1]


CASES = (
    FaultCase("a key, searched for", "in no file, log, recording or parameter", key_searched_for, (MODEL,)),
)
