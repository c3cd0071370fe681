"""The instructions of the LIBERO benchmarks: read like any user's words; what their judge checks is only compared."""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Dict, List, Tuple

from hicrisp_core.config.files import config_file
from hicrisp_core.domain.loader import load_domain
from hicrisp_libero.bddl import read_bddl
from hicrisp_libero.kinds import translated
from hicrisp_libero.models import BenchmarkFiles, benchmark_in

from hicrisp_bench.language.sentences import Sentence, Setting
from hicrisp_bench.language.suite import report_on
from hicrisp_bench.options import add_every, add_llm
from hicrisp_bench.runner import Runner
from hicrisp_bench.suite import Report, Section

PERTURBED = ("lan", "object", "swap", "task")
STANDARD = ("libero_spatial", "libero_object", "libero_goal", "libero_10")
SUITES = (*STANDARD, "libero_90", *(f"{name}_{how}" for name in STANDARD for how in PERTURBED))
"""The suites of LIBERO and LIBERO-PRO with all their resources: 290 tasks."""
DIFFERS = {
    "put_both_moka_pots_on_the_stove": "the stove is to be on, too; `_task` says left and means the right pot",
    "put_the_right_moka_pot_on_the_stove": "the stove is to be on, too",
    "stack_the_middle_black_bowl_on_the_back_black_bowl": "the words say front, the file means the back bowl",
    **{f"pick_up_the_{mug}_mug_and_place_it_to_the_right_of_the_caddy":
       "the words say the right compartment, the file the table beside the caddy" for mug in ("red", "white")}}
"""Tasks by the end of their file's name whose goal is another one than their words say, and what it is; found after the
first measurement, by reading.
"""
_WORKSPACE = Path(__file__).resolve().parents[4]
QUICK = {"every": 29}
SELECTS = ("suites", "every")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which instructions, and who is asked."""
    parser.add_argument("--suites", nargs="+", default=SUITES, metavar="NAME",
                        help="of the benchmark (those of LIBERO and LIBERO-PRO that are complete)")
    parser.add_argument("--files", type=Path, metavar="FOLDER",
                        help="site-packages with the benchmark's wheels (those of .venv-libero)")
    add_llm(parser, "", "what a launch takes here; offline is controlled English", file=True)
    add_every(parser, "instruction")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite."""
    folder = options.files or next((_WORKSPACE / ".venv-libero").glob("lib/python3*/site-packages"), _WORKSPACE)
    benchmark = benchmark_in(folder)
    sentences, settings = tasks_of(benchmark, options.suites, options.config)
    found = report_on(sentences[::options.every], lambda: settings, options, runner, "libero_words",
                      "the instructions of the LIBERO benchmarks", {"sentences": str(folder), "set": "LIBERO"})
    differ = [{**each, "why": why} for each in found.extra["results"] for end, why in DIFFERS.items()
              if each["id"].endswith(end)]
    title = "Where the file's goal is another one than its words say"
    likely = found.sections[1:]  # A table of scenes would have a row for each task.
    return replace(found, sections=(Section(title, differ, ("id", "text", "mark", "why")), *likely))


def tasks_of(
    benchmark: BenchmarkFiles, suites: Tuple[str, ...], config: Path
) -> Tuple[List[Sentence], Dict[str, Setting]]:
    """Read the tasks of some suites.

    Args:
        benchmark: its files.
        suites: their names.
        config: folder of configuration with the domain.

    Returns:
        The instructions with what the benchmark's judge checks, and the worlds in which they are given.

    Raises:
        ConfigError: for a suite without files, or a file that cannot be read.
    """
    domain = load_domain(config_file("domains", "libero", beside=config / "domains" / "any"))
    sentences: List[Sentence] = []
    settings: Dict[str, Setting] = {}
    model = lru_cache(maxsize=None)(benchmark.model)
    for suite in suites:
        for file in benchmark.suite(suite):
            problem = read_bddl(file)
            task = translated(problem, domain, model)
            name = f"{suite}/{file.stem}"
            sentences.append(Sentence(name, name, problem.instruction, suite, (task.goal,), frozenset()))
            settings[name] = Setting(domain, task.world)
    return sentences, settings
