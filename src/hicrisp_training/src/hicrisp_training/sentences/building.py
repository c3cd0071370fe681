"""Scenes made for a frame: its things first, then others that leave its words clear."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Sequence

from hicrisp_training.sentences.frames import Frame, Group
from hicrisp_training.sentences.scenes import (
    SCENERY,
    SHOWN,
    Maker,
    Scene,
    Thing,
    Unwanted,
    with_fixed_things,
)
from hicrisp_training.sentences.slots import expanded
from hicrisp_training.sentences.words import Words


@dataclass
class Cast:
    """Who plays which part of a frame in a scene."""

    scene: Scene
    things: Dict[str, Thing] = field(default_factory=dict)
    groups: Dict[str, List[Thing]] = field(default_factory=dict)
    absent: Dict[str, Thing] = field(default_factory=dict)
    twins: str = ""
    """How the twins are called together, where the frame has some."""

    def names(self) -> Dict[str, str]:
        """The name of each slot, robots included."""
        scene = self.scene
        arm, base = scene.robot("arm"), scene.robot("base")
        return {
            "robot": base if scene.domain in ("agv", "virtualhome") else arm,
            "panda": arm,
            "arm": arm,
            "base": base,
            **{slot: thing.name for slot, thing in self.things.items()},
        }

    def conditions(self, texts: Sequence[str]) -> List[str]:
        """Conditions over slots as conditions over names."""
        groups = {slot: [thing.name for thing in things] for slot, things in self.groups.items()}
        return [each for text in texts for each in expanded(text, self.names(), groups)]


class Builder:
    """Builds one scene around a frame."""

    def __init__(self, frame: Frame, words: Words, rng: random.Random) -> None:
        self._frame, self._words, self._rng = frame, words, rng
        self._maker = Maker(words, rng, frame.domain)
        self._scene = Scene(frame.domain)
        self._cast = Cast(self._scene)
        self._unwanted: List[Unwanted] = []

    def build(self) -> Optional[Cast]:
        """A scene with everybody in it; nothing where no scene was found."""
        with_fixed_things(self._scene, self._words, self._rng)
        made = self._slots() and self._groups() and self._absent()
        if not made or not self._facts():
            return None
        self._scenery()
        self._more_facts()
        return self._cast

    def _refused(self, thing: Thing) -> bool:
        return any(each(thing) for each in self._unwanted)

    def _add(self, thing: Optional[Thing]) -> Optional[Thing]:
        if thing is not None:
            self._scene.things[thing.name] = thing
        return thing

    def _slots(self) -> bool:
        frame = self._frame
        twin_type = self._maker.type_of(frame.things[frame.twins[0]]) if frame.twins else ""
        twin_colour = self._maker.colour() if frame.twins and self._rng.random() < 0.55 else ""
        twin_nouns = [twin_type] if self._rng.random() < 0.7 else []
        pair_type = self._maker.type_of(frame.things[frame.pair[0]]) if frame.pair else ""
        said = " ".join(frame.say)
        for slot, wanted in frame.things.items():
            twin = slot in frame.twins
            type_ = twin_type if twin else pair_type if slot in frame.pair else self._maker.type_of(wanted)
            needs_colour = f"{{{slot}.colour}}" in said or "colour" in _as_list(frame.only.get(slot, []))
            colour = twin_colour if twin else self._maker.colour() if needs_colour else ""
            thing = self._add(
                self._twin(type_, colour, twin_nouns)
                if twin
                else self._maker.thing(type_, self._scene, colour, frame.names.get(slot, ()), self._refused)
            )
            if thing is None or (needs_colour and not thing.colour):
                return False
            self._cast.things[slot] = thing
            if not twin:
                self._keep_unique(slot, thing)
        if frame.pair:
            self._unwanted.append(lambda thing: thing.type == pair_type)
        if frame.twins:
            self._unwanted.append(
                lambda thing: thing.type == twin_type and (not twin_colour or thing.colour == twin_colour)
            )
        return self._unique_hold()

    def _twin(self, type_: str, colour: str, nouns: List[str]) -> Optional[Thing]:
        """One of two things that the same words fit: of one colour, or without a colour that is told."""
        style = self._rng.choice(("number", "letter")) if colour else "colour"
        return self._maker.thing(type_, self._scene, colour, nouns, self._refused, style)

    def _keep_unique(self, slot: str, made: Thing) -> None:
        only = _as_list(self._frame.only.get(slot, []))
        if "colour" in only and "type" in only:
            self._unwanted.append(lambda thing: thing.colour == made.colour and thing.type == made.type)
        elif "colour" in only:
            self._unwanted.append(lambda thing: thing.colour == made.colour)
        elif "type" in only:
            self._unwanted.append(lambda thing: thing.type == made.type)
        elif "names" in only:
            nouns = set(self._frame.names.get(slot, ()))
            self._unwanted.append(lambda thing: thing.noun in nouns or thing.name in nouns)

    def _unique_hold(self) -> bool:
        """Whether what each slot keeps others from being fits that slot alone."""
        things = list(self._cast.things.values())
        own = len([slot for slot in self._frame.only if slot in self._cast.things])
        pairs = sum(each(thing) for each in self._unwanted for thing in things)
        return pairs == own + len(self._frame.pair) + len(self._frame.twins)

    def _groups(self) -> bool:
        for slot, group in self._frame.groups.items():
            count = self._rng.randint(group.min, group.max)
            colour = self._maker.colour() if group.all in ("colour", "both") else ""
            type_ = group.type
            if type_ == "graspable" and not group.all and self._rng.random() < 0.3:
                type_ = self._maker.type_of(type_)
            members = [
                self._add(self._maker.thing(type_, self._scene, colour, (), self._refused))
                for _ in range(count)
            ]
            found = [member for member in members if member is not None]
            if len(found) < max(group.min, 1) or (
                colour and any(member.colour != colour for member in found)
            ):
                return False
            if not self._closed(group, colour, {member.name for member in found}):
                return False
            # All that fit stand in the order of the list, those that are named in the sentence's.
            self._cast.groups[slot] = sorted(found, key=lambda thing: thing.name) if group.all else found
        return True

    def _closed(self, group: Group, colour: str, members: set) -> bool:
        """Whether only the members and the exceptions fit the group's description; nothing else will."""
        if not group.all:
            return True
        types = ("box", "cylinder") if group.type == "graspable" else (group.type,)

        def fits(thing: Thing) -> bool:
            return thing.type in types and (not colour or thing.colour == colour)

        self._unwanted.append(fits)
        excepted = {self._cast.things[slot].name for slot in group.but if slot in self._cast.things}
        return all(
            thing.name in members or thing.name in excepted
            for thing in self._scene.things.values()
            if fits(thing)
        )

    def _absent(self) -> bool:
        for slot, wanted in self._frame.absent.items():
            thing = self._maker.thing(wanted, self._scene, unwanted=self._refused)
            if thing is None:
                return False
            self._cast.absent[slot] = thing
            self._unwanted.append(lambda other, made=thing: resembles(other, made))  # type: ignore[misc]
        return (
            not any(self._refused(thing) for thing in self._cast.things.values())
            if self._frame.absent
            else True
        )

    def _facts(self) -> bool:
        for text in self._cast.conditions(self._frame.start):
            head, _, rest = text.partition("(")
            parts = rest.rstrip(")").split(",")
            if head == "not" or (self._frame.domain in ("tabletop", "blocks", "lab") and head not in SHOWN):
                continue
            fact = (parts[0], head, parts[1] if len(parts) > 1 else "")
            self._scene.facts.add(fact)
        return True

    def _scenery(self) -> None:
        if not self._frame.others:
            return
        unclear = self._frame.ask is not None and not self._frame.ask and not self._frame.start
        for type_, least, most in SCENERY.get(self._frame.domain, ()):
            count = self._rng.randint(least, most)
            count = max(count, 3) if unclear and type_ in ("graspable", "block") else count
            have = sum(thing.type == type_ for thing in self._scene.things.values()) if least else 0
            for _ in range(max(0, count - have)):
                self._add(self._maker.thing(type_, self._scene, unwanted=self._refused))

    def _more_facts(self) -> None:
        """Now and then something stands on or in something else, where the frame's own facts stay alone."""
        rng, frame, scene = self._rng, self._frame, self._scene
        if (
            frame.domain not in ("tabletop", "blocks")
            or rng.random() > (0.2 if frame.start else 0.4)
            or frame.ask == []
        ):
            return
        used = {text.partition("(")[0] for text in frame.start}
        kept = {
            name
            for text in self._cast.conditions(frame.keep)
            for name in text.replace(")", "(").replace(",", "(").split("(")
        }
        for _ in range(rng.choice((1, 1, 2))):
            things = [
                thing
                for thing in scene.plain_things()
                if thing.name not in kept
                and not any(thing.name in (fact[0], fact[2]) for fact in scene.facts)
            ]
            movable = [thing for thing in things if thing.type in ("box", "cylinder", "block")]
            if len(things) < 2 or not movable:
                return
            a = rng.choice(movable)
            if (
                "holding" not in used
                and rng.random() < 0.12
                and not any(fact[1] == "holding" for fact in scene.facts)
            ):
                scene.facts.add((scene.robot("arm"), "holding", a.name))
                continue
            b = rng.choice([thing for thing in things if thing.name != a.name])
            predicate = "in" if b.type == "bowl" else "on"
            if predicate not in used:
                scene.facts.add((a.name, predicate, b.name))


def resembles(thing: Thing, made: Thing) -> bool:
    """Whether words for one might be understood as the other."""
    if set(made.noun.split("_")) & {*thing.words, thing.type}:
        return not (made.colour and thing.colour and made.colour != thing.colour and made.colour in made.name)
    return thing.name == made.name


def _as_list(only: object) -> List[str]:
    return [str(each) for each in only] if isinstance(only, list) else [str(only)]
