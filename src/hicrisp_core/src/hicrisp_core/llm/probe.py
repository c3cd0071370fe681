"""One small question at the start, and the endpoint's own lists: what it can, before a task depends on it."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any, Callable, Iterator, List, Mapping, Tuple, Union

from hicrisp_core.llm.capabilities import Capabilities
from hicrisp_core.llm.dialect import OBJECT, SCHEMA, TEXT, Dialect
from hicrisp_core.llm.exchange import Completion, LlmFailure, Message
from hicrisp_core.time.deadline import Deadline

QUESTION: Tuple[Message, ...] = ({"role": "user", "content": "Is ice cold? Answer as JSON."},)
"""The words don't tell the form of the schema, so that only a server that sees to it answers in it."""
ANSWERS = ("cold", "warm")
ANSWER_SCHEMA: Mapping[str, Any] = {
    "type": "object", "properties": {"verdict": {"type": "string", "enum": list(ANSWERS)}},
    "required": ["verdict"], "additionalProperties": False}
LEAST_TOKENS = 1024
"""Room for what a model thinks before it answers; a higher max_tokens of the settings goes before it."""
SEED = 1
"""Sent if the settings have none, to learn whether the endpoint takes one."""
_LISTS = 5.0
"""Seconds for all lists together."""
_OWN = "/props"
_PAGES = ("models", _OWN, "/api/v0/models", "/api/ps")
"""Lists of models: everybody's, llama.cpp's page on its one model, LM Studio's, Ollama's."""
_SIZES = ("max_model_len", "loaded_context_length", "context_length", "context_window", "max_context_length",
          "n_ctx", "meta", "default_generation_settings")
"""Where servers say their context, directly or below: vLLM, LM Studio, others, llama.cpp."""

Ask = Callable[[bool, Mapping[str, Any], Deadline], Union[Completion, LlmFailure]]
"""Sends one request in the form of the dialect: whether with a seed, the schema, the deadline."""
Get = Callable[[str, Deadline], Any]
"""What the endpoint answers to a GET as JSON; ``None`` where it has no such thing."""


def probe(
    found: Capabilities, model: str, dialect: Dialect, ask: Ask, get: Get, deadline: Deadline
) -> Capabilities:
    """Find out what an endpoint supports, and set the dialect to the strictest form that it follows.

    Args:
        found: name and address of the endpoint.
        model: the model's name.
        dialect: the form of requests; changed here.
        ask: sends a small question.
        get: sends a GET request.
        deadline: wall-clock limit of the call.

    Returns:
        Forms of answers, seed and context length; with ``failure`` if it does not answer.
    """
    began = time.monotonic()
    with_seed = True
    while True:
        said = ask(with_seed, ANSWER_SCHEMA, deadline)
        if isinstance(said, LlmFailure):
            if said.kind == "request" and with_seed:
                with_seed = False
                continue
            return replace(found, failure=said, seconds=time.monotonic() - began)
        found, kept = _judged(found, dialect.format, said.text)
        if kept or not dialect.ignores():
            break
    if not dialect.fixed:  # A form that was given up was refused or ignored.
        found = replace(found, schema=dialect.format == SCHEMA, object=dialect.format != TEXT)
    found = replace(found, strict=dialect.strict, seed=with_seed and dialect.takes("seed"),
                    refused=tuple(each for each in dialect.refused if each != "seed"))
    return replace(_from_lists(found, model, get, deadline), seconds=time.monotonic() - began)


def _judged(found: Capabilities, form: str, text: str) -> Tuple[Capabilities, bool]:
    """What an answer in a form says of the endpoint, and whether the form was kept."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if form == SCHEMA:
        kept = isinstance(value, dict) and list(value) == ["verdict"] and value["verdict"] in ANSWERS
        return replace(found, schema=kept, object=True if kept else None), kept
    if form == OBJECT:
        kept = isinstance(value, dict)
        return replace(found, object=kept), kept
    return found, True


def _from_lists(found: Capabilities, model: str, get: Get, deadline: Deadline) -> Capabilities:
    limit = Deadline(min(_LISTS, deadline.remaining))
    names = (model, f"{model}:latest")  # Ollama's lists have a model's tag.
    for path in _PAGES:
        answer = get(path, limit)
        entries = _entries(answer)
        if path == _PAGES[0] and entries:
            found = replace(found, listed=any(_name(each) in names for each in entries))
        size = next(_sizes([each for each in entries if _name(each) in names]
                           or (answer if path == _OWN else [])), 0)
        if size:
            return replace(found, context=size)
    return found


def _entries(answer: Any) -> List[Mapping[str, Any]]:
    listed = (answer.get("data") or answer.get("models")) if isinstance(answer, dict) else None
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _name(entry: Mapping[str, Any]) -> str:
    return str(entry.get("id") or entry.get("name") or "")


def _sizes(value: Any) -> Iterator[int]:
    """The numbers of tokens that stand under the keys of a context, the surest first."""
    for each in value if isinstance(value, list) else [value]:
        for key in _SIZES if isinstance(each, dict) else ():
            inner = each.get(key)
            if isinstance(inner, dict):
                yield from _sizes(inner)
            elif isinstance(inner, int) and inner > 0 and not isinstance(inner, bool):
                yield inner
