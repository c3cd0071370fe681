"""The LIBERO benchmarks: their tasks as a user's words, done in their simulator, and judged by their code alone."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Dict, List, Mapping, Optional, Sequence

from hicrisp_core.errors import ConfigError
from hicrisp_core.factory import load_factory
from hicrisp_core.llm.settings import OFFLINE
from hicrisp_core.ports.interpreter import Interpreter
from hicrisp_core.ports.perception import CAMERA, POSES
from hicrisp_core.scene import SceneFault, load_scene
from hicrisp_libero.client import Benchmark, suites
from hicrisp_libero.description import describe, write_scene
from hicrisp_libero.episode import GoalGiven, ReadInFile, run_episode
from hicrisp_libero.osc import JOINT, OSC, limit_of
from hicrisp_libero.task import BenchmarkTask

from hicrisp_bench.options import add_llm, add_policies, llm_settings
from hicrisp_bench.statistics import Tally
from hicrisp_bench.suite import Report, Runner, Section, folder_of
from hicrisp_bench.trial import camera_sight

SUITES = ("libero_object", "libero_spatial", "libero_goal")
WORDS, FILE, GIVEN = "words", "file", "given"
NO_FAULT = "none"
FAULTS: Mapping[str, Optional[SceneFault]] = {
    NO_FAULT: None, "place_offset": SceneFault("place_offset", magnitude=(0.02,)),
    "slip": SceneFault("slip", count=1), "object_moved": SceneFault("object_moved", magnitude=(0.05,), count=1)}
"""Every approach with something in the hand misses; the first that is carried slips; what is reached for moves."""
QUICK = {"suites": ["libero_object"], "tasks": [0, 1, 2]}
SELECTS = ("suites", "tasks", "inits", "policies", "faults")
COLUMNS = ("suite", "task", "policy", "goal", "tier", "control", "faults", "happened", "n", "success", "believed",
    "false_success", "false_failure", "seconds", "actions", "steps", "corrections")
REFERENCE: List[Dict[str, Any]] = [{"source": "LIBERO-PRO", "suite": suite, "policy": policy, "success": success,
    "note": "trained on the suite's demonstrations; two cameras, no depth or poses; at most 280 steps of 0.05 s"}
    for policy, figures in (("OpenVLA", (0.99, 0.95, 0.98)), ("pi0", (0.98, 0.90, 0.92)), ("pi0.5", (0.98, 0.96, 0.97)))
    for suite, success in zip(SUITES, figures)]
NOTE = (
    "Success is the benchmark's own check, at the end of any of its steps of 0.05 s; `believed` is what our detector "
    "said at the end; nothing was trained on the benchmark. With the goal "
    "`given` the words were not read: the meaning was that of the benchmark's file. With `file` the words were read by "
    "the language model in the scene as that file describes it, and a search planned.")
_CONTROL = {
    JOINT: "Joints are commanded for at most three minutes of simulated time.",
    OSC: "The arm is driven by the benchmark's own actions of 0.05 s through its environment's step, at most as many "
    "as published evaluations allow (`actions`: those until success); planning takes none of them."}
_SEEN = {
    POSES: "Objects are seen by their true poses.",
    CAMERA: "Objects are seen in the pictures of the fixed camera, and what these do not show in those of the hand's, "
    "with simulated noise of the depth."}
_NOTHING = "Nothing was injected."
_INJECTED = (
    "Injected into the benchmark's physics: `place_offset`, a Gaussian miss of 2 cm in x and in y at every approach "
    "with an object in the hand; `slip`, the fingers open for 0.3 s at the first carry; `object_moved`, a hand moves "
    "each object 5 cm when it is first reached for. `happened` counts the episodes in which the fault occurred.")
_OFFLINE = (
    "No language model was asked: where a policy asks one for a plan or a correction, a search over the domain's "
    "actions answered.")


@dataclass(frozen=True)
class Episode:
    """One episode.

    Args:
        number: of the task in its suite.
        goal: ``words`` if the instruction is read where the robot is, ``file`` if it is in the scene as the benchmark's
            file describes it, ``given`` if the meaning is that of the file.
        control: how the arm is driven.
        tier: how objects are seen: ``poses``, the true ones, or ``camera``, in the two cameras' pictures alone.
        faults: which of ``FAULTS`` is injected.
        pictures: folder that gets a picture of the end.
    """

    config: Path
    suite: str
    number: int
    init: int
    policy: str
    llm: str
    goal: str
    control: str = JOINT
    tier: str = POSES
    faults: str = NO_FAULT
    pictures: Optional[Path] = None

    def key(self) -> str:
        """Name an episode among those of the suite.

        Returns:
            A key that differs for each.
        """
        return f"{self.suite}/{self.number}/{self.init}, {self.policy}, {self.faults}"

    def run(self) -> Dict[str, Any]:
        """Run one episode in a process of the benchmark of its own; one that dies or hangs raises, and is not a result.

        Returns:
            The result as JSON values.
        """
        with Benchmark() as benchmark, TemporaryDirectory() as folder:
            description, state = describe(benchmark, self.suite, self.number, self.init)
            task = BenchmarkTask(description, benchmark, state)
            if self.tier == CAMERA:  # Its file names the benchmark's camera with its lens.
                task.scene = load_scene(write_scene(description, Path(folder)))
            llm = llm_settings(self.config, self.llm).of_trial(self.key())
            read = load_factory(self.config, task.domain, self.policy, llm)
            parts = read
            interpreter: Optional[Interpreter] = GoalGiven(task.words.goal) if self.goal == GIVEN else None
            if self.goal == FILE:
                parts = load_factory(self.config, task.domain, self.policy)
                interpreter = ReadInFile(read.interpreter(), task.words)
            picture = None
            if self.pictures is not None:
                self.pictures.mkdir(parents=True, exist_ok=True)
                picture = self.pictures / picture_of(self.suite, self.number, self.init, self.policy, self.faults)
            found = run_episode(
                task, parts, self.init, interpreter, picture, self.control, FAULTS[self.faults],
                camera_sight if self.tier == CAMERA else None)
        return {"suite": self.suite, "task": self.number, "init": self.init, "policy": self.policy,
            "faults": self.faults, **found}


def picture_of(suite: str, number: int, init: int, policy: str, faults: str) -> str:
    """Return the name of the file with an episode's picture."""
    return f"{suite}_{number}_{init}_{policy}_{faults}.png"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the suite's options.

    Args:
        parser: the suite's subcommand.
    """
    parser.add_argument(
        "--suites", "--suite", nargs="+", default=list(SUITES), metavar="NAME", help=f"({' '.join(SUITES)})")
    parser.add_argument("--tasks", nargs="+", type=int, default=None, metavar="N", help="numbers of tasks (all)")
    parser.add_argument("--inits", nargs="+", type=int, default=[0], metavar="N", help="numbers of starts, 0 to 49 (0)")
    parser.add_argument("--goal", choices=(WORDS, FILE, GIVEN), default=WORDS,
        help="whether --llm reads the instruction where the robot is, reads it in the scene as the benchmark's file "
        "describes it while a search plans, or the meaning is given (words)")
    parser.add_argument("--control", choices=(JOINT, OSC), default=JOINT,
        help="joints are commanded, or the benchmark's own actions are, and no more of them than it allows (joint)")
    parser.add_argument("--tier", choices=(POSES, CAMERA), default=POSES,
        help="objects are seen by their true poses, or in the two cameras' pictures alone (poses)")
    parser.add_argument("--faults", nargs="+", choices=list(FAULTS), default=[NO_FAULT], metavar="KIND",
        help=f"what is injected: {' '.join(FAULTS)} (none)")
    parser.add_argument("--pictures", action="store_true",
        help="keep a picture of each episode's end, and a page of them, failures first")
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
    llm = llm_settings(options.config, options.llm)
    known = suites()
    pictures = folder_of(options) / "pictures" if options.pictures else None
    for suite in options.suites if options.control == OSC else ():
        limit_of(suite)
    cases = [((suite, number, policy, faults),
        [Episode(options.config, suite, number, init, policy, options.llm, options.goal, options.control,
        options.tier, faults, pictures) for init in options.inits]) for suite in options.suites
        for number in _tasks(suite, options.tasks, known) for faults in options.faults for policy in options.policies]
    found = runner.by_case(cases, "libero")
    rows = [_row(suite, policy, faults, options, [tally for (of, _, by, under), tally in found
        if (of, by, under) == (suite, policy, faults)])
        for suite in options.suites for faults in options.faults for policy in options.policies]
    tasks = [
        {**_row(suite, policy, faults, options, [tally]), "task": number,
        "instruction": next((each["instruction"] for each in tally.whole), "")}
        for (suite, number, policy, faults), tally in found]
    told = ("suite", "task", "init", "policy", "faults", "happened")
    failed = [{**{key: each[key] for key in told}, "why": each["message"]}
        for _, tally in found for each in tally.whole if not each["success"]]
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
        (pictures / "index.html").write_text(_page([each for _, tally in found for each in tally.whole]), "utf-8")
    injected = _NOTHING if options.faults == [NO_FAULT] else _INJECTED
    note = " ".join([NOTE, _SEEN[options.tier], _CONTROL[options.control], injected,
        *([_OFFLINE] if llm.offline else [])])
    return Report([*rows, *tasks], COLUMNS, REFERENCE, note,
        {"episodes": [each for _, tally in found for each in tally.whole]},
        (Section("By task", tasks, ("suite", "task", "instruction", *COLUMNS[2:])),
        Section("What failed", failed, (*told, "why"))))


def _tasks(suite: str, told: Optional[Sequence[int]], known: Mapping[str, int]) -> Sequence[int]:
    if suite not in known:
        raise ConfigError(
            f"the benchmark has no suite '{suite}' with all its resources; it has: {', '.join(sorted(known))}")
    wrong = [number for number in told or () if not 0 <= number < known[suite]]
    if wrong:
        raise ConfigError(f"{suite} has no task {wrong[0]}; its tasks: 0 to {known[suite] - 1}")
    return range(known[suite]) if told is None else told


def _page(episodes: Sequence[Mapping[str, Any]]) -> str:
    """The pictures of episodes as a page, those that failed first."""
    shown = []
    for each in sorted(episodes, key=lambda each: bool(each["success"])):
        name = picture_of(*(each[key] for key in ("suite", "task", "init", "policy", "faults")))
        mark = "done" if each["success"] else f"failed: {each['message']}"
        shown.append(f'<figure><img src="{escape(name)}" width="384" alt=""><figcaption>{escape(name[:-4])}<br>'
            f"{escape(str(each['instruction']))}<br>{escape(mark)}</figcaption></figure>")
    return "<!DOCTYPE html><meta charset='utf-8'><title>LIBERO</title>\n" + "\n".join(shown) + "\n"


def _row(suite: str, policy: str, faults: str, options: argparse.Namespace, tallies: Sequence[Tally]) -> Dict[str, Any]:
    own = Tally([each for tally in tallies for each in tally.all])

    def wrong(claimed: bool) -> int:
        return own.count(lambda each: each["believed"] is claimed and each["success"] is not claimed)

    actions = own.means("actions") if options.control == OSC else {}
    happened = own.count(lambda each: each["happened"]) if faults != NO_FAULT else None
    return {"suite": suite, "task": "all", "policy": policy, "llm": options.llm, "goal": options.goal,
        "tier": options.tier, "control": options.control, "faults": faults, "happened": happened, **own.trials,
        **own.share("success"), **own.share("believed"), "false_success": wrong(True), "false_failure": wrong(False),
        **own.means("seconds", "steps"), **actions, **own.corrections, **own.cost}
