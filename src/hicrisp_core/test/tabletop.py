"""Helpers that put a small symbolic table top and an executive together."""

from __future__ import annotations

from typing import Dict, List, Sequence, Tuple

from hicrisp_core.domain import Domain, Searcher, preconditions_of
from hicrisp_core.factory import RunFactory
from hicrisp_core.model import Plan, Pose, Relation, RobotState, Step, Task, WorldObject, WorldState
from hicrisp_core.policy.policy import Policy
from hicrisp_core.ports.brain import Brain, CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.time.deadline import Deadline

TABLE = WorldObject("table", "surface", "surface", (0.8, 1.2, 0.04), movable=False,
                    pose=Pose((0.5, 0.0, -0.02)))


def table_top(things: Dict[str, str], facts: Sequence[Tuple[str, str, str]] = ()) -> WorldState:
    """A world of named things by type, each on the table unless a fact says otherwise."""
    objects = {name: WorldObject(name, type_, type_) for name, type_ in things.items()}
    relations = {Relation(*fact) for fact in facts}
    placed = {fact.subject for fact in relations} | {fact.object
                                                     for fact in relations if fact.predicate == "holding"}
    relations |= {Relation(name, "on", "table") for name in things if name not in placed}
    return WorldState({**objects, "table": TABLE}, frozenset(relations), {"panda": RobotState("panda")})


class ScriptedBrain(Brain):
    """Answers with given plans, one after another; corrects by searching for the top's preconditions."""

    def __init__(self, domain: Domain, *plans: Sequence[Step]) -> None:
        self.domain = domain
        self.plans: List[Sequence[Step]] = list(plans)
        self.requests: List[PlanRequest] = []
        self.corrections: List[CorrectionRequest] = []

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        self.requests.append(request)
        if not self.plans:
            return PlanAnswer(refusal="no plan is left in the script")
        return PlanAnswer(Plan(tuple(self.plans.pop(0)), "script"))

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        self.corrections.append(request)
        commands = Searcher(self.domain).find(
            request.world, preconditions_of(self.domain, request.stack[-1].command)).commands
        return PlanAnswer(Plan(tuple(Step(str(c), c.action, c.arguments, c.robot)
                                     for c in commands), "script"))


def steps(domain: Domain, *texts: str) -> List[Step]:
    """Steps from texts such as ``pick(panda, box)``."""
    found = []
    for text in texts:
        action, _, rest = text.rstrip(")").partition("(")
        names = [name.strip() for name in rest.split(",")]
        found.append(Step(text, action, dict(zip(domain.actions[action].parameters, names))))
    return found


class Run:
    """An executive over a symbolic world, with everything that happened kept for a test to look at."""

    def __init__(
        self, domain: Domain, state: WorldState, policy: Policy, *plans: Sequence[str], **ports: object
    ) -> None:
        self.world = SymbolicWorld(domain, state)
        scripted = ScriptedBrain(domain, *(steps(domain, *plan) for plan in plans))
        self.brain = ports.pop("brain", scripted)
        self.events: List[Dict[str, object]] = []
        self.executive = RunFactory(domain, policy).executive(
            {"panda": self.world}, self.world, self.events.append, brain=self.brain, **ports)

    def __call__(self, text: str = "do it"):
        """Run the task."""
        return self.executive.run(Task(text))

    def told(self, kind: str) -> List[Dict[str, object]]:
        """The events of one kind."""
        return [event for event in self.events if event["kind"] == kind]
