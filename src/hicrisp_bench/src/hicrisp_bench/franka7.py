"""Seven table-top tasks for the Franka arm (BrainBody-LLM, section 5), where only errors tell what is out
of reach.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from itertools import combinations
from statistics import mean
from typing import Callable, Dict, List, Sequence, Tuple

from hicrisp_core.body.similar_body import wordllama_embedder
from hicrisp_core.llm.settings import OFFLINE
from hicrisp_core.model import WorldState
from hicrisp_core.model.geometry import Planar
from hicrisp_core.policy.policy import SIMILAR, load_policy
from hicrisp_core.scene import load_scene

from hicrisp_bench.options import add_llm, add_policies, add_trials, llm_settings
from hicrisp_bench.statistics import Tally, share_of
from hicrisp_bench.suite import Chart, Report, Row, Runner, Section, share_bars
from hicrisp_bench.trial import TrialSettings

_NEIGHBOURS = (0.045, 0.13)
"""Distance between the centres of two neighbouring cubes of a shape, metres; a cube is 4.5 cm wide."""
_OFF_LINE = 0.03
"""Greatest distance of a cube from the straight line that it belongs to, metres."""
_ASKEW = math.radians(20.0)
"""Greatest error of the right angles of a plus sign."""


def red_on_blue(world: WorldState) -> bool:
    """Check task 1: the red cube stands on the blue one.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Whether it does.
    """
    return world.holds("on", "red_cube", "blue_cube")


def line_of_four(world: WorldState) -> bool:
    """Check task 2: four cubes stand on the table in one straight line, each next to the one before.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Whether they do.
    """
    places = [place for _, place in _cubes_on_the_table(world)]
    if len(places) != 4:
        return False
    ends = max(combinations(places, 2), key=lambda pair: math.dist(*pair))
    length = math.dist(*ends)
    along = ((ends[1][0] - ends[0][0]) / length, (ends[1][1] - ends[0][1]) / length)
    offsets = [(x - ends[0][0], y - ends[0][1]) for x, y in places]
    order = sorted(x * along[0] + y * along[1] for x, y in offsets)
    return all(abs(y * along[0] - x * along[1]) <= _OFF_LINE for x, y in offsets) and \
        all(_NEIGHBOURS[0] <= after - before <= _NEIGHBOURS[1] for before, after in zip(order, order[1:]))


def cube_beside_cylinder(world: WorldState) -> bool:
    """Check task 3: any cube is close to the cylinder.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Whether one is.
    """
    return any(world.holds("next_to", cube, "cylinder") for cube in _cubes(world))


def red_in_a_bowl(world: WorldState) -> bool:
    """Check task 4: the red cube lies in any bowl.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Whether it does.
    """
    return any(fact.predicate == "in" for fact in world.about("red_cube"))


def tower_of_three(world: WorldState) -> bool:
    """Check task 5: any three cubes stand on each other.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Whether they do.
    """
    return any(world.holds("on", top, middle) and world.holds("on", middle, low)
               and world.holds("on", low, "table")
               for low in _cubes(world) for middle in _cubes(world) for top in _cubes(world))


def two_in_one_bowl(world: WorldState) -> bool:
    """Check task 6: at least two cubes lie in the same bowl.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Whether they do.
    """
    bowls = [fact.object for cube in _cubes(world) for fact in world.about(cube) if fact.predicate == "in"]
    return any(bowls.count(bowl) >= 2 for bowl in bowls)


def plus_sign(world: WorldState) -> bool:
    """Check task 7: any cube has a neighbour at each of four sides, at right angles, and all five stand on the table.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Whether there is such a plus sign.
    """
    cubes = _cubes_on_the_table(world)
    for name, centre in cubes:
        near = [math.atan2(y - centre[1], x - centre[0]) for other, (x, y) in cubes
                if other != name and _NEIGHBOURS[0] <= math.dist((x, y), centre) <= _NEIGHBOURS[1]]
        for bearings in combinations(sorted(near), 4):
            turns = (after - before for before, after in zip(bearings, [*bearings[1:], bearings[0] + math.tau]))
            if all(abs(turn - math.pi / 2.0) <= _ASKEW for turn in turns):
                return True
    return False


def _cubes(world: WorldState) -> List[str]:
    return sorted(name for name, item in world.objects.items() if item.type == "box")


def _cubes_on_the_table(world: WorldState) -> List[Tuple[str, Planar]]:
    return [(name, (pose.position[0], pose.position[1])) for name in _cubes(world)
            for pose in (world.objects[name].pose,) if pose is not None and world.holds("on", name, "table")]


POLICIES = ("base_llm", "brainbody", "hierarchical")
QUICK = {"trials": 1}
SELECTS = ("trials", "policies")
_FEEDBACK = ("repair", "offset", "llm_step", "llm_replan")


@dataclass(frozen=True)
class FrankaTask:
    """One task: a scene that also holds its sentence, how difficult it is, and when it is done.

    Args:
        unreachable: whether some objects are out of the arm's reach.
    """

    scene: str
    difficulty: str
    unreachable: bool
    goal: Callable[[WorldState], bool]


TASKS = (
    FrankaTask("franka7_1_stack", "easy", False, red_on_blue),
    FrankaTask("franka7_2_line", "medium", False, line_of_four),
    FrankaTask("franka7_3_beside", "medium", True, cube_beside_cylinder),
    FrankaTask("franka7_4_bowl", "medium", True, red_in_a_bowl),
    FrankaTask("franka7_5_tower", "hard", True, tower_of_three),
    FrankaTask("franka7_6_bowls", "hard", True, two_in_one_bowl),
    FrankaTask("franka7_7_plus", "hard", True, plus_sign),
)

_SOURCE = "BrainBody-LLM (Bhat et al.), Table 4 and section 5.2: the authors' own seven tasks"
_PUBLISHED: Tuple[Tuple[str, Tuple[int, ...]], ...] = (
    ("GPT-4", (1, 1, 1, 1, 1, 1, 1)), ("PaLM 2", (1, 0, 1, 1, 0, 0, 0)), ("GPT-3.5", (1, 1, 0, 0, 0, 0, 0)))
"""Which of the tasks each model completed, in the order of the paper's table."""
REFERENCE: List[Row] = [
    {"source": _SOURCE, "task": "all seven", "policy": "brainbody", "llm": llm, "n": 7,
     **share_of("success", sum(done), 7), "tasks": list(done)} for llm, done in _PUBLISHED]

NOTE = (
    "A reconstruction: the paper prints difficulty and reachability of its tasks, and the words of the plus "
    "sign only; the scenes and the other sentences are this workspace's own. Cubes and bowls lie at random "
    "places, in MuJoCo, and which of them are out of reach is drawn too; no fault is injected. Success is a "
    "question about the final arrangement, judged from the physics' true poses. feedback_rounds is the mean "
    "number of corrections in a trial, new plans among them. ")
_OFFLINE_NOTE = "The offline planner made all plans; its steps name actions, so the body asked no model."


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the suite's options.

    Args:
        parser: the suite's subcommand.
    """
    add_trials(parser, 5, "seeds of each task and policy")
    add_llm(parser, OFFLINE)
    add_policies(parser, POLICIES)


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run every task with every policy.

    Args:
        options: the parsed command line.
        runner: runs the trials.

    Returns:
        The rows; the first are of all seven tasks together.
    """
    # What is wrong with the configuration shows before the first trial.
    llm_settings(options.config, options.llm)
    if any(load_policy(options.config / "policies" / f"{name}.yaml").body == SIMILAR for name in options.policies):
        wordllama_embedder()
    cases = []
    for task in TASKS:
        sentence = load_scene(options.config / "scenes" / f"{task.scene}.yaml").task
        cases += [((task, sentence, policy), [
            TrialSettings(options.config, task.scene, sentence, task.goal, policy, seed, llm=options.llm)
            for seed in range(options.trials)]) for policy in options.policies]
    rows: List[Row] = []
    for (task, sentence, policy), own in runner.by_case(cases, "franka7"):
        rows.append({"task": sentence, "scene": task.scene, "difficulty": task.difficulty,
                     "unreachable": "yes" if task.unreachable else "no", "policy": policy, "llm": options.llm,
                     **_figures(own)})
    totals = [_total(policy, options.llm, [row for row in rows if row["policy"] == policy])
              for policy in options.policies]
    shown = ("task", "difficulty", "unreachable", "policy", "llm", "n", "success", "feedback_rounds", "replans")
    return Report(
        [*totals, *rows], shown, REFERENCE, NOTE + (_OFFLINE_NOTE if options.llm == OFFLINE else ""),
        sections=(Section("What failed", [fail for row in rows for fail in row["failed"]],
                          ("task", "policy", "seeds", "why")),),
        charts=(Chart("success", "Seven tasks for the arm, and the paper's own seven", (
            *share_bars(totals, "task", "policy", "success"),
            *share_bars(REFERENCE, "task", lambda row: f"BrainBody-LLM, {row['llm']}", "success", True),
            *share_bars(rows, "task", "policy", "success")), "Success by the true poses"),))


def _figures(own: Tally) -> Row:
    rounds = [sum(result["corrections"].get(rung, 0) for rung in _FEEDBACK) for result in own.whole]
    # What the runs said at their end, with the seeds in which they said so.
    seeds: Dict[Tuple[str, str, str], List[str]] = {}
    for result in own.whole:
        if not result["success"]:
            why = str(result["message"]) if not result["claimed"] else "the run took it for done"
            seeds.setdefault((result["task"], result["policy"], why), []).append(str(result["seed"]))
    return {
        **own.trials, **own.share("success"), "feedback_rounds": mean(rounds) if rounds else None,
        **own.means("replans"), **own.totals("llm_calls", "tokens"), **own.cost, **own.false_success(),
        "failed": [{"task": task, "policy": policy, "seeds": ", ".join(failed), "why": why}
                   for (task, policy, why), failed in seeds.items()],
    }


def _total(policy: str, llm: str, rows: Sequence[Row]) -> Row:
    """All tasks of a policy in one row: the paper's own figure."""
    trials = sum(row["n"] for row in rows)
    successes = round(sum(row["success"] * row["n"] for row in rows))
    rounds = [row["feedback_rounds"] for row in rows if row["feedback_rounds"] is not None]
    return {"task": "all seven", "difficulty": "", "unreachable": "", "policy": policy, "llm": llm,
            "n": trials, **share_of("success", successes, trials),
            "feedback_rounds": mean(rounds) if rounds else None,
            "replans": mean([row["replans"] for row in rows if row["replans"] is not None] or [0.0])}
