"""A brain that plans by chance: a domain's actions on whatever there is, now and then of the wrong type."""

from __future__ import annotations

import math
import random
from typing import Dict, List, Union

from hicrisp_core.domain.schema import Action, Domain, Parameter
from hicrisp_core.model import Plan, Step, WorldState
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.time.deadline import Deadline

_MOST_STEPS, _MOST_CORRECTIONS = 6, 2
_STRANGE = 0.1
"""How often an argument is anything at all, and not of its type."""
_FAR = 1e3


class RandomBrain:
    """Draws plans and corrections from a seed."""

    def __init__(self, domain: Domain, seed: int) -> None:
        self._domain = domain
        self._dice = random.Random(seed)

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """Some steps."""
        return self._drawn(request.world, _MOST_STEPS)

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """Fewer steps."""
        return self._drawn(request.world, _MOST_CORRECTIONS)

    def _drawn(self, world: WorldState, most: int) -> PlanAnswer:
        steps = tuple(self._step(world) for _ in range(self._dice.randint(1, most)))
        return PlanAnswer(Plan(steps, source="chance"))

    def _step(self, world: WorldState) -> Step:
        action = self._dice.choice(list(self._domain.actions.values()))
        arguments = {name: self._argument(parameter, world) for name, parameter in action.parameters.items()
                     if name != action.robot_parameter}
        return Step("", action.name, arguments, self._robot(action, world))

    def _robot(self, action: Action, world: WorldState) -> str:
        kind = action.parameters[action.robot_parameter].type if action.robot_parameter else ""
        able = [name for name, robot in world.robots.items()
                if not kind or self._domain.is_a(robot.kind, kind)]
        return self._dice.choice(able or list(world.robots) or [""])

    def _argument(self, parameter: Parameter, world: WorldState) -> Union[str, float]:
        dice = self._dice
        if parameter.type == "number":
            low = parameter.minimum if math.isfinite(parameter.minimum) else -_FAR
            high = parameter.maximum if math.isfinite(parameter.maximum) else _FAR
            wide = 2.0 if dice.random() < _STRANGE else 1.0
            return dice.uniform(wide * low, wide * high)
        kinds: Dict[str, str] = {name: thing.type for name, thing in world.objects.items()}
        fitting: List[str] = [name for name, kind in kinds.items()
                              if self._domain.is_a(kind, parameter.type)]
        return dice.choice(list(kinds) or [""]) if dice.random() < _STRANGE or not fitting else \
            dice.choice(fitting)
