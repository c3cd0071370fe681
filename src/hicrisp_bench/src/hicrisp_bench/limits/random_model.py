"""A language model that answers by chance, in the form that it is asked for: in every role of a policy."""

from __future__ import annotations

import json
import random
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from hicrisp_core.llm.chat_model import ChatModel, Completion, LlmFailure, Message
from hicrisp_core.llm.models import Models, RoleModel
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.schemas import kinds_of

SETTINGS = LlmSettings("chance", model="chance", base_url="http://127.0.0.1:9/v1", retries=0, probe=False,
                       cache=0)
_TOKENS, _MOST = 40, 6
_STRANGE = 0.1
"""How often a value is another than the form allows, or nothing is done, in every third answer."""
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


class RandomModel(ChatModel):
    """Fills the schema of an answer by chance, from a seed."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self._strange = _STRANGE

    @property
    def name(self) -> str:
        """As for every model."""
        return "chance"

    def complete(
        self, messages: Sequence[Message], deadline: Deadline, schema: Optional[Mapping[str, Any]] = None
    ) -> Union[Completion, LlmFailure]:
        """An answer of that form; words where none is given."""
        self._strange = self._dice.choice((_STRANGE, 0.0, 0.0))
        text = self._dice.choice(_WORDS) if schema is None else json.dumps(self._filled(schema, schema))
        return Completion(text, self.name, _TOKENS, _TOKENS)

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
                again = "$ref" in each and value in found.values()  # Little is said of a thing and itself.
                found[key] = self._filled(each, whole) if again else value
            return found
        if form.get("type") == "array":
            count = dice.randint(1, _MOST)
            if "$ref" in form["items"]:
                count = 1 + sum(dice.random() < _MORE for _ in range(_MOST - 1))
            return [self._filled(form["items"], whole) for _ in range(count)]
        if form.get("type") == "integer":
            return round(_FAR) if dice.random() < self._strange else dice.randint(0, 2)
        if form.get("type") == "number":
            return dice.uniform(-_FAR, _FAR) if dice.random() < self._strange else dice.uniform(-1.0, 1.0)
        if form.get("type") == "boolean":
            return dice.random() < 0.5
        return None if form == _NULL else dice.choice(_WORDS)


class RandomModels(Models):
    """The same model in every role."""

    def __init__(self, seed: int) -> None:
        super().__init__(SETTINGS)
        self._model = RandomModel(seed)

    def of(self, role: str) -> ChatModel:
        """The model of a role."""
        return RoleModel(self._model, role, SETTINGS)


def _named(form: Any) -> List[Any]:
    """Every value that a schema lists."""
    if isinstance(form, Mapping):
        return [*form.get("enum", ()), *(value for each in form.values() for value in _named(each))]
    return [value for each in form for value in _named(each)] if isinstance(form, list) else []
