"""One barman run: a brain, a policy and the symbolic bar; executable and correct as the paper counts them."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, List, Mapping, Optional, Tuple

from hicrisp_core.config.recipes import Recipe, load_recipes
from hicrisp_core.domain import Conditions, Domain, SearchAnswer, Searcher
from hicrisp_core.factory import RunFactory, load_factory
from hicrisp_core.llm.settings import OFFLINE, choose_llm
from hicrisp_core.model import Task, WorldState
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.barman.recipes import KnownRecipe, judge
from hicrisp_bench.barman.recordings import FirstPlan, RecordedBrain, first_failure, named_ingredients, poured_out
from hicrisp_bench.cost import QUESTIONS, questions_of

if TYPE_CHECKING:
    from hicrisp_bench.barman.hands import TwoHands

KNOW_THE_GOAL = ("copal_m_goal",)
"""Policies whose runs are told the recipe as facts; all others know the plan alone."""


_DRINK = 200.0
"""Millilitres of all that a plan pours, at most: a glass takes little more."""


class TimedSearcher(Searcher):
    """Answers as any searcher does; ``seconds`` has the wall time of each question in their order."""

    def __init__(self, domain: Domain) -> None:
        super().__init__(domain)
        self.seconds: List[float] = []
        self.out_of_time = 0

    def find(
        self, state: WorldState, goal: Conditions, limits: Optional[SearchLimits] = None,
        deadline: Optional[Deadline] = None, undoable: bool = False, keep: Conditions = (),
        barred: FrozenSet[str] = frozenset(),
    ) -> SearchAnswer:
        """See ``Searcher``."""
        began = time.perf_counter()
        answer = super().find(state, goal, limits, deadline, undoable, keep, barred)
        self.seconds.append(time.perf_counter() - began)
        self.out_of_time += answer.out_of_time
        return answer


@dataclass(frozen=True)
class Menu:
    """What can be ordered.

    Args:
        scene: of ``config/scenes``.
        recipes: a file of ``config/recipes``.
        request: what the user says, with the recipe's name.
        layout: changes the first state by the recipe and the number of the run.
        domain: whose actions these are; the scene's by default.
        served: where it shall be in the end, if not where the recipe says.
    """

    scene: str
    recipes: str
    request: str
    layout: Callable[[WorldState, Recipe, int], WorldState]
    domain: str = ""
    served: str = ""


def as_shipped(state: WorldState, recipe: Recipe, run: int) -> WorldState:
    """Leave the scene's first state as it is.

    Args:
        state: the first state.
        recipe: makes no difference.
        run: makes no difference.

    Returns:
        The state.
    """
    del recipe, run
    return state


BAR = Menu("barman", "cocktails", "Please, prepare a {} cocktail", as_shipped)
ARMS = replace(BAR, domain="bar_arms")


@dataclass(frozen=True)
class BarmanTrial:
    """One run: a plan that is known, or a request for an endpoint.

    Args:
        number: of the repetition, or of the plan among the recorded ones.
        changed: how the recorded plan was changed; empty for the plan as it is.
        menu: what is made: its scene, recipes and words.
        counter: seed of the counter at which two arms stand; without one, facts stand for them.
    """

    config: Path
    policy: str
    recipe: str
    recorded: Optional[FirstPlan] = None
    llm: str = ""
    number: int = 0
    changed: str = ""
    menu: Menu = BAR
    counter: Optional[int] = None

    def key(self) -> str:
        """What tells a run from the others of the suite."""
        source = self.recorded.source if self.recorded else "endpoint"
        counter = "" if self.counter is None else f", counter {self.counter}"
        return f"{self.policy}, {source}, {self.changed or 'as it is'}, {self.number}{counter}: {self.recipe}"

    def run(self) -> Dict[str, Any]:
        """Run one trial; the result is a plain dictionary."""
        llm, _ = choose_llm(self.llm, os.environ, embedded=False)
        scene, parts, recipes = _read(self.config, self.policy, OFFLINE if self.recorded else llm, self.menu)
        parts = replace(parts, llm=parts.llm.of_trial(self.key()))
        domain, recipe = parts.domain, recipes[self.recipe]
        recipe = replace(recipe, served=self.menu.served or recipe.served)
        first = self.menu.layout(scene.first_state(), recipe, self.number)
        world = SymbolicWorld(domain, first, scene.robots[0]) if self.counter is None else _at_the_counter(
            self, domain, first, recipe, recipes)
        events: List[Dict[str, Any]] = []
        request = self.recorded.request if self.recorded else self.menu.request.format(self.recipe.replace("_", " "))
        searcher = TimedSearcher(domain)
        knows: Dict[str, Any] = {"watch": KnownRecipe(searcher, recipe)} if self.policy in KNOW_THE_GOAL else {}
        executive = replace(parts, searcher=searcher).executive(
            {world.name: world}, world, events.append, **knows, brain=parts.brain() if self.recorded is None else
            RecordedBrain(parts.domain, self.recorded.text, f"recorded: {self.recorded.source}"))
        began = time.perf_counter()
        result = executive.run(Task(request))
        seconds = time.perf_counter() - began
        served = judge(recipe, world.state if isinstance(world, SymbolicWorld) else world.served())
        row: Dict[str, Any] = {
            "recipe": self.recipe, "policy": self.policy, "executable": result.success,
            "message": result.message,
            "correct": result.success and served.correct, "distance": served.distance, "seconds": seconds,
            "search_seconds": searcher.seconds, "out_of_time": searcher.out_of_time,
            "missing": sorted(served.missing), "superfluous": sorted(served.superfluous),
            "glasses": served.glasses, "lost_ml": world.lost if not isinstance(world, SymbolicWorld) else 0.0,
            "repairs": result.corrections.get("repair", 0), "replans": result.corrections.get("llm_replan", 0),
            "notes": [e["reasoning"] for e in events if e["kind"] == "plan" and e["reasoning"]],
            "tokens": result.tokens, QUESTIONS: questions_of(events),
        }
        if self.recorded is not None:
            ours = first_failure(domain, first, self.recorded.text)
            theirs = (self.recorded.failed_step, self.recorded.failure)
            named = named_ingredients(domain, first, self.recorded.text)
            row.update(source=self.recorded.source, ours=ours, theirs=theirs, plan_right=recipe.met_by(named),
                       their_message=self.recorded.message)
        return row


def _at_the_counter(
    trial: BarmanTrial, domain: Domain, first: WorldState, recipe: Recipe, menu: Mapping[str, Recipe]
) -> "TwoHands":
    """Return two arms with what the drink and its plan need; in the kitchen with what any dish of the menu needs."""
    from hicrisp_bench.barman.bodies import MEASURE  # Facts need no physics.
    from hicrisp_bench.barman.hands import TwoHands
    from hicrisp_bench.barman.kitchen import Kitchen

    plan = trial.recorded.text if trial.recorded else ""
    if trial.menu.served:
        names = frozenset(name for each in menu.values() for name in needed(first, each, plan))
        return Kitchen(trial.config, domain, first, names, trial.counter or 0, 1.0)
    measure = min(MEASURE, _DRINK / max(1.0, poured_out(domain, first, plan)))
    return TwoHands(trial.config, domain, first, needed(first, recipe, plan), trial.counter or 0, measure)


@lru_cache(maxsize=8)
def _read(config: Path, policy: str, llm: str, menu: Menu) -> Tuple[Scene, RunFactory, Dict[str, Recipe]]:
    """The files of a trial; hundreds of trials read the same ones."""
    scene = load_scene(config / "scenes" / f"{menu.scene}.yaml")
    return (scene, load_factory(config, menu.domain or scene.domain, policy, llm),
            load_recipes(config / "recipes" / f"{menu.recipes}.yaml"))


def needed(state: WorldState, recipe: Recipe, plan: str) -> FrozenSet[str]:
    """Return what a drink needs: what its recipe asks for, what the plan names, and something to mix and serve in.

    Args:
        state: the kitchen's first facts.
        recipe: of the drink.
        plan: text in which names are looked for.

    Returns:
        Names of objects.
    """
    named = {name for name in state.objects if re.search(rf"\b{name}\b", plan)}
    sources = {fact.subject for fact in state.relations if fact.predicate == "contains"
               and fact.object in recipe.mandatory}
    kinds = [[name for name, item in state.objects.items() if item.type == kind]
             for kind in ("mixing_container", recipe.vessel)]
    vessels = [names[0] for names in kinds if names]
    return frozenset({*named, *sources, *recipe.mandatory, *vessels})
