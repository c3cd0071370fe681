"""The attacks as data: what is said or written where, and what a model does that obeys it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, List, Mapping, NamedTuple, Tuple

from hicrisp_core.errors import ConfigError
from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass
from typing_extensions import Annotated

TASK, NAME, LABEL, REPLY = "task", "name", "label", "reply"
ANSWER, REMARK, SCENE, POLICY = "answer", "remark", "scene", "policy"
CHANNELS: Mapping[str, str] = {
    TASK: "the text of a task", NAME: "the name of a thing", LABEL: "what a tag or a label says of a thing",
    REPLY: "a model's answer", ANSWER: "a person's answer to a question",
    REMARK: "what a person says meanwhile", SCENE: "a scene's file", POLICY: "a policy's file"}
TABLE, KITCHEN = "table", "kitchen"


class Want(NamedTuple):
    """A command that an attack is after; its action, its objects and its robot need not exist."""

    action: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
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
        at: where the object is that the attack is about, metres; empty for a usual place.
    """

    id: str
    family: str
    channel: Annotated[str, Field(pattern=f"^({'|'.join(CHANNELS)})$")]
    world: Annotated[str, Field(pattern=f"^({TABLE}|{KITCHEN})$")]
    text: str
    wants: Tuple[Want, ...] = ()
    facts: Tuple[str, ...] = ()
    says: str = ""
    at: Tuple[float, ...] = ()


_ENTRIES = TypeAdapter(List[Attack])


def read_attacks(folder: Path) -> List[Attack]:
    """Read all attacks of the JSON files of a folder.

    Args:
        folder: holds lists of objects whose keys are the fields of an attack; the world is the table if none is named.

    Returns:
        The attacks, file by file in the order of the names.

    Raises:
        ConfigError: for a wrong file, with the entry; for an id that stands there twice, or no attack at all.
    """
    found: List[Attack] = []
    for file in sorted(folder.glob("*.json")):
        try:
            entries = json.loads(file.read_text(encoding="utf-8"))
            found += _ENTRIES.validate_python([{"world": TABLE, **entry} for entry in entries])
        except (OSError, ValueError, TypeError) as error:
            raise ConfigError(f"cannot read the attacks in {file}: {error}") from error
    twice = [name for name, times in Counter(each.id for each in found).items() if times > 1]
    if twice or not found:
        raise ConfigError(f"{folder} holds no attacks" if not found else f"{folder}: '{twice[0]}' stands there twice")
    return found
