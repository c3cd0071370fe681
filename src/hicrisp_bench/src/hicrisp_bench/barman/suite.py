"""CoPAL's barman: cocktails by a two-handed robot, as facts or by two arms, with recorded plans of a language model or
a live brain.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from hicrisp_core.config.recipes import load_recipes
from hicrisp_core.errors import ConfigError

from hicrisp_bench.barman.recipes import MISSING, SUPERFLUOUS
from hicrisp_bench.barman.recordings import FILES, KINDS, mutated, read_recordings, replanned
from hicrisp_bench.barman.trial import ARMS, KNOW_THE_GOAL, BarmanTrial
from hicrisp_bench.cost import answer_times
from hicrisp_bench.options import add_every, add_llm, add_policies, add_seed, add_trials, live_planner
from hicrisp_bench.statistics import Tally, share_of, spread
from hicrisp_bench.suite import Chart, Report, Runner, Section, data_folder, share_bars, words

LIVE = tuple(f"copal_{name}" for name in ("bl", "m", "h0", "h1", "h2", "mh0", "mh1", "mh2"))
WITHOUT_MODEL = (*LIVE[:2], *KNOW_THE_GOAL)
FACTS, ARMS_AT_WORK = "facts", "arms"
WITH_ARMS = ("copal_bl", "copal_m", "copal_h2", "copal_mh2", "hierarchical")
_PLANS = 5
"""Of each recipe, for the arms."""
QUICK = {"every": 10, "trials": 1}
SELECTS = ("policies", "trials", "every", "changed", "robot")
COLUMNS = ("policy", "llm", "n", "executable", "correct", "plan_right", "correct_of_right", "repairs",
           "replans_high", "distance", "run_ms", "searches", "search_median_ms", "search_p95_ms",
           "search_worst_ms", "out_of_time")

_ARMS_NOTE = ("Two simulated Pandas, no weld: what they hold is held by friction, levels follow tilt and place in each "
              "physics step, the shaker is shaken open and upright, bottles have no caps, the fridge has no door, the "
              "tray is part of the counter. Ingredients lie in dishes, which hands take by the rim. A measure is "
              "20 ml; the mix is tipped out whole.")
_SOURCE = "CoPAL (Joublin et al.), Table IV, recomputed from the authors' 600 recorded GPT-4 runs"
_PUBLISHED = ((.057, .941, 0.0), (.348, .952, 0.0), (.90, .90, 1.96), (1.0, .81, 1.61), (1.0, .88, 1.47),
              (.958, .913, 0.75), (1.0, .902, 0.48), (1.0, .873, 0.47))
_AGENTS = (("alex", .6, .1, "gpt-3.5"), ("travi", 16.1, 5.1, "gpt-4"), ("ropa", 14.9, 3.3, "gpt-4"))
_ERRORS = {(1, 0): .05, (0, 1): .05, (2, 0): .01, (1, 1): .01}
"""Published shares by missing and superfluous ingredients."""
REFERENCE = [
    {"policy": policy, "llm": "gpt-4", "executable": executable, "correct": correct, "replans_high": replans,
     "source": _SOURCE, "note": "correct is a fraction of the executable runs"}
    for policy, (executable, correct, replans) in zip(LIVE, _PUBLISHED)]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which plans, which policies."""
    parser.add_argument("--plans", choices=("recorded", "endpoint"), default="recorded",
                        help="recorded: the first plan of each recorded run, no model is asked; endpoint: "
                             "--llm plans")
    parser.add_argument("--changed", action="store_true",
                        help="with --plans recorded: also every plan with a step dropped, repeated or "
                             "swapped, a name misspelled, the other hand named, or a step dropped that the "
                             "recipe asks for")
    add_robot(parser, "the liquid and pieces are; recorded plans")
    add_every(parser, "plan, with --plans recorded; recipe, with --robot arms")
    add_seed(parser, "the changes, with --changed")
    add_policies(parser, otherwise=f"{' '.join(WITHOUT_MODEL)}; with --plans endpoint {' '.join(LIVE)}; with --robot "
                                   f"arms {' '.join(WITH_ARMS)}")
    add_llm(parser, "auto", "with --plans endpoint: what is configured")
    add_trials(parser, 10, "runs of each recipe, with --plans endpoint; its plans, each on a counter of its own, with "
                              "--robot arms", "--runs")


def add_robot(parser: argparse.ArgumentParser, judged: str) -> None:
    """Add ``--robot``: facts, or two simulated arms.

    Args:
        parser: of a suite of dishes or drinks.
        judged: what is where, by which the arms' work is judged.
    """
    parser.add_argument("--robot", choices=(FACTS, ARMS_AT_WORK), default=FACTS,
                        help=f"facts: the domain's effects; arms: two simulated arms, judged by where {judged}")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite."""
    recorded, arms = options.plans == "recorded", options.robot == ARMS_AT_WORK
    if arms and (options.changed or not recorded):
        raise ConfigError("--robot arms takes the recorded plans as they are: leave out --changed and --plans endpoint")
    policies = options.policies or (WITH_ARMS if arms else WITHOUT_MODEL if recorded else LIVE)
    trials = _at_counters(options, policies) if arms else _recorded(options, policies) if recorded else [
        BarmanTrial(options.config, policy, recipe, llm=options.llm, number=number) for policy in policies
        for recipe in load_recipes(options.config / "recipes" / "cocktails.yaml") for number in range(options.trials)]
    results = runner.run(trials, "barman")
    llm, live = ("recorded: gpt-4", "") if recorded else live_planner(options.config, options.llm)
    of_policy = {policy: [(t, r) for t, r in zip(trials, results) if t.policy == policy] for policy in policies}
    rows = [row_of(policy, f"{llm}{', ' if change else ''}{change}", [r for t, r in own if t.changed == change])
            for change in dict.fromkeys(trial.changed
                                        for trial in trials) for policy, own in of_policy.items()]
    of_shown = next((policy for policy in reversed(policies) if policy not in KNOW_THE_GOAL), policies[-1])
    note = (f"{_ARMS_NOTE} " if arms else "") + (
            "The plans are the first ones that GPT-4 gave in the authors' recorded runs; no language model "
            "is asked here. Failures are the plans' own, none was injected but in the rows that name a "
            "change. plan_right: the executable plans whose own steps name what the recipe must have, and "
            f"nothing beyond what it may have; correct_of_right: of these. Only {', '.join(KNOW_THE_GOAL)} "
            "knows the recipe; the others know the plan."
            if recorded else
            f"{live} No failure was injected.")
    return Report(rows, COLUMNS, REFERENCE, note, {"runs": results},
                  tuple(_sections([r for t, r in of_policy[of_shown] if not t.changed], recorded, results)),
                  _charts(rows))


def _charts(rows: Sequence[Dict[str, Any]]) -> Tuple[Chart, ...]:
    """Executable and correct plans, ours beside CoPAL's own."""
    return tuple(
        Chart(key, title, (*share_bars(rows, "policy", "llm", key),
                           *share_bars(REFERENCE, "policy", words("CoPAL's Table IV, gpt-4"), key, True)),
              axis)
        for key, title, axis in (
            ("executable", "Cocktail plans that can be carried out", "Executable runs"),
            ("correct", "Cocktails that are what was ordered", "Correct, of the executable runs")))


def _files() -> List[Path]:
    return [data_folder() / "copal" / name for name in FILES]


def _at_counters(options: argparse.Namespace, policies: Sequence[str]) -> List[BarmanTrial]:
    """Return the trials of arms: of each recipe five plans from first to last, over and over, each on another counter.
    """
    plans = read_recordings(_files())
    of_recipe = {name: [plan for plan in plans if plan.recipe == name]
                 for name in sorted({plan.recipe for plan in plans})[::options.every]}
    return [BarmanTrial(options.config, policy, name, own[number % _PLANS * len(own) // _PLANS], number=number,
                        menu=ARMS, counter=options.seed + number)
            for policy in policies for number in range(options.trials) for name, own in of_recipe.items()]


def _recorded(options: argparse.Namespace, policies: Sequence[str]) -> List[BarmanTrial]:
    plans = read_recordings(_files())
    plans = plans[::options.every]
    known = load_recipes(options.config / "recipes" / "cocktails.yaml")
    unknown = sorted({plan.recipe for plan in plans} - set(known))
    if unknown:
        raise ConfigError(f"no recipe for {', '.join(unknown)}; there are: {', '.join(sorted(known))}")
    changes = {"": plans, **{kind: mutated(plans, kind, options.seed) for kind in (KINDS if options.changed else ())}}
    return [BarmanTrial(options.config, policy, plan.recipe, plan, number=number * options.every, changed=change)
            for change, own in changes.items() for policy in policies for number, plan in enumerate(own)]


def row_of(policy: str, llm: str, results: List[Dict[str, Any]]) -> Dict[str, Any]:
    """Sum up a policy's runs.

    Args:
        policy: its name.
        llm: who planned.
        results: of its runs.

    Returns:
        The metrics; what was never measured is ``None``.
    """
    own = Tally(results)
    executable = Tally(result for result in own.whole if result["executable"])
    known = Tally(result for result in executable.whole if "plan_right" in result)
    right = Tally(result for result in known.whole if result["plan_right"])
    searches = spread([1000.0 * each for result in own.whole for each in result["search_seconds"]])
    return {
        "policy": policy, "llm": llm, **own.trials, **own.share("executable"), **executable.share("correct"),
        "plan_right": len(right.all) / len(known.all) if known.all else None,
        "correct_of_right": right.means("correct")["correct"],
        **own.means("repairs"), "replans_high": own.means("replans")["replans"], **executable.means("distance"),
        "run_ms": spread([1000.0 * result["seconds"] for result in own.whole]), "searches": searches["n"],
        **{f"search_{key}_ms": searches.get(key) for key in ("median", "p95", "worst")},
        **own.totals("out_of_time", "tokens"), **own.cost,
    }


def _sections(results: List[Dict[str, Any]], recorded: bool, every: List[Dict[str, Any]]) -> List[Section]:
    failed = [{"recipe": r["recipe"], "source": r.get("source", ""), "message": r["message"][:160]}
              for r in results if "crashed" not in r and not r["executable"]]
    wrong = [{"recipe": r["recipe"], "source": r.get("source", ""), "glasses": r["glasses"],
              "missing": " ".join(r["missing"]), "superfluous": " ".join(r["superfluous"])}
             for r in results if "crashed" not in r and r["executable"] and not r["correct"]]
    return [
        *([_agreement(results), Section("The recorded runs themselves (Fig. 3)", replanned(_files()), (
            "recorded", "n", "executable", "replans_high", "repairs"))] if recorded else [times_of(every)]),
        errors_of(results, _ERRORS),
        Section("Not executable", failed, ("recipe", "source", "message")),
        Section("Executable, but not correct", wrong,
                ("recipe", "source", "glasses", "missing", "superfluous")),
    ]


def times_of(results: Sequence[Dict[str, Any]]) -> Section:
    """How long each agent's model takes to answer, beside CoPAL's figures.

    Args:
        results: of all policies.

    Returns:
        The section; seconds of wall time.
    """
    published = [{"role": role, "seconds": seconds, "seconds_sd": sd, "source": f"CoPAL, section IV-A, {llm}"}
                 for role, seconds, sd, llm in _AGENTS]
    return Section("Run times by agent (Fig. 4), s", [*answer_times(results), *published],
                   ("role", "n", "seconds", "seconds_sd", "source"))


def errors_of(results: Sequence[Dict[str, Any]], published: Mapping[Tuple[int, int], float]) -> Section:
    """What is wrong with what could be made, by the ingredients that are missing and superfluous (eq. 1).

    Args:
        results: of one policy.
        published: the paper's shares by both numbers.

    Returns:
        The section; shares are of the executable runs.
    """
    made = [each for each in results if "crashed" not in each and each["executable"]]
    counts = Counter((len(each["missing"]), len(each["superfluous"])) for each in made if not each["correct"])
    rows = [{"missing": each[0], "superfluous": each[1], "distance": MISSING * each[0] + SUPERFLUOUS * each[1],
             **share_of("share", counts[each], len(made)), "published": published.get(each)}
            for each in sorted({*counts, *published})]
    return Section("What is wrong, of the executable", rows,
                   ("missing", "superfluous", "distance", "share", "published"))


def _agreement(results: List[Dict[str, Any]]) -> Section:
    """Our checker's first failing step and its kind against the recorded simulator's, names as they are written."""
    found: List[Dict[str, Any]] = []
    whole = [r for r in results if "crashed" not in r]
    for kind in sorted({r["theirs"][1] for r in whole}):
        own = [r for r in whole if r["theirs"][1] == kind]
        found.append(_agreed(kind or "none fails", own))
    return Section("First failing step: our checker against the recorded simulator",
                   [*found, _agreed("all", whole)], ("recorded", "n", "same_step", "same_step_and_kind"))


def _agreed(kind: str, results: List[Dict[str, Any]]) -> Dict[str, Any]:
    step = sum(1 for r in results if r["ours"][0] == r["theirs"][0])
    both = sum(1 for r in results if tuple(r["ours"]) == tuple(r["theirs"]))
    return {"recorded": kind, "n": len(results), **share_of("same_step", step, len(results)),
            **share_of("same_step_and_kind", both, len(results))}
