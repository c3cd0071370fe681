"""What stands in the way: commands put it elsewhere and lead back to the command that failed.

CoPAL leaves an "obstacle object on the way" to the model's next plan (Table III, Fig. 5); here the domain's
own operators are searched for it first. What counts as elsewhere is the domain's matter, too: an action by
which an object is placed where it is free of others, or, where the domain has none, one that makes a fact about
it that is new.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import FrozenSet, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from hicrisp_core.domain.effects import apply_effects, expected_facts
from hicrisp_core.domain.schema import Action, Domain
from hicrisp_core.domain.search import Conditions, Ending, Searcher, goal_of, preconditions_of
from hicrisp_core.model import Command, FeedbackKind, Relation, StackEntry, Value, Vector, WorldObject, WorldState
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.time.deadline import Deadline

_HOME = "home"
"""The skill by which an arm leaves."""
_HAND = 0.06
"""Space that is left between what is moved away and what it made room for, metres: the hand has to get in."""
_OTHER_TARGETS = 3
"""Targets that are tried before what is in the way is moved."""
_SAME_TARGET = 0.005
"""Distance below which two targets are one, metres."""
_WAYS = 16
"""Ways to put one blocker elsewhere that are looked at."""


def must_make_room(failed: StackEntry, other_targets: bool, world: WorldState) -> bool:
    """Check whether movable objects block every motion and no other target is left to try, or another robot does.

    Args:
        failed: the failed command with its feedback.
        other_targets: whether another target may be chosen for the same command, which is cheaper.
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        True if room has to be made; false if another target is cheaper to try.
    """
    if failed.feedback.kind is not FeedbackKind.PLANNING or not failed.feedback.blockers:
        return False
    if any(name in world.robots for name in failed.feedback.blockers):
        return True  # It can leave.
    tried = failed.command.avoid
    same = any(planar_distance(a, b) < _SAME_TARGET for a, b in itertools.combinations(tried, 2))
    return not (tried
                # The same target again: no other exists.
                and other_targets) or same or len(tried) >= _OTHER_TARGETS


class Clearing(NamedTuple):
    """An object to move away, or a robot that leaves, and the commands that do it and lead back."""

    blocker: str
    commands: Tuple[Command, ...]


def find_clearing(
    searcher: Searcher, stack: Sequence[StackEntry], world: WorldState, made: FrozenSet[Relation],
    limits: SearchLimits, deadline: Deadline, keep: Conditions = (),
) -> Union[Clearing, Ending]:
    """Find commands that move one blocker of the top command away, so that the command can be tried again.

    The way that undoes the fewest facts is chosen, then the shortest; another robot only has to leave. Objects that the
    stack's commands handle are never moved.

    Args:
        searcher: searches the domain.
        stack: failed commands, the latest last.
        world: observed objects, robots and facts; poses in the world frame.
        made: facts that finished steps achieved.
        limits: its seconds cover all candidates; after that the best one so far is taken.
        deadline: wall-clock limit of the call.
        keep: conditions that no command may end while they hold.

    Returns:
        The clearing, or why there is none.
    """
    domain, within = searcher.domain, limits.deadline(deadline)
    top = stack[-1]
    kept = made & world.relations
    about = {str(value) for entry in stack for value in entry.command.arguments.values()}
    best: Optional[Tuple[int, int]] = None
    found: Union[Clearing, Ending] = Ending.NO_WAY
    for name in top.feedback.blockers:
        if name in world.robots and name != top.command.robot:
            rest = next((action for action in domain.actions.values()
                         if action.skill == _HOME and tuple(action.parameters) == (action.robot_parameter,)), None)
            if rest is not None:
                return Clearing(name, (Command(rest.name, {rest.robot_parameter: name}, name,
                                               time_limit=rest.time_limit),))
        item = world.objects.get(name)
        if item is None or not item.moves or name in about or domain.roles.is_held(world, name) or item.shut:
            continue
        ways = (_way(searcher, world, mover, top.command, limits, within, keep) for mover in itertools.islice(
            _movers(domain, world, name, top.command.robot), _WAYS)) if item.movable else \
            _past(searcher, world, name, top.command, limits, within, keep)
        for way in ways:
            if isinstance(way, Ending):
                found = way if best is None and way is Ending.OUT_OF_TIME else found
                continue
            commands, after = way
            cost = (len(kept - after.relations), len(commands))
            if best is None or cost < best:
                best, found = cost, Clearing(name, _kept_off(domain, commands, top.command, item, world))
    return found


def _way(
    searcher: Searcher, world: WorldState, mover: Command, failed: Command, limits: SearchLimits,
    deadline: Deadline, keep: Conditions, again: Conditions = (),
) -> Union[Tuple[Tuple[Command, ...], WorldState], Ending]:
    """Return what leads to the mover, the mover, and what leads from there to the failed command, and to what shall be
    so again; with the facts after it.
    """
    domain = searcher.domain
    before = searcher.find(world, preconditions_of(domain, mover), limits, deadline, undoable=True, keep=keep)
    if not before.found:
        return before.ending
    state = world
    for command in (*before.commands, mover):
        state = apply_effects(domain, command, state)
    back = searcher.find(
        state, (*preconditions_of(domain, failed), *again), limits, deadline, undoable=True, keep=keep)
    if not back.found:
        return back.ending
    for command in back.commands:
        state = apply_effects(domain, command, state)
    return (*before.commands, mover, *back.commands), state


def _past(
    searcher: Searcher, world: WorldState, part: str, failed: Command, limits: SearchLimits, deadline: Deadline,
    keep: Conditions,
) -> Iterator[Union[Tuple[Tuple[Command, ...], WorldState], Ending]]:
    """Yield what moves a part on its joint, such as an open drawer; where the hand reaches for an object, what puts
    that elsewhere and brings the part back, too; with the facts after it.
    """
    domain, item = searcher.domain, searcher.domain.item(failed)
    before = [fact for fact in world.relations if fact.subject == part and not fact.object]
    as_it_was = goal_of(*(f"{fact.predicate}({part})" for fact in before))
    shutting = [command for action in domain.actions.values() if action.reversible
                for command in _groundings(domain, action, world, part, failed.robot, free=True)
                if set(before).intersection(expected_facts(domain, command)[1])]
    loose = item in world.objects and world.objects[item].movable and not domain.roles.is_held(world, item)
    for shut in shutting:
        if not loose:
            yield _way(searcher, world, shut, failed, limits, deadline, keep)
            continue
        shutable = searcher.find(world, preconditions_of(domain, shut), limits, deadline, undoable=True, keep=keep)
        if not shutable.found:
            yield shutable.ending
            continue
        state = world
        for command in (*shutable.commands, shut):
            state = apply_effects(domain, command, state)
        for mover in itertools.islice(_movers(domain, state, item, failed.robot), _WAYS):
            way = _way(searcher, state, mover, failed, limits, deadline, keep, as_it_was)
            yield way if isinstance(way, Ending) else ((*shutable.commands, shut, *way[0]), way[1])


def _movers(domain: Domain, world: WorldState, name: str, robot: str) -> Iterator[Command]:
    """Commands after which an object stands elsewhere: where it is free, or in a place that it has not now."""
    free = [action for action in domain.actions.values() if _anywhere(action) and action.reversible]
    found = [command for action in free for command in _groundings(domain, action, world, name, robot)]
    if found:
        yield from found
        return
    for action in (action for action in domain.actions.values() if action.reversible):
        for command in _groundings(domain, action, world, name, robot):
            made = [fact for fact in expected_facts(domain, command)[0] if fact.subject == name]
            if made and not any(fact in world.relations for fact in made):
                yield command


def _groundings(
    domain: Domain, action: Action, world: WorldState, name: str, robot: str, free: bool = False
) -> Iterator[Command]:
    """Yield the commands by which an action lets go of an object, or moves it without holding it, as everything that is
    free of the hand; one robot's first.
    """
    types = [parameter.type for parameter in action.parameters.values()]
    choices: List[Tuple[Value, ...]] = [
        (parameter.default or 0.0,) if parameter.type == "number" else tuple(sorted(
            domain.objects_of(world, parameter.type), key=lambda each: (each != robot, each)))
        for parameter in action.parameters.values()]
    for values in itertools.product(*choices):
        if values.count(name) != 1 or len(set(map(str, values))) != len(types):
            continue
        arguments = dict(zip(action.parameters, values))
        command = Command(action.name, arguments, str(arguments.get(action.robot_parameter, robot)),
                          time_limit=action.time_limit)
        made, removed = expected_facts(domain, command)
        let_go = name in domain.roles.holders(removed)
        unheld = free or not domain.roles.held or _anywhere(action)
        if let_go or unheld and any(fact.subject == name for fact in made):
            yield command


def _kept_off(
    domain: Domain, commands: Sequence[Command], failed: Command, blocker: WorldObject, world: WorldState
) -> Tuple[Command, ...]:
    """Return the commands, with placements that keep clear of the freed space: around the blocker and the failed
    command's item and target.
    """
    item = world.objects.get(domain.item(failed))
    spots: List[Vector] = [object_.pose.position for object_ in (blocker, item)
                           if object_ is not None and object_.pose is not None
                           and not domain.roles.is_held(world, object_.name)]
    if failed.target is not None:
        spots.append(failed.target.position)
    if not spots:
        return tuple(commands)
    room = _HAND + sum(math.hypot(*object_.size[:2]) / 2.0 for object_ in (blocker, item) if object_ is not None)
    return tuple(replace(command, avoid=tuple(spots), apart=room) if _anywhere(domain.actions[command.action])
                 else command for command in commands)


def _anywhere(action: Action) -> bool:
    """Check whether an action puts an object wherever there is room."""
    return action.target is not None and action.target.anywhere
