"""A small home in VirtualHome's graph format, and a run in it, for the tests."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

from hicrisp_bench.virtualhome import package
from hicrisp_bench.virtualhome.reading import Reading, read_lines
from hicrisp_bench.virtualhome.replay import Replay, replay
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.policy.policy import load_policy

CONFIG = Path(__file__).resolve().parents[3] / "config"
PERSON, ROOM = 1, 2
THINGS: Sequence[Tuple[int, str, Sequence[str], Sequence[str]]] = (
    (3, "sofa", ("SITTABLE", "LIEABLE", "SURFACES"), ()),
    (4, "chips", ("GRABBABLE", "EATABLE"), ()),
    (5, "fridge", ("CAN_OPEN", "CONTAINERS"), ("CLOSED",)),
    (6, "salmon", ("GRABBABLE", "EATABLE"), ()),
    (7, "television", ("HAS_SWITCH", "HAS_PLUG", "LOOKABLE"), ("OFF", "PLUGGED_OUT")),
    (8, "cup", ("GRABBABLE", "RECIPIENT"), ()),
    (9, "table", ("SURFACES",), ()),
)


def graph(**states: Sequence[str]) -> Any:
    """The home: one room, the person in it, close to nothing; the salmon in the fridge. ``states`` by class."""
    nodes: List[Dict[str, Any]] = [
        {"id": PERSON, "class_name": "character", "category": "Characters", "properties": [],
         "states": list(states.get("character", ()))},
        {"id": ROOM, "class_name": "livingroom", "category": "Rooms", "properties": [], "states": []}]
    nodes += [{"id": number, "class_name": kind, "category": "Furniture", "properties": list(properties),
               "states": list(states.get(kind, own))} for number, kind, properties, own in THINGS]
    edges = [{"from_id": node["id"], "relation_type": "INSIDE", "to_id": ROOM}
             for node in nodes if node["id"] != ROOM]
    edges.append({"from_id": 6, "relation_type": "INSIDE", "to_id": 5})
    return package.part("environment").EnvironmentGraph({"nodes": nodes, "edges": edges})


def names() -> Dict[str, int]:
    return {kind: number for number, kind, _, _ in THINGS}


@lru_cache(maxsize=1)
def domain() -> Domain:
    return load_domain(CONFIG / "domains" / "virtualhome.yaml")


def reading(text: str, **options: bool) -> Reading:
    found = read_lines(text, domain(), names(), graph(), **options)
    assert isinstance(found, Reading), found
    return found


def run(text: str, policy: str = "repair", **states: Sequence[str]) -> Replay:
    """Carry out a plan as a model writes it."""
    return replay(domain(), load_policy(CONFIG / "policies" / f"{policy}.yaml"), reading(text),
                  graph(**states), PERSON,
                  "a task whose words nobody reads")


def verbs(replayed: Replay) -> List[str]:
    """What was carried out, without numbers: ``FIND sofa``."""
    return [" ".join(word.strip("[]<>") for word in line.split() if not word.startswith("("))
            for line in replayed.carried_out]
