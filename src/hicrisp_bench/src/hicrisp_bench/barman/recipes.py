"""Recipes, how what is served is judged by one (CoPAL, section IV-A), and a watch that knows the recipe as facts: what
the plan left out is told at the end, step by step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import FrozenSet, List, Optional, Sequence, Tuple

from hicrisp_core.config.recipes import Recipe
from hicrisp_core.domain import Conditions, Facts, Searcher, apply_effects, check, goal_of, type_test
from hicrisp_core.model import Command, Feedback, FeedbackKind, Goal, Level, Step, Verdict, WorldState
from hicrisp_core.policy.search_limits import SearchLimits

SUPERFLUOUS, MISSING = 0.2, 1.0
"""Weights of the distance d."""
_LIMITS = SearchLimits(depth=30)
"""A drink with four liquids that is made anew takes about fifteen commands."""


@dataclass(frozen=True)
class Served:
    """What is served, against a recipe.

    Args:
        glasses: the number of vessels that are served.
        missing: mandatory ingredients that the vessel lacks; all, where not exactly one is served.
        superfluous: what the vessel holds beyond mandatory and optional ones.
    """

    glasses: int
    missing: FrozenSet[str]
    superfluous: FrozenSet[str]

    @property
    def correct(self) -> bool:
        """Exactly one vessel, nothing missing, nothing superfluous."""
        return self.glasses == 1 and not self.missing and not self.superfluous

    @property
    def distance(self) -> float:
        """The paper's d: 0.2 for each superfluous ingredient and 1.0 for each missing one."""
        return SUPERFLUOUS * len(self.superfluous) + MISSING * len(self.missing)


def judge(recipe: Recipe, world: WorldState) -> Served:
    """Look at what is served; where there is a door, behind its closed door.

    Args:
        recipe: what was ordered, with the vessel's kind and place.
        world: the last state.

    Returns:
        What is missing and superfluous.
    """
    glasses = [name for name, item in world.objects.items() if item.type == recipe.vessel
               and (not recipe.served or world.holds("at", name, recipe.served))
               and (world.holds("closed", recipe.served) or not world.holds("has_door", recipe.served))]
    held = _contents(glasses[0], world) if len(glasses) == 1 else frozenset()
    return Served(len(glasses), frozenset(recipe.mandatory) - held, held - recipe.allowed)


class KnownRecipe:
    """Says which drink is due while none is on the tray, and the next command that brings it nearer.

    The plan's own steps come first; a glass with something wrong in it is left aside for another one.
    """

    def __init__(self, searcher: Searcher, recipe: Recipe) -> None:
        self._searcher = searcher
        self._recipe = recipe
        self._glass = ""
        self._left: Tuple[Command, ...] = ()
        """The commands that were found before and not told yet."""

    def begin(self) -> None:
        """Every task of a trial is for the same drink."""
        self._left = ()

    def follow(self, goal: Optional[Goal]) -> None:
        """The recipe is known, whatever a task was understood to mean."""

    def out_of_reach(self, steps: Sequence[Step], world: WorldState) -> Tuple[str, ...]:
        """A recipe knows no places."""
        del steps, world
        return ()

    def see(self, world: WorldState) -> WorldState:
        """A recipe adds nothing to what is seen."""
        return world

    def judge(self, command: Command, world: WorldState, verdict: Verdict) -> Verdict:
        """A recipe says nothing about single steps."""
        del command, world
        return verdict

    def unfinished(self, world: WorldState) -> Optional[Tuple[Optional[Command], Feedback]]:
        """The next command that the drink needs and that is no mere preparation; no command where no way to
        it was found.
        """
        if judge(self._recipe, world).correct:
            return None
        goal = self._goal(self._glass, world) if self._left else ()
        if self._left and self._leads_to(goal, world):
            return self._next(goal, world)
        for glass in self._glasses(world):
            goal = self._goal(glass, world)
            answer = self._searcher.find(world, goal, _LIMITS)
            if answer.found:
                self._glass, self._left = glass, answer.commands
                return self._next(goal, world)
        return None, Feedback(Level.HIGH, FeedbackKind.OMITTED, subjects=(self._recipe.served or self._recipe.vessel,))

    def _glasses(self, world: WorldState) -> List[str]:
        """The glasses with nothing wrong in them, those that lack the least first."""
        recipe = self._recipe
        held = {name: _contents(name, world) for name, item in world.objects.items() if item.type == recipe.vessel}
        fit = [name for name in held if held[name] <= recipe.allowed]
        return sorted(fit, key=lambda name: (len(frozenset(recipe.mandatory) - held[name]), name))

    def _goal(self, glass: str, world: WorldState) -> Conditions:
        """Exactly this glass on the tray, with what must be in it and without what may not."""
        recipe = self._recipe
        others = [name for name, item in world.objects.items() if item.type == recipe.vessel and name != glass]
        poured = {fact.object for fact in world.relations if fact.predicate == "contains"}
        return goal_of(
            *(f"contains({glass}, {each})" for each in sorted(recipe.mandatory)),
            *([f"at({glass}, {recipe.served})"] if recipe.served else ()),
            *(f"not contains({glass}, {each})"
              for each in sorted(poured - recipe.allowed)),
            *(f"not at({name}, {recipe.served})" for name in others if recipe.served))

    def _leads_to(self, goal: Conditions, world: WorldState) -> bool:
        """Whether what was found before still ends in the goal: a repair may have left objects otherwise."""
        domain = self._searcher.domain
        for command in self._left:
            if check(domain, command, world) is not None:
                return False
            world = apply_effects(domain, command, world)
        return self._met(goal, world) == len(goal)

    def _next(self, goal: Conditions, world: WorldState) -> Tuple[Command, Feedback]:
        """The first command that cannot be undone or that makes a condition true: repairs find the way to it."""
        domain = self._searcher.domain
        met, commands = self._met(goal, world), self._left
        telling = len(commands) - 1
        for index, command in enumerate(commands):
            world = apply_effects(domain, command, world)
            if self._met(goal, world) > met or not domain.actions[command.action].reversible:
                telling = index
                break
        self._left = commands[telling + 1:]
        return commands[telling], Feedback(Level.HIGH, FeedbackKind.OMITTED, commands[telling], subjects=(self._glass,))

    def _met(self, goal: Conditions, world: WorldState) -> int:
        is_a = type_test(self._searcher.domain, world)
        return sum(each.holds(Facts(world.relations), is_a) for each in goal)


def _contents(vessel: str, world: WorldState) -> FrozenSet[str]:
    return frozenset(fact.object for fact in world.relations if fact.predicate == "contains" and fact.subject == vessel)
