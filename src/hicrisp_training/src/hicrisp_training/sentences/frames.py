"""Frames: ways of saying something, with slots for things, as files of ``data/frames`` hold them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

import yaml
from hicrisp_core.errors import ConfigError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hicrisp_training.sentences.slots import SLOT


class Group(BaseModel):
    """Several things that a sentence speaks of together.

    ``all`` says what else may not be in the scene: true for nothing more of the type, ``colour``, ``both``
    for type and colour, ``scene`` for no other graspable thing; ``except`` names slots that fit the
    description and are not in the group.
    """

    model_config = ConfigDict(extra="forbid", populate_by_name=True)
    type: str
    min: int = 2
    max: int = 4
    all: Union[bool, str] = False
    but: List[str] = Field(default_factory=list, alias="except")


class Frame(BaseModel):
    """One family of sentences with the same goal."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)
    kind: str = Field(alias="class")
    voice: str
    domain: str = "tabletop"
    things: Dict[str, str] = {}
    groups: Dict[str, Group] = {}
    absent: Dict[str, str] = {}
    twins: List[str] = []
    pair: List[str] = []
    only: Dict[str, Union[str, List[str]]] = {}
    names: Dict[str, List[str]] = {}
    others: bool = True
    typos: bool = False
    shown: bool = False
    start: List[str] = []
    say: List[str] = Field(min_length=1)
    first: List[str] = []
    goal: List[str] = []
    keep: List[str] = []
    refuse: Optional[str] = None
    ask: Optional[List[str]] = None
    answer: bool = False
    robot: Optional[str] = None

    @property
    def family(self) -> str:
        """What tells families apart, whatever file they stand in."""
        return hashlib.sha256(f"{self.domain}|{self.say[0]}".encode()).hexdigest()[:12]

    @property
    def free(self) -> bool:
        """Whether it fits any scene that has things of its types."""
        return (
            not (self.groups or self.twins or self.pair or self.only or self.names or self.start)
            and self.others
        )

    @property
    def is_goal(self) -> bool:
        """Whether it asks for something that can be done."""
        return bool(self.goal or self.first or self.keep)

    @property
    def joinable(self) -> bool:
        """Whether it can be one half of a longer request."""
        return (
            self.free
            and bool(self.goal)
            and not (self.first or self.keep or self.robot)
            and self.kind in ("plain", "paraphrase", "haste", "hold")
            and not any("?" in say for say in self.say)
        )

    def slots(self, say: str) -> List[Tuple[str, str]]:
        """The slots of one of its sentences with the form that each is said in."""
        return [(match.group(1), match.group(2) or "") for match in SLOT.finditer(say)]


def load_frames(folder: Path) -> List[Frame]:
    """All frames of a folder, in the order of file names.

    Raises:
        ConfigError: for an entry that does not fit, with its file and number.
    """
    frames: List[Frame] = []
    for file in sorted(folder.glob("*.yaml")):
        entries: Any = yaml.safe_load(file.read_text(encoding="utf-8")) or []
        for number, entry in enumerate(entries, 1):
            try:
                frames.append(Frame.model_validate(entry))
            except ValidationError as error:
                first = error.errors()[0]
                raise ConfigError(
                    f"{file}, entry {number}: {'.'.join(map(str, first['loc']))}: {first['msg']}"
                ) from error
    return frames


def held_out(frame: Frame, percent: int) -> bool:
    """Whether the family belongs to validation; the same families whatever frames there are besides."""
    return int(frame.family, 16) % 100 < percent
