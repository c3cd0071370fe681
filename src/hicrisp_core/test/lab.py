"""A symbolic lab with two robots that share one state, and an executive over it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event, RLock
from typing import Callable, Dict, List, Optional, Sequence

from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.factory import RunFactory
from hicrisp_core.model import Command, Outcome, Relation, RobotState, Task, WorldObject, WorldState
from hicrisp_core.policy.policy import Policy
from hicrisp_core.ports.robot import Progress
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.time.deadline import Deadline
from tabletop import TABLE, ScriptedBrain, steps

DOMAIN = load_domain(Path(__file__).resolve().parents[3] / "config" / "domains" / "lab.yaml")


def lab_world(*more: Relation) -> WorldState:
    """A box and three coloured boxes on the table, the vehicle in area 3 with an empty tray."""
    colours = {"box": "", "red_box": "red", "blue_box": "blue", "green_box": "green"}
    things = {name: WorldObject(name, "box", attributes={"colour": colour} if colour else {})
              for name, colour in colours.items()}
    places = {name: WorldObject(name, "area", "region", movable=False)
              for name in ("area_1", "area_2", "area_3")}
    fixed = {"dock": WorldObject("dock", "station", "region", movable=False), "table": TABLE,
             "tray": WorldObject("tray", "tray", movable=False)}
    facts = {Relation(name, "on", "table") for name in things}
    return WorldState({**things, **places, **fixed}, frozenset({
        *facts, Relation("tray", "aboard", "agv"), Relation("agv", "at", "area_3"), *more}),
        {"panda": RobotState("panda"), "agv": RobotState("agv", "base")})


class Member:
    """One robot of a shared symbolic world; ``during`` is called while its command is under way."""

    def __init__(self, name: str, world: SymbolicWorld, lock: RLock) -> None:
        self.name = name
        self.during: Dict[str, Callable[[], None]] = {}
        self.stopped = 0
        self._world = world
        self._lock = lock

    def capabilities(self) -> Sequence[str]:
        return self._world.capabilities()

    def execute(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress] = None
    ) -> Outcome:
        hook = self.during.get(str(command))
        if hook is not None:
            hook()
        with self._lock:
            return self._world.execute(command, deadline, cancel, progress)

    def stop(self, deadline: Deadline) -> Outcome:
        self.stopped += 1
        return self._world.stop(deadline)

    def reset(self) -> None:
        """Nothing to forget."""


class LabRun:
    """An executive over a symbolic lab, with everything that happened kept for a test to look at."""

    def __init__(
        self, policy: Policy, *plans: Sequence[str], state: Optional[WorldState] = None,
        domain: Domain = DOMAIN,
        **ports: object,
    ) -> None:
        self.cancel = Event()
        self.world = SymbolicWorld(domain, state or lab_world())
        lock = RLock()
        self.panda, self.agv = (Member(name, self.world, lock) for name in ("panda", "agv"))
        self.brain = ScriptedBrain(domain, *(steps(domain, *plan) for plan in plans))
        self.events: List[Dict[str, object]] = []
        self.executive = RunFactory(domain, policy).executive(
            {"panda": self.panda, "agv": self.agv}, self.world, self.events.append, self.cancel,
            **{"brain": self.brain, **ports})

    def __call__(self, text: str = "do it"):
        """Run the task."""
        return self.executive.run(Task(text))

    def told(self, kind: str) -> List[Dict[str, object]]:
        """The events of one kind."""
        return [event for event in self.events if event["kind"] == kind]

    def show(self, *facts: Relation, gone: Sequence[Relation] = ()) -> None:
        """Let facts be seen that no command made."""
        relations = (self.world.state.relations | frozenset(facts)) - frozenset(gone)
        self.world.state = replace(self.world.state, relations=relations)
