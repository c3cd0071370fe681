"""One task's recorded plans, judged as they stand and after correction; the scene is loaded once for all of them."""

from __future__ import annotations

import resource
import time
import traceback
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import DomainError
from hicrisp_core.executive.policy import Policy
from hicrisp_core.parsing.raw import ParseFailure
from hicrisp_core.robot.deadline import Deadline

from hicrisp_bench.virtualhome import package
from hicrisp_bench.virtualhome.evaluator import Episode, judge, load_episode, read_by_evaluator
from hicrisp_bench.virtualhome.reading import Reading, read_lines
from hicrisp_bench.virtualhome.replay import Replay, replay
from hicrisp_bench.virtualhome.world import VirtualHome, notation

OPEN_LOOP = "open_loop"
"""The package's own reading, as it stands."""
OPEN_LINES = "open_loop, every line"
"""Every line of the answer, as it stands."""
BOOK_REPAIRED = "repair, by the book"
"""The package's own reading (of an action that stands twice the last line), corrected."""
REPAIRED = "repair"
"""Of both readings, corrected, the one of which fewer steps had to be left out; every line where they are equal."""
VARIANTS = (OPEN_LOOP, OPEN_LINES, BOOK_REPAIRED, REPAIRED)


@dataclass(frozen=True)
class TaskPlans:
    """Work for one process: the plans that some models wrote for one task."""

    identifier: str
    models: Tuple[str, ...]
    domain: Domain
    repair: Policy


def run_task(work: TaskPlans) -> Dict[str, Any]:
    """Every plan of a task; what goes wrong with one plan is that plan's result.

    Returns:
        ``{"results": [...]}``, one entry for a model: ``id``, ``model``, ``seconds``, ``memory_mb`` (the most that this
        process has held so far), and ``crashed``, or a judgement for each of the variants; no entries when the
        package's evaluator leaves the task out.
    """
    began = time.perf_counter()
    episode = load_episode(work.identifier)
    loading = (time.perf_counter() - began) / len(work.models)
    if not episode.scored:
        return {"results": [{"id": work.identifier, "model": model, "scored": False} for model in work.models]}
    return {"results": [_plan(work, episode, model, loading) for model in work.models]}


def _plan(work: TaskPlans, episode: Episode, model: str, loading: float) -> Dict[str, Any]:
    began = time.perf_counter()
    result: Dict[str, Any] = {"id": work.identifier, "model": model, "scored": True}
    try:
        result.update(_variants(work, episode, package.recorded(model)[work.identifier]))
    except Exception as error:  # noqa: BLE001 - whatever goes wrong with one plan is that plan's row
        result.update({"crashed": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()})
    result["seconds"] = round(loading + time.perf_counter() - began, 4)
    result["memory_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0, 1)
    return result


def _variants(work: TaskPlans, episode: Episode, text: str) -> Dict[str, Any]:
    """The four results of one answer. The goals are met in :func:`judge` alone, after each run has ended."""
    actions, why = read_by_evaluator(text, episode.names)
    lines = read_lines(text, work.domain, episode.names, episode.graph)
    book = read_lines(text, work.domain, episode.names, episode.graph, last_of_each=True)
    found = {OPEN_LOOP: _judged(episode, actions, why)}
    if isinstance(lines, ParseFailure) or isinstance(book, ParseFailure):
        unread = {"parsed": False, "executable": False, "success": False, "why": "parsing"}
        return {**found, **{variant: unread for variant in VARIANTS[1:]}}
    found[OPEN_LINES] = _judged(episode, *_as_written(work.domain, episode, lines))
    runs = {BOOK_REPAIRED: _run(work, episode, book), REPAIRED: _run(work, episode, lines)}
    if len(runs[BOOK_REPAIRED].left_out) < len(runs[REPAIRED].left_out):
        runs[REPAIRED] = runs[BOOK_REPAIRED]
    for variant, run in runs.items():
        found[variant] = _judged(episode, run.carried_out, "", run)
    return found


def _run(work: TaskPlans, episode: Episode, reading: Reading) -> Replay:
    return replay(work.domain, work.repair, reading, episode.graph, episode.character, episode.name)


def _as_written(domain: Domain, episode: Episode, reading: Reading) -> Tuple[Optional[Tuple[str, ...]], str]:
    """Every step in the executor's notation; as in the package, one unknown name spoils the whole plan."""
    world = VirtualHome(domain, episode.graph, episode.character, reading.named).observe(Deadline(1.0))
    try:
        return tuple(notation(domain, domain.ground(step, world)) for step in reading.steps), ""
    except DomainError:
        return None, "hallucination"


def _judged(
    episode: Episode, actions: Optional[Tuple[str, ...]], why: str, run: Optional[Replay] = None
) -> Dict[str, Any]:
    if actions is None:
        return {"parsed": why != "parsing", "executable": False, "success": False, "why": why}
    judgement = judge(episode, actions)
    told: Dict[str, Any] = {"parsed": True, "executable": judgement.executable, "success": judgement.success,
                            "why": judgement.why}
    if run is not None:
        told.update(repairs=sum(run.repairs.values()), left_out=len(run.left_out), refusals=_counted(run))
    return told


def _counted(run: Replay) -> Mapping[str, int]:
    kinds: List[str] = [kind for kind, _ in run.failures]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}
