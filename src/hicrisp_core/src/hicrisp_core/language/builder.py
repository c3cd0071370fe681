"""From intents to steps: each placement in its order, with whatever must come before it found by search."""

from __future__ import annotations

import math
from itertools import chain
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.domain.checker import check, effects_hold
from hicrisp_core.domain.effects import apply_effects, expected_facts
from hicrisp_core.domain.schema import Action
from hicrisp_core.domain.search import Conditions, Searcher, preconditions_of
from hicrisp_core.domain.wording import described, told
from hicrisp_core.errors import DomainError
from hicrisp_core.goals.planning import GOAL_LIMITS
from hicrisp_core.language.actions import arguments, of_skill, other, placing
from hicrisp_core.language.expand import expand
from hicrisp_core.language.goals import goal_of_relation, goal_text
from hicrisp_core.language.intents import Intent, NotUnderstood, Noun
from hicrisp_core.language.names import Names, colour_of
from hicrisp_core.language.stated_goals import StatedGoal
from hicrisp_core.model import Command, Relation, Step, StepRecord, WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.time.deadline import Deadline

_PLUS = ("left_of", "right_of", "in_front_of", "behind")


class PlanBuilder:
    """Builds the steps of one request on a copy of the world that follows them.

    Args:
        done: the steps that were carried out already.
        deadline: of all searches together.
    """

    def __init__(
        self, searcher: Searcher, world: WorldState, names: Names, done: Sequence[StepRecord],
        deadline: Deadline
    ) -> None:
        self._searcher = searcher
        self._domain = searcher.domain
        self._deadline = deadline
        self._world = world
        self._names = names
        self._wanted: Dict[Relation, str] = {}
        self._group = 0
        self._begun: Optional[Tuple[WorldState, int]] = None
        """The world and the number of steps where the part of the request began that is being built."""
        self._robot = ""
        self._named = False
        """Whether the request names a robot for one of its parts."""
        steps = [(record.step.action, record.step.arguments) for record in done]
        self._done = (*steps, *((each.action, each.arguments) for record in done for each in record.commands))
        self._stated = StatedGoal(self._domain)
        self.steps: List[Step] = []
        self.notes: List[str] = []
        self._verbs: Mapping[str, Callable[[Intent], None]] = {
            "pick": self._pick, "put": self._put, "put_down": self._put_down, "build": self._build,
            "sort": self._sort, "clear": self._clear, "home": self._home,
        }

    @property
    def world(self) -> WorldState:
        """The world after the steps so far."""
        return self._world

    def build(self, intents: Sequence[Intent]) -> None:
        """Add the steps of all intents.

        Raises:
            NotUnderstood: when a thing is not there, a goal is impossible, or two goals contradict each
                other.
        """
        for intent in intents:
            if intent.group != self._group:
                self._check_wanted()
                self._wanted.clear()
                self._group = intent.group
            if not self._wanted:
                self._begun = (self._world, len(self.steps))
            self._robot = intent.robot
            self._named = self._named or bool(intent.robot)
            for meant in expand(intent, self._names, self._domain, self._world):
                self._verbs[meant.verb](meant)
        self._robot = ""
        self._check_wanted()

    def goal(self, robot: str = "") -> Optional[Goal]:
        """What the request means, as far as it was built; ``None`` where it asks for no fact.

        Args:
            robot: the one that the request names.
        """
        return self._stated.goal(self._world, robot)

    def redo(self, steps: Sequence[Step]) -> None:
        """Add steps of an earlier plan, or such as say themselves what is wanted, each with what must come
        before it now.

        Raises:
            NotUnderstood: when one cannot be carried out any more.
        """
        for step in steps:
            command = self._grounded(step)
            self._achieve(command)
            self._stated.made_by(command)

    def state(self, steps: Sequence[Step]) -> None:
        """Ask for what steps are for that those so far have done along with their own work.

        Raises:
            NotUnderstood: when one names what is not there.
        """
        for step in steps:
            self._stated.made_by(self._grounded(step))

    def achieve(self, goal: Conditions, means: bool = False) -> None:
        """Add the steps after which all conditions of a goal hold.

        Args:
            means: whether they are a means alone, and nobody asked for them.

        Raises:
            NotUnderstood: when no sequence of the domain's actions was found that makes all of them true.
        """
        answer = self._searcher.find(self._world, goal, GOAL_LIMITS, self._deadline)
        if not answer.found:
            why = ("the search ran out of time before it found a way" if answer.out_of_time
                   else "no way was found")
            raise NotUnderstood(f"{why} to make all of this true: {goal_text(goal, self._domain)}")
        self._add(answer.commands)
        self._stated.conditions(() if means else goal)
        self._wanted.clear()  # What was wanted before may be means by now.

    def _pick(self, intent: Intent) -> None:
        items = self._names.items(intent.items)
        if len(items) > 1:
            raise NotUnderstood(f"one hand picks up one thing, not {len(items)}: {', '.join(items)}")
        self._act(of_skill(self._domain, "pick"), items[0])

    def _put_down(self, intent: Intent) -> None:
        held = sorted(self._domain.roles.holders(self._world.relations))
        nouns = intent.items
        items = tuple(held) if nouns == (Noun("it"),) and held else self._names.items(nouns)
        action = placing(self._domain, "free")
        for item in items:
            self._act(action, item)

    def _put(self, intent: Intent) -> None:
        if intent.reference is None:
            raise NotUnderstood("say where it should go")
        reference = self._names.one(intent.reference)
        items = self._names.items(intent.items, reference)
        relation = intent.relation
        if relation == "on" and self._takes_in(reference):
            relation = "in"
        if relation == "around":
            self._ring(items, reference)
            return
        if relation == "on" and len(items) > 1 and not self._is(
                reference, self._domain.roles.surface):
            raise NotUnderstood(f"only one thing can be on {reference}, not {len(items)}: "
                                f"{', '.join(items)}; say 'build a tower'")
        for item in items:
            self._place(item, relation, reference)

    def _ring(self, items: Sequence[str], reference: str) -> None:
        if len(items) == 1:
            self._place(items[0], "next_to", reference)
            return
        for index, item in enumerate(items):
            self._act(placing(self._domain, "around"), item, reference, round(360.0 * index / len(items), 1))

    def _build(self, intent: Intent) -> None:
        items = self._names.items(intent.items, "")
        if intent.shape == "ring":
            if intent.reference is None:
                raise NotUnderstood("say what the ring should be around")
            reference = self._names.one(intent.reference)
            self._ring([item for item in items if item != reference], reference)
            return
        if intent.shape == "plus":  # It takes as many things as it has places; the others may be left out.
            items = self._names.free(items)
        self._enough(intent.shape, items)
        if intent.shape != "tower" and self._world.objects[items[0]].pose is not None:
            # What the shape grows from needs room around it, wherever it stands now.
            apart = self._ground(placing(self._domain, "apart"), items[0])
            if (apart.action, apart.arguments) not in self._done:
                self._plan(apart)
        for item, relation, reference in _arrangement(intent.shape, items):
            self._place(item, relation, reference)
        self.notes.append(f"{intent.shape}: {items[0]} is where it begins")

    def _enough(self, shape: str, items: Sequence[str]) -> None:
        least = {"tower": 2, "line": 2, "plus": 5, "l": 3, "t": 4}[shape]
        if len(items) < least:
            raise NotUnderstood(f"a {shape} needs at least {least} things, there are {len(items)}: "
                                f"{', '.join(items)}")

    def _sort(self, intent: Intent) -> None:
        containers = {colour_of(thing): name for name, thing in self._world.objects.items()
                      if self._takes_in(name)}
        piles: Dict[str, str] = {}
        for item in self._names.items(intent.items):
            colour = colour_of(self._world.objects[item])
            if not colour:
                raise NotUnderstood(f"the colour of {item} is not known")
            if colour in containers:
                self._place(item, "in", containers[colour])
            elif colour in piles:
                self._place(item, "next_to", piles[colour])
            else:
                piles[colour] = item

    def _clear(self, intent: Intent) -> None:
        containers = sorted(filter(self._takes_in, self._world.objects))
        if not containers:
            raise NotUnderstood("clearing the table takes something to put things into, and there is none")
        for item in self._names.items(intent.items):
            if not any(fact.predicate == self._domain.roles.inside for fact in self._world.about(item)):
                self._place(item, "in", containers[0])

    def _home(self, _: Intent) -> None:
        self._act(of_skill(self._domain, "home"))

    def _place(self, item: str, relation: str, reference: str) -> None:
        action = placing(self._domain, relation)
        place = other(action)
        fits = not place or self._is(reference, action.parameters[place].type)
        if not fits and self._put_freely(item, relation, reference):
            return
        self._act(action, item, reference)

    def _put_freely(self, item: str, relation: str, reference: str) -> bool:
        """Put a thing down where no place by name is needed, if that brings it there: on the only table."""
        for action in self._domain.actions.values():
            if action.decode == "free":
                made, _ = expected_facts(self._domain, self._ground(action, item))
                if Relation(item, relation, reference) in made:
                    self._act(action, item)
                    return True
        return False

    def _act(self, action: Action, item: str = "", reference: str = "",
             number: Optional[float] = None) -> None:
        command = self._ground(action, item, reference, number)
        self._achieve(command)
        made, _ = expected_facts(self._domain, command)
        self._stated.facts(made)
        for fact in made:
            self._wanted[fact] = self._domain.describe(command)

    def _ground(
        self, action: Action, item: str = "", reference: str = "", number: Optional[float] = None
    ) -> Command:
        return self._grounded(Step("", action.name, arguments(action, item, reference, number), self._robot))

    def _grounded(self, step: Step) -> Command:
        try:
            return self._domain.ground(step, self._world)
        except DomainError as error:
            raise NotUnderstood(str(error)) from error

    def _achieve(self, command: Command) -> None:
        if effects_hold(self._domain, command, self._world):
            self.notes.append(f"{self._domain.describe(command)}: so already")
            return
        self._plan(command)

    def _plan(self, command: Command) -> None:
        """Add a command and what must come before it."""
        before = self._searcher.find(self._world, preconditions_of(self._domain, command),
                                     deadline=self._deadline)
        if not before.found:
            refusal = check(self._domain, command, self._world)
            why = told(refusal, self._domain) if refusal else f"cannot {described(self._domain, command)}"
            raise NotUnderstood(why)
        self._add((*before.commands, command))

    def _add(self, commands: Sequence[Command]) -> None:
        for each in commands:
            self._world = apply_effects(self._domain, each, self._world)
            self._names.follow(self._world)
            self.steps.append(Step(self._domain.describe(each), each.action, each.arguments, each.robot))

    def _check_wanted(self) -> None:
        """All that one part of a request asks for must hold at its end.

        Its order is only how it was told: where carrying it out in that order undoes a part of it, as when
        the thing that another was put beside is moved after that, any order is taken in which all holds.
        """
        undone = [fact for fact in self._wanted if fact not in self._world.relations
                  and fact.predicate != self._domain.roles.held]
        if undone and not self._in_another_order():
            raise NotUnderstood("the request contradicts itself: in the end "
                                f"'{self._wanted[undone[0]]}' would not hold")

    def _in_another_order(self) -> bool:
        """Steps to all that is wanted, in place of those that were told; no robot was named for one of
        them.
        """
        held = self._domain.roles.held
        if self._begun is None or self._named or any(fact.predicate == held for fact in self._wanted):
            return False
        world, steps = self._begun
        wanted = tuple(chain.from_iterable(map(goal_of_relation, self._wanted)))
        found = self._searcher.find(world, wanted, GOAL_LIMITS, self._deadline)
        if not found.found:
            return False
        self._world = world
        del self.steps[steps:]
        self._add(found.commands)
        return True

    def _takes_in(self, name: str) -> bool:
        return self._domain.takes_in(self._world.types().get(name, ""))

    def _is(self, name: str, type_: str) -> bool:
        return type_ in self._domain.types and self._domain.is_a(self._world.types().get(name, ""), type_)


def _arrangement(shape: str, items: Sequence[str]) -> List[Tuple[str, str, str]]:
    """(item, relation, reference) for every thing but the first, which stays where it is."""
    if shape == "plus":
        arms = {relation: items[0] for relation in _PLUS}
        found = []
        for index, item in enumerate(items[1:1 + 4 * ((len(items) - 1) // 4)]):
            relation = _PLUS[index % 4]
            found.append((item, relation, arms[relation]))
            arms[relation] = item
        return found
    if shape == "tower":
        return [(item, "on", below) for below, item in zip(items, items[1:])]
    if shape == "line":
        return _both_ways(items)
    if shape == "l":
        tall = math.ceil((len(items) + 1) / 2)
        corner = (tall - 1) // 2  # The long side grows both ways, so that it stays within reach.
        return [*_row(items[:corner + 1], "in_front_of"),
                *_row((items[0], *items[corner + 1:tall]), "behind"),
                *_row((items[corner], *items[tall:]), "right_of")]
    bar = 3 if len(items) < 6 else 5
    if len(items) - bar < 2:
        return _both_ways(items[:bar]) + _row((items[0], *items[bar:]), "in_front_of")
    return [(items[1], "behind", items[0]), *_both_ways(items[1:bar + 1]),
            *_row((items[0], *items[bar + 1:]), "in_front_of")]


def _row(items: Sequence[str], relation: str) -> List[Tuple[str, str, str]]:
    """Each thing in a relation to the one before it."""
    return [(item, relation, before) for before, item in zip(items, items[1:])]


def _both_ways(items: Sequence[str]) -> List[Tuple[str, str, str]]:
    """A row that grows from its first thing to both sides, so that it stays within reach."""
    ends = {"left_of": items[0], "right_of": items[0]}
    found = []
    for index, item in enumerate(items[1:]):
        relation = ("left_of", "right_of")[index % 2]
        found.append((item, relation, ends[relation]))
        ends[relation] = item
    return found
