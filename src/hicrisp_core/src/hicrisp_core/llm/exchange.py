"""What goes to a model and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Optional, Tuple

from hicrisp_core.trace.events import Exchange

Message = Mapping[str, str]
"""``{"role": ..., "content": ...}``"""


@dataclass(frozen=True)
class RequestAttempt:
    """One request that brought no answer; another followed it.

    Args:
        kind: of its failure, as in :class:`LlmFailure`, or ``form`` where the endpoint takes another form.
        seconds: from the question to the end of this request.
    """

    kind: str
    message: str
    seconds: float = 0.0


@dataclass(frozen=True)
class Completion:
    """A model's answer.

    Args:
        model: the model's name, as the endpoint says it.
        cut_off: whether the answer ended at the limit of tokens.
        seconds: wall time from the question to the answer.
        calls: requests that were sent for it; 0 for an answer from the cache.
        before: the requests that failed before it.
        exchanges: what goes into the run's record.
        sure: how likely the model found this answer as a whole, 0 to 1; ``None`` if the endpoint does not
            report it.
        note: how a repeated run differs from its recording here; empty if it does not.
    """

    text: str
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut_off: bool = False
    seconds: float = 0.0
    calls: int = 1
    before: Tuple[RequestAttempt, ...] = field(default=(), compare=False)
    exchanges: Tuple[Exchange, ...] = field(default=(), compare=False)
    sure: Optional[float] = None
    note: str = ""


@dataclass(frozen=True)
class LlmFailure:
    """Why there is no answer.

    Kinds: ``timeout``, ``connection``, ``broken_off`` (half an answer), ``too_long`` (more than is read),
    ``unauthorised``, ``rate_limit``, ``server``, ``request`` (the server refuses it), ``model`` (which it
    has not), ``context`` (the prompt does not fit), ``empty``, ``cut_off`` (before its first word),
    ``tool_call`` (in place of text), ``refused`` (by the model, or a filter), ``budget`` or ``replay``.
    """

    kind: str
    message: str
    calls: int = 1
    seconds: float = 0.0
    before: Tuple[RequestAttempt, ...] = field(default=(), compare=False)
    exchanges: Tuple[Exchange, ...] = field(default=(), compare=False)
