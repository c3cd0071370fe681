"""The exchanges of a run with language models: one JSON object a line in ``llm.jsonl``, without keys."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Dict, Mapping, Tuple, Union

from hicrisp_core.trace.event import Event
from hicrisp_core.trace.plain import to_json

FILE_NAME = "llm.jsonl"


@dataclass(frozen=True)
class Exchange(Event):
    """One request to a language model and what came of it.

    Args:
        role: who asked: ``goal``, ``brain``, ``body``, ``alex``, ``travi``, ``ropa`` or ``corrector``.
        number: of the role's question in the run, from 1; given when it is written.
        attempt: of the requests for this question, from 1; the last one is what the question came to. 0
            where nothing was sent.
        model: the backend and the model that was asked, ``openai:gpt-4o-mini``.
        schema: SHA-256 of the JSON schema that the answer should follow; empty without one.
        answer: the model's text; empty where there is none.
        failure: the kind of failure; empty where there is an answer.
        error: the failure in words.
        answered_by: the model's name as the endpoint says it.
        seconds: wall time from the question to the end of this request.
        cached: whether the answer is a repeat from the client's memory.
        goal_prompt: by which settings the role's model was asked; so are ``only_goals``,
            ``ask_below`` and ``read_back``.
        plans: whether the run's brain asked a model, or a search planned.
        sure: how likely the model found the answer, 0 to 1; -1 where the endpoint does not say.
    """

    kind: ClassVar[str] = "exchange"
    role: str = ""
    number: int = 0
    attempt: int = 0
    model: str = ""
    messages: Tuple[Mapping[str, str], ...] = ()
    schema: str = ""
    answer: str = ""
    failure: str = ""
    error: str = ""
    answered_by: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut_off: bool = False
    seconds: float = 0.0
    cached: bool = False
    goal_prompt: str = "goal"
    only_goals: bool = False
    ask_below: float = 0.0
    read_back: bool = False
    plans: bool = True
    sure: float = -1.0


class ExchangeFile:
    """Appends exchanges to a file and numbers each role's questions.

    Args:
        file: made when the first exchange is written.
    """

    def __init__(self, file: Union[str, Path]) -> None:
        self._file = Path(file).expanduser()
        self._numbers: Dict[str, int] = {}

    def open(self) -> None:
        """Make the file where it is missing.

        Raises:
            OSError: when it cannot be written.
        """
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.open("a", encoding="utf-8").close()

    def add(self, entry: Mapping[str, Any]) -> None:
        """Write one exchange; those of one question come one after the other.

        Raises:
            OSError: when it cannot be written.
        """
        role = str(entry.get("role", ""))
        first = int(entry.get("attempt") or 0) <= 1
        self._numbers[role] = self._numbers.get(role, 0) + (1 if first else 0)
        with self._file.open("a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(to_json({**entry, "number": self._numbers[role]}) + "\n")
