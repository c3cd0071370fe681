"""The kinds of backends that a file of ``config/llm`` can name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping

from hicrisp_core.extensions import extensions
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.llm.settings import LlmSettings


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
    """Check whether settings name a model that can answer here; the offline planner is none.

    Args:
        settings: a file of ``config/llm``.

    Returns:
        Whether the backend is ready.
    """
    if settings.offline:
        return False
    backend: Backend = extensions().backends.get(settings.backend)
    return backend.ready(settings)


def _openai(settings: LlmSettings) -> ChatModel:
    from hicrisp_core.llm.client import ChatClient  # the openai package is needed only here

    return ChatClient(settings)


OPENAI = Backend(_openai, lambda settings: bool(settings.url or settings.replay or settings.api_key()))
