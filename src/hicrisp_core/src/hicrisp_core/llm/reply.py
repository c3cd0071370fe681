"""From the package's reply to what the workspace works with; servers leave out what the protocol promises."""

from __future__ import annotations

import math
from typing import Any, Optional, Union

from hicrisp_core.llm.exchange import Completion, LlmFailure

_QUOTED = 160


def read_reply(reply: Any) -> Union[Completion, LlmFailure]:
    """The text of a chat completion, or why there is none."""
    choices = getattr(reply, "choices", None)
    if choices is None:
        return LlmFailure("server", f"the answer is no chat completion: {str(reply)[:_QUOTED]!r}")
    message = choices[0].message if choices else None
    ended = choices[0].finish_reason if choices else ""
    text = (message.content if message else None) or ""
    usage = getattr(reply, "usage", None)
    if text.strip():
        return Completion(text, str(getattr(reply, "model", "") or ""), _count(usage, "prompt_tokens"),
                          _count(usage, "completion_tokens"), ended == "length", sure=_sure(choices[0]))
    return _without_text(message, ended)


def _without_text(message: Any, ended: str) -> LlmFailure:
    refusal = getattr(message, "refusal", None)
    if refusal:
        return LlmFailure("refused", f"the model refuses: {refusal[:_QUOTED]}")
    if ended == "content_filter":
        return LlmFailure("refused", "the endpoint's content filter withholds the answer")
    tools = getattr(message, "tool_calls", None) or ()
    if tools:
        name = getattr(getattr(tools[0], "function", None), "name", "") or "?"
        return LlmFailure("tool_call",
                          f"the model calls a tool ('{str(name)[:40]}') in place of an answer in words, "
                                       "and it was offered none; name another model")
    if ended == "length":
        return LlmFailure("cut_off", "the answer was cut off before its first word; raise max_tokens")
    return LlmFailure("empty", "the model answered nothing")


def _sure(choice: Any) -> Optional[float]:
    """The product of the tokens' probabilities, where the server tells them."""
    tokens = getattr(getattr(choice, "logprobs", None), "content", None) or ()
    found = [float(token.logprob) for token in tokens
             if isinstance(getattr(token, "logprob", None), (int, float))]
    return math.exp(min(0.0, sum(found))) if found and len(found) == len(tokens) else None


def _count(usage: Any, name: str) -> int:
    return int(getattr(usage, name, None) or 0)
