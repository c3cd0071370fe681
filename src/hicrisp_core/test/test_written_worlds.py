"""The worlds of the shipped scenes, and how a line is linked with one: also what the other tests need."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Iterable, Mapping, Optional, Sequence, Tuple, Union

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.detector.relations import derive_relations
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.model import Pose, Relation, RobotState, WorldObject, WorldState
from hicrisp_core.model.goal import Goal, GoalError
from hicrisp_core.model.meaning import Answer, Meaning, Question, Reason, Refusal
from hicrisp_core.parsing.names import Names
from hicrisp_core.scene import load_scene
from hicrisp_core.understanding.written import Context, meaning_of, parse_line

SCENES = sorted(path.stem for path in Path(config_file("scenes", "tabletop")).parent.glob("*.yaml"))
TABLE = WorldObject("table", "surface", "surface", (0.8, 1.2, 0.04), movable=False,
                    pose=Pose((0.5, 0.0, -0.02)))
NOTHING_SAID = Context()
Facts = Iterable[Sequence[str]]


@lru_cache(maxsize=None)
def scene_world(name: str) -> Tuple[Domain, WorldState]:
    """A scene as it is seen at first, with the facts that its poses show."""
    scene = load_scene(name)
    domain = load_domain(config_file("domains", scene.domain))
    starts = scene.arena.starts if scene.arena is not None else {}
    robots = {each: RobotState(each, "base", starts[each].pose) if each in starts else
              RobotState(each, "base" if scene.world == "virtualhome" else "arm") for each in scene.robots}
    world = WorldState(scene.objects, scene.facts, robots)
    return domain, world if scene.symbolic else world.with_relations(
        frozenset(derive_relations(domain, world)))


def with_facts(world: WorldState, facts: Facts = (), gone: Facts = ()) -> WorldState:
    """A world in which some facts hold and others do not."""
    return world.with_relations((world.relations | {Relation(*each) for each in facts})
                                - {Relation(*each) for each in gone})


def table_of(
    things: Mapping[str, Tuple[str, str]], places: Optional[Mapping[str, Tuple[float, float]]] = None
) -> WorldState:
    """A table with things by name: type and colour; where they stand, if that matters."""
    places = places or {}
    objects = {name: WorldObject(name, type_, attributes={"colour": colour} if colour else {},
                                 pose=Pose((*places[name], 0.025)) if name in places else None)
               for name, (type_, colour) in things.items()}
    facts = frozenset(Relation(name, "on", "table") for name in things)
    return WorldState({**objects, "table": TABLE}, facts, {"panda": RobotState("panda")})


def linked(where: Union[str, Tuple[Domain, WorldState]], line: str, facts: Facts = (), gone: Facts = (),
           context: Context = NOTHING_SAID) -> Meaning:
    """What a line means in a scene by its name, or in a world."""
    domain, world = scene_world(where) if isinstance(where, str) else where
    said = parse_line(line)
    assert not isinstance(said, GoalError), said
    return meaning_of(said, domain, with_facts(world, facts, gone), context)


def goal(where: Union[str, Tuple[Domain, WorldState]], line: str, **more: object) -> Sequence[str]:
    """The stages of the goal that a line means, with its invariants behind them."""
    found = linked(where, line, **more)  # type: ignore[arg-type]
    assert isinstance(found, Goal), found
    return [*map(str, found.stages), *(f"| {each}" for each in found.invariants)]


def asked(where: Union[str, Tuple[Domain, WorldState]], line: str, **more: object) -> Question:
    """The question that a line leads to."""
    found = linked(where, line, **more)  # type: ignore[arg-type]
    assert isinstance(found, Question), found
    return found


def answered(where: Union[str, Tuple[Domain, WorldState]], line: str, **more: object) -> Answer:
    """The answer to a line."""
    found = linked(where, line, **more)  # type: ignore[arg-type]
    assert isinstance(found, Answer), found
    return found


def refused(where: Union[str, Tuple[Domain, WorldState]], line: str, reason: Reason, **more: object) -> str:
    """Why a line is refused, which must be for a certain reason."""
    found = linked(where, line, **more)  # type: ignore[arg-type]
    assert isinstance(found, Refusal), found
    assert found.reason is reason
    return found.text


@pytest.mark.parametrize("scene", SCENES)
def test_every_object_of_a_scene_is_called_by_its_own_name(scene):
    domain, world = scene_world(scene)
    names = Names(domain, world)
    for name in world.types():
        said = name.replace("_", " ")
        assert names.exactly(said, names.fitting(said)) == (name,)


@pytest.mark.parametrize("scene", SCENES)
def test_every_scene_is_told_with_facts_that_hold(scene):
    _, world = scene_world(scene)
    answer = answered(scene, "answer scene")
    assert answer.text
    assert set(answer.facts) <= world.relations


def test_a_world_of_facts_alone_needs_no_poses():
    domain, world = scene_world("tabletop")
    unseen = replace(world, objects={name: replace(thing, pose=None)
                                     for name, thing in world.objects.items()})
    assert goal((domain, unseen), "next_to(box, cylinder)") == ["next_to(box,cylinder)"]
