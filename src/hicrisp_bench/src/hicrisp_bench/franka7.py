"""Seven table-top tasks for the Franka arm (BrainBody-LLM, section 5), where only errors tell what is out
of reach.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from statistics import mean
from typing import Callable, Dict, List, Sequence, Tuple

from hicrisp_core.body.similar_body import wordllama_embedder
from hicrisp_core.llm.settings import OFFLINE
from hicrisp_core.model import WorldState
from hicrisp_core.policy.policy import SIMILAR, load_policy
from hicrisp_core.scene import load_scene

from hicrisp_bench import franka7_goals as goals
from hicrisp_bench.options import add_llm, add_policies, add_trials, llm_settings
from hicrisp_bench.statistics import Tally, share_of
from hicrisp_bench.suite import Chart, Report, Row, Runner, Section, share_bars
from hicrisp_bench.trial import TrialSettings

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
    FrankaTask("franka7_1_stack", "easy", False, goals.red_on_blue),
    FrankaTask("franka7_2_line", "medium", False, goals.line_of_four),
    FrankaTask("franka7_3_beside", "medium", True, goals.cube_beside_cylinder),
    FrankaTask("franka7_4_bowl", "medium", True, goals.red_in_a_bowl),
    FrankaTask("franka7_5_tower", "hard", True, goals.tower_of_three),
    FrankaTask("franka7_6_bowls", "hard", True, goals.two_in_one_bowl),
    FrankaTask("franka7_7_plus", "hard", True, goals.plus_sign),
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
    shown = ("task", "difficulty", "unreachable", "policy", "llm", "n", "success", "feedback_rounds",
             "replans")
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
