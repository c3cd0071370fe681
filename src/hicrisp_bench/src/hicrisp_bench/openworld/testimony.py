"""How a task ended: by the true poses, by the detector, and by a second witness that sees pictures."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

from hicrisp_core.config.files import config_file
from hicrisp_core.detector.detector import STILL_SURE
from hicrisp_core.detector.witness import is_sure, stated
from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.executive.goal_keeper import missed
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import load_llm_settings
from hicrisp_core.model import FeedbackKind, Goal, Holds, Relation
from hicrisp_core.ports.witness import Finding, Ruling
from hicrisp_core.time.deadline import Deadline
from hicrisp_perception.picture_witness import PictureWitness, picture_witness
from hicrisp_sim.embedded import EmbeddedWorld

from hicrisp_bench.statistics import Tally
from hicrisp_bench.suite import Row

SLIP = "slip"
FAULTS = ("none", "aside", SLIP)
"""What goes wrong: nothing, the item is let go beside where it should be, it slips out of the hand on the way, once."""
COLUMNS = ("fault", "n", "tasks", "true", "detector_false_done", "detector_false_failed", "detector_open",
           "witness_false_done", "witness_false_failed", "witness_open", "unsure", "silent")
NOTE = (
    "Tasks that are done open loop, some with a fault, and how they ended: `true`, by the simulator's poses. "
    "`false_done` and `false_failed` are what the detector, from poses that its camera measures, and the witness, from "
    "pictures, say otherwise; `open` is what they cannot tell. `unsure` are measurements that do not stand alone, "
    "`silent` is no answer.")
_ASIDE, _SLIPS = (0.03, 0.14), (0.3, 1.2)
"""Metres beside the goal, and seconds after the motion began."""
_MOMENT = "before"
_LIMIT = 600.0
"""Wall seconds for an answer that a person may write."""


def fault_of(kind: str, seed: int) -> Tuple[str, List[float]]:
    """Draw a fault.

    Args:
        kind: one of ``FAULTS``, not ``none``.
        seed: the same seed gives the same fault.

    Returns:
        The simulator's kind and its magnitude.
    """
    dice = random.Random(f"{kind} {seed}")
    if kind == SLIP:
        return SLIP, [dice.uniform(*_SLIPS)]
    far, angle = dice.uniform(*_ASIDE), dice.uniform(0.0, math.tau)
    return "place_offset", [far * math.cos(angle), far * math.sin(angle)]


def witness_of(config: Path, llm: str, world: EmbeddedWorld) -> PictureWitness:
    """Create the witness, with the picture from before.

    Args:
        llm: a file of ``config/llm`` with the role ``vision`` or ``witness``, or the path of one.
        world: the simulation, observed by its camera.

    Returns:
        The witness.

    Raises:
        ConfigError: if the file names no model for pictures.
    """
    models = Models(load_llm_settings(config_file("llm", llm, config)))
    found = picture_witness(models, world.camera.take)
    if found is None:
        raise ConfigError(f"{llm} names no model under 'roles: vision' or 'roles: witness'")
    found.keep(_MOMENT, world.observe(Deadline(1.0)))
    return found


def told_of_end(witness: PictureWitness, fact: Relation, world: EmbeddedWorld, domain: Domain) -> Dict[str, Any]:
    """Return what detector and witness say of the end of a task.

    Args:
        witness: with the picture from before.
        fact: the goal.
        world: the simulation at the end.
        domain: with the goal's predicate.

    Returns:
        JSON values: ``detector`` and ``witness`` say yes, no or cannot tell.
    """
    for _ in range(2):
        world.pass_time(0.2)
        state = world.observe(Deadline(1.0))
    found = missed(Goal.of(Holds(fact)), domain, state, STILL_SURE)
    detector = Ruling.YES if found is None else \
        Ruling.NO if found.kind is FeedbackKind.GOAL_MISSED else Ruling.CANNOT_TELL
    said = witness.ask(_MOMENT, [stated(domain, fact)], [fact.subject, fact.object], Deadline(_LIMIT))
    answer = said.said[0] if said.said else Finding(Ruling.CANNOT_TELL)
    return {"detector": detector.value, "witness": answer.answer.value, "why": answer.why, "silent": said.trouble,
            "sure": detector is not Ruling.CANNOT_TELL and is_sure(domain, fact, state)}


def row_of(fault: str, own: Tally) -> Row:
    """Count what the two say otherwise than the true poses.

    Args:
        fault: one of ``FAULTS``, or ``all``.
        own: the trials.

    Returns:
        The row.
    """
    judged: Sequence[Any] = [each for each in own.whole if "witness" in each]
    row: Row = {"fault": fault, **own.trials, "tasks": len(judged), "true": sum(each["success"] for each in judged),
                "unsure": sum(not each["sure"] for each in judged),
                "silent": sum(bool(each["silent"]) for each in judged)}
    for who in ("detector", "witness"):
        row[f"{who}_false_done"] = sum(each[who] == "yes" and not each["success"] for each in judged)
        row[f"{who}_false_failed"] = sum(each[who] == "no" and each["success"] for each in judged)
        row[f"{who}_open"] = sum(each[who] == "cannot tell" for each in judged)
    return row
