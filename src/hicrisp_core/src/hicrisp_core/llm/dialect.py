"""What an endpoint takes: the response format and the names of parameters; found out by asking, or told by
the probe.
"""

from __future__ import annotations

import logging
from typing import Any, Dict, Mapping, Optional

import openai

from hicrisp_core.llm.failures import is_final

log = logging.getLogger(__name__)

SCHEMA, OBJECT, TEXT = FORMATS = ("json_schema", "json_object", "none")
"""Response formats, the strictest first."""
_OPTIONAL = ("temperature", "seed")


class Dialect:
    """Fits requests to one endpoint and remembers what it takes once a fitted request was answered.

    Args:
        response_format: ``auto`` begins with a JSON schema and steps down; any other is kept.
    """

    def __init__(self, response_format: str) -> None:
        self._auto = response_format == "auto"
        self._format = SCHEMA if self._auto else response_format
        self._tried = self._format
        self._left_out: Dict[str, str] = {}
        """Parameters that the endpoint does not take, with the name that it takes instead (or none)."""

    @property
    def format(self) -> str:
        """The response format that is used."""
        return self._format

    @property
    def fixed(self) -> bool:
        """Whether the settings say the format, so that no other is tried."""
        return not self._auto

    def takes(self, parameter: str) -> bool:
        """Whether no request with a parameter was refused for it."""
        return parameter not in self._left_out

    def begin(self) -> None:
        """A new question: forget what was tried without success."""
        self._tried = self._format

    def fitted(self, request: Mapping[str, Any], schema: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
        """The request as the endpoint takes it."""
        renamed = {self._left_out.get(key, key): value for key, value in request.items()}
        renamed.pop("", None)
        if schema is None or self._tried == TEXT:
            return renamed
        if self._tried == OBJECT:
            return {**renamed, "response_format": {"type": OBJECT}}
        return {**renamed, "response_format": {
            "type": SCHEMA, "json_schema": {"name": "answer", "schema": dict(schema), "strict": False}}}

    def worked(self) -> None:
        """The endpoint answered: keep the format that was tried."""
        if self._tried != self._format:
            log.info("the endpoint takes the response format '%s', not '%s'", self._tried, self._format)
            self._format = self._tried

    def ignores(self) -> bool:
        """The endpoint took a format and did not follow it: use the next one, where it may be chosen.

        Returns:
            whether there is a next one.
        """
        self.begin()
        stepped = self._step_down()
        self._format = self._tried
        return stepped

    def adapt(self, error: openai.APIStatusError, request: Mapping[str, Any], with_schema: bool) -> bool:
        """After a refused request: whether another form of it is worth a try."""
        if is_final(error):
            return False
        said = str(error).lower()
        if "max_completion_tokens" in said and "max_tokens" not in self._left_out:
            self._left_out["max_tokens"] = "max_completion_tokens"
            return True
        for name in _OPTIONAL:
            if name in request and name not in self._left_out and (f"'{name}'" in said
                                                                   or f'"{name}"' in said):
                log.info("the endpoint does not take '%s'; it is left out", name)
                self._left_out[name] = ""
                return True
        return with_schema and self._step_down()

    def _step_down(self) -> bool:
        if not self._auto or self._tried == TEXT:
            return False
        self._tried = FORMATS[FORMATS.index(self._tried) + 1]
        return True
