"""The port of every language model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

from hicrisp_core.llm.capabilities import Capabilities
from hicrisp_core.llm.exchange import Completion, LlmFailure, Message
from hicrisp_core.time.deadline import Deadline


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
