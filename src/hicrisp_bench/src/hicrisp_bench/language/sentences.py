"""Files of sentences with what they mean."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, FrozenSet, List, Optional, Tuple

from hicrisp_core.errors import ConfigError
from hicrisp_core.model.goal import Holds, Not, Statement
from hicrisp_core.model.goal_text import parse_statement
from hicrisp_core.model.misfit import Misfit

REFUSE, ASK, ANSWER = "refuse", "ask", "answer"
WITHOUT_MOTION = (REFUSE, ASK, ANSWER)
"""What a sentence may mean that asks for no motion, or for none that can be."""
_KEYS = ("id", "scene", "text", "class", "goal")


@dataclass(frozen=True)
class Sentence:
    """A request and what it means.

    Args:
        scene: the name of the scene in which it is said.
        kind: the class that its row in the table has.
        goals: alternatives; all statements of one hold at the end.
        others: those of ``refuse``, ``ask`` and ``answer`` that are right.
    """

    id: str
    scene: str
    text: str
    kind: str
    goals: Tuple[Tuple[Statement, ...], ...]
    others: FrozenSet[str]


def sentence_file(asked: Optional[Path], config: Path, usual: str) -> Path:
    """A file of sentences: a path, or a name in the folder of a configuration."""
    if asked is not None and asked.is_file():
        return asked
    return config / "sentences" / (asked or usual)


def read_sentences(file: Path) -> List[Sentence]:
    """Read a list of ``{"id", "scene", "text", "class", "goal"}``.

    ``goal`` is a list of alternatives: lists of facts such as ``"on(cup,saucer)"`` or
    ``"not(next_to(fork,glass))"``, or one of ``"refuse"``, ``"ask"`` and ``"answer"``.

    Raises:
        ConfigError: with the sentence and what is wrong with it.
    """
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read the sentences in {file}: {error}") from error
    if not isinstance(entries, list) or not entries:
        raise ConfigError(f"{file}: a list of sentences was expected")
    found = [_sentence(entry, f"{file}, sentence {number}") for number, entry in enumerate(entries, 1)]
    names = [each.id for each in found]
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise ConfigError(f"{file}: the id '{twice}' stands there twice")
    return found


def _sentence(entry: Any, where: str) -> Sentence:
    if not isinstance(entry, dict) or any(key not in entry for key in _KEYS):
        raise ConfigError(f"{where}: an object with the keys {', '.join(_KEYS)} was expected")
    told = entry["goal"] if isinstance(entry["goal"], list) else [entry["goal"]]
    goals: List[Tuple[Statement, ...]] = []
    others: List[str] = []
    for alternative in told:
        alone = alternative[0] if isinstance(alternative, list) and len(alternative) == 1 else alternative
        if alone in WITHOUT_MOTION:
            others.append(alone)
        elif isinstance(alternative, list) and alternative:
            goals.append(tuple(_statement(fact, where) for fact in alternative))
        else:
            raise ConfigError(f"{where}: '{alternative}' is neither a list of facts nor one of: "
                              f"{', '.join(WITHOUT_MOTION)}")
    if not goals and not others:
        raise ConfigError(f"{where}: the goal has no alternative")
    return Sentence(str(entry["id"]), str(entry["scene"]), str(entry["text"]), str(entry["class"]),
                    tuple(goals),
                    frozenset(others))


def _statement(fact: Any, where: str) -> Statement:
    found = parse_statement(str(fact))
    if isinstance(found, Misfit):
        raise ConfigError(f"{where}: {found}")
    if not isinstance(found.part if isinstance(found, Not) else found, Holds):
        raise ConfigError(f"{where}: '{fact}' is neither a fact nor not(FACT); write a choice as "
                          "alternatives")
    return found
