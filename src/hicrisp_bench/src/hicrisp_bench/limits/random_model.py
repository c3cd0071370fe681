"""A language model that answers by chance, in the form that it is asked for: in every role of a policy."""

from __future__ import annotations

import json
import random
import re
from itertools import product
from typing import Any, List, Mapping, Optional, Sequence, Union

from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.llm.exchange import Completion, LlmFailure, Message
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.role_model import RoleModel
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.time.deadline import Deadline

SETTINGS = LlmSettings("chance", model="chance", base_url="http://127.0.0.1:9/v1", retries=0, probe=False,
                       cache=0)
_TOKENS, _MOST = 40, 6
_STRANGE = 0.1
"""How often a value is another than the form allows, or nothing is done."""
_FAR = 1e3
_MORE, _BESIDE = 0.3, 0.15
"""How often another condition is added to those of a goal, and a part that it need not have: many contradict
one another.
"""
_IDLE = ("answer", "ask", "refuse", "pass", "question", "talk")
"""The kinds of answers that move nothing."""
_WORDS = ("Do the next thing.", "Move something.", "Go on as you like.")


def sayable(domain: Domain, kinds: Mapping[str, str]) -> List[str]:
    """What can be said of a world in a domain's words: names, facts, and that they are not so.

    Args:
        kinds: of each thing and robot its type.
    """
    fitting = {type_: [name for name, kind in kinds.items() if domain.is_a(kind, type_)]
               for predicate in domain.predicates.values() for type_ in predicate.arguments}
    facts = [f"{predicate.name}({','.join(names)})" for predicate in domain.predicates.values()
             for names in product(*(fitting[type_] for type_ in predicate.arguments))
             if len(set(names)) == len(names)]
    return [*kinds, *facts, *(f"not({fact})" for fact in facts)]


class RandomModel(ChatModel):
    """Fills the schema of an answer by chance, from a seed.

    Args:
        texts: of which it takes one where an answer has to have a form.
    """

    def __init__(self, seed: int, texts: Sequence[str] = ()) -> None:
        self._dice = random.Random(seed)
        self._texts = texts

    @property
    def name(self) -> str:
        """As for every model."""
        return "chance"

    def complete(
        self, messages: Sequence[Message], deadline: Deadline, schema: Optional[Mapping[str, Any]] = None
    ) -> Union[Completion, LlmFailure]:
        """An answer of that form; words where none is given."""
        text = self._dice.choice(_WORDS) if schema is None else json.dumps(self._filled(schema, schema))
        return Completion(text, self.name, _TOKENS, _TOKENS)

    def _filled(self, form: Mapping[str, Any], whole: Mapping[str, Any]) -> Any:
        dice = self._dice
        if "$ref" in form:
            return self._filled(whole["$defs"][form["$ref"].rpartition("/")[2]], whole)
        if "anyOf" in form:
            moving = [each for each in form["anyOf"] if _kind(each) not in _IDLE]
            return self._filled(dice.choice(moving if moving and dice.random() >= _STRANGE
                                            else form["anyOf"]), whole)
        if "const" in form:
            return form["const"]
        if "enum" in form:
            return dice.choice(_named(whole) if dice.random() < _STRANGE else list(form["enum"]))
        if form.get("type") == "object":
            beside = _BESIDE if "$defs" in whole else 0.5
            return {key: self._filled(each, whole) for key, each in form.get("properties", {}).items()
                    if key in form.get("required", ()) or dice.random() < beside}
        if form.get("type") == "array":
            least = int(form.get("minItems", 0))
            most = max(least, min(_MOST, form.get("maxItems", _MOST)))
            count = dice.randint(least, most)
            if "$ref" in form["items"]:
                count = min(most, least + sum(dice.random() < _MORE for _ in range(most - least)))
            return [self._filled(form["items"], whole) for _ in range(count)]
        if form.get("type") in ("number", "integer"):
            drawn = dice.uniform(-_FAR, _FAR) if dice.random() < _STRANGE else dice.uniform(-1.0, 1.0)
            return round(drawn) if form["type"] == "integer" else drawn
        if form.get("type") == "boolean":
            return dice.random() < 0.5
        fitting = [text for text in self._texts if re.search(form.get("pattern", "$^"), text)]
        return dice.choice(fitting or _WORDS)


class RandomModels(Models):
    """The same model in every role.

    Args:
        texts: what it may say where an answer has to have a form.
    """

    def __init__(self, seed: int, texts: Sequence[str] = ()) -> None:
        super().__init__(SETTINGS)
        self._model = RandomModel(seed, texts)

    def of(self, role: str) -> ChatModel:
        """The model of a role."""
        return RoleModel(self._model, role, SETTINGS)


def _kind(form: Mapping[str, Any]) -> str:
    return str(form.get("properties", {}).get("kind", {}).get("const", ""))


def _named(form: Any) -> List[Any]:
    """Every value that a schema lists."""
    if isinstance(form, Mapping):
        return [*form.get("enum", ()), *(value for each in form.values() for value in _named(each))]
    return [value for each in form for value in _named(each)] if isinstance(form, list) else []
