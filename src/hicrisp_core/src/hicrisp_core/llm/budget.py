"""A bound on what one client may spend, whatever is asked of it."""

from __future__ import annotations

import threading
from typing import Union

from hicrisp_core.llm.exchange import Completion, LlmFailure


class LlmBudget:
    """Counts calls and tokens of a client; the budgets of single tasks are the executive's.

    Args:
        calls: requests that may be sent; 0 for no bound.
        tokens: tokens of prompts and answers together; 0 for no bound.
    """

    def __init__(self, calls: int = 0, tokens: int = 0) -> None:
        if calls < 0 or tokens < 0:
            raise ValueError(f"a budget needs at least 0 calls and tokens, got {calls} and {tokens}")
        self._limits = (calls, tokens)
        self._used = (0, 0)
        self._lock = threading.Lock()

    def add(self, answer: Union[Completion, LlmFailure]) -> None:
        """Add the cost of an answer or a failure.

        Args:
            answer: the reply with its calls and tokens.
        """
        tokens = answer.prompt_tokens + answer.completion_tokens if isinstance(answer, Completion) else 0
        with self._lock:
            self._used = (self._used[0] + answer.calls, self._used[1] + tokens)

    @property
    def calls_left(self) -> float:
        """Requests that may still be sent; infinite where there is no bound."""
        return self._limits[0] - self._used[0] if self._limits[0] else float("inf")

    @property
    def exhausted(self) -> str:
        """Which bound is reached, as a sentence; empty while all last."""
        for used, limit, what in zip(self._used, self._limits, ("calls", "tokens")):
            if limit and used >= limit:
                return f"the budget of {limit} {what} of this language model is used up ({used})"
        return ""
