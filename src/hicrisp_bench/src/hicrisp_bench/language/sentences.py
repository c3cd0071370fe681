"""Files of sentences with what they mean, and the scenes in which they are said."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, FrozenSet, Iterable, List, Mapping, Optional, Tuple

from hicrisp_core.config.files import config_file
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Goal, GoalError, Speaker, Turn, WorldState
from hicrisp_core.model.goal_text import parse_goal
from hicrisp_core.ports.observer import Observer
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.agv.world import AgvWorld
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.lab.world import LabWorld

from hicrisp_bench.pool import run_all

_SETTLED = 30.0
"""Wall seconds within which the objects of a scene come to rest."""
REFUSE, ASK, ANSWER = "refuse", "ask", "answer"
_WITHOUT_MOTION = {REFUSE: REFUSE, "refusal": REFUSE, ASK: ASK, "question": ASK, ANSWER: ANSWER}
"""What a sentence may mean that asks for no motion, or for none that can be."""
_KEYS = ("id", "scene", "text", "class")
_MEANING = ("goal", "stages", "invariants", "expect", "answer")
_SHARED = ("invariants", "robot")


@dataclass(frozen=True)
class Setting:
    """A scene as a brain knows it: true poses, and the facts that the detector sees in them."""

    domain: Domain
    world: WorldState


@dataclass(frozen=True)
class _Asked:
    config: Path
    scene: str
    seed: int


def settings_of(config: Path, scenes: Iterable[str], seed: int, jobs: int) -> Dict[str, Setting]:
    """The settings of some scenes with one layout each, drawn with the seed.

    The physics runs in other processes, whose memory is not that of the brain that is measured.

    Raises:
        ConfigError: for a scene that cannot be loaded.
    """
    names = sorted(set(scenes))
    results = run_all(_look, [_Asked(config, name, seed) for name in names], jobs, "scenes")
    for name, result in zip(names, results):
        if "crashed" in result:
            raise ConfigError(f"the scene '{name}' cannot be used: {result['crashed']}")
    domains = {name: load_domain(config_file("domains", name, config))
               for name in {result["domain"] for result in results}}
    return {name: Setting(domains[result["domain"]], result["world"]) for name, result in zip(names, results)}


def _look(asked: _Asked) -> Dict[str, Any]:
    scene = load_scene(config_file("scenes", asked.scene, asked.config), asked.seed)
    domain = load_domain(config_file("domains", scene.domain, asked.config))
    if scene.symbolic:
        return {"domain": scene.domain, "world": scene.first_state()}
    kind = EmbeddedWorld if scene.arena is None else LabWorld if scene.world == "lab" else AgvWorld
    world: Observer = kind(scene, asked.seed, domain=domain)
    return {"domain": scene.domain, "world": world.observe(Deadline(_SETTLED))}


@dataclass(frozen=True)
class Sentence:
    """A request and what it means.

    Args:
        scene: the name of the scene in which it is said.
        kind: the class that its row in the table has.
        goals: alternatives; several stages of one are reached in their order.
        others: those of ``refuse``, ``ask`` and ``answer`` that are right.
        answer: what the text of an answer contains: one of each group of words.
        turns: the conversation before it.
    """

    id: str
    scene: str
    text: str
    kind: str
    goals: Tuple[Goal, ...]
    others: FrozenSet[str]
    answer: Tuple[Tuple[str, ...], ...] = ()
    turns: Tuple[Turn, ...] = ()

    @property
    def ordered(self) -> bool:
        """Whether it asks for an order in time."""
        return any(len(goal.stages) > 1 for goal in self.goals)


def sentence_file(asked: Optional[Path], config: Path, usual: str) -> Path:
    """A file of sentences: a path, or a name in the folder of a configuration."""
    if asked is not None and asked.is_file():
        return asked
    return config / "sentences" / (asked or usual)


def read_sentences(file: Path) -> List[Sentence]:
    """Read a list of ``{"id", "scene", "text", "class", ...}``, each with what it means.

    - ``goal``: alternatives, each a list of conditions such as ``"not(next_to(fork,glass))"``, an object with
      ``stages`` and ``invariants``, or one of ``"refuse"``, ``"ask"`` and ``"answer"``
    - ``stages``: lists of conditions that are reached in this order, in place of the lists under ``goal``
    - ``invariants``, ``robot``: of every alternative that names none
    - ``expect``: ``"answer"``, ``"refusal"`` or ``"question"``, or several of them
    - ``answer``: what an answer's text contains: words, or a list of words and of lists of which one is there
    - ``turns``: the conversation before, as ``"user: ..."`` and ``"robot: ..."``

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
    goals: List[Goal] = []
    others: List[str] = [ANSWER] if "answer" in entry else []
    for said in (*_listed(entry.get("goal")), *_listed(entry.get("expect"))):
        alone = said[0] if isinstance(said, list) and len(said) == 1 else said
        if isinstance(alone, str) and alone in _WITHOUT_MOTION:
            others.append(_WITHOUT_MOTION[alone])
        elif "stages" not in entry:
            goals.append(_goal(said, entry, where))
    if "stages" in entry or ("invariants" in entry and not goals):
        goals.append(_goal({"stages": entry.get("stages", [])}, entry, where))
    if not goals and not others:
        raise ConfigError(f"{where}: it means nothing; give one of: {', '.join(_MEANING)}")
    return Sentence(
        str(entry["id"]), str(entry["scene"]), str(entry["text"]), str(entry["class"]), tuple(goals),
        frozenset(others), tuple(tuple(map(str, _listed(each))) for each in _listed(entry.get("answer"))),
        tuple(_turn(each, where) for each in _listed(entry.get("turns"))))


def _goal(said: Any, entry: Mapping[str, Any], where: str) -> Goal:
    """One alternative, with what the entry says of all of them."""
    if not said or not isinstance(said, (list, dict)):
        raise ConfigError(f"{where}: '{said}' is neither a list of conditions nor one of: "
                          f"{', '.join(_WITHOUT_MOTION)}")
    parts = {"stages": [said]} if isinstance(said, list) else dict(said)
    parts = {**{key: entry[key] for key in _SHARED if key in entry}, **parts}
    for key in ("stages", "otherwise"):
        parts[key] = [" & ".join(map(str, _listed(stage))) for stage in _listed(parts.get(key))]
    found = parse_goal(parts)
    if isinstance(found, GoalError):
        raise ConfigError(f"{where}: {found}")
    if found.empty:
        raise ConfigError(f"{where}: an alternative asks for nothing")
    return found


def _turn(said: Any, where: str) -> Turn:
    speaker, _, text = said.partition(": ") if isinstance(said, str) else ("", "", "")
    if isinstance(said, dict):
        speaker, text = str(said.get("speaker")), str(said.get("text", ""))
    if speaker not in [each.value for each in Speaker] or not text:
        raise ConfigError(f"{where}: a turn is written 'user: ...' or 'robot: ...', not {said!r}")
    return Turn(Speaker(speaker), text)


def _listed(said: Any) -> List[Any]:
    if said is None:
        return []
    return said if isinstance(said, list) else [said]
