"""From the package's reply to what the workspace works with; servers leave out what the protocol promises."""

from __future__ import annotations

import math
import re
from typing import Any, List, Optional, Tuple, Union

from hicrisp_core.llm.exchange import THINKING, Completion, LlmFailure

_QUOTED, _LONGEST_NAME = 2000, 80
"""Characters; a message is made shorter once its keys are taken out."""
_MOST_TOKENS = 10_000_000
_THOUGHT = re.compile(rf'"{THINKING}"\s*:\s*"((?:[^"\\]|\\.)*)"')


def read_reply(reply: Any) -> Union[Completion, LlmFailure]:
    """The text of a chat completion, or why there is none."""
    choices = getattr(reply, "choices", None)
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = getattr(choice, "message", None)
    content = getattr(message, "content", None)
    if choices != [] and (not hasattr(choice, "message") or
                          message is not None and not hasattr(message, "content")):
        return LlmFailure("server", f"the answer is no chat completion: {str(reply)[:_QUOTED]!r}")
    ended, text = getattr(choice, "finish_reason", ""), _text(content)
    usage = getattr(reply, "usage", None)
    if text.strip():
        return Completion(text, _name(getattr(reply, "model", "")), _count(usage, "prompt_tokens"),
                          _count(usage, "completion_tokens"), ended == "length", sure=_sure(choice))
    return _without_text(message, ended)


def _text(content: Any) -> str:
    """The text of a message, also where it comes in parts; half a character, which nobody could write down,
    becomes a question mark.
    """
    if isinstance(content, list):
        content = "".join(each["text"] for each in content
                          if isinstance(each, dict) and isinstance(each.get("text"), str))
    return content.encode("utf-8", "replace").decode("utf-8") if isinstance(content, str) else ""


def _name(told: Any) -> str:
    """What the endpoint calls its model, as one line for people."""
    return "".join(filter(str.isprintable, str(told or "")))[:_LONGEST_NAME]


def _without_text(message: Any, ended: str) -> LlmFailure:
    refusal = getattr(message, "refusal", None)
    if refusal:
        return LlmFailure("refused", f"the model refuses: {str(refusal)[:_QUOTED]}")
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
    """The product of the tokens' probabilities, where the server tells them. The words by which a model
    thinks before it answers do not count: it could have said the same in many others.
    """
    tokens = getattr(getattr(choice, "logprobs", None), "content", None) or ()
    told: List[Tuple[str, float]] = [
        (str(getattr(token, "token", "")), float(token.logprob)) for token in tokens
        if isinstance(getattr(token, "logprob", None), (int, float))]
    if not told or len(told) != len(tokens):
        return None
    thought = _THOUGHT.search("".join(text for text, _ in told))
    begin, end = thought.span(1) if thought else (0, 0)
    total, at = 0.0, 0
    for text, logprob in told:
        if not begin <= at < end:
            total += logprob
        at += len(text)
    return math.exp(min(0.0, total))


def _count(usage: Any, name: str) -> int:
    """Tokens as they are told; nobody's budget grows by a number below 0, and no message holds any number."""
    told = getattr(usage, name, None)
    return min(_MOST_TOKENS, max(0, told)) if isinstance(told, int) else 0
