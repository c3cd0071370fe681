"""From what the package raises to why there is no answer, and what to do about it."""

from __future__ import annotations

import math
import re
import time
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Any, Optional, Union

import openai

from hicrisp_core.llm.bounded_http import AnswerTooLong, AnswerTooSlow, BrokenOff, Unreadable
from hicrisp_core.llm.chat_model import Completion, LlmFailure
from hicrisp_core.llm.redaction import is_placeholder, redacted
from hicrisp_core.llm.reply import FILTERED
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.time.bounded_call import Overdue

QUOTED = 160
"""Characters of a server's own words that a message quotes."""
_LONGEST = 400
"""Characters of a message."""
MAY_PASS = ("rate_limit", "server", "timeout", "connection", "broken_off")
"""Failures that another attempt may not meet."""
_MAY_PASS = (408, 409, 425)
"""HTTP refusals below 500 that a later attempt may not meet."""
_FILTERS = ("content_filter", "content_policy_violation")
_FINAL = ("model_not_found", *_FILTERS)
_BAD_KEY = "API key not valid"
"""How Gemini refuses a key, with HTTP 400."""
_DEPTH = 4
"""How deep a server's own words may lie in the body of its refusal."""
_WORDS = ("message", "msg", "detail", "error")
"""Keys under which servers say why they refuse."""
_OVERFLOW = ("context_length_exceeded", "exceed_context_size_error")
_OVERFLOW_WORDS = re.compile(
    r"(maximum|max|exceed\w*|longer|larger|greater|too long)\W(?:.{0,60}\W)?context|"
    r"context\W(?:.{0,40}\W)?exceed|prompt is too long", re.IGNORECASE | re.DOTALL)


def is_final(error: openai.APIStatusError) -> bool:
    """Check whether every other form of a refused request would be refused, too.

    Args:
        error: the refusal.

    Returns:
        True for wrong keys, unknown models and prompts that are too long.
    """
    return error.code in _FINAL or is_overflow(error)


def is_overflow(error: openai.APIStatusError) -> bool:
    """Check whether the prompt exceeds the model's context; servers say so in different ways.

    Args:
        error: the refusal.

    Returns:
        Whether code, type or words say so.
    """
    said = said_in(error.body)
    return error.code in _OVERFLOW or getattr(error, "type", None) in _OVERFLOW or (
        error.status_code in (400, 413, 422, 500) and bool(_OVERFLOW_WORDS.search(said)))


class Failures:
    """Words the failures of one endpoint.

    Args:
        key: is taken out of every message.
    """

    def __init__(self, settings: LlmSettings, key: str) -> None:
        self._settings = settings
        self._key = key

    def clean(self, text: str) -> str:
        """Make foreign text safe to show: one line, without keys and control characters.

        Args:
            text: words of a server.

        Returns:
            The cleaned text.
        """
        return redacted("".join(char if char.isprintable() else " " for char in text), self._key)

    def shown(self, found: Union[Completion, LlmFailure]) -> Union[Completion, LlmFailure]:
        """Clean the words of a reply that people read; the answer itself stays as the model wrote it.

        Args:
            found: an answer or a failure.

        Returns:
            The same reply with clean message or model name.
        """
        if isinstance(found, LlmFailure):
            message = self.clean(found.message)
            return replace(found, message=message if len(message) <= _LONGEST else f"{message[:_LONGEST]} ...")
        return replace(found, model=self.clean(found.model))

    def no_key(self) -> Optional[LlmFailure]:
        """Return the failure of asking OpenAI without a key; ``None`` if there is one, or another endpoint."""
        if self._settings.url or self._key and not is_placeholder(self._key):
            return None
        lacks = "" if self._key else " and none is configured"
        return LlmFailure("unauthorised", f"OpenAI needs a key{lacks}; {self._key_mend()}", 0)

    def of(self, error: Exception, seconds: float) -> LlmFailure:
        """Classify an error of the client library or of reading the answer.

        Args:
            seconds: since the question.

        Returns:
            The failure with its kind and a message that names a remedy.
        """
        if isinstance(error, openai.APIStatusError):
            return self._status(error)
        if isinstance(error, (openai.APITimeoutError, Overdue)):
            return LlmFailure("timeout", f"no answer within {seconds:.1f} s")
        read = error if isinstance(error, Unreadable) else error.__cause__
        if isinstance(read, AnswerTooSlow):
            return LlmFailure("timeout", f"the answer had not ended after {seconds:.1f} s; take a smaller "
                                         "model or a larger timeout_s")
        if isinstance(read, AnswerTooLong):
            return LlmFailure("too_long", f"{read}, so it is no answer to the prompt and is not read; check "
                                          "that base_url is an endpoint for chat completions")
        if isinstance(read, BrokenOff):
            return LlmFailure("broken_off", self.clean(
                f"the endpoint {self._where} broke off in the middle of its answer ({read})"))
        if isinstance(error, openai.APIConnectionError):
            return LlmFailure("connection", self.clean(
                f"the endpoint {self._where} cannot be reached ({error.__cause__ or error}); start the "
                "server, or correct base_url"))
        return LlmFailure("server", f"the answer cannot be read: {self.clean(str(error))[:QUOTED]}")

    @property
    def _where(self) -> str:
        return self._settings.url or "of OpenAI"

    def _status(self, error: openai.APIStatusError) -> LlmFailure:
        said = self.clean(said_in(error.body)).strip()  # Cut last: of a key that lies across the cut a part would stay.
        status, why = error.status_code, f": {said[:QUOTED]}" if said else ""
        if is_overflow(error):
            return LlmFailure(
                "context", f"the prompt does not fit into the model's context{why}; start the server with a "
                           "larger context, or name a model that has one")
        if error.code in _FILTERS:
            return LlmFailure("refused", f"{FILTERED} (HTTP {status}){why}")
        if status in (401, 403) or _BAD_KEY in said_in(error.body):
            return LlmFailure("unauthorised",
                              f"the endpoint refuses the key (HTTP {status}){why}; {self._key_mend()}")
        if status == 404:
            return LlmFailure("model", f"the endpoint {self.clean(self._where)} does not know the model "
                                       f"'{self._settings.model_name}' (HTTP 404){why}")
        if status == 429 and error.code == "insufficient_quota":
            return LlmFailure("unauthorised", f"the account's quota is used up (HTTP 429){why}")
        if status == 429:
            return LlmFailure("rate_limit", f"the endpoint's rate limit is reached (HTTP 429){why}")
        if status >= 500 or status in _MAY_PASS:
            return LlmFailure("server", f"the endpoint answers HTTP {status}{why}")
        if status in (400, 422):
            return LlmFailure("request", f"the server refuses the request (HTTP {status}){why}")
        return LlmFailure("request", f"the endpoint answers HTTP {status}{why}; check base_url")

    def _key_mend(self) -> str:
        variable = self._settings.key_variable
        where = self._settings.api_key_file or variable
        placeholder = f"{where} holds a placeholder ('{self._key}'); " if is_placeholder(self._key) else ""
        return placeholder + (f"set {variable} or api_key_file" if variable else
                              "name its variable as api_key_env (for example OPENAI_API_KEY) or give api_key_file")


def retry_after(error: Exception) -> float:
    """Read how long the server asks to wait, given as a number or as a date.

    Args:
        error: any error; only refusals have the header.

    Returns:
        Seconds; 0 if it does not say.
    """
    if not isinstance(error, openai.APIStatusError):
        return 0.0
    said = error.response.headers.get("retry-after", "").strip()
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(said).timestamp() - time.time()
        except (TypeError, ValueError, IndexError):
            return 0.0
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0


def said_in(body: Any, depth: int = _DEPTH) -> str:
    """Find a server's own words in the body of its refusal, as a text, under one of several keys, or in a list
    of such bodies.

    Args:
        body: the parsed body.
        depth: how many levels are searched.

    Returns:
        The words; empty if there are none.
    """
    if isinstance(body, str) or depth == 0:
        return body if isinstance(body, str) else ""
    if isinstance(body, list):
        return "; ".join(filter(None, (said_in(each, depth - 1) for each in body)))
    found = (said_in(body.get(key), depth - 1) for key in _WORDS) if isinstance(body, dict) else ()
    return next(filter(None, found), "")
