"""The LIBERO benchmarks: their tasks as a user's words, done in their simulator, and judged by their code alone."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence

from hicrisp_core.errors import ConfigError
from hicrisp_core.factory import load_factory
from hicrisp_core.llm.settings import OFFLINE
from hicrisp_libero.client import Benchmark, suites
from hicrisp_libero.description import describe
from hicrisp_libero.episode import GoalGiven, run_episode
from hicrisp_libero.world import BenchmarkTask

from hicrisp_bench.cost import cost_of
from hicrisp_bench.options import add_llm, add_policies, llm_settings
from hicrisp_bench.runner import Runner, folder_of
from hicrisp_bench.statistics import Tally, corrections_of
from hicrisp_bench.suite import Report, Section

SUITES = ("libero_object", "libero_spatial", "libero_goal")
WORDS, GIVEN = "words", "given"
TIER, CONTROL = "poses", "joint"
"""How objects are seen, and how the arm is driven."""
QUICK = {"suites": ["libero_object"], "tasks": [0, 1, 2]}
SELECTS = ("suites", "tasks", "inits", "policies")
COLUMNS = ("suite", "task", "policy", "goal", "tier", "control", "n", "success", "believed", "false_success",
    "false_failure", "seconds", "steps", "corrections")
REFERENCE: List[Dict[str, Any]] = [{"source": "LIBERO-PRO", "suite": suite, "policy": policy, "success": success,
    "note": "trained on the suite's demonstrations; two cameras, no depth or poses; at most 280 steps of 0.05 s"}
    for policy, figures in (("OpenVLA", (0.99, 0.95, 0.98)), ("pi0", (0.98, 0.90, 0.92)), ("pi0.5", (0.98, 0.96, 0.97)))
    for suite, success in zip(SUITES, figures)]
NOTE = (
    "Success is the benchmark's own check, at the end of any of its steps of 0.05 s; `believed` is what our detector "
    "said at the end. Objects are seen by their true poses, joints are commanded for at most three minutes of "
    "simulated time; nothing was injected, and nothing was trained on the benchmark. With the goal `given` the words "
    "were not read: the meaning was that of the benchmark's file.")


@dataclass(frozen=True)
class Episode:
    """One episode.

    Args:
        number: of the task in its suite.
        goal: ``words`` if the instruction is read, ``given`` if the meaning is that of the benchmark's file.
        pictures: folder that gets a picture of the end.
    """

    config: Path
    suite: str
    number: int
    init: int
    policy: str
    llm: str
    goal: str
    pictures: Optional[Path] = None


def key_of(episode: Episode) -> str:
    """Name an episode among those of the suite.

    Args:
        episode: its settings.

    Returns:
        A key that differs for each.
    """
    return f"{episode.suite}/{episode.number}/{episode.init}, {episode.policy}"


def run_one(episode: Episode) -> Dict[str, Any]:
    """Run one episode in a process of the benchmark of its own; one that dies or hangs raises, and is not a result.

    Args:
        episode: its settings.

    Returns:
        The result as JSON values.
    """
    with Benchmark() as benchmark:
        description, state = describe(benchmark, episode.suite, episode.number, episode.init)
        task = BenchmarkTask(description, benchmark, state)
        parts = load_factory(episode.config, task.domain, episode.policy, episode.llm)
        picture = None
        if episode.pictures is not None:
            episode.pictures.mkdir(parents=True, exist_ok=True)
            picture = episode.pictures / f"{episode.suite}_{episode.number}_{episode.init}_{episode.policy}.png"
        found = run_episode(
            task, parts, episode.init, GoalGiven(task.words.goal) if episode.goal == GIVEN else None, picture)
    return {"suite": episode.suite, "task": episode.number, "init": episode.init, "policy": episode.policy, **found}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the suite's options.

    Args:
        parser: the suite's subcommand.
    """
    parser.add_argument(
        "--suites", "--suite", nargs="+", default=list(SUITES), metavar="NAME", help=f"({' '.join(SUITES)})")
    parser.add_argument("--tasks", nargs="+", type=int, default=None, metavar="N", help="numbers of tasks (all)")
    parser.add_argument("--inits", nargs="+", type=int, default=[0], metavar="N", help="numbers of starts, 0 to 49 (0)")
    parser.add_argument("--goal", choices=(WORDS, GIVEN), default=WORDS,
        help="whether the instruction is read, or the meaning is given (words)")
    parser.add_argument("--pictures", action="store_true", help="keep a picture of each episode's end")
    add_policies(parser, ("hierarchical",))
    add_llm(parser, OFFLINE)


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the episodes.

    Args:
        options: the parsed command line.
        runner: runs them.

    Returns:
        A row for each suite and policy, and one for each task.

    Raises:
        ConfigError: for a suite or a task that the benchmark does not have, with those that it has.
    """
    llm_settings(options.config, options.llm)
    known = suites()
    pictures = folder_of(options) / "pictures" if options.pictures else None
    cases = [((suite, number, policy),
        [Episode(options.config, suite, number, init, policy, options.llm, options.goal, pictures)
        for init in options.inits]) for suite in options.suites for number in _tasks(suite, options.tasks, known)
        for policy in options.policies]
    found = runner.by_case(run_one, cases, key_of, "libero")
    rows = [_row(suite, policy, options, [tally for (of, _, by), tally in found if (of, by) == (suite, policy)])
        for suite in options.suites for policy in options.policies]
    tasks = [{**_row(suite, policy, options, [tally]), "task": number,
        "instruction": next((each["instruction"] for each in tally.whole), "")}
        for (suite, number, policy), tally in found]
    failed = [{"suite": each["suite"], "task": each["task"], "init": each["init"], "policy": each["policy"],
        "why": each["message"]} for _, tally in found for each in tally.whole if not each["success"]]
    return Report([*rows, *tasks], COLUMNS, REFERENCE, NOTE,
        {"episodes": [each for _, tally in found for each in tally.whole]},
        (Section("By task", tasks, ("suite", "task", "instruction", *COLUMNS[2:])),
        Section("What failed", failed, ("suite", "task", "init", "policy", "why"))))


def _tasks(suite: str, told: Optional[Sequence[int]], known: Mapping[str, int]) -> Sequence[int]:
    if suite not in known:
        raise ConfigError(
            f"the benchmark has no suite '{suite}' with all its resources; it has: {', '.join(sorted(known))}")
    wrong = [number for number in told or () if not 0 <= number < known[suite]]
    if wrong:
        raise ConfigError(f"{suite} has no task {wrong[0]}; its tasks: 0 to {known[suite] - 1}")
    return range(known[suite]) if told is None else told


def _row(suite: str, policy: str, options: argparse.Namespace, tallies: Sequence[Tally]) -> Dict[str, Any]:
    own = Tally([each for tally in tallies for each in tally.all])

    def wrong(claimed: bool) -> int:
        return own.count(lambda each: each["believed"] is claimed and each["success"] is not claimed)

    return {"suite": suite, "task": "all", "policy": policy, "llm": options.llm, "goal": options.goal, "tier": TIER,
        "control": CONTROL, **own.trials, **own.share("success"), **own.share("believed"),
        "false_success": wrong(True), "false_failure": wrong(False), **own.means("seconds", "steps"),
        **corrections_of(own.whole), **cost_of(own.whole)}
