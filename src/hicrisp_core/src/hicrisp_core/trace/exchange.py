"""One request to a language model as data: a line of ``llm.jsonl``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Mapping, Tuple

from hicrisp_core.trace.events import Event


@dataclass(frozen=True)
class Exchange(Event):
    """One request to a language model and what came of it.

    Args:
        role: who asked: ``goal``, ``brain``, ``body``, ``alex``, ``travi``, ``ropa`` or ``corrector``.
        number: of the role's question in the run, from 1; given when it is written.
        attempt: of the requests for this question, from 1; the last one is what the question came to. 0
            if nothing was sent.
        model: the backend and the model that was asked, ``openai:gpt-4o-mini``.
        schema: SHA-256 of the JSON schema that the answer should follow; empty without one.
        answer: the model's text; empty without one.
        failure: the kind of failure; empty on success.
        error: the failure in words.
        answered_by: the model's name as the endpoint says it.
        seconds: wall time from the question to the end of this request.
        cached: whether the answer is a repeat from the client's memory.
        only_goals: by which settings the role's model was asked; so is ``ask_below``.
        plans: whether the run's brain asked a model, or a search planned.
        sure: how likely the model found the answer, 0 to 1; -1 where the endpoint does not say.
        note: in a repeated run, how the prompt differs from the recorded one; empty if it does not.
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
    only_goals: bool = False
    ask_below: float = 0.0
    plans: bool = True
    sure: float = -1.0
    note: str = ""
