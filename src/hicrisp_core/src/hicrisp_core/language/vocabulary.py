"""What things, places and robots are called in one world, and which words requests are made of there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import FrozenSet, Mapping, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language import lexicon
from hicrisp_core.language.actions import other
from hicrisp_core.language.names import words_of
from hicrisp_core.language.robots import Robots
from hicrisp_core.language.tokens import Token
from hicrisp_core.model import WorldState
from hicrisp_core.ports.kinds import BASE

_TABLES = lexicon.NOUNS["surface"]


def drives(domain: Domain) -> bool:
    """Whether the domain is one of bases that drive to areas."""
    return bool(domain.roles.area and domain.roles.located)


def delivers(domain: Domain) -> bool:
    """Whether the domain has an arm that picks up and a base that carries."""
    return drives(domain) and bool(domain.roles.held and domain.roles.aboard)


@dataclass(frozen=True)
class Vocabulary:
    """The names of one world; empty for sentences of which no world is known.

    Args:
        words: every word by which a thing is called.
        carriers: names and types of what a base carries things on.
        tables: what things stand on, besides the carriers.
        moving: whether bases drive here.
        carrying: whether bases drive here with what arms load.
    """

    words: FrozenSet[str] = frozenset()
    areas: Tuple[str, ...] = ()
    stations: Tuple[str, ...] = ()
    carriers: Tuple[str, ...] = ()
    tables: Tuple[str, ...] = ()
    robots: Robots = field(default_factory=Robots)
    moving: bool = False
    carrying: bool = False

    @classmethod
    def of(cls, domain: Domain, world: WorldState) -> "Vocabulary":
        """What is called how in a world."""
        roles = domain.roles
        loads = [action for action in domain.actions.values() if roles.aboard and any(
            effect.atom.predicate == roles.aboard and not effect.removes for effect in action.effects)]
        loaded = {action.parameters[other(action)].type for action in loads if other(action)}
        carriers = tuple(name for type_ in sorted(loaded) for name in domain.objects_of(world, type_))
        tables = domain.objects_of(world, roles.surface)
        docks = domain.predicates[roles.docked].arguments[-1] if roles.docked else ""
        return cls(words_of(world), domain.objects_of(world, roles.area) if roles.area else (),
                   domain.objects_of(world, docks) if docks else (), (*carriers, *sorted(loaded)),
                   tuple(name for name in tables if name not in carriers),
                   Robots({name: robot.kind for name, robot in world.robots.items()}), drives(domain),
                   delivers(domain))

    @property
    def phrases(self) -> Mapping[str, Tuple[str, str]]:
        """The phrases of the lexicon that are read here."""
        return lexicon.FLEET_PHRASES if self.moving else lexicon.PHRASES

    def area(self, said: Sequence[Token]) -> str:
        """The area that is meant: "area 3", "areas 3", "area three", "3"; empty when it is none."""
        texts = _words(said)
        name = "_".join(texts)
        if name in self.areas:
            return name
        tail = texts[1:] if texts and texts[0] in lexicon.AREA_WORDS else texts
        found = [area for area in self.areas if tail and area.split("_")[-len(tail):] == tail]
        return found[0] if len(found) == 1 else ""

    def station(self, said: Sequence[Token]) -> str:
        """The station that is meant; empty when it is none."""
        texts = _words(said)
        name = "_".join(texts)
        if name in self.stations:
            return name
        found = [station for station in self.stations if texts and name in station.split("_")]
        return found[0] if len(found) == 1 else ""

    def table(self, said: Sequence[Token]) -> str:
        """The table that is meant, by its name, or as the only one; empty when it is none."""
        texts = _words(said)
        name = "_".join(texts)
        if name in self.tables:
            return name
        return self.tables[0] if len(self.tables) == 1 and len(texts) == 1 and texts[0] in _TABLES else ""

    def is_carrier(self, said: Sequence[Token]) -> bool:
        """Whether a base, what it carries things on, or both are meant: "the AGV's tray"."""
        texts = _words(said)
        names, length = self.robots.named(texts)
        rest = texts[length:] if any(self.robots.kinds[name] == BASE for name in names) else texts
        return bool(texts) and (not rest or "_".join(rest) in self.carriers)


def _words(said: Sequence[Token]) -> "list[str]":
    """The words of a name without articles; numbers as digits."""
    texts = [text for token in said for text in token.text.replace("_", " ").split()]
    return [str(lexicon.NUMBERS.get(text, text)) for text in texts if text not in lexicon.ARTICLES]
