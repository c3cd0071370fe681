"""From the package's reply or error to what the workspace works with."""

from __future__ import annotations

import math
import time
from email.utils import parsedate_to_datetime
from typing import Any, Union

import openai

from hicrisp_core.llm.exchange import Completion, LlmFailure

_QUOTED = 160


def read_reply(reply: Any, seconds: float, calls: int) -> Union[Completion, LlmFailure]:
    """The text of a chat completion, or why there is none; servers leave out what the protocol promises."""
    choices = getattr(reply, "choices", None)
    if choices is None:
        return LlmFailure("server", f"the answer is no chat completion: {str(reply)[:_QUOTED]!r}", calls)
    message = choices[0].message if choices else None
    ended = choices[0].finish_reason if choices else ""
    text = (message.content if message else None) or ""
    refusal = getattr(message, "refusal", None)
    if not text.strip() and refusal:
        return LlmFailure("refused", f"the model refuses: {refusal[:_QUOTED]}", calls)
    if not text.strip() and ended == "content_filter":
        return LlmFailure("refused", "the endpoint's content filter withholds the answer", calls)
    if not text.strip() and ended == "length":
        return LlmFailure("cut_off", "the answer was cut off before its first word; raise max_tokens", calls)
    if not text.strip():
        return LlmFailure("empty", "the model answered nothing", calls)
    usage = getattr(reply, "usage", None)
    return Completion(
        text, str(getattr(reply, "model", "") or ""), _count(usage, "prompt_tokens"),
        _count(usage, "completion_tokens"), ended == "length", seconds, calls)


def _count(usage: Any, name: str) -> int:
    return int(getattr(usage, name, None) or 0)


def retry_after(error: openai.APIStatusError) -> float:
    """The seconds that the server asks to wait, given as a number or as a date; 0 where it does not say."""
    said = error.response.headers.get("retry-after", "").strip()
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(said).timestamp() - time.time()
        except (TypeError, ValueError, IndexError):
            return 0.0
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0


def why_refused(error: openai.APIStatusError) -> str:
    """What the server says of its refusal, after a colon; empty where it says nothing."""
    body = error.body
    said = body.get("message") if isinstance(body, dict) else None
    return f": {said[:_QUOTED]}" if isinstance(said, str) and said.strip() else ""
