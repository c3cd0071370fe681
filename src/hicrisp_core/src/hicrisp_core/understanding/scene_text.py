"""What a model is told of a scene: all that a person at the table would see."""

from __future__ import annotations

import math
from typing import Iterator, List, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain, Predicate
from hicrisp_core.model import Relation, RobotState, WorldObject, WorldState
from hicrisp_core.model.goal import Holds
from hicrisp_core.prompting.quarantine import plain
from hicrisp_core.understanding.form import goal_words

_NAME_LIMIT = 60
_CENTIMETRES = 100.0
_NOTHING = "-"


def scene_text(domain: Domain, world: WorldState) -> str:
    """Return the objects, their order in each direction, the robots and the facts, one a line."""
    things = sorted(world.objects.values(), key=lambda thing: (not thing.movable, thing.name))
    lines = ["Objects (size in cm, position in m):", *(_object_text(each, things) for each in things)]
    lines += [f"Each is {predicate.name} all behind it: {', '.join(map(_plain, names))}"
              for predicate, names in _orders(domain, things)]
    lines += ["Robots:", *(_robot_text(each, domain, world) for _, each in sorted(world.robots.items()))]
    facts = ", ".join(_plain(str(Holds(fact)), 3) for fact in _told(domain, world))
    return "\n".join((*lines, f"Facts: {facts or _NOTHING}"))


def predicates_text(domain: Domain) -> str:
    """Return the predicates of conditions with their types and what they mean, one a line."""
    lines = []
    for each in goal_words(domain):
        variables = ("X", "Y")[:len(each.arguments)]
        types = ", ".join(f"{name}: {type_}" for name, type_ in zip(variables, each.arguments))
        but = "".join(f"; never for a {type_}: use {other}" for type_, other in each.instead.items())
        both = f"; the same as {each.name}(Y,X)" if each.symmetric else ""
        lines.append(f"- {each.name}({','.join(variables)}): {each.text.format(*variables, '')} ({types}{but}{both})")
    return "\n".join(lines)


def _object_text(thing: WorldObject, others: Sequence[WorldObject]) -> str:
    words = [thing.type, *(str(value) for _, value in sorted(thing.attributes.items()))]
    if thing.pose is not None:
        words.append(" x ".join(f"{_CENTIMETRES * extent:.0f}" for extent in thing.size))
        words.append("at ({:.2f}, {:.2f}, {:.2f})".format(*thing.pose.position))
    if thing.pose is not None and thing.movable and not thing.unseen:
        near = _nearest(thing, others)
        words += [f"nearest: {near}"] if near else []
    if thing.unseen:
        words.append(thing.sight)
    return f"- {_plain(thing.name)}: {_plain(', '.join(words), 5)}"


def _nearest(thing: WorldObject, others: Sequence[WorldObject]) -> str:
    """The nearest other movable object with its distance between centres, m."""
    away = sorted((_apart(thing, each), each.name) for each in others
                  if each.movable and each.name != thing.name and each.pose is not None and not each.unseen)
    return f"{away[0][1]} {away[0][0]:.2f}" if away else ""


def _apart(one: WorldObject, other: WorldObject) -> float:
    if one.pose is None or other.pose is None:
        return math.inf
    return math.dist(one.pose.position[:2], other.pose.position[:2])


def _orders(domain: Domain, things: Sequence[WorldObject]) -> Iterator[Tuple[Predicate, List[str]]]:
    """The movable objects along each of the domain's directions, one of two opposite ones."""
    placed = [each for each in things if each.movable and each.pose is not None and not each.unseen]
    done: List[Optional[str]] = []
    for predicate in domain.predicates.values():
        if predicate.direction == (0.0, 0.0) or predicate.name in done or len(placed) < 2:
            continue
        done.append(predicate.inverse)
        along = predicate.direction

        def place(thing: WorldObject, along: Tuple[float, float] = along) -> float:
            x, y = thing.pose.position[:2] if thing.pose is not None else (0.0, 0.0)
            return -(x * along[0] + y * along[1])

        yield predicate, [each.name for each in sorted(placed, key=place)]


def _robot_text(robot: RobotState, domain: Domain, world: WorldState) -> str:
    can = [action.name for action in domain.actions.values() if not action.robot_parameter
           or domain.is_a(robot.kind, action.parameters[action.robot_parameter].type)]
    held = [thing for thing, hand in domain.roles.holders(world.relations).items() if hand == robot.name]
    words = [robot.kind, f"can {', '.join(can)}"]
    if robot.pose is not None:
        words.append("at ({:.2f}, {:.2f})".format(*robot.pose.position[:2]))
    if robot.kind == "arm" and domain.roles.held:
        words.append(f"holds {_plain(held[0])}" if held else "its hand is empty")
    return f"- {_plain(robot.name)}: {'; '.join(words)}"


def _told(domain: Domain, world: WorldState) -> Tuple[Relation, ...]:
    """The facts, without those that the order along a direction tells."""
    words = {each.name for each in goal_words(domain) if each.direction == (0.0, 0.0)}
    return tuple(fact for fact in sorted(world.relations) if fact.predicate in words)


def _plain(text: str, names: int = 1) -> str:
    return plain(text, names * _NAME_LIMIT)
