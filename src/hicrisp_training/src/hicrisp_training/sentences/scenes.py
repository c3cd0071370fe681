"""Invented scenes: things with names, types and colours, facts about where they are, robots."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from hicrisp_core.model import Pose, Relation, RobotState, WorldObject, WorldState

from hicrisp_training.sentences.bodies import Bodies, Size
from hicrisp_training.sentences.words import Words, invented_word

TABLE = "table"
FIXED = ("surface", "area", "station", "no_go", "obstacle", "tray", "room", "furniture")
"""Types of things that stay where they are."""
SHOWN = ("on", "in", "holding", "aboard")
"""Facts that a request shows."""
_RARE = 0.35
"""How often a thing has a name of the lexicon's further nouns."""
_NUMBERED = ("area", "obstacle")
_WITHOUT_COLOUR = (*FIXED, "ingredient", "glass", "dough", "bottle", "mixing_container", "plate", "object")
_CHOICES = {"graspable": (("box", 5), ("cylinder", 4)), "thing": (("box", 5), ("cylinder", 4), ("bowl", 2))}
Fact = Tuple[str, str, str]
"""Subject, predicate, object."""


@dataclass(frozen=True)
class Thing:
    """One thing; ``noun`` is the word in its name that says what it is; its size in metres."""

    name: str
    type: str
    noun: str
    colour: str = ""
    size: Size = (0.05, 0.05, 0.05)
    pose: Optional[Pose] = None

    @property
    def words(self) -> Tuple[str, ...]:
        return tuple(self.name.split("_"))


@dataclass
class Scene:
    """Things, facts and robots; ``fixed`` names what the domain brings, which nobody describes."""

    domain: str
    things: Dict[str, Thing] = field(default_factory=dict)
    facts: Set[Fact] = field(default_factory=set)
    robots: Dict[str, str] = field(default_factory=dict)

    def robot(self, kind: str) -> str:
        """The name of the robot of a kind; of any where there is none."""
        return next(
            (name for name, each in self.robots.items() if each == kind), next(iter(self.robots), "robot")
        )

    def plain_things(self) -> List[Thing]:
        """The things that people describe: not the table."""
        return [thing for thing in self.things.values() if thing.type != "surface"]

    def world(self) -> WorldState:
        """As the workspace sees it."""
        below = {subject: object_ for subject, predicate, object_ in self.facts if predicate in ("on", "in")}
        objects = {
            thing.name: WorldObject(
                thing.name,
                thing.type,
                size=thing.size,
                pose=self._pose(thing, below),
                attributes={"colour": thing.colour} if thing.colour else {},
                movable=thing.type not in FIXED,
            )
            for thing in self.things.values()
        }
        return WorldState(
            objects,
            frozenset(Relation(*fact) for fact in self.facts),
            {name: RobotState(name, kind) for name, kind in self.robots.items()},
        )

    def _pose(self, thing: Thing, below: Mapping[str, str]) -> Optional[Pose]:
        """Where it is: at the place of what it stands on or in."""
        for _ in range(len(below)):
            under = self.things.get(below.get(thing.name, ""))
            if under is None or under.type == "surface":
                break
            thing = under
        return thing.pose


Unwanted = Callable[[Thing], bool]


class Maker:
    """Invents things in one manner of naming.

    Args:
        style: how names are made: ``noun``, ``colour``, ``number``, ``invented``, ``letter`` or ``mixed``.
    """

    def __init__(self, words: Words, rng: random.Random, domain: str) -> None:
        self._words, self._rng, self._domain = words, rng, domain
        self.style = rng.choices(
            ("noun", "colour", "number", "invented", "letter", "mixed"), (8, 8, 1, 1, 0.5, 5)
        )[0]
        self.colourless = rng.random() < 0.06
        self._bodies = Bodies(rng)
        palette = list(words.colours)
        if rng.random() < 0.15:
            palette += rng.sample(words.rare_colours, 3)
        self._palette = rng.sample(palette, rng.randint(3, len(palette)))

    def colour(self) -> str:
        return self._rng.choice(self._palette)

    def type_of(self, wanted: str) -> str:
        """A type that is one of the wanted."""
        if self._domain in ("tabletop", "lab") and wanted in _CHOICES:
            types, weights = zip(*_CHOICES[wanted])
            return self._rng.choices(types, weights)[0]
        if self._domain == "virtualhome":
            return wanted
        return wanted

    def thing(
        self,
        wanted: str,
        taken: Scene,
        colour: str = "",
        nouns: Sequence[str] = (),
        unwanted: Optional[Unwanted] = None,
        style: str = "",
    ) -> Optional[Thing]:
        """A new thing of a type whose name is not taken; nothing where twenty tries fail.

        Args:
            colour: its colour; any where none is given.
            nouns: names of which it has one, with a colour or number in front or behind it.
            unwanted: what it must not be.
            style: how its name is made; the scene's manner where it is empty.
        """
        for _ in range(20):
            made = self._made(wanted, colour, nouns, style)
            made = replace(made, size=self._bodies.size(made.type, made.name), pose=self._bodies.pose())
            if (
                made.name not in taken.things
                and made.name not in taken.robots
                and not (unwanted and unwanted(made))
            ):
                return made
        return None

    def _made(self, wanted: str, colour: str, nouns: Sequence[str], wish: str) -> Thing:
        rng, type_ = self._rng, self.type_of(wanted)
        paint = (
            "" if type_ in _WITHOUT_COLOUR or (self.colourless and not colour) else colour or self.colour()
        )
        if nouns:
            noun = rng.choice(list(nouns))
            style = rng.choices(("noun", "colour", "number"), (7, 2, 1))[0]
        else:
            source = "home" if self._domain == "virtualhome" and type_ == "thing" else type_
            known = self._words.nouns.get(source, [type_])
            more = self._words.lexicon.more_nouns.get(source) if self._domain in ("tabletop", "lab") else None
            noun = rng.choice(more if more and rng.random() < _RARE else known)
            style = self.style if self.style != "mixed" else rng.choice(("noun", "noun", "colour", "number"))
            if type_ in _NUMBERED:
                style = "number"
            elif type_ in FIXED or self._domain in ("kitchen", "virtualhome"):
                style = "noun"
            elif (
                not wish
                and type_ in ("box", "cylinder", "bowl")
                and style in ("colour", "number", "letter")
                and rng.random() < 0.6
            ):
                noun = type_
        style = wish or style
        if style == "invented" and rng.random() < 0.7:
            noun = invented_word(rng)
            return Thing(noun if rng.random() < 0.8 else f"{noun}_{rng.randint(1, 9)}", type_, noun, paint)
        if style == "letter":
            return Thing(f"{noun}_{rng.choice('abcdefghkmxyz')}", type_, noun, paint)
        if style == "number":
            name = f"{noun}_{rng.randint(1, 4 if type_ in _NUMBERED else 6)}"
            return Thing(f"{paint}_{name}" if paint and rng.random() < 0.15 else name, type_, noun, paint)
        if style == "colour" and paint:
            return Thing(f"{paint}_{noun}", type_, noun, paint)
        if type_ in ("box", "cylinder") and not nouns and rng.random() < 0.05:
            return Thing(f"{rng.choice(self._words.adjectives)}_{noun}", type_, noun, paint)
        return Thing(noun, type_, noun, paint)


def with_fixed_things(scene: Scene, words: Words, rng: random.Random) -> None:
    """Add the robots of a domain and the things that every scene of it has."""
    arm, base = rng.choice(words.robots["arm"]), rng.choice(words.robots["base"])
    if scene.domain in ("tabletop", "blocks", "lab"):
        scene.things[TABLE] = Thing(TABLE, "surface", TABLE)
    if scene.domain in ("tabletop", "blocks", "lab", "kitchen"):
        scene.robots[arm] = "arm"
    if scene.domain in ("lab", "agv"):
        scene.robots[base] = "base"
    if scene.domain == "virtualhome":
        scene.robots["character"] = "base"


SCENERY: Dict[str, Tuple[Tuple[str, int, int], ...]] = {
    "tabletop": (("graspable", 0, 5), ("bowl", 0, 1)),
    "blocks": (("block", 0, 3),),
    "lab": (("box", 0, 3), ("area", 1, 2), ("station", 1, 1), ("tray", 1, 1)),
    "agv": (("area", 1, 2), ("station", 0, 1), ("no_go", 0, 1), ("obstacle", 0, 2)),
    "kitchen": (("ingredient", 0, 3), ("glass", 0, 1), ("furniture", 0, 1)),
    "virtualhome": (("thing", 2, 6),),
}
"""What else may stand in a scene: type, at least, at most."""
