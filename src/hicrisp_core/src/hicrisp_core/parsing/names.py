"""The words by which objects and robots are called: of their names, types and attributes."""

from __future__ import annotations

from typing import Dict, FrozenSet, List, Sequence, Set

from hicrisp_core.model import WorldObject, WorldState


def own_words(name: str, thing: WorldObject) -> Set[str]:
    """Return the words that an object is called by: of its name, its type, its attributes."""
    return {*name.split("_"), thing.type, *(str(value).lower() for value in thing.attributes.values())}


def words_by_name(world: WorldState) -> Dict[str, FrozenSet[str]]:
    """Return the words by which each object in the world may be called, and each robot's own."""
    return {**{robot: frozenset(robot.split("_")) for robot in world.robots},
            **{name: frozenset(own_words(name, thing)) for name, thing in world.objects.items()}}


def fitting(words: Sequence[str], world: WorldState) -> List[str]:
    """Return the objects that have all of some words, one in the plural too; the one of exactly that name alone."""
    joined = "_".join(words)
    if joined in world.objects:
        return [joined]
    return [name for name, own in sorted(words_by_name(world).items()) if name in world.objects
            and all(word in own or word.rstrip("s") in own for word in words)]
