"""Which language model is asked and how: files of ``config/llm``."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, fields
from pathlib import Path as FilePath
from typing import Any, Dict, Mapping, Tuple, Type, Union

from hicrisp_core.config.yaml_lines import check_keys, read_yaml, value_of
from hicrisp_core.errors import ConfigError

OFFLINE = "offline"
OPENAI = "openai"
KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"
_TYPES: Dict[str, Type[Any]] = {"str": str, "int": int, "float": float}


@dataclass(frozen=True)
class LlmSettings:
    """How a model is asked.

    Args:
        backend: ``openai`` for any chat-completions endpoint, or ``offline``.
        base_url: the endpoint; empty for the variable OPENAI_BASE_URL, or OpenAI's own.
        api_key_env: the environment variable that holds the key.
        api_key_file: a file of mode 0600 that holds the key; goes before the variable.
        timeout_s: wall seconds for one request.
        retries: further attempts after a failure that may pass.
        response_format: ``auto`` (JSON schema, then JSON, then plain text, as the server takes it), ``json_schema``,
            ``json_object`` or ``none``.
        record: file to which every exchange is appended.
        replay: file from which exchanges are answered instead of asking; nothing goes over the network.
    """

    name: str
    backend: str = OPENAI
    model: str = "gpt-4o-mini"
    base_url: str = ""
    api_key_env: str = KEY_VARIABLE
    api_key_file: str = ""
    temperature: float = 0.0
    max_tokens: int = 1500
    timeout_s: float = 60.0
    retries: int = 3
    response_format: str = "auto"
    record: str = ""
    replay: str = ""

    @property
    def url(self) -> str:
        """The endpoint; empty for the package's own default."""
        return self.base_url or os.environ.get(URL_VARIABLE, "")

    def api_key(self) -> str:
        """The key, or empty where none is configured.

        Raises:
            ConfigError: when the key's file can be read by others or not at all.
        """
        if not self.api_key_file:
            return os.environ.get(self.api_key_env, "").strip()
        path = FilePath(self.api_key_file).expanduser()
        try:
            mode = stat.S_IMODE(path.stat().st_mode)
            if mode & 0o077:
                raise ConfigError(f"{path} has mode {mode:04o}, so others may read the key; run: chmod 600 {path}")
            return path.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise ConfigError(f"cannot read the key's file {path}: {error.strerror}") from error


def load_llm_settings(file: Union[str, FilePath]) -> LlmSettings:
    """Read and check a file of ``config/llm``.

    Raises:
        ConfigError: for an unknown key or value, with the file, the line and the valid ones.
    """
    values, positions = read_yaml(file)
    known = {entry.name: _TYPES[str(entry.type)] for entry in fields(LlmSettings) if entry.name != "name"}
    check_keys(values, ("llm", "description", *known), ("llm", "backend"), positions)
    choices: Mapping[str, Tuple[str, ...]] = {
        "backend": (OFFLINE, OPENAI), "response_format": ("auto", "json_schema", "json_object", "none")}
    found = {key: value_of(values, key, known[key], positions, choices=choices.get(key, ()))
             for key in known if key in values}
    for key in ("timeout_s", "max_tokens"):
        if not found.get(key, 1) > 0:
            raise positions.error((key,), f"more than 0 is needed, got {found[key]}")
    if not 0 <= found.get("retries", 0) <= 10:
        raise positions.error(("retries",), f"0 to 10 are taken, got {found['retries']}")
    return LlmSettings(name=value_of(values, "llm", str, positions), **found)


def default_llm(environment: Mapping[str, str]) -> Tuple[str, str]:
    """The backend that is used when none is named, and the sentence that says why."""
    if environment.get(KEY_VARIABLE):
        return OPENAI, f"{KEY_VARIABLE} is set: a language model plans"
    if environment.get(URL_VARIABLE):
        return OPENAI, f"{URL_VARIABLE} is set: a language model plans"
    return OFFLINE, f"neither {KEY_VARIABLE} nor {URL_VARIABLE} is set: the offline planner plans"
