"""One recorded plan, carried out under a policy by the executive that runs every other world."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.factory import RunFactory
from hicrisp_core.model import Plan, Task
from hicrisp_core.policy.policy import Policy

from hicrisp_bench.stub_models import FixedBrain
from hicrisp_bench.virtualhome.facts import CHARACTER, VirtualHome
from hicrisp_bench.virtualhome.parts import HomeDetector, VerbatimBody
from hicrisp_bench.virtualhome.reading import Reading


@dataclass(frozen=True)
class Replay:
    """What came of a plan.

    Args:
        carried_out: what the executor did, in its notation.
        repairs: corrections by rung.
        left_out: steps of the plan that were neither carried out nor needless, in words.
        failures: every refusal: kind and sentence.
    """

    carried_out: Tuple[str, ...]
    repairs: Mapping[str, int] = field(default_factory=dict)
    left_out: Tuple[str, ...] = ()
    failures: Tuple[Tuple[str, str], ...] = ()


def replay(domain: Domain, policy: Policy, reading: Reading, graph: Any, character: int, task: str) -> Replay:
    """Run a plan in a scene; what the task is for is not known here, its words are for the record."""
    world = VirtualHome(domain, graph, character, reading.named)
    events: List[Dict[str, Any]] = []
    brain = FixedBrain(Plan(reading.steps, "recorded"))
    executive = RunFactory(domain, policy).executive(
        {CHARACTER: world}, world, events.append, brain=brain, body=VerbatimBody(domain),
        detector=HomeDetector(domain))
    result = executive.run(Task(task))
    texts = {event["index"]: event["text"] for event in events if event["kind"] == "step_started"}
    left_out = tuple(texts[event["index"]] for event in events if event["kind"] == "step_finished" and not event["ok"])
    return Replay(tuple(world.carried_out), result.corrections, left_out,
                  tuple((failure.name, failure.error) for failure in result.failures))
