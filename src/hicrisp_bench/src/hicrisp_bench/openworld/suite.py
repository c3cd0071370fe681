"""A table whose objects nobody described: what the camera finds of them, and tasks with those that a user names."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any, List, Sequence, Tuple

from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.settings import OFFLINE, VISION
from hicrisp_core.scene.cabinet import DOOR, DRAWER

from hicrisp_bench.openworld import explained, opening, testimony
from hicrisp_bench.openworld.grounding import GROUNDED, OUTCOMES, GroundingTrial, grounding_row, read_descriptions
from hicrisp_bench.openworld.trial import LOOK, OpenWorldTrial
from hicrisp_bench.openworld.truth import TASKS
from hicrisp_bench.options import add_llm, add_policies, add_scenes, add_seed, add_trials, llm_of
from hicrisp_bench.statistics import Tally, share_of
from hicrisp_bench.suite import Chart, Report, Row, Runner, Section, Trial, folder_of, share_bars

SCENES = ("workbench",)
POLICIES = ("open_loop", "hicrisp", "hierarchical")
QUICK = {"trials": 2, "policies": ["open_loop"]}
SELECTS = ("trials", "seed", "scenes", "policies", "tasks")
COLUMNS = ("scene", "policy", "task", "n", "things", "found", "found_opaque", "position_mm", "position_mm_p95",
           "size_mm", "size_mm_p95", "phantoms", "told_apart", "named_rightly", "named_wrongly", "named",
           "placed_first", "placed", "false_success", "corrections", "seconds")
NOTE = (
    "The objects are seen by the embedded camera alone, with its noise and holes. `found`: of what is at least half "
    "visible, within 3 cm; `found_opaque`: without glass; `size_mm`: greatest error of length, width and height; "
    "`phantoms` are not there; `told_apart`: of the pairs that touch (`--touching`). With `--llm` a model names them "
    "(`named_rightly`, `named_wrongly`, by the nouns of `config/worlds`). A user names two (`named`: both are seen) "
    "and asks for one next to the other or in the bowl; no language model is asked, a search plans. `placed` is "
    "judged by the true poses, `placed_first` without any correction, `false_success` is claimed only.")

GROUNDING_NOTE = (
    "Descriptions that a person wrote from plain pictures, each asked for with \"Pick up\" after a model has named the "
    "objects; judged by the true object at the pixel that was pointed at. `asked`: the object is among the choices. "
    "`offline`: controlled English, with the same names.")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the suite's options.

    Args:
        parser: the suite's subcommand.
    """
    add_trials(parser, 40, "random layouts of each policy", "--layouts")
    add_seed(parser, "the first layout", "--first")
    add_scenes(parser, SCENES, "--scene")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS), help="what may be asked for (all)")
    parser.add_argument("--look", action="store_true", help="only look: nothing is asked for")
    parser.add_argument("--pictures", action="store_true",
                        help="keep a picture of each task's end, or with --look the camera's plain picture")
    parser.add_argument("--touching", action="store_true", help="put two objects of each layout so that they touch")
    parser.add_argument("--grounding", type=Path, metavar="FILE",
                        help="ask which objects the descriptions of a JSON list mean (seed; pixel of the plain "
                             "picture; say), after the role vision of --llm has named them")
    parser.add_argument("--witness", metavar="NAME", help="a file of config/llm whose model of the role vision says "
                        "from pictures how tasks ended, with and without faults, next to the detector")
    parser.add_argument("--explained", action="store_true",
                        help="have the item slip in each task, and --llm correct that, with and without its words on "
                             "pictures")
    parser.add_argument("--opening", action="store_true",
                        help="have the drawer and the door of a cabinet opened that no file describes")
    add_llm(parser, OFFLINE, "nothing is named")
    add_policies(parser, POLICIES)


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Look at every layout, and have a task done there by every policy.

    Args:
        options: the parsed command line.
        runner: runs the trials.

    Returns:
        A row for each scene and policy, and one for each kind of task.
    """
    seeds = range(options.seed, options.seed + options.trials)
    if options.grounding is not None and not options.witness:
        return _grounding(options, runner)
    for asked, part in ((options.witness, _witnessed), (options.explained, _explained), (options.opening, _opening)):
        if asked:
            return part(options, seeds, runner)
    pictures = folder_of(options) / "pictures" if options.pictures else None
    asked = llm_of(options).of_role(VISION)
    namer = None if asked.offline else asked
    cases = [((scene, policy), [OpenWorldTrial(options.config, scene, policy, seed, tuple(options.tasks), pictures,
                                               vision=namer, touching=options.touching) for seed in seeds])
             for scene in options.scenes or SCENES for policy in ([LOOK] if options.look else options.policies)]
    found = runner.by_case(cases, "openworld")
    rows = [_row(scene, policy, "all", own, namer is not None) for (scene, policy), own in found]
    kinds = [_row(scene, policy, kind, Tally(each for each in own.whole if each["kind"] == kind), namer is not None)
             for (scene, policy), own in found for kind in options.tasks if not options.look]
    told = ("policy", "seed", "task", "message")
    failed = [{"policy": policy, **each, "message": each["message"] or "it is not as it was asked for"}
              for (_, policy), own in found for each in own.whole if each["task"] and not each["success"]]
    missed: List[Row] = [{"policy": policy, "seed": each["seed"], "missed": ", ".join(each["missed"]),
                          "wrong names": ", ".join(each["wrong_names"])}
                         for (_, policy), own in found for each in own.whole if each["missed"] or each["wrong_names"]]
    return Report([*rows, *kinds], COLUMNS, (), NOTE,
                  {"trials": [{"policy": policy, **each} for (_, policy), own in found for each in own.whole]},
                  (Section("What failed", failed, told),
                   Section("Missed or misnamed", missed, ("policy", "seed", "missed", "wrong names"))),
                  (Chart("placed", "Placed among objects that nobody described",
                         share_bars(kinds, "task", "policy", "placed"), "Placed by the true poses"),))


def _witnessed(options: argparse.Namespace, seeds: range, runner: Runner) -> Report:
    cases = [(fault, [OpenWorldTrial(options.config, SCENES[0], "open_loop", seed, tuple(options.tasks), None,
                                     options.witness, fault) for seed in seeds]) for fault in testimony.FAULTS]
    report, found = _part(testimony, "fault", cases, runner)
    every = testimony.row_of("all", Tally(each for _, own in found for each in own.all))
    return replace(report, rows=[*report.rows, every])


def _explained(options: argparse.Namespace, seeds: range, runner: Runner) -> Report:
    llm = llm_of(options)
    if llm.offline:
        raise ConfigError("--explained needs a model that takes pictures and corrects: --llm NAME")
    cases = [(policy, [OpenWorldTrial(options.config, SCENES[0], policy, seed, tuple(options.tasks),
                                      fault=testimony.SLIP, llm=llm) for seed in seeds]) for policy in explained.ARMS]
    return _part(explained, "policy", cases, runner)[0]


def _opening(options: argparse.Namespace, seeds: range, runner: Runner) -> Report:
    cases = [(front, [opening.OpeningTrial(options.config, options.policies[-1], seed, front) for seed in seeds])
             for front in (DRAWER, DOOR)]
    report, found = _part(opening, "front", cases, runner)
    failed = [{"front": front, **each} for front, own in found for each in own.whole if not each["opened"]]
    return replace(report, sections=(Section("Not opened", failed, ("front", "seed", "message")),))


def _part(part: Any, head: str, cases: Sequence[Tuple[str, Sequence[Trial]]], runner: Runner
          ) -> Tuple[Report, Sequence[Tuple[str, Tally]]]:
    """Report on a part of the suite, with a row for each case; and the cases' results."""
    found = runner.by_case(cases, "openworld")
    trials = [{head: case, **each} for case, own in found for each in own.whole]
    rows = [part.row_of(case, own) for case, own in found]
    return Report(rows, part.COLUMNS, (), part.NOTE, {"trials": trials}), found


def _grounding(options: argparse.Namespace, runner: Runner) -> Report:
    said = read_descriptions(options.grounding)
    cases = [(scene, [GroundingTrial(options.config, scene, seed, options.llm, [
        each for each in said if each.seed == seed]) for seed in sorted({each.seed for each in said})])
             for scene in options.scenes or SCENES]
    found = [(scene, [{"seed": trial["seed"], **each} for trial in own.whole for each in trial["answers"]])
             for scene, own in runner.by_case(cases, "grounding")]
    rows = [grounding_row(scene, llm, [each for each in answers if each["llm"] == llm])
            for scene, answers in found for llm in dict.fromkeys((options.llm, OFFLINE))]
    missed = [each for _, answers in found for each in answers if each["came_to"] != GROUNDED]
    return Report(rows, ("scene", "llm", "n", *OUTCOMES), (), GROUNDING_NOTE,
                  {"trials": [each for _, answers in found for each in answers]},
                  (Section("Not grounded", missed, ("llm", "seed", "say", "object", "came_to", "meant")),))


def _row(scene: str, policy: str, task: str, own: Tally, named: bool) -> Row:
    things, found, opaque, of_these = own.totals("expected", "found", "opaque", "found_opaque").values()
    row: Row = {"scene": scene, "policy": policy, "task": task, **own.trials, "things": things,
                **share_of("found", found, things), **share_of("found_opaque", of_these, opaque),
                **own.totals("phantoms"), **own.percentiles("position_mm", "size_mm")}
    pairs = own.count(lambda each: len(each.get("pair", ())) == 2)
    if pairs:
        row.update(**share_of("told_apart", own.count(lambda each: each["told_apart"]), pairs))
    if named:
        row.update(**share_of("named_rightly", *own.totals("named_rightly", "found").values()),
                   named_wrongly=own.lengths("wrong_names")["wrong_names"])
    if policy == LOOK:
        return row
    return {**row, **own.share("named"), **own.share("placed_first", "first"), **own.share("placed", "success"),
            **own.false_success(), **own.corrections, **own.means("seconds")}
