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
from hicrisp_bench.language.suite import report_on, rows_of
from hicrisp_bench.options import add_every, add_llm
from hicrisp_bench.suite import Report, Runner, Section

PERTURBED = ("lan", "object", "swap", "task")
STANDARD = ("libero_spatial", "libero_object", "libero_goal", "libero_10")
SUITES = (*STANDARD, "libero_90", *(f"{name}_{how}" for name in STANDARD for how in PERTURBED))
"""The suites of LIBERO and LIBERO-PRO with all their resources: 290 tasks."""
AGREE, CONTRADICTS = "words and file agree", "contradicts"
"""Rows of the table: every instruction is in one of the two."""
_ON = "the file wants the stove on, too"
_CADDY = "the words say the right compartment, the file the table beside the caddy"
WHY = {
    **{f"{suite}/KITCHEN_SCENE8_put_both_moka_pots_on_the_stove": _ON
       for suite in ("libero_10", "libero_10_lan", "libero_10_object", "libero_10_swap")},
    "libero_90/KITCHEN_SCENE8_put_the_right_moka_pot_on_the_stove": _ON,
    "libero_10_task/KITCHEN_SCENE8_put_both_moka_pots_on_the_stove":
        f"the words say the left pot, the file the right one; {_ON}",
    "libero_90/KITCHEN_SCENE2_stack_the_middle_black_bowl_on_the_back_black_bowl":
        "the words say the bowl at the front, the file the one at the back",
    "libero_90/STUDY_SCENE3_pick_up_the_red_mug_and_place_it_to_the_right_of_the_caddy": _CADDY,
    "libero_90/STUDY_SCENE3_pick_up_the_white_mug_and_place_it_to_the_right_of_the_caddy": _CADDY,
    "libero_10_object/KITCHEN_SCENE6_put_the_yellow_and_white_mug_in_the_microwave_and_close_it":
        "no yellow and white mug is there; the file means a red one",
    "libero_10_object/STUDY_SCENE1_pick_up_the_book_and_place_it_in_the_back_compartment_of_the_caddy":
        "no book is there; the file means a bowl"}
"""Tasks whose file has another goal than their words, and how they differ; found by reading both."""
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
    told = found.extra["results"]
    split = rows_of("class", [{**each, "class": CONTRADICTS if each["id"] in WHY else AGREE} for each in told])
    rows = [*found.rows[:-1], *sorted(split, key=lambda row: row["class"] == CONTRADICTS), *found.rows[-1:]]
    contradict = [{**each, "why": WHY[each["id"]]} for each in told if each["id"] in WHY]
    title = "Where the file's goal contradicts its words"
    likely = found.sections[1:]  # A table of scenes would have a row for each task.
    return replace(found, rows=rows, sections=(Section(title, contradict, ("id", "text", "mark", "why")), *likely))


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
    domain = load_domain(config_file("domains", "libero", config))
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
