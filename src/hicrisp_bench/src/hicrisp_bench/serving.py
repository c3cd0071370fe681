"""Models that this machine serves while a suite runs: one server on loopback that every trial asks."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Iterator

from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.chat_model import LlmFailure
from hicrisp_core.llm.embedded import EMBEDDED, ServerProcess
from hicrisp_core.llm.embedded_files import model_files
from hicrisp_core.llm.settings import OPENAI, LlmSettings
from hicrisp_core.time.deadline import Deadline

EMBEDDED_BACKEND = "embedded"
_PATIENCE = 900.0
"""Seconds for one answer of a model's file; its first one on a busy machine takes minutes."""
_KEPT_MIB = 1024
"""For some ten prompts of 3,000 tokens: a loop has as many kinds of questions, and reading one anew takes a
minute."""


def settings_of_file(file: Path, max_tokens: int) -> LlmSettings:
    """A model's file, to be served like the embedded model, without an adapter, with room for whole prompts.

    Raises:
        ConfigError: where there is no such file.
    """
    if not file.is_file():
        raise ConfigError(f"there is no model file {file}")
    return LlmSettings(
        file.stem, backend=EMBEDDED_BACKEND, model=file.stem, timeout_s=_PATIENCE, retries=0,
        response_format="json_schema", max_tokens=max_tokens,
        options={"package": "", "file": str(file.resolve()), "adapter": "",
                 "context": 8192, "slots": 2, "kept_mib": _KEPT_MIB, "start_s": 300.0})


@contextmanager
def served(settings: LlmSettings) -> Iterator[LlmSettings]:
    """Start an embedded model once for all processes; other models stay as they are.

    Args:
        settings: a model's settings.

    Yields:
        Settings by which any process asks the model.

    Raises:
        ConfigError: where the model's files are missing or its server does not start.
    """
    if settings.backend != EMBEDDED_BACKEND:
        yield settings
        return
    options = {**EMBEDDED.options, **settings.options}
    files = model_files(*(str(options[name]) for name in ("package", "file", "adapter")))
    server = ServerProcess(files, options)
    try:
        address = server.address(Deadline(float(options["start_s"])))
        if isinstance(address, LlmFailure):
            raise ConfigError(address.message)
        yield replace(settings, backend=OPENAI, base_url=address.url, options={})
    finally:
        server.close()
