"""The port of every language model: what goes to it, what comes back, and what an endpoint can."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.exchange import Exchange

Message = Mapping[str, Any]
"""``{"role": ..., "content": ...}``, where there are pictures with a list of data URIs as ``images``."""


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


@dataclass(frozen=True)
class Capabilities:
    """What was found out about a model behind an endpoint; ``None`` where it could not be.

    Args:
        name: the backend and the model.
        where: the endpoint.
        schema: whether answers follow a JSON schema.
        object: whether answers are JSON objects where that is asked for.
        strict: whether it takes a schema in strict mode.
        seed: whether the endpoint takes a seed.
        context: tokens that prompt and answer may have together; 0 where it does not say.
        listed: whether the endpoint's list of models has this one.
        refused: parameters and schema keywords that the endpoint refused, so that they are not sent.
        seconds: what the asking took.
        failure: why there was no answer at all.
    """

    name: str
    where: str
    schema: Optional[bool] = None
    object: Optional[bool] = None
    strict: Optional[bool] = None
    seed: Optional[bool] = None
    context: int = 0
    listed: Optional[bool] = None
    refused: Tuple[str, ...] = ()
    seconds: float = 0.0
    failure: Optional[LlmFailure] = None

    @property
    def line(self) -> str:
        """Everything in one line."""
        if self.failure is not None:
            return f"{self.name} at {self.where} gives no answer: {self.failure.message}"
        found = [f"JSON schema {_word(self.schema)}", f"JSON object {_word(self.object)}",
                 f"strict {_word(self.strict)}", f"seed {_word(self.seed)}",
                 f"context {self.context} tokens" if self.context else "context unknown",
                 {True: "model listed", False: "model not listed", None: "no list of models"}[self.listed]]
        if self.refused:
            found.append(f"does not take {' and '.join(self.refused)}")
        return f"{self.name} at {self.where}: {', '.join(found)} ({self.seconds:.1f} s)"


def _word(known: Optional[bool]) -> str:
    return {True: "yes", False: "no", None: "not asked"}[known]


class ChatModel(ABC):
    """Answers conversations."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The backend and the model, for plans and reports: ``openai:gpt-4o-mini``."""

    @abstractmethod
    def complete(
        self, messages: Sequence[Message], deadline: Deadline, schema: Optional[Mapping[str, Any]] = None
    ) -> Union[Completion, LlmFailure]:
        """Ask the model.

        Args:
            messages: the conversation as chat messages, oldest first.
            deadline: wall time by which the answer is due.
            schema: JSON schema of the answer, followed if the backend can enforce it.

        Returns:
            The answer, or why there is none.
        """

    def afresh(self) -> "ChatModel":
        """The same model without the memory of its answers, for where the last one led to a failure."""
        return self

    def forget(self, messages: Sequence[Message], schema: Optional[Mapping[str, Any]] = None) -> bool:
        """Send the same question again the next time, because its answer was unusable.

        Args:
            messages: the conversation, oldest first.
            schema: JSON schema of the answer, if one was required.

        Returns:
            Whether an answer was remembered.
        """
        return False

    @property
    def secrets(self) -> Tuple[str, ...]:
        """Texts that reach no record: keys."""
        return ()

    def probe(self, deadline: Deadline) -> Optional[Capabilities]:
        """Find out what the backend supports and use it for later questions.

        Args:
            deadline: wall time at which probing ends.

        Returns:
            The capabilities; ``None`` if the backend has nothing to probe.
        """
        return None


def fingerprint(value: Any) -> str:
    """Hash a JSON value, independent of the order of keys.

    Args:
        value: any JSON value.

    Returns:
        SHA-256 in hexadecimal digits.
    """
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def schema_hash(schema: Optional[Mapping[str, Any]]) -> str:
    """Hash a JSON schema.

    Args:
        schema: the schema, or ``None``.

    Returns:
        SHA-256 in hexadecimal digits; empty without a schema.
    """
    return fingerprint(schema) if schema is not None else ""
