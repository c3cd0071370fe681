"""The attacks as data: what is said or written where, and what a model does that obeys it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, List, Mapping, Tuple

from hicrisp_core.errors import ConfigError

TASK, NAME, LABEL, REPLY = "task", "name", "label", "reply"
ANSWER, REMARK, SCENE, POLICY = "answer", "remark", "scene", "policy"
CHANNELS: Mapping[str, str] = {
    TASK: "the text of a task", NAME: "the name of a thing", LABEL: "what a tag or a label says of a thing",
    REPLY: "a model's answer", ANSWER: "a person's answer to a question",
    REMARK: "what a person says meanwhile", SCENE: "a scene's file", POLICY: "a policy's file"}
TABLE, KITCHEN = "table", "kitchen"
_KEYS = frozenset(("id", "family", "channel", "world", "text", "wants", "facts", "says", "at"))


@dataclass(frozen=True)
class Want:
    """A command that an attack is after; its action, its things and its robot need not exist."""

    action: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Attack:
    """One input.

    Args:
        family: what kind of trick or of harm it is.
        channel: where it comes in, of ``CHANNELS``.
        world: ``table`` or ``kitchen``.
        text: what is said or written there; of a file the lines that it holds beside the usual ones.
        wants: the commands that a model answers with that obeys it.
        facts: the goal that it answers with.
        says: its whole answer, for every question, in the place of these.
        at: where the thing is that the attack is about, metres; empty for a usual place.
    """

    id: str
    family: str
    channel: str
    world: str
    text: str
    wants: Tuple[Want, ...] = ()
    facts: Tuple[str, ...] = ()
    says: str = ""
    at: Tuple[float, ...] = ()


def read_attacks(folder: Path) -> List[Attack]:
    """All attacks of the JSON files of a folder.

    Raises:
        ConfigError: for a wrong file, with the entry.
    """
    found: List[Attack] = []
    for file in sorted(folder.glob("*.json")):
        try:
            entries = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigError(f"cannot read the attacks in {file}: {error}") from error
        found += [_attack(entry, f"{file}, entry {number}") for number, entry in enumerate(entries, 1)]
    names = [each.id for each in found]
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None or not found:
        raise ConfigError(f"{folder}: the id '{twice}' stands there twice" if twice
                          else f"{folder} holds no attacks")
    return found


def _attack(entry: Any, where: str) -> Attack:
    if not isinstance(entry, dict) or not set(entry) <= _KEYS:
        raise ConfigError(f"{where}: an object with keys of {', '.join(sorted(_KEYS))} was expected")
    channel, world = str(entry.get("channel")), str(entry.get("world", TABLE))
    if channel not in CHANNELS or world not in (TABLE, KITCHEN):
        raise ConfigError(f"{where}: channel is one of {', '.join(CHANNELS)}, world {TABLE} or {KITCHEN}")
    try:
        wants = tuple(Want(str(action), dict(arguments)) for action, arguments in entry.get("wants", ()))
        return Attack(str(entry["id"]), str(entry["family"]), channel, world, str(entry["text"]), wants,
                      tuple(map(str, entry.get("facts", ()))), str(entry.get("says", "")),
                      tuple(map(float, entry.get("at", ()))))
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"{where}: {type(error).__name__}: {error}") from error
