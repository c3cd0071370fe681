"""Problems of the blocks world: PlanBench's PDDL files, and the sentences that come with recorded plans."""

from __future__ import annotations

import json
import re
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Deque, Dict, FrozenSet, Iterator, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Relation, RobotState, WorldObject, WorldState

ROBOT = "arm"
TABLE = "table"
_COLOURS = ("red", "blue", "orange", "yellow", "white", "magenta", "black", "cyan", "green", "violet", "silver", "gold")
_STANDS = re.compile(r"(b\d+) is on (?:top of (b\d+)|the table)\.")
_GOAL = re.compile(r"(b\d+) should be on top of (b\d+)\.")
_State = Tuple[FrozenSet[Tuple[str, str]], str]
"""Who stands on what, and what is held (empty: nothing)."""


@dataclass(frozen=True)
class Problem:
    """A blocks problem.

    Args:
        below: what each block stands on at first: another block or the table.
        goal: (upper, lower) for every block whose place is wanted; it stands on the lower one itself.
    """

    name: str
    below: Mapping[str, str]
    goal: Tuple[Tuple[str, str], ...]

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return len(self.below)

    @property
    def facts(self) -> Tuple[Relation, ...]:
        """The goal as facts."""
        return tuple(Relation(upper, "on", lower) for upper, lower in self.goal)

    def world(self) -> WorldState:
        """The problem's first state, with one arm and one table."""
        objects: Dict[str, WorldObject] = {
            name: WorldObject(name, "block", attributes={"colour": name.split("_")[0]} if "_" in name else {})
            for name in self.below}
        objects[TABLE] = WorldObject(TABLE, "surface", "surface", movable=False)
        facts = frozenset(Relation(upper, "on", lower) for upper, lower in self.below.items())
        return WorldState(objects, facts, {ROBOT: RobotState(ROBOT)})

    def sentence(self, domain: Domain) -> str:
        """The goal in the domain's words, as a user would say it."""
        return ", and ".join(domain.fact_text(Relation(_said(upper), "on", _said(lower))) for upper, lower in self.goal)


def planbench_problems(folder: Path) -> List[Problem]:
    """PlanBench's problems with 3, 4 and 5 blocks, by the number of blocks and of the file.

    Raises:
        ConfigError: when the files, or the package that reads them, are not there.
    """
    try:
        from pddl.parser.problem import ProblemParser  # only this suite needs it
    except ImportError as error:
        raise ConfigError("the package 'pddl' reads PlanBench's files; install it with: pip install "
                          "pddl") from error
    files = [file for part in ("generated_basic_3", "generated_basic") for file in (folder / part).glob("*.pddl")]
    if not files:
        raise ConfigError(f"no PlanBench problems in {folder}; HICRISP_DATA names the folder that holds "
                          "'planbench'")
    parser = ProblemParser()
    found: List[Problem] = []
    for file in sorted(files, key=lambda file: (file.parent.name, int(re.sub(r"\D", "", file.stem) or 0))):
        read = parser(file.read_text(encoding="utf-8"))
        letters = sorted(str(item.name) for item in read.objects)
        names = {letter: f"{colour}_block" for letter, colour in zip(letters, _COLOURS)}  # They can be said.
        facts = [(str(fact.name), [str(term.name) for term in fact.terms]) for fact in read.init]
        goal = [(str(fact.name), [str(term.name) for term in fact.terms])
                for fact in getattr(read.goal, "operands", (read.goal,))]
        other = sorted({name for name, _ in goal} - {"on"} | {name for name, _ in facts}
                       - {"on", "ontable", "clear", "handempty"})
        if other:
            raise ConfigError(f"{file}: facts of the blocks world were expected, got {', '.join(other)}")
        below = {names[terms[0]]: names[terms[1]] if name == "on" else TABLE
                 for name, terms in facts if name in ("on", "ontable")}
        found.append(Problem(f"{file.parent.name}/{file.stem}", dict(sorted(below.items())),
                             tuple(sorted((names[upper], names[lower]) for _, (upper, lower) in goal))))
    return sorted(found, key=lambda problem: problem.blocks)


def sentence_problems(file: Path) -> Dict[str, Problem]:
    """The problems in English that CoPAL's blocks plans were made for, by name (``p01`` to ``p20``).

    Raises:
        ConfigError: when a problem says nothing of its blocks or its goal.
    """
    found: Dict[str, Problem] = {}
    for name, entry in json.loads(file.read_text(encoding="utf-8")).items():
        if not isinstance(entry, dict):
            continue  # What the actions do, in words.
        below = {upper: lower or TABLE for upper, lower in _STANDS.findall(str(entry.get("domain", "")))}
        goal = tuple(_GOAL.findall(str(entry.get("goal", ""))))
        if not below or not goal:
            raise ConfigError(f"{file}: {name} names no blocks or no goal")
        found[name] = Problem(name, below, goal)
    return found


def above(world: WorldState, upper: str, lower: str) -> bool:
    """Whether a block stands anywhere above another in the same tower."""
    below = {fact.subject: fact.object for fact in world.relations if fact.predicate == "on"}
    at = upper
    for _ in below:
        at = below.get(at, "")
        if at == lower:
            return True
    return False


def _said(name: str) -> str:
    return f"the {name.replace('_', ' ')}"


def optimal_length(below: Mapping[str, str], goal: Sequence[Tuple[str, str]], table: str = "table") -> Optional[int]:
    """The least number of pick-ups, put-downs, stackings and unstackings; ``None`` where there is no way.

    Args:
        below: what each block stands on at first.
        goal: (upper, lower): which block shall stand on which itself.
    """
    start: _State = (frozenset(below.items()), "")
    wanted = frozenset(goal)
    lengths: Dict[_State, int] = {start: 0}
    queue: Deque[_State] = deque([start])
    while queue:
        state = queue.popleft()
        if wanted <= state[0]:
            return lengths[state]
        for after in _successors(state, table):
            if after not in lengths:
                lengths[after] = lengths[state] + 1
                queue.append(after)
    return None


def _successors(state: _State, table: str) -> Iterator[_State]:
    stands, held = state
    clear = {upper for upper, _ in stands} - {lower for _, lower in stands}
    if held:
        for place in (table, *clear):
            yield stands | {(held, place)}, ""
        return
    for upper, lower in stands:
        if upper in clear:
            yield stands - {(upper, lower)}, upper
