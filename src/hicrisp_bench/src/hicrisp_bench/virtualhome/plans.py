"""VirtualHome: 15 language models' recorded plans for 305 household tasks, open loop and with searched repairs.

The package's own evaluator judges. Open loop it reads an answer by the book; with ``repair`` the same
executive as in every other world carries the plan out step by step, and on a refusal of VirtualHome's
executor it searches the domain for the way back. No language model is asked, and what the tasks are for is
known to the evaluator alone.
"""

from __future__ import annotations

import argparse
from typing import Any, Counter, Dict, List, Mapping, Sequence, Tuple

from hicrisp_core.domain import load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.policy.policy import load_policy

from hicrisp_bench.options import add_every
from hicrisp_bench.statistics import share_of, spread
from hicrisp_bench.suite import Chart, Report, Runner, Section, share_bars, words
from hicrisp_bench.virtualhome import package
from hicrisp_bench.virtualhome.trial import BOOK_REPAIRED, OPEN_LOOP, REPAIRED, VARIANTS, TaskPlans

QUICK = {"models": ["gpt-4o", "gpt-3.5"], "every": 20}
SELECTS = ("ids", "models", "every")
_SOURCE = "Embodied Agent Interface (Li et al., 2024): action sequencing, VirtualHome"
REFERENCE = [
    {"source": _SOURCE, "model": model, "policy": OPEN_LOOP, "execution_success": executable,
     "task_success": success}
    for model, success, executable in (
        ("gpt-4o-2024-05-13", 0.652, 0.718), ("gemini-1.5-pro-preview-0409", 0.751, 0.820),
        ("gpt-3.5-turbo-0125", 0.167, 0.213))]
_COLUMNS = ("model", "policy", "n", "parsed", "execution_success", "task_success", "goals_met", "repairs",
            "left_out",
            "lost")
_NOTE = (
    "Real: the plans (recorded with the package), its executor, its goals and its evaluator, which leaves "
    "out 37 of the 342 tasks, whose own program misses their goals. `task_success` follows the package, "
    "which counts a plan that is the task's own program to the letter as no success; `goals_met` counts "
    "those too. `open_loop` is the package's own reading: of an action that stands twice in an answer, the "
    "last line. `repair` takes every line (or the package's reading, where fewer steps of it had to be left "
    "out), corrects refusals by a search over the domain, and leaves out what cannot be mended; what was "
    "carried out is then judged from the beginning by the package. `repairs` and `left_out` are means a "
    "plan; `lost` counts plans that met the goals open loop and do not with repairs. No language model was "
    "asked. The models have the same tasks: the intervals of all of them together are too narrow.")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which plans."""
    parser.add_argument("--models", nargs="+", metavar="MODEL", help="models, or how their names begin (all)")
    parser.add_argument("--ids", nargs="+", metavar="ID", help="identifiers of tasks (all)")
    add_every(parser, "task")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite."""
    if not package.installed():
        raise package.Missing()
    models = chosen("models", package.models(), options.models)
    ids = chosen("ids", tuple(package.tasks()), options.ids, exact=True)[::options.every]
    return report_of(_work(options, models, ids, runner), models)


def chosen(what: str, known: Sequence[str], wanted: Sequence[str], exact: bool = False) -> Tuple[str, ...]:
    """The known names that are wanted, all of them when none is named.

    Raises:
        ConfigError: for a name that is not known, with the known ones.
    """
    found: List[str] = []
    for name in wanted or known:
        fitting = [name] if name in known else [other for other in known if not exact and other.startswith(name)]
        if not fitting:
            raise ConfigError(f"--{what}: there is no '{name}'; there are: {', '.join(known)}")
        found += [other for other in fitting if other not in found]
    return tuple(found)


def _work(options: argparse.Namespace, models: Tuple[str, ...], ids: Tuple[str, ...],
          runner: Runner) -> List[Mapping[str, Any]]:
    """The results of all plans, those of one task after the other."""
    domain = load_domain(options.config / "domains" / "virtualhome.yaml")
    repair = load_policy(options.config / "policies" / "repair.yaml")
    tasks = [TaskPlans(task, models, domain, repair) for task in ids]
    results = runner.run(tasks, "virtualhome, tasks")
    found: List[Mapping[str, Any]] = []
    for work, result in zip(tasks, results):
        crash: Mapping[str, Any] = {key: result[key] for key in ("crashed", "trace") if key in result}
        found += result.get("results") or [{"id": work.identifier, "model": model, "scored": True, **crash}
                                           for model in work.models]
    return found


def report_of(results: Sequence[Mapping[str, Any]], models: Sequence[str]) -> Report:
    """The tables of some plans' results."""
    scored = [entry for entry in results if entry["scored"]]
    by_model = {model: [entry for entry in scored if entry["model"] == model] for model in models}
    every = {**by_model, "all": scored} if len(models) > 1 else by_model
    rows = [_row(model, variant, own) for variant in (OPEN_LOOP, REPAIRED) for model, own in every.items()]
    parts = [_row("all", variant, scored) for variant in VARIANTS]
    seconds = spread([entry["seconds"] for entry in scored if "seconds" in entry])
    memory = spread([entry["memory_mb"] for entry in scored if "memory_mb" in entry])
    cost = [{"what": "a plan, judged four times", "unit": "s", **seconds},
            {"what": "memory of a process", "unit": "MB", **memory}]
    kinds: Counter[str] = Counter()
    for entry in scored:
        kinds.update(entry.get(REPAIRED, {}).get("refusals", {}))
    refusals = [{"refusal": kind, "count": count} for kind, count in kinds.most_common()]
    sections = (Section("What each part brings", parts, _COLUMNS[1:]),
                Section("Refusals under `repair`", refusals, ("refusal", "count")),
                Section("Cost", cost, ("what", "unit", "median", "p95", "worst", "n")))
    return Report(rows, _COLUMNS, REFERENCE, _NOTE, {"parts": parts, "cost": cost, "refusals": refusals}, sections,
                  _charts(rows))


def _charts(rows: Sequence[Mapping[str, Any]]) -> Tuple[Chart, ...]:
    """Plans that run and plans that reach their goals, open loop, with repairs, and as published."""
    return tuple(Chart(key, title, (*share_bars(rows, "model", "policy", key),
                                    *share_bars(REFERENCE, "model", words("open loop, the authors"), key,
                                                True)), axis)
                 for key, title, axis in (
                     ("execution_success", "Recorded plans that VirtualHome's executor carries out", "Plans"),
                     ("task_success", "Recorded plans that reach their goals", "Plans")))


def _row(model: str, variant: str, results: Sequence[Mapping[str, Any]]) -> Dict[str, Any]:
    n, told = len(results), [entry.get(variant, {}) for entry in results]
    row: Dict[str, Any] = {"model": model, "policy": variant, "llm": f"recorded: {model}", "n": n}
    for name, key in (("parsed", "parsed"), ("execution_success", "executable"), ("task_success", "success"),
                      ("goals_met", "goals_met")):
        row.update(share_of(name, sum(bool(entry.get(key)) for entry in told), n))
    parsed = sum(bool(entry.get("parsed")) for entry in told)
    row["execution_of_parsed"] = sum(bool(entry.get("executable")) for entry in told) / max(1, parsed)
    if variant in (BOOK_REPAIRED, REPAIRED):
        row["repairs"] = sum(entry.get("repairs", 0) for entry in told) / max(1, n)
        row["left_out"] = sum(entry.get("left_out", 0) for entry in told) / max(1, n)
    if variant != OPEN_LOOP:
        row["lost"] = sum(bool(entry.get(OPEN_LOOP, {}).get("goals_met")) and not after.get("goals_met")
                          for entry, after in zip(results, told))
    row["not_scored"] = sum(1 for entry in told if entry.get("why") == "program")
    row["crashed"] = sum(1 for entry in results if "crashed" in entry)
    return row
