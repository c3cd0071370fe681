"""One layout of objects that nobody described: what its camera finds, names that a user gives, and a task with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

from hicrisp_core.factory import load_factory
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import VISION, LlmSettings
from hicrisp_core.model import Holds, Relation
from hicrisp_core.ports.observer import NamingRequest
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import load_scene
from hicrisp_perception.annotating import as_jpeg
from hicrisp_sim.embedded import EmbeddedWorld

from hicrisp_bench.cost import QUESTIONS, questions_of
from hicrisp_bench.openworld import truth
from hicrisp_bench.openworld.explained import told_of_failures, with_model
from hicrisp_bench.openworld.testimony import FAULTS, SLIP, fault_of, told_of_end, witness_of
from hicrisp_bench.openworld.touching import drawn_together
from hicrisp_bench.trial import carry_out, first_view, look_steadily, seen_by_camera

LOOK = "look"
"""In place of a policy: nothing is asked for."""


@dataclass(frozen=True)
class OpenWorldTrial:
    """What one layout is looked at for, and what is to be done there.

    Args:
        policy: a file of ``config/policies``, or ``LOOK``.
        tasks: which of ``truth.TASKS`` may be asked for.
        pictures: folder that gets a picture of the end; ``None`` for none.
        witness: a file of ``config/llm`` whose model says from pictures how the task ended; empty for none.
        fault: one of ``testimony.FAULTS``.
        vision: the model that names what is seen; ``None`` for no names.
        llm: the model that corrects, and explains failures from pictures; ``None`` for a search.
        touching: whether two of the objects are put so that they touch.
    """

    config: Path
    scene: str
    policy: str
    seed: int
    tasks: Sequence[str] = truth.TASKS
    pictures: Any = None
    witness: str = ""
    fault: str = FAULTS[0]
    vision: Optional[LlmSettings] = None
    llm: Optional[LlmSettings] = None
    touching: bool = False

    def key(self) -> str:
        """Name a trial among those of its suite."""
        return (f"{self.scene}, {self.policy}, {self.seed}"
                + (f", {self.fault}" if self.witness or self.llm else "") + (", touching" if self.touching else ""))

    def run(self) -> Dict[str, Any]:
        """Look at a layout, name two of its objects, and have a task done with them.

        Returns:
            The result as JSON values: ``success`` is judged by the simulator's true poses, ``claimed`` is what the run
            says.
        """
        scene = load_scene(self.config / "scenes" / f"{self.scene}.yaml", self.seed)
        drawn = drawn_together(scene, self.seed) if self.touching else None
        scene, pair = drawn or (scene, ())
        policy = "open_loop" if self.policy == LOOK else self.policy
        parts = load_factory(self.config, scene.domain, policy, bodies=bodies_of(scene))
        vision = self.vision.of_trial(self.key()) if self.vision is not None else None
        models = Models(replace(vision, roles={VISION: vision})) if vision is not None else None
        with seen_by_camera(scene, self.seed, parts.domain, models) as (world, eye):
            if models is not None:
                look_steadily(world)
            state = first_view(world)
            tracks = {name: item for name, item in state.objects.items() if name not in scene.objects}
            wares, picture = truth.wares_now(world), world.camera.take()
            if picture is not None and self.pictures is not None and self.policy == LOOK:
                self.pictures.mkdir(parents=True, exist_ok=True)
                (self.pictures / f"{self.scene}_{self.seed}.jpg").write_bytes(as_jpeg(picture.colour))
            visible = {} if picture is None else truth.visible_parts(world, picture, wares)
            asked = truth.draw_task(wares, self.seed, self.tasks) if self.policy != LOOK else None
            result = {"seed": self.seed, "layout": sorted(wares), "task": str(asked or ""),
                      "kind": asked.kind if asked else "", "named": False, "claimed": False, "success": False,
                      "first": False, "corrections": {}, "corrected_by": {}, "message": "", "seconds": 0.0,
                      "wall_s": 0.0, QUESTIONS: questions_of(each.as_dict() for each in eye.usage.exchanges),
                      **truth.seen(wares, tracks, visible)}
            result["pair"] = touching = [name for name in pair if visible.get(name, 0.0) >= truth.HALF]
            result["told_apart"] = len(touching) == 2 and not (result["phantoms"] or {*pair} & {*result["missed"]})
            if asked is not None:
                result.update(_carried_out(self, asked, world, parts, truth.matched(wares, tracks)))
            return result


def _carried_out(trial: OpenWorldTrial, asked: truth.Asked, world: EmbeddedWorld, parts: Any,
                 pairs: Dict[str, str]) -> Dict[str, Any]:
    names: Dict[str, str] = {}
    for ware in (asked.item, asked.reference):
        if ware not in pairs:
            return {"message": f"The camera shows nothing where the {ware} is."}
        called = f"{ware}_1" if ware in parts.domain.types else ware
        naming = world.give_name(NamingRequest(pairs[ware], called))
        if not naming.name:
            return {"message": naming.message}
        names[ware] = naming.name
    predicate = "in" if asked.kind == truth.INTO else "next_to"
    fact = Relation(names[asked.item], predicate, names[asked.reference])
    witness = witness_of(trial.config, trial.witness, world) if trial.witness else None
    if trial.fault != FAULTS[0]:
        kind, magnitude = fault_of(trial.fault, trial.seed)
        world.inject(kind, "", magnitude, int(trial.fault == SLIP))
    ports: Dict[str, Any] = {}
    events: List[Dict[str, Any]] = []
    if trial.llm is not None:
        parts, ports = with_model(parts, trial.llm.of_trial(trial.key()), world)
    ran = carry_out(world, parts, Holds(fact), str(asked), events.append, **ports)
    if trial.pictures is not None:
        world.snapshot(Path(trial.pictures) / f"{trial.scene}_{trial.policy}_{trial.seed}.png")
    gap, held = parts.domain.predicates["next_to"].tolerance, truth.held_by_robots(world)
    success = truth.done(asked, truth.wares_now(world), gap, held)
    told = told_of_end(witness, fact, world, parts.domain) if witness is not None else {}
    told.update(told_of_failures(events, world) if trial.llm is not None else {})
    return {**told, **ran, "named": True, "success": success, "first": success and not sum(ran["corrections"].values())}
