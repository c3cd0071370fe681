"""From the package's reply to what the workspace works with; servers leave out what the protocol promises."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

from hicrisp_core.llm.chat_model import Completion, LlmFailure

_QUOTED, _LONGEST_NAME = 2000, 80
"""Characters; a message is made shorter once its keys are taken out."""
_MOST_TOKENS = 10_000_000
FILTERED = "the endpoint's content filter withholds the answer; reword the task, or change the filter"


def read_reply(reply: Any) -> Union[Completion, LlmFailure]:
    """Read a chat completion.

    Args:
        reply: the client library's object, which servers fill in different ways.

    Returns:
        The answer, or why it is missing.
    """
    choices = getattr(reply, "choices", None)
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = getattr(choice, "message", None)
    content = getattr(message, "content", None)
    if choices != [] and (not hasattr(choice, "message") or
                          message is not None and not hasattr(message, "content")):
        return LlmFailure("server", f"the answer is no chat completion: {str(reply)[:_QUOTED]!r}")
    ended, said = getattr(choice, "finish_reason", ""), _text(content)
    text = without_thoughts(said)
    thought = _text(getattr(message, "reasoning_content", None) or getattr(message, "reasoning", None))
    if not text.strip() and ended != "length" and is_json(thought):
        text = thought  # vLLM's reasoning parsers put an answer there if the model did not think.
    if text.strip() and ended != "content_filter":
        return Completion(text, "".join(filter(str.isprintable, str(getattr(reply, "model", "")
                                                                    or "")))[:_LONGEST_NAME],
                          _count(reply, "prompt_tokens"), _count(reply, "completion_tokens"),
                          ended == "length", sure=_sure(choice))
    return _without_text(message, ended, bool(thought.strip() or said.strip()), _count(reply, "completion_tokens"))


def _text(content: Any) -> str:
    """The text of a message, also where it comes in parts; half a character, which nobody could write down,
    becomes a question mark.
    """
    if isinstance(content, list):
        content = "".join(each["text"] for each in content
                          if isinstance(each, dict) and isinstance(each.get("text"), str))
    return content.encode("utf-8", "replace").decode("utf-8") if isinstance(content, str) else ""


def _without_text(message: Any, ended: str, thought: bool, tokens: int) -> LlmFailure:
    refusal = getattr(message, "refusal", None)
    if refusal:
        return LlmFailure("refused", f"the model refuses: {str(refusal)[:_QUOTED]}")
    if ended == "content_filter":
        return LlmFailure("refused", FILTERED)
    tools = getattr(message, "tool_calls", None) or ()
    if tools:
        name = getattr(getattr(tools[0], "function", None), "name", "") or "?"
        return LlmFailure("tool_call",
                          f"the model calls a tool ('{str(name)[:40]}') in place of an answer in words, "
                                       "and it was offered none; name another model")
    if ended == "length":
        spent = f", after {tokens} tokens of reasoning" if thought and tokens else ""
        return LlmFailure("cut_off", f"the answer was cut off before its first word{spent}; raise max_tokens")
    if thought:
        return LlmFailure("empty", "the model only reasoned and answered nothing; set reasoning_effort lower, or "
                                   "name another model")
    return LlmFailure("empty", "the model answered nothing")


def _sure(choice: Any) -> Optional[float]:
    """The product of all tokens' probabilities; ``None`` if the server does not report them."""
    tokens = getattr(getattr(choice, "logprobs", None), "content", None) or ()
    told = [float(token.logprob) for token in tokens if isinstance(getattr(token, "logprob", None), (int, float))]
    if not told or len(told) != len(tokens):
        return None
    return math.exp(min(0.0, sum(told)))


def _count(reply: Any, name: str) -> int:
    """Tokens as they are told; nobody's budget grows by a number below 0, and no message holds any number."""
    told = getattr(getattr(reply, "usage", None), name, None)
    return min(_MOST_TOKENS, max(0, told)) if isinstance(told, int) else 0


_ANSWERS = frozenset((
    "action", "actions", "answer", "call", "calls", "code", "final", "function", "json", "output", "plan", "response",
    "result", "solution", "steps", "tool"))
"""Words in the names of marks that stand around an answer; any other closing mark ends a thought."""
_THINKING = "think|thought|reason|reflect|analy|scratch|inner|deliberat|ponder|musing|monolog"
"""Stems of names that need no closing mark to begin a thought."""
_STEM = re.compile(_THINKING, re.IGNORECASE)
_MARK = re.compile(r"[<\[◁][|｜]?(?P<closes>/?)(?P<name>[A-Za-z][\w:-]*)(?:\s[^<>\[\]]{0,80})?[|｜]?[>\]▷]")
_SPELT = (
    (re.compile(r"<\|channel\|>\s*(\w+)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>"
                r"(.*?)(?=<\|(?:end|return|call|start|channel)\|>|\Z)", re.DOTALL), r"<\1>\2</\1>"),
    (re.compile(r"<\|channel>\s*(\w+)(.*?)(?:<channel\|>|\Z)", re.DOTALL), r"<\1>\2</\1>"),
    (re.compile(rf"<\|(?:begin|start)(?:_of)?_(\w*(?:{_THINKING})\w*)\|>", re.IGNORECASE), r"<\1>"),
    (re.compile(rf"<\|end(?:_of)?_(\w*(?:{_THINKING})\w*)\|>", re.IGNORECASE), r"</\1>"),
    (re.compile(r"<\|(\w+)_prefix\|>"), r"<\1>"), (re.compile(r"<\|(\w+)_suffix\|>"), r"</\1>"),
)
"""Channels, and beginnings and ends in words, as the marks that they are."""


def without_thoughts(text: str) -> str:
    """Return the final answer in a model's text.

    What stands between two marks of a name is a thought unless the name says that it is an answer; a closing
    mark alone ends a thought that began with the text, since some templates hold the opening one. Where nothing
    else is left, only names that speak of thinking hold a thought. A text that is JSON as a whole has no marks.

    Args:
        text: the model's whole text.

    Returns:
        The answer without thoughts.
    """
    if is_json(text):
        return text
    for spelling, written in _SPELT:
        text = spelling.sub(written, text)
    thoughts: List[Tuple[int, int, bool]] = []
    opened: Dict[str, int] = {}
    for mark in _MARK.finditer(text):
        name = mark.group("name").lower()
        if not _STEM.search(name) and not _ANSWERS.isdisjoint(re.split(r"[_:-]", name)):
            continue
        if not mark.group("closes"):
            opened.setdefault(name, mark.start())
            continue
        begins = opened.pop(name, 0)
        thoughts.append((begins, mark.end(), bool(_STEM.search(name))))
        opened = {other: at for other, at in opened.items() if at < begins}
    thoughts += [(at, len(text), True) for name, at in opened.items() if _STEM.search(name)]
    return _cut(text, thoughts) or _cut(text, [each for each in thoughts if each[2]])


def _cut(text: str, thoughts: Iterable[Tuple[int, int, bool]]) -> str:
    said, at = "", 0
    for begins, ends, _ in sorted(thoughts):
        said, at = f"{said} {text[at:begins]}", max(at, ends)
    return (said + text[at:]).strip() if at else text


def is_json(text: str) -> bool:
    """Check whether a text is an object or a list of JSON as a whole.

    Args:
        text: any text.

    Returns:
        Whether it parses as a whole.
    """
    try:
        return isinstance(json.loads(text), (dict, list))
    except (ValueError, RecursionError):
        return False
