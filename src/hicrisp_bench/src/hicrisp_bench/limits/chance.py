"""Plans, corrections and answers by chance: a domain's actions on whatever there is, now and then of the wrong
type, and a language model that fills the form that it is asked for, in every role of a policy.
"""

from __future__ import annotations

import json
import math
import random
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from hicrisp_core.domain.schema import Domain, Parameter
from hicrisp_core.llm.chat_model import ChatModel, Completion, LlmFailure, Message
from hicrisp_core.model import Plan, Step, WorldState
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.stub_models import TOKENS, kinds_of

_MOST_STEPS, _MOST_CORRECTIONS = 6, 2
_STRANGE = 0.1
"""How often an argument is anything at all, and not of its type; and in every third answer of a model, a value
another than the form allows, or nothing done.
"""
_FAR = 1e3
_MORE, _BESIDE = 0.3, 0.15
"""How often another condition is added to those of a goal, and a part that it may leave empty: many
contradict one another.
"""
_SELDOM = frozenset(("when", "otherwise", "invariants", "facts"))
_IDLE = frozenset(("answer", "refuse", "refusal", "pass", "question", "talk"))
"""The kinds of answers that move nothing."""
_NULL = {"type": "null"}
_WORDS = ("Do the next thing.", "Move something.", "Go on as you like.")


class RandomBrain:
    """Draws plans and corrections from a seed."""

    def __init__(self, domain: Domain, seed: int) -> None:
        self._domain = domain
        self._dice = random.Random(seed)

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """Draw some steps."""
        return self._drawn(request.world, _MOST_STEPS)

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """Draw fewer steps."""
        return self._drawn(request.world, _MOST_CORRECTIONS)

    def _drawn(self, world: WorldState, most: int) -> PlanAnswer:
        steps = []
        for _ in range(self._dice.randint(1, most)):
            action = self._dice.choice(list(self._domain.actions.values()))
            arguments = {name: self._argument(parameter, world) for name, parameter in action.parameters.items()
                         if name != action.robot_parameter}
            kind = action.parameters[action.robot_parameter].type if action.robot_parameter else ""
            able = [name for name, robot in world.robots.items() if not kind or self._domain.is_a(robot.kind, kind)]
            robot = self._dice.choice(able or list(world.robots) or [""])
            steps.append(Step("", action.name, arguments, robot))
        return PlanAnswer(Plan(tuple(steps), source="chance"))

    def _argument(self, parameter: Parameter, world: WorldState) -> Union[str, float]:
        dice = self._dice
        if parameter.type == "number":
            low = parameter.minimum if math.isfinite(parameter.minimum) else -_FAR
            high = parameter.maximum if math.isfinite(parameter.maximum) else _FAR
            wide = 2.0 if dice.random() < _STRANGE else 1.0
            return dice.uniform(wide * low, wide * high)
        kinds: Dict[str, str] = {name: item.type for name, item in world.objects.items()}
        fitting: List[str] = [name for name, kind in kinds.items() if self._domain.is_a(kind, parameter.type)]
        return dice.choice(list(kinds) or [""]) if dice.random() < _STRANGE or not fitting else dice.choice(fitting)


class RandomModel(ChatModel):
    """Fills the schema of an answer by chance, from a seed."""

    name = "chance"

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self._strange = _STRANGE

    def complete(
        self, messages: Sequence[Message], deadline: Deadline, schema: Optional[Mapping[str, Any]] = None
    ) -> Union[Completion, LlmFailure]:
        """Return an answer of that form; words where none is given."""
        self._strange = self._dice.choice((_STRANGE, 0.0, 0.0))
        text = self._dice.choice(_WORDS) if schema is None else json.dumps(self._filled(schema, schema))
        return Completion(text, self.name, TOKENS, TOKENS)

    def _filled(self, form: Mapping[str, Any], whole: Mapping[str, Any]) -> Any:
        dice = self._dice
        if "$ref" in form:
            return self._filled(whole["$defs"][form["$ref"].rpartition("/")[2]], whole)
        if "anyOf" in form:
            moving = [each for each in form["anyOf"] if not set(kinds_of(each)) & _IDLE and each != _NULL]
            if moving and dice.random() >= self._strange:
                plain = "$ref" in moving[0] and dice.random() >= _MORE  # A fact, and no group of them.
                return self._filled(moving[0] if plain else dice.choice(moving), whole)
            return self._filled(dice.choice(form["anyOf"]), whole)
        if "const" in form:
            return form["const"]
        if "enum" in form:
            moving = [each for each in form["enum"] if each not in _IDLE]
            return dice.choice(_named(whole) if dice.random() < self._strange else moving or form["enum"])
        if form.get("type") == "object":
            found: Dict[str, Any] = {}
            for key, each in form["properties"].items():
                value = [] if key in _SELDOM and dice.random() >= _BESIDE else self._filled(each, whole)
                again = "$ref" in each and value in found.values()  # Little is said of an object and itself.
                found[key] = self._filled(each, whole) if again else value
            return found
        if form.get("type") == "array":
            count = dice.randint(1, _MOST_STEPS)
            if "$ref" in form["items"]:
                count = 1 + sum(dice.random() < _MORE for _ in range(_MOST_STEPS - 1))
            return [self._filled(form["items"], whole) for _ in range(count)]
        if form.get("type") == "integer":
            return round(_FAR) if dice.random() < self._strange else dice.randint(0, 2)
        if form.get("type") == "number":
            return dice.uniform(-_FAR, _FAR) if dice.random() < self._strange else dice.uniform(-1.0, 1.0)
        if form.get("type") == "boolean":
            return dice.random() < 0.5
        return None if form == _NULL else dice.choice(_WORDS)


def _named(form: Any) -> List[Any]:
    """Every value that a schema lists."""
    if isinstance(form, Mapping):
        return [*form.get("enum", ()), *(value for each in form.values() for value in _named(each))]
    return [value for each in form for value in _named(each)] if isinstance(form, list) else []
