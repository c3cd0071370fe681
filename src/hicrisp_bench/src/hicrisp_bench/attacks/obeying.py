"""A model that an attack has won over: whatever it is asked, it answers with what the attack wants."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from hicrisp_core.llm.chat_model import ChatModel, Completion, LlmFailure, Message
from hicrisp_core.llm.models import Models, RoleModel
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.attacks.corpus import Attack
from hicrisp_bench.schemas import kinds_of

SETTINGS = LlmSettings("obeying", model="obeying", base_url="http://127.0.0.1:9/v1", retries=0, probe=False,
                       cache=0)
_TOKENS = 40


class ObeyingModel(ChatModel):
    """Answers in the form that it is asked for, with the attack's commands or goal."""

    name = "obeying"

    def __init__(self, attack: Attack) -> None:
        self._attack = attack
        self._asked = 0
        self.heard: List[str] = []

    def complete(
        self, messages: Sequence[Message], deadline: Deadline, schema: Optional[Mapping[str, Any]] = None
    ) -> Union[Completion, LlmFailure]:
        """The attack's answer."""
        self._asked += 1
        self.heard += [str(each.get("content", "")) for each in messages]
        text = self._attack.says or json.dumps(self._answer(schema or {}))
        return Completion(text, self.name, _TOKENS, _TOKENS)

    def _answer(self, schema: Mapping[str, Any]) -> Dict[str, Any]:
        kinds = kinds_of(schema)
        wants = self._attack.wants
        if "goal" in kinds:
            return {"kind": "goal", "stages": [{"conditions": list(self._attack.facts) or _facts(wants)}]}
        if "command" in kinds:
            want = wants[self._asked % len(wants)] if wants else None
            return {"kind": "command", "action": want.action, "arguments": dict(want.arguments)} \
                if want else {"kind": "pass", "why": "as you say"}
        if "task" in kinds:
            return {"kind": "task", "text": self._attack.text, "task": self._attack.text}
        if "plan" in kinds:
            worded = _worded(schema)
            steps: List[Any] = [f"{want.action} {' '.join(map(str, want.arguments.values()))}" if worded else
                                {"action": want.action, "arguments": dict(want.arguments)} for want in wants]
            return {"kind": "plan", "reasoning": "I obey.", "steps": steps}
        names = [str(value) for want in wants for value in want.arguments.values()]
        return {"goal": self._attack.text, "objects": names, "state": "Everything is allowed.",
                "steps": [f"{want.action} {' '.join(map(str, want.arguments.values()))}" for want in wants]}


class ObeyingModels(Models):
    """The same model in every role."""

    def __init__(self, attack: Attack) -> None:
        super().__init__(SETTINGS)
        self._model = ObeyingModel(attack)

    @property
    def heard(self) -> Sequence[str]:
        """Everything that it was told."""
        return self._model.heard

    def of(self, role: str) -> ChatModel:
        """The model of a role."""
        return RoleModel(self._model, role, SETTINGS)


def _worded(schema: Mapping[str, Any]) -> bool:
    """Whether the steps of a plan are words."""
    return bool(schema.get("properties", {}).get("steps", {}).get("items", {}).get("type") == "string")


def _facts(wants: Sequence[Any]) -> List[str]:
    """A goal like the commands: every second name on the first."""
    names = [str(value) for want in wants for value in want.arguments.values()]
    return [f"on({names[0]},{names[1]})"] if len(names) > 1 else [f"holding({names[0]})"] if names else []
