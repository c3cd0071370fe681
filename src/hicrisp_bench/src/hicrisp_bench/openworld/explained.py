"""Tasks in which the item slips out of the hand, corrected by a model with and without what another one sees of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List, Tuple

from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.factory import RunFactory
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import VISION, LlmSettings
from hicrisp_core.model import Rung
from hicrisp_core.ports.brain import Brain, PlanAnswer, PlanRequest
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.events import VerdictGiven
from hicrisp_perception.picture_witness import picture_witness
from hicrisp_sim.embedded import EmbeddedWorld

from hicrisp_bench.cost import QUESTIONS, questions_of
from hicrisp_bench.openworld.testimony import SLIP
from hicrisp_bench.statistics import Tally
from hicrisp_bench.stub_models import OverBrain
from hicrisp_bench.suite import Row

ARMS = ("hierarchical", "explained")
"""Files of ``config/policies``: by what was measured alone, and with what a model sees in pictures."""
COLUMNS = ("policy", "n", "tasks", "slipped", "repaired", "failed_commands", "explained", "false_success", "seconds")
NOTE = (
    "In each task the item slips out of the hand once, on the way. A search plans, and a model alone corrects. "
    "`explained` is how often a model said from pictures why a command failed. `repaired` is done by the true poses "
    "and by the run, `failed_commands` is of all tasks, `slipped` counts tasks in which it was in the hand.")
_BY_MODEL = (Rung.LLM_STEP, Rung.LLM_REPLAN)


class CorrectedByModel(OverBrain):
    """Plans by search; what failed is corrected, or planned anew, by a model."""

    def __init__(self, search: Brain, model: Brain) -> None:
        super().__init__(model)
        self._search = search

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """Plan a task, or the rest of it after a failure."""
        return (self._brain if request.feedback else self._search).plan(request, deadline)


def with_model(parts: RunFactory, llm: LlmSettings, world: EmbeddedWorld) -> Tuple[RunFactory, Dict[str, Any]]:
    """Have a model correct what failed, and explain it from pictures if the policy says so.

    Args:
        parts: of the trial, with its policy.
        llm: the model of both roles.
        world: the simulation, observed by its camera.

    Returns:
        The parts, and further ports of their executive.
    """
    models = Models(replace(llm, roles={VISION: llm, **llm.roles}))
    parts = replace(parts, models=models, policy=replace(parts.policy, rungs=_BY_MODEL, memory="off"))
    return parts, {"brain": CorrectedByModel(SearchBrain(parts.domain), parts.brain()),
                   "witness": picture_witness(models, world.camera.take)}


def told_of_failures(events: List[Dict[str, Any]], world: EmbeddedWorld) -> Dict[str, Any]:
    """Return what failed in a run and what was asked about it.

    Args:
        events: of the run.
        world: the simulation at its end.

    Returns:
        JSON values: ``slipped``, ``failed_commands``, ``explained`` and the models' questions.
    """
    failed = [each["feedback"] or {} for each in events if each["kind"] == VerdictGiven.kind and not each["ok"]]
    return {"slipped": bool(world.faults.happened[SLIP]), "failed_commands": len(failed),
            "explained": sum(bool(each.get("model_reason")) for each in failed), QUESTIONS: questions_of(events)}


def row_of(policy: str, own: Tally) -> Row:
    """Count what was repaired.

    Args:
        policy: one of ``ARMS``.
        own: its trials.

    Returns:
        The row.
    """
    tasks = Tally(each for each in own.whole if each["named"])
    return {"policy": policy, **own.trials, "tasks": len(tasks.whole),
            "slipped": tasks.count(lambda each: each["slipped"]),
            "repaired": tasks.count(lambda each: each["success"] and each["claimed"]),
            **tasks.totals("failed_commands", "explained"),
            **tasks.false_success(), **tasks.means("seconds")}
