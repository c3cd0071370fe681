"""The AGV: HiCRISP's section IV-C. Areas in an order, unexpected obstacles, wrong orders injected; three policies."""

from __future__ import annotations

import argparse
import itertools
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import mean
from threading import Event
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.extensions import Lazy
from hicrisp_core.factory import load_factory
from hicrisp_core.llm.settings import OFFLINE
from hicrisp_core.model import FeedbackKind, Motion, Task
from hicrisp_core.ports.perception import POSES
from hicrisp_core.robot.drive_goals import drive_space_of
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.agv import AgvWorld

from hicrisp_bench.agv import fleet
from hicrisp_bench.agv.truth import TO_SPARE, TrueMap, TrueTrack, judge, moment_of
from hicrisp_bench.agv_brain.wrong_order import INJECTIONS, WrongOrder
from hicrisp_bench.options import add_every, add_over_ros, add_policies, add_trials, at_least_one
from hicrisp_bench.statistics import Tally, share_of
from hicrisp_bench.suite import Chart, Report, Row, Runner, Section, count_bars, share_bars

CAUGHT = frozenset(kind.value for kind in (
    FeedbackKind.OUT_OF_ORDER, FeedbackKind.NOT_DUE, FeedbackKind.OMITTED, FeedbackKind.WRONG_AREA))
"""Kinds of failures by which a wrong order is seen."""
POLICIES = ("open_loop", "hicrisp", "hierarchical")
_JUDGE = Lazy("hicrisp_bench.agv.over_ros:AgvJudge")
"""Of trials over ROS, which is needed for these only."""
QUICK = {"trials": 1, "every": 3}
SELECTS = ("trials", "every", "policies", "robots", "reachable")
AREAS = ("area_1", "area_2", "area_3")
COLUMNS = ("scene", "plan", "policy", "over_ros", "n", "reachable", "completed", "completed_all", "caught",
           "order_violations", "halts_out_of_turn", "collisions", "zone_violations", "near_misses",
           "corrections", "corrected_by",
           "path_ratio", "sim_s")
ZONE_SCENE = "agv_zone"
"""The arena with a zone that no part of the base may enter."""
REFERENCE = [
    {"source": "HiCRISP (Ming et al.), section IV-C", "suite": "agv", "policy": "hicrisp", "llm": "gpt-3.5",
     "note": "the paper describes an AGV that visits areas in an order, in Gazebo and in reality; it prints "
             "no rates"},
]


@dataclass(frozen=True)
class AgvTrial:
    """All that the result of one run depends on.

    Args:
        order: the areas in the order that the task asks for.
        injected: what is wrong with the first plan; empty for the offline planner's own.
        faults: kind, target and magnitude of what is injected into the world.
        perception: how objects are seen; no camera looks at an arena.
    """

    config: Path
    order: Tuple[str, ...]
    policy: str
    seed: int
    injected: str = ""
    scene: str = "agv"
    faults: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    llm: str = OFFLINE
    perception: str = POSES

    @property
    def task(self) -> str:
        """What the robot is asked to do."""
        return "Visit " + ", then ".join(area.replace("_", " ") for area in self.order)

    def load_scene(self) -> Scene:
        """The layout that its seed draws."""
        return load_scene(self.config / "scenes" / f"{self.scene}.yaml", self.seed)

    def key(self) -> str:
        """What tells a run from the others of the suite."""
        plan, order = self.injected or "offline", " ".join(self.order)
        return f"{self.scene}, {plan}, {self.policy}, {self.seed}: {order}"

    def run(self) -> Dict[str, Any]:
        """Run one in this process; the result is a plain dictionary, judged from the physics."""
        scene = self.load_scene()
        parts = load_factory(self.config, scene.domain, self.policy, self.llm)
        world = AgvWorld(scene, self.seed, domain=parts.domain)
        for fault in self.faults:
            world.inject(**fault)
        real = SearchBrain(parts.domain)
        brain = WrongOrder(real, self.injected, self.seed) if self.injected else real
        track = TrueTrack(scene, world.robot.name)
        world.base.followers.append(lambda: track.follow(moment_of(world.base)))
        space = replace(drive_space_of(scene), first_reached=world.base.first_reached)
        executive = replace(parts, drive=space).executive(
            {world.robot.name: world.robot}, world, lambda event: None, brain=brain)
        began, started = time.perf_counter(), world.time
        result = executive.run(Task(self.task))
        world.settle(1.0)
        motion = world.observe(Deadline(60.0)).robots[world.robot.name].motion or Motion()
        found = {**vars(result), "failures": list(map(vars, result.failures))}
        return result_of(self, track, found, motion.near_misses, world.time - started, time.perf_counter() - began)


def result_of(trial: AgvTrial, track: TrueTrack, told: Mapping[str, Any], near_misses: int, sim_s: float,
              wall_s: float) -> Dict[str, Any]:
    """Return the result of a run: what it says of itself, judged by where the base really was.

    Args:
        trial: what was run.
        track: where the base was.
        told: the run's own result.
        near_misses: passes that the eyes saw to be too close.
        sim_s: seconds of the simulation's clock.
        wall_s: seconds of wall time.

    Returns:
        The result as JSON values.
    """
    truth = TrueMap(trial.load_scene(), track.robot)
    reachable = [area for area in trial.order if truth.reachable(area)]
    stood = {stop.area for stop in track.stops}
    judged = judge(track.stops, [area for area in trial.order if area in reachable or area in stood])
    return {
        "order": list(trial.order), "seed": trial.seed, "policy": trial.policy, "injected": trial.injected,
        "scene": trial.scene, "reachable": len(reachable) == len(trial.order),
        "completed": judge(track.stops, trial.order)["in_turn"] == len(trial.order),
        "claimed": bool(told["success"]), "plan": list(told["plan"]),
        **{key: told[key] for key in ("message", "steps_executed", "corrections", "corrected_by")},
        "order_violations": judged["violations"], "halts_out_of_turn": judged["halts"],
        "stops": [stop.area for stop in track.stops],
        "collisions": len(track.touched), "touched": list(track.touched), "near_misses": near_misses,
        "zone_violations": len(track.zones_entered), "zones_entered": list(track.zones_entered),
        "caught": any(failure["kind"] in CAUGHT for failure in told["failures"]),
        "path_m": track.length, "shortest_m": truth.shortest(trial.order), "sim_s": sim_s, "wall_s": wall_s,
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the suite's options.

    Args:
        parser: the suite's subcommand.
    """
    add_trials(parser, 20, "layouts of four obstacles for each order, or of several AGVs", "--seeds")
    parser.add_argument("--robots", type=at_least_one, default=1, metavar="N",
                        help="AGVs that drive at once, each with a stack of its own, under the policy hierarchical (1)")
    add_every(parser, "of the six orders")
    add_policies(parser, POLICIES)
    parser.add_argument("--reachable", action="store_true",
                        help="of one AGV, only layouts in which every area can be reached with space to spare")
    add_over_ros(parser)


def trials(config: Path, seeds: int, every: int = 1, policies: Sequence[str] = POLICIES,
           reachable: bool = False) -> List[Tuple[Row, List[AgvTrial]]]:
    """Every row of the table with the runs that make it.

    Args:
        config: folder with scenes, domains and policies.
        seeds: number of layouts.
        every: which of the orders: every so many.
        policies: names of their files.
        reachable: whether layouts in which an area cannot be reached with space to spare are left out.

    Returns:
        The head of each row with its runs.
    """
    orders = list(itertools.permutations(AREAS))[::every]
    cases = [("agv", injected, policy) for injected in ("", *INJECTIONS) for policy in policies]
    cases += [(ZONE_SCENE, "", policy) for policy in policies if policy == "hierarchical"]
    layouts = {scene: [seed for seed in range(seeds)
                       if not reachable or _all_reachable(AgvTrial(config, AREAS, "", seed, scene=scene).load_scene())]
               for scene in sorted({case[0] for case in cases})}
    return [({"scene": scene, "plan": injected or "offline", "policy": policy, "llm": "offline"},
             [AgvTrial(config, order, policy, seed, injected, scene)
              for order in orders for seed in layouts[scene]])
            for scene, injected, policy in cases]


def _all_reachable(scene: Scene) -> bool:
    """Check whether the base can come to every area with space to spare."""
    truth = TrueMap(scene, scene.robots[0])
    return all(map(truth.reachable, AREAS))


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite; everything but the claims is judged from the physics."""
    if options.robots > 1:
        return _run_fleet(options, runner)
    cases = trials(options.config, options.trials, options.every, options.policies, options.reachable)
    found = runner.by_case(cases, "agv", _JUDGE if options.over_ros else None)
    rows = [row_of({**head, "over_ros": options.over_ros}, own) for head, own in found]
    measured = [_speed(options.config)]
    return Report(
        rows, COLUMNS, REFERENCE,
        "The obstacles are in no map: the lidar sees them. Wrong orders were injected into the first plan; "
        "every other failure was real. The offline planner made all plans and answered llm_step. 'completed' "
        f"is the part of the runs whose areas can all be reached with {100 * TO_SPARE:.0f} cm to spare on "
        "every side; 'completed_all' is that of all runs. A stop out of turn in an area to which the base "
        "was sent is a violation; one in an area that lay on its way, where a drive broke off or looked for "
        "another path, is a halt. Areas that cannot be reached have no turn. Visits, violations, collisions, "
        "zones and paths are those of the physics; a zone is violated when any part of the base comes over "
        "it.",
        {"speed": measured, "runs": [result for _, own in found for result in own.all]},
        (Section("Speed", measured, ("what", "factor", "rays", "scan_rate", "sim_s")),),
        _charts(rows))


def _run_fleet(options: argparse.Namespace, runner: Runner) -> Report:
    """Run several bases at once."""
    policies = [policy for policy in options.policies if policy == "hierarchical"] or options.policies
    cases = fleet.trials(options.config, options.robots, options.trials, policies)
    found = runner.by_case(cases, "agv")
    rows = [fleet.row_of(head, own) for head, own in found]
    return Report(
        rows, fleet.COLUMNS, (),
        "Areas, obstacles, starts and orders are random; no map knows the obstacles. Each AGV has its own executive, "
        "detector and planner: with 'own' an order of its own areas, with 'shared' its part of one order of all. "
        "'possible' counts the layouts with a schedule that keeps 5 cm between footprints; 'completed' is the part of "
        "them without a collision in which all areas were visited in their order. Collisions (footprints that "
        "overlap), contacts and visits are those of the physics at each of its steps of 4 ms.",
        {"runs": [result for _, own in found for result in own.all]},
        charts=(Chart("fleet", "Areas visited by several AGVs in the order that was asked for", share_bars(
            rows, lambda row: f"{row['robots']} AGVs, {row['order']} order", "policy", "completed"),
            "Completed without a collision, of the layouts where it is possible"),))


def _charts(rows: Sequence[Row]) -> Tuple[Chart, ...]:
    """How many visits are completed in order, and what is violated on the way."""
    def group(row: Mapping[str, Any]) -> str:
        return f"{row['plan'].replace('_', ' ')} plan{', no-go zone' if row['scene'] == ZONE_SCENE else ''}"

    return (
        Chart("completed", "Areas visited in the order that was asked for",
              share_bars(rows, group, "policy", "completed"),
              "Completed, of the runs whose areas can be reached"),
        Chart("violations", "What went wrong on the way", count_bars(
            rows, lambda row: f"{group(row)}, {row['policy']}",
            (("order_violations", "stops out of order"), ("collisions", "collisions"),
             ("zone_violations", "zone violations"))), "Count in all runs", share=False))


def row_of(head: Row, own: Tally) -> Row:
    """One row from its runs."""
    whole = own.whole
    reachable = [result for result in whole if result["reachable"]]
    done = sum(result["completed"] for result in reachable)
    ratios = [result["path_m"] / result["shortest_m"] for result in reachable
              if result["completed"] and result["shortest_m"]]
    return {
        **head, **own.trials, "reachable": len(reachable),
        **share_of("completed", done, len(reachable)), **({} if reachable else {"completed": None}),
        **own.share("completed_all", "completed"),
        **share_of("caught", sum(result["caught"] for result in whole), len(whole)),
        **own.totals("order_violations", "halts_out_of_turn", "collisions", "zone_violations", "near_misses"),
        **own.corrections, "path_ratio": mean(ratios) if ratios else None, **own.spreads("sim_s", "wall_s"),
        **own.false_success("completed"),
        "failed": [[*result["order"], result["seed"]] for result in reachable if not result["completed"]],
    }


def _speed(config: Path) -> Row:
    """Simulated seconds a second of the processor's time while the base drives with its lidar on."""
    scene = load_scene(config / "scenes" / "agv.yaml", 19)
    world = AgvWorld(scene, 19)
    began, started = time.process_time(), world.time
    for area in (*AREAS, *AREAS):
        pose = scene.objects[area].pose
        if pose is not None:
            world.base.go_to(pose, Deadline(60.0), Event(), lambda phase, part: None)
    driven = world.time - started
    return {"what": "physics, lidar, costmap, planner and controller, one process", "sim_s": driven,
            "factor": driven / (time.process_time() - began), "rays": world.settings.rays,
            "scan_rate": world.settings.scan_rate}
