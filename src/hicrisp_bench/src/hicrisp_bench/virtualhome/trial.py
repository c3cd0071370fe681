"""One task's recorded plans, judged as they stand and after correction; the scene is loaded once for all
of them.
"""

from __future__ import annotations

import resource
import time
import traceback
from collections import Counter
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import DomainError
from hicrisp_core.parsing.plan_text import ParseFailure
from hicrisp_core.policy.policy import Policy
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.virtualhome import package
from hicrisp_bench.virtualhome.evaluator import Episode, Judgement, judge, load_episode, read_by_evaluator
from hicrisp_bench.virtualhome.facts import VirtualHome, notation
from hicrisp_bench.virtualhome.reading import Reading, read_lines
from hicrisp_bench.virtualhome.replay import Replay, replay

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

    def key(self) -> str:
        """What tells a task's plans from the others of the suite."""
        return f"{self.identifier}: {', '.join(self.models)}"

    def run(self) -> Dict[str, Any]:
        """Every plan of a task; what goes wrong with one plan is that plan's result.

        Returns:
            ``{"results": [...]}``, one entry for a model: ``id``, ``model``, ``scored`` (whether the package's
            evaluator takes the task in), ``seconds``, ``memory_mb`` (the most that this process has held so far),
            and ``crashed`` or a judgement for each of the variants. Where a plan crashed, ``crashed`` stands
            beside the list too, so that the task is tried again when a run goes on.
        """
        began = time.perf_counter()
        episode = load_episode(self.identifier)
        if not episode.scored:
            return {"results": [{"id": self.identifier, "model": model, "scored": False} for model in self.models]}
        loading = (time.perf_counter() - began) / len(self.models)
        trial = _TaskTrial(self, episode)
        results = [trial.result(model, loading) for model in self.models]
        crashes = [result["crashed"] for result in results if "crashed" in result]
        return {"results": results, **({"crashed": crashes[0]} if crashes else {})}


class _TaskTrial:
    """A task with its scene; plans that come to the same actions are judged once."""

    def __init__(self, work: TaskPlans, episode: Episode) -> None:
        self._work = work
        self._episode = episode
        self._judgements: Dict[Tuple[str, ...], Judgement] = {}

    def result(self, model: str, loading: float) -> Dict[str, Any]:
        """One model's plan; ``loading`` is its share of the seconds that the scene took."""
        began = time.perf_counter()
        result: Dict[str, Any] = {"id": self._work.identifier, "model": model, "scored": True}
        try:
            result.update(self._variants(package.recorded(model)[self._work.identifier]))
        except Exception as error:  # noqa: BLE001 - whatever goes wrong with one plan is that plan's row
            result.update({"crashed": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()})
        result["seconds"] = round(loading + time.perf_counter() - began, 4)
        result["memory_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0, 1)
        return result

    def _variants(self, text: str) -> Dict[str, Any]:
        """The four results of one answer; only :func:`judge` knows the goals, after a run has ended."""
        episode, domain = self._episode, self._work.domain
        found = {OPEN_LOOP: self._judged(*read_by_evaluator(text, episode.names))}
        lines = read_lines(text, domain, episode.names, episode.graph)
        book = read_lines(text, domain, episode.names, episode.graph, last_of_each=True)
        if isinstance(lines, ParseFailure) or isinstance(book, ParseFailure):
            return {**found, **{variant: self._judged(None, "parsing") for variant in VARIANTS[1:]}}
        found[OPEN_LINES] = self._judged(*self._as_written(lines))
        of_book, of_lines = self._run(book), self._run(lines)
        best = of_book if len(of_book.left_out) < len(of_lines.left_out) else of_lines
        for variant, run in ((BOOK_REPAIRED, of_book), (REPAIRED, best)):
            nothing_done = not run.carried_out and bool(run.left_out)
            found[variant] = {**self._judged(None if nothing_done else run.carried_out, "left out"),
                              "repairs": sum(run.repairs.values()), "left_out": len(run.left_out),
                              "refusals": Counter(kind for kind, _ in run.failures)}
        return found

    def _run(self, reading: Reading) -> Replay:
        episode = self._episode
        return replay(self._work.domain, self._work.repair, reading, episode.graph, episode.character, episode.name)

    def _as_written(self, reading: Reading) -> Tuple[Optional[Tuple[str, ...]], str]:
        """Every step in the executor's notation; as in the package, one unknown name spoils the whole plan."""
        domain, episode = self._work.domain, self._episode
        world = VirtualHome(domain, episode.graph, episode.character, reading.named).observe(Deadline(1.0))
        try:
            return tuple(notation(domain, domain.ground(step, world)) for step in reading.steps), ""
        except DomainError:
            return None, "hallucination"

    def _judged(self, actions: Optional[Tuple[str, ...]], why: str = "") -> Dict[str, Any]:
        if actions is None:
            return {"parsed": why != "parsing", **vars(Judgement(why=why))}
        if actions not in self._judgements:
            self._judgements[actions] = judge(self._episode, actions)
        return {"parsed": True, **vars(self._judgements[actions])}
