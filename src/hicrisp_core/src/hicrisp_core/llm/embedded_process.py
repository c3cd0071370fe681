"""Starts the embedded model's server as a child that ends with its parent."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
from typing import IO, Any, Dict, List, Mapping, NamedTuple, Optional, Union

from hicrisp_core.llm.embedded_files import ModelFiles
from hicrisp_core.llm.exchange import LlmFailure
from hicrisp_core.time.bounded_call import BoundedCalls, Overdue
from hicrisp_core.time.deadline import Deadline

log = logging.getLogger(__name__)
_SERVER = "hicrisp_core.llm.embedded_server"
_OPTIONS = ("threads", "context", "slots", "kept_mib")


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
        self._options = {name: int(options[name]) for name in _OPTIONS}
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
        with tempfile.TemporaryFile() as errors:
            child = subprocess.Popen(
                self._command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=_environment(),
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
                return LlmFailure("server", f"the embedded model did not start: {_last_line(errors)}", 0)
        self._address = Address(str(said["url"]), float(said.get("rss_mb", 0.0)))
        adapter = self._files.adapter.name if self._files.adapter else "no adapter"
        log.info("embedded model %s with %s at %s, %.0f MB", self._files.base.name, adapter, *self._address)
        return self._address

    def _command(self) -> List[str]:
        adapter = ["--adapter", str(self._files.adapter)] if self._files.adapter else []
        options = (part for name, value in self._options.items()
                   for part in (f"--{name.replace('_', '-')}", str(value)))
        return [sys.executable, "-m", _SERVER, "--model", str(self._files.base), *adapter, *options]

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


def _environment() -> Dict[str, str]:
    """The child's environment: threads that wait do not spin, and it finds this package."""
    return {**os.environ, "OMP_WAIT_POLICY": "passive", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _last_line(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = [line for line in errors.read()[-4000:].decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1].strip()[:200] if lines else "it ended without a word"
