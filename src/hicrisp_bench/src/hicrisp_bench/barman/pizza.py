"""CoPAL's pizzas: toppings behind larger objects, by policy, with plans that are blind to them or a live brain."""

from __future__ import annotations

import argparse
from random import Random

from hicrisp_core.config.recipes import Recipe, load_recipes
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.scene import load_scene

from hicrisp_bench.barman.recordings import FirstPlan
from hicrisp_bench.barman.suite import ARMS_AT_WORK, LIVE, add_robot, errors_of, row_of, times_of
from hicrisp_bench.barman.trial import BarmanTrial, Menu, as_shipped
from hicrisp_bench.options import add_llm, add_policies, add_seed, add_trials, live_planner
from hicrisp_bench.suite import Chart, Report, Runner, Section, share_bars

RECIPE, ENDPOINT = "recipe", "endpoint"
WITHOUT_MODEL = ("copal_bl", "copal_m", "hierarchical")
QUICK = {"trials": 2}
SELECTS = ("policies", "trials", "robot")
COLUMNS = ("policy", "llm", "n", "executable", "correct", "repairs", "replans_high", "distance", "run_ms")
REFERENCE = [{"source": "CoPAL (Joublin et al.), section IV-C",
              "note": "Fig. 5 shows two collisions and how GPT-4 plans anew; no rates are printed"}]
_BLOCKED = 2
"""Toppings that something stands in front of, as in Fig. 5."""
_FACTS_NOTE = (f"Facts, no physics. Of each pizza's toppings {_BLOCKED} have a bottle in front of them, drawn by run; "
               "run 0 is the scene. correct: the dough holds what the recipe asks for alone.")
_ARMS_NOTE = ("Two simulated Pandas, no weld: the board with the dough is held by its post, the oven's lid by its "
              "handle, and friction keeps toppings on the dough. correct: what the recipe asks for alone lies on the "
              "dough, its sauce covers half of it, and it is in the closed oven.")


def blocked(state: WorldState, recipe: Recipe, run: int) -> WorldState:
    """Put a bottle in front of some toppings of a recipe.

    Args:
        state: the scene's first state.
        recipe: of the pizza.
        run: draws which bottles stand in front of which toppings; 0 leaves the scene as it is.

    Returns:
        The state.
    """
    if not run:
        return state
    draw = Random(f"{sorted(recipe.mandatory)} {run}")
    free = {fact for fact in state.relations if fact.predicate != "in_the_way"}
    bowls = {fact.object: fact.subject for fact in free
             if fact.predicate == "supplies" and fact.object in recipe.mandatory}
    bottles = sorted(name for name, item in state.objects.items() if item.type == "bottle")
    for topping, bottle in zip(draw.sample(sorted(bowls), min(_BLOCKED, len(bowls))), draw.sample(bottles, _BLOCKED)):
        free = {fact for fact in free if (fact.predicate, fact.subject) != ("at", bottle)}
        free |= {Relation(bottle, "at", "table"),
                 *(Relation(bottle, "in_the_way", each) for each in (topping, bowls[topping]))}
    return state.with_relations(frozenset(free))


KITCHEN = Menu("pizza", "pizzas", "Please, prepare a {}", blocked)
BAKED = Menu("pizza", "pizzas", "Please, prepare a {} on the dough, put it into the oven on its plate and close the "
             "oven", as_shipped, "bar_arms", "oven")
_BAKE = ("open oven", "get big_plate", "put big_plate oven", "close oven")


def blind_plan(recipe: Recipe, state: WorldState, baked: bool = False) -> str:
    """Write a recipe as a plan that looks at nothing: each ingredient is taken and put on the dough.

    Args:
        recipe: of the pizza.
        state: says which bottles the liquids are in.
        baked: whether the pizza goes into the oven.

    Returns:
        The plan, in the form of CoPAL's agents.
    """
    poured = {fact.object: fact.subject for fact in state.relations if fact.predicate == "contains"}
    lines = [(f"get {poured[each]}", f"pour {poured[each]} pizza_dough 50", f"put {poured[each]} table")
             if each in poured else (f"get {each}", f"put {each} pizza_dough") for each in sorted(recipe.mandatory)]
    return "\n".join(f"[Ropa to Roco] {line}" for each in (*lines, _BAKE if baked else ()) for line in each)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add which plans and which policies.

    Args:
        parser: the suite's subcommand.
    """
    parser.add_argument("--plans", choices=(RECIPE, ENDPOINT), default=RECIPE,
                        help=f"{RECIPE}: the recipe, ingredient by ingredient, whatever stands in the way, no model is "
                             f"asked; {ENDPOINT}: --llm plans")
    add_robot(parser, "the toppings are and whether the pizza is in the closed oven")
    add_policies(parser, otherwise=f"{' '.join(WITHOUT_MODEL)}; with --plans {ENDPOINT} {' '.join(LIVE)}")
    add_llm(parser, "auto", f"with --plans {ENDPOINT}: what is configured")
    add_seed(parser, "the first counter, with --robot arms")
    add_trials(parser, 10, "layouts of each pizza", "--runs")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite.

    Args:
        options: the parsed command line.
        runner: runs the trials.

    Returns:
        A row a policy.
    """
    live, arms = options.plans == ENDPOINT, options.robot == ARMS_AT_WORK
    menu = BAKED if arms else KITCHEN
    policies = options.policies or (LIVE if live else WITHOUT_MODEL)
    recipes = load_recipes(options.config / "recipes" / f"{KITCHEN.recipes}.yaml")
    state = load_scene(options.config / "scenes" / f"{KITCHEN.scene}.yaml").first_state()
    plans = {name: None if live else FirstPlan(RECIPE, name, menu.request.format(name.replace("_", " ")),
                                               blind_plan(recipe, state, arms), None, "", "")
             for name, recipe in recipes.items()}
    trials = [BarmanTrial(options.config, policy, name, plans[name], options.llm, number, menu=menu,
                          counter=options.seed + number if arms else None)
              for policy in policies for name in recipes for number in range(options.trials)]
    results = runner.run(trials, "pizza")
    by_policy = {policy: [result for trial, result in zip(trials, results) if trial.policy == policy]
                 for policy in policies}
    llm, who = live_planner(options.config, options.llm) if live else (
        RECIPE, "The plans are the recipes, read out; no model was asked.")
    rows = [row_of(policy, llm, own) for policy, own in by_policy.items()]
    failed = [{"policy": policy, "recipe": each["recipe"], "message": each["message"][:160]}
              for policy, own in by_policy.items() for each in own if "crashed" not in each and not each["executable"]]
    return Report(
        rows, COLUMNS, REFERENCE, f"{who} {_ARMS_NOTE if arms else _FACTS_NOTE}",
        {"runs": results}, (*((times_of(results),) if live else ()), errors_of(by_policy[policies[-1]], {}),
                            Section("Not executable", failed, ("policy", "recipe", "message"))),
        (Chart("executable", "Pizzas that can be made", share_bars(rows, "policy", "llm", "executable"), "Runs"),))
