"""The table top: HiCRISP's section IV-B. Clean layouts, a Gaussian offset on place, a biased arm, three
policies; and towers.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any, Dict, Iterator, List, Sequence, Tuple

from hicrisp_core.extensions import Lazy
from hicrisp_core.model import Relation
from hicrisp_core.ports.perception import CAMERA, POSES
from hicrisp_core.scene import load_scene

from hicrisp_bench import speed
from hicrisp_bench.options import add_over_ros, add_policies, add_seed, add_trials
from hicrisp_bench.statistics import Tally, spread
from hicrisp_bench.suite import Chart, Report, Runner, Section, share_bars
from hicrisp_bench.trial import TrialSettings

_TOWER_SIGMAS = (0.0, 0.02)
_TOWER_POLICIES = ("hicrisp", "hierarchical")
_SCENE, _BLOCKS = "blocks", 4
CASES = ("clean", "offset", "tower", "unknown")
_LAYOUTS_PER_TOWER = 5
"""Layouts of a row for each tower of a row: towers take as much longer."""
_STRANGERS = 3
"""Objects that no file describes, at most, in a layout that has some."""
SIGMAS = (0.01, 0.02, 0.03, 0.05)
POLICIES = ("open_loop", "retry_only", "hierarchical")
_JUDGE = Lazy("hicrisp_bench.tabletop_over_ros:TabletopJudge")
"""Of trials over ROS, which is needed for these only."""
QUICK = {"trials": 3, "queries": 10}
SELECTS = ("trials", "seed", "cases", "policies", "sigmas")
BIAS = (0.05, 0.0)
"""The biased arm's mean offset, metres; its noise is the smallest sigma."""
_BESIDE = ("tabletop", "Place the box next to the cylinder", (Relation("box", "next_to", "cylinder"),))
_TASKS: Tuple[Tuple[str, str, Tuple[Relation, ...]], ...] = (
    _BESIDE,
    ("stack", "Stack the red box on the blue box", (Relation("red_box", "on", "blue_box"),)),
    ("bowl", "Put the box in the bowl", (Relation("box", "in", "bowl"),)),
)
_UNSEEN = ("cannot_tell", "goal_unseen")
"""The kinds of failures that only say that nobody can see it."""
REFERENCE = [
    {"source": "HiCRISP (Ming et al.), section IV-B", "suite": "tabletop", "policy": "hicrisp",
     "llm": "gpt-3.5",
     "note": "the paper describes the Gaussian offset on place and its correction, but prints no success "
             "rates"},
]


def tower_groups(config: Path, seeds: range) -> Iterator[Tuple[Dict[str, Any], List[TrialSettings]]]:
    """List the trials of towers.

    Args:
        config: the workspace's ``config``.
        seeds: layouts of each row.

    Yields:
        Head of a row with its trials.
    """
    for sigma in _TOWER_SIGMAS:
        faults = ({"kind": "place_offset", "target": "", "magnitude": (sigma,), "count": 0},) if sigma else ()
        for policy in _TOWER_POLICIES:
            head = {"case": f"tower of {_BLOCKS}", "policy": policy, "sigma": sigma, "bias": 0.0}
            yield head, [TrialSettings(config, _SCENE, *_tower(config, seed), policy, seed, faults) for seed in seeds]


def _tower(config: Path, seed: int) -> Tuple[str, Tuple[Relation, ...]]:
    """A tower in words and as facts, from the top down."""
    scene = load_scene(config / "scenes" / f"{_SCENE}.yaml", seed)
    names = sorted(name for name, item in scene.objects.items() if item.type == "box")
    blocks = random.Random(seed).sample(names, _BLOCKS)
    facts = tuple(Relation(upper, "on", lower) for upper, lower in zip(blocks, blocks[1:]))
    said = ", and ".join(f"the {fact.subject.replace('_', ' ')} is on the {fact.object.replace('_', ' ')}"
                         for fact in facts)
    return said, facts


def groups(
    config: Path, trials: int, cases: Sequence[str] = CASES, first: int = 0,
    policies: Sequence[str] = POLICIES, sigmas: Sequence[float] = SIGMAS,
) -> List[Tuple[Dict[str, Any], List[TrialSettings]]]:
    """List the rows of the table with the trials that make them.

    Args:
        config: the workspace's ``config``.
        trials: seeds of each row; towers have a fifth of them.
        cases: which of ``CASES``.
        first: the first seed.
        policies: of the rows with an offset.
        sigmas: standard deviations of the rows with an offset, metres.

    Returns:
        Head and trials of each row.
    """
    seeds = range(first, first + trials)
    found: List[Tuple[Dict[str, Any], List[TrialSettings]]] = []
    for scene, task, goal in _TASKS if "clean" in cases else ():
        base = TrialSettings(config, scene, task, goal)
        found.append(({"case": f"clean: {task}", "policy": "hierarchical", "sigma": 0.0, "bias": 0.0},
                      [replace(base, seed=seed) for seed in seeds]))
    offsets = [(sigma, (0.0, 0.0)) for sigma in SIGMAS] + [(SIGMAS[0], BIAS)]
    for sigma, bias in offsets if "offset" in cases else ():
        if sigma not in sigmas:
            continue
        for policy in policies:
            fault = {"kind": "place_offset", "target": "", "magnitude": (*bias, sigma), "count": 0}
            found.append((
                {"case": "offset on place" if bias == (0.0, 0.0) else "biased arm", "policy": policy,
                 "sigma": sigma,
                 "bias": bias[0]},
                [TrialSettings(config, *_BESIDE, policy, seed, (fault,)) for seed in seeds]))
    if "tower" in cases:
        found.extend(tower_groups(config, seeds[:max(1, trials // _LAYOUTS_PER_TOWER)]))
    if "unknown" in cases:
        # Objects that no file describes stand on the table, which only a camera shows.
        head = {"case": f"1 to {_STRANGERS} unknown things", "policy": "hierarchical", "sigma": 0.0, "bias": 0.0}
        found.append((head, [TrialSettings(config, *_BESIDE, seed=seed, perception=CAMERA, faults=(
            {"kind": "intruder", "target": "", "magnitude": (), "count": 1 + seed % _STRANGERS},)) for seed in seeds]))
    return found


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the suite's options.

    Args:
        parser: the suite's subcommand.
    """
    add_trials(parser, 100, "seeds of each row; towers have a fifth of them")
    add_seed(parser, "the first trial", "--first-seed")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES), help="which rows (all)")
    add_policies(parser, POLICIES, "of the rows with an offset those of these; all", POLICIES)
    parser.add_argument("--sigmas", nargs="+", type=float, choices=SIGMAS, default=list(SIGMAS),
                        metavar="METRES", help="and those of these standard deviations (all)")
    parser.add_argument("--perception", choices=(POSES, CAMERA), default=POSES,
                        help="how things are seen: by the world's own poses, or by its depth camera (poses)")
    add_over_ros(parser)
    parser.add_argument("--queries", type=int, default=200,
                        help="motion-planning queries; 0 leaves the speed out (200)")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite; successes are judged by the true poses.

    Args:
        options: the parsed command line.
        runner: runs the trials.

    Returns:
        The rows with what was injected.
    """
    # What touches what is known in this process alone.
    cases = [case for case in options.cases if case != "unknown" or not options.over_ros]
    made = groups(options.config, options.trials, cases, options.seed, options.policies, options.sigmas)
    if options.perception == CAMERA:
        made = [(head, [replace(trial, perception=CAMERA) for trial in trials]) for head, trials in made]
    found = runner.by_case(made, "tabletop", _JUDGE if options.over_ros else None)
    rows = [{**_row(head, own), "over_ros": options.over_ros, "perception": trials[0].perception}
            for (_, trials), (head, own) in zip(made, found)]
    measured = speed.measure(options.config, options.queries) if options.queries else []
    return Report(
        rows, ("case", "policy", "perception", "over_ros", "sigma", "bias", "n", "success", "attempts",
               "releases", "commands", "placement_error_m", "corrections", "corrected_by", "touched"),
        REFERENCE,
        "Offsets on place were injected, anew for every approach, and every other failure was real. The "
        "offline planner made all plans. "
        "Success is judged from the physics' true poses. `touched` counts the trials in which anything but "
        "the table touched a thing that no file describes, by the physics' own contacts.",
        {"speed": measured},
        (Section("The run's verdict against the truth", rows, (
            "case", "policy", "sigma", "done_and_so", "false_done", "false_failed", "failed_and_so",
            "cannot_tell", "looks")),
         Section("Speed", measured, ("what", "unit", "median", "p95", "worst", "n", "note"))),
        _charts(rows))


def _charts(rows: Sequence[Dict[str, Any]]) -> Tuple[Chart, ...]:
    """Success by how far placements miss, and of whole tasks and towers."""
    missing, whole = ([row for row in rows if row["case"].startswith("offset") is wanted] for wanted in (True, False))
    return (
        Chart("success_by_offset", "Box next to the cylinder while every placement misses", share_bars(
            missing, lambda row: f"sigma {100.0 * row['sigma']:g} cm", "policy", "success"),
            "Success by the true poses"),
        Chart("success", "Clean tasks, towers and a biased arm", share_bars(
            whole, lambda row: f"{row['case']}{', missing' if row['sigma'] else ''}", "policy", "success"),
            "Success by the true poses"))


def _row(head: Dict[str, Any], own: Tally) -> Dict[str, Any]:
    whole = own.whole

    def count(claimed: bool, true: bool) -> int:
        return own.count(lambda each: each["claimed"] == claimed and each["success"] == true)

    return {
        **head, "llm": "offline", **own.trials, **own.share("success"), **own.means("attempts", "releases"),
        "commands": spread([result["steps_executed"] for result in whole]),
        **own.spreads("placement_error_m", "sim_s", "wall_s"), **own.corrections, **own.cost,
        "touched": own.count(lambda each: each.get("touched")) if own.count(
            lambda each: each.get("strangers")) else None,
        **own.false_success(),
        # How often a run said that it was done or failed, and was right or wrong about it.
        "done_and_so": count(True, True), "false_done": count(True, False),
        "false_failed": count(False, True), "failed_and_so": count(False, False),
        "cannot_tell": own.count(lambda each: not each["claimed"] and each["failures"]
                                 and each["failures"][-1]["kind"] in _UNSEEN),
        "looks": mean([each.get("looks", 0) for each in whole]) if whole else None,
        "failed_seeds": [r.get("seed") for r in whole if not r["success"]],
        "injected": "none" if not head["sigma"] else "Gaussian offset on place", "plans": "offline planner",
    }
