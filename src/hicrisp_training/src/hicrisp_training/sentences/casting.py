"""Who of a scene that is there already can play the parts of a frame."""

from __future__ import annotations

import random
from collections import Counter
from typing import Dict, List, Mapping, Optional

from hicrisp_core.domain.schema import Domain

from hicrisp_training.sentences.building import Cast, resembles
from hicrisp_training.sentences.frames import Frame, Group
from hicrisp_training.sentences.scenes import SHOWN, Maker, Scene, Thing
from hicrisp_training.sentences.words import Words

_TRIES = 6


class Casting:
    """Finds things of a scene for a frame's slots and groups, so that its words are true of them alone."""

    def __init__(self, words: Words, domains: Mapping[str, Domain], rng: random.Random) -> None:
        self._words, self._domains, self._rng = words, domains, rng

    def cast(self, frame: Frame, scene: Scene) -> Optional[Cast]:
        """The parts; nothing where the scene has nobody for one of them."""
        if frame.twins or not frame.others or (frame.ask == [] and not self._unclear(scene)):
            return None
        for _ in range(1 if frame.free else _TRIES):
            cast = self._tried(frame, scene)
            if cast is not None and self._true(frame, cast):
                return cast
        return None

    def _unclear(self, scene: Scene) -> bool:
        """Whether "it" might be several things."""
        domain = self._domains[scene.domain]
        graspable = [each for each in scene.plain_things() if domain.is_a(each.type, "graspable")]
        return not scene.facts and len(graspable) > 2

    def _tried(self, frame: Frame, scene: Scene) -> Optional[Cast]:
        cast, domain = Cast(scene), self._domains[scene.domain]
        pool = scene.plain_things()
        self._rng.shuffle(pool)
        for slot, wanted in frame.things.items():
            found = next((thing for thing in pool if domain.is_a(thing.type, wanted)
                          and self._alone(frame, slot, thing, scene)), None)
            if found is None:
                return None
            pool.remove(found)
            cast.things[slot] = found
        if frame.pair:
            types = {cast.things[slot].type for slot in frame.pair}
            if len(types) > 1 or sum(thing.type in types for thing in scene.plain_things()) != 2:
                return None
        for slot, group in frame.groups.items():
            members = self._members(group, cast, domain)
            if members is None:
                return None
            cast.groups[slot] = members
        return cast if self._absent(frame, cast) else None

    def _alone(self, frame: Frame, slot: str, thing: Thing, scene: Scene) -> bool:
        """Whether what a frame says of a slot is true of this thing and of no other."""
        things = [other for other in scene.plain_things() if other.name != thing.name]
        only = frame.only.get(slot, [])
        said = set(only if isinstance(only, list) else [only])
        if "names" in said and thing.noun not in frame.names.get(slot, ()):
            return False
        if ("colour" in said or f"{{{slot}.colour}}" in " ".join(frame.say)) and not thing.colour:
            return False
        if said == {"colour", "type"}:
            return not any((other.colour, other.type) == (thing.colour, thing.type) for other in things)
        if "colour" in said:
            return not any(other.colour == thing.colour for other in things)
        if "type" in said:
            return not any(other.type == thing.type for other in things)
        if "names" in said:
            return not any({other.noun, *other.words} & set(frame.names.get(slot, ())) for other in things)
        return slot not in frame.names or thing.noun in frame.names[slot]

    def _members(self, group: Group, cast: Cast, domain: Domain) -> Optional[List[Thing]]:
        taken = {thing.name for thing in cast.things.values()}
        taken.update(thing.name for each in cast.groups.values() for thing in each)
        fitting = [thing for thing in cast.scene.plain_things() if domain.is_a(thing.type, group.type)]
        if group.all == "scene":
            fitting = [thing for thing in cast.scene.plain_things() if domain.is_a(thing.type, "graspable")]
        if group.all in ("colour", "both"):
            colours = Counter(thing.colour for thing in fitting if thing.colour)
            usable = [colour for colour, count in colours.items() if count >= group.min]
            if not usable:
                return None
            colour = self._rng.choice(sorted(usable))
            fitting = [thing for thing in fitting if thing.colour == colour]
        but = {cast.things[slot].name for slot in group.but if slot in cast.things}
        if group.all:
            members = [thing for thing in fitting if thing.name not in but]
            if any(thing.name in taken for thing in members) or not but <= {each.name for each in fitting}:
                return None
        else:
            free = [thing for thing in fitting if thing.name not in taken]
            count = self._rng.randint(group.min, group.max)
            members = self._rng.sample(free, count) if count <= len(free) else []
        if not group.min <= len(members) <= group.max:
            return None
        return sorted(members, key=lambda each: each.name) if group.all else members

    def _absent(self, frame: Frame, cast: Cast) -> bool:
        for slot, wanted in frame.absent.items():
            made = Maker(self._words, self._rng, cast.scene.domain).thing(wanted, cast.scene)
            if made is None or any(resembles(thing, made) for thing in cast.scene.things.values()):
                return False
            cast.absent[slot] = made
        return True

    def _true(self, frame: Frame, cast: Cast) -> bool:
        """Whether what the frame presupposes holds, of these things alone; nobody named in ``keep`` is in the
        way."""
        facts = cast.scene.facts
        wanted: Dict[str, int] = Counter()
        for text in cast.conditions(frame.start):
            head, _, rest = text.partition("(")
            if head not in SHOWN and cast.scene.domain in ("tabletop", "blocks", "lab"):
                continue
            first, _, second = rest.rstrip(")").partition(",")
            if head == "not" or (first, head, second) not in facts:
                return False
            wanted[head] += 1
        if any(sum(fact[1] == head for fact in facts) != count for head, count in wanted.items()):
            return False
        named = {name for text in cast.conditions(frame.keep) for name in cast.scene.things if name in text}
        return not any(fact[0] in named or fact[2] in named for fact in facts)
