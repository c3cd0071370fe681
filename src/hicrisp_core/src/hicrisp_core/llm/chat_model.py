"""The port of every language model, and the kinds of backends that a file of ``config/llm`` can name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Optional, Sequence, Tuple, Union

from hicrisp_core.extensions import extensions
from hicrisp_core.llm.capabilities import Capabilities
from hicrisp_core.llm.exchange import Completion, LlmFailure, Message
from hicrisp_core.llm.settings import LlmSettings
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
        """Ask, at most until the deadline.

        Args:
            schema: a JSON schema that the answer should follow, where the backend can see to that.
        """

    def afresh(self) -> "ChatModel":
        """The same model without the memory of its answers, for where the last one led to a failure."""
        return self

    @property
    def secrets(self) -> Tuple[str, ...]:
        """Texts that reach no record: keys."""
        return ()

    def probe(self, deadline: Deadline) -> Optional[Capabilities]:
        """Find out what the backend can, and use that from then on; ``None`` where there is nothing to
        ask.
        """
        return None


@dataclass(frozen=True)
class Backend:
    """A kind of backend.

    Args:
        make: makes the model from its settings; ConfigError where they do not do, ImportError where a package
            is missing.
        ready: whether the settings name something that can be asked.
        options: what its files may say under ``options``, with the defaults, whose types are checked.
    """

    make: Callable[[LlmSettings], ChatModel]
    ready: Callable[[LlmSettings], bool] = lambda settings: True
    options: Mapping[str, Any] = field(default_factory=dict)


def can_be_asked(settings: LlmSettings) -> bool:
    """Whether settings name a model that can be asked; the offline planner asks none."""
    if settings.offline:
        return False
    backend: Backend = extensions().backends.get(settings.backend)
    return backend.ready(settings)


def _openai(settings: LlmSettings) -> ChatModel:
    from hicrisp_core.llm.client import ChatClient  # the openai package is needed only here

    return ChatClient(settings)


OPENAI = Backend(_openai, lambda settings: bool(settings.url or settings.replay or settings.api_key()))
