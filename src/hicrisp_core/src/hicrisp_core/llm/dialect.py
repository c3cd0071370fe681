"""What an endpoint takes, found out by asking: the response format and the names of parameters."""

from __future__ import annotations

import logging
from typing import Any, Dict, Mapping, Optional

import openai

log = logging.getLogger(__name__)

FORMATS = ("json_schema", "json_object", "none")
"""Response formats, the strictest first."""
_FINAL = ("context_length_exceeded", "model_not_found", "content_filter", "content_policy_violation")
"""Refusals that no other form of the request would change."""
_OPTIONAL = ("temperature", "seed")


class Dialect:
    """Fits requests to one endpoint and remembers what it takes once a fitted request was answered.

    Args:
        response_format: ``auto`` begins with a JSON schema and steps down; any other is kept.
    """

    def __init__(self, response_format: str) -> None:
        self._auto = response_format == "auto"
        self._format = "json_schema" if self._auto else response_format
        self._tried = self._format
        self._left_out: Dict[str, str] = {}
        """Parameters that the endpoint does not take, with the name that it takes instead (or none)."""

    def begin(self) -> None:
        """A new question: forget what was tried without success."""
        self._tried = self._format

    def fitted(self, request: Mapping[str, Any], schema: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
        """The request as the endpoint takes it."""
        renamed = {self._left_out.get(key, key): value for key, value in request.items()}
        renamed.pop("", None)
        if schema is None or self._tried == "none":
            return renamed
        if self._tried == "json_object":
            return {**renamed, "response_format": {"type": "json_object"}}
        return {**renamed, "response_format": {
            "type": "json_schema", "json_schema": {"name": "plan", "schema": dict(schema), "strict": False}}}

    def worked(self) -> None:
        """The endpoint answered: keep the format that was tried."""
        if self._tried != self._format:
            log.info("the endpoint takes the response format '%s', not '%s'", self._tried, self._format)
            self._format = self._tried

    def adapt(self, error: openai.APIStatusError, request: Mapping[str, Any], with_schema: bool) -> bool:
        """After a refused request: whether another form of it is worth a try."""
        if getattr(error, "code", None) in _FINAL:
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
        if not self._auto or not with_schema or self._tried == "none":
            return False
        self._tried = FORMATS[FORMATS.index(self._tried) + 1]
        return True
