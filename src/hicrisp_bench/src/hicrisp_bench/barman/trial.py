"""One barman run: a brain, a policy and the symbolic bar; executable and correct as the paper counts them."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional

from hicrisp_core.executive.assembly import Parts, load_parts
from hicrisp_core.llm.settings import OFFLINE, choose_llm
from hicrisp_core.model import Task
from hicrisp_core.ports.brain import Brain
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.scene import load_scene

from hicrisp_bench.barman.agreement import first_failure
from hicrisp_bench.barman.brain import RecordedBrain
from hicrisp_bench.barman.recipes import judge, load_recipes
from hicrisp_bench.barman.recordings import FirstPlan


@dataclass(frozen=True)
class BarmanTrial:
    """One run: a recorded plan, or a request for an endpoint."""

    config: Path
    policy: str
    recipe: str
    recorded: Optional[FirstPlan] = None
    llm: str = ""
    run: int = 0


def run_barman(trial: BarmanTrial) -> Dict[str, Any]:
    """Run one trial; the result is a plain dictionary."""
    scene = load_scene(trial.config / "scenes" / "barman.yaml")
    llm, _ = choose_llm(trial.llm, os.environ)
    parts = load_parts(trial.config, scene.domain, trial.policy, OFFLINE if trial.recorded else llm)
    domain = parts.domain
    recipe = load_recipes(trial.config / "recipes" / "cocktails.yaml")[trial.recipe]
    world = SymbolicWorld(domain, scene.first_state(), scene.robots[0])
    events: List[Dict[str, Any]] = []
    drink = recipe.name.replace("_", " ")
    request = trial.recorded.request if trial.recorded else f"Please, prepare a {drink} cocktail"
    began = time.perf_counter()
    result = parts.executive({world.name: world}, world, events.append, brain=_brain(trial, parts)).run(Task(request))
    seconds = time.perf_counter() - began
    served = judge(recipe, world.state)
    row: Dict[str, Any] = {
        "recipe": recipe.name, "policy": trial.policy, "executable": result.success, "message": result.message,
        "correct": result.success and served.correct, "distance": served.distance, "seconds": seconds,
        "missing": sorted(served.missing), "superfluous": sorted(served.superfluous), "glasses": served.glasses,
        "repairs": result.corrections.get("repair", 0), "replans": result.corrections.get("llm_replan", 0),
        "notes": [e["reasoning"] for e in events if e["kind"] == "plan" and e["reasoning"]], "tokens": result.tokens,
    }
    if trial.recorded is not None:
        ours = first_failure(domain, scene.first_state(), trial.recorded.text)
        theirs = (trial.recorded.failed_step, trial.recorded.failure)
        row.update(source=trial.recorded.source, ours=ours, theirs=theirs, their_message=trial.recorded.message)
    return row


def _brain(trial: BarmanTrial, parts: Parts) -> Brain:
    if trial.recorded is None:
        return parts.brain()
    return RecordedBrain(parts.domain, trial.recorded.text, f"recorded: {trial.recorded.source}")
