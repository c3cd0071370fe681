"""What an endpoint takes: the form of a schema and the names of parameters; found out from its refusals."""

from __future__ import annotations

import json
import logging
import re
import time
from dataclasses import replace
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Set, Tuple, Union

import openai

from hicrisp_core.llm.chat_model import Capabilities, Completion, LlmFailure, Message
from hicrisp_core.llm.failures import is_final, is_overflow, said_in
from hicrisp_core.time.deadline import Deadline

log = logging.getLogger(__name__)

SCHEMA, OBJECT, TEXT = "json_schema", "json_object", "none"
"""Response formats, the strictest first."""
_FORMS = ((SCHEMA, True), (SCHEMA, False), (OBJECT, False), (TEXT, False))
"""The forms of a request with a schema: the response format, and whether it is strict."""
_OPTIONAL = {
    "temperature": "temperature", "seed": "seed", "logprobs": "logprobs",
    "reasoning_effort": "reasoning_effort|think value|support thinking",
    "max_tokens": "max_tokens|max_completion_tokens",
}
"""Parameters that a request can do without, by the words in which servers refuse them; Ollama's are its own."""
_RENAMED = "max_completion_tokens"
"""The name of ``max_tokens`` for models that reason."""
_NO_ROOM = re.compile(r"max_tokens|output tokens|in the completion")
"""A prompt would fit if less room were asked for the answer (vLLM)."""
_SYSTEM = "system role"
_NO_SYSTEM = re.compile(r"system\W+(?:\w+\W+){0,3}(?:role|message|prompt|instruction)|developer instruction|"
                        r"role\W+(?:\w+\W+){0,4}system|only user and assistant|roles must alternate", re.IGNORECASE)
"""In the words of vLLM, Gemini and the templates of models."""
_BOUNDS = ("minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum",
           "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems")
_SHAPES = ("additionalProperties", "const", "enum", "anyOf")
"""Keywords that are given up only if a refusal names no bound."""
_PLACE = re.compile(r"\([^()]*\)|\bat '[^']*'")
"""Where in a schema the refused keyword stands; the keywords on the way to it are not the refused ones."""


class Dialect:
    """Fits requests to one endpoint and remembers what it takes once a fitted request was answered.

    A schema that strict mode takes and one that it cannot take are followed separately: the second is sent
    without ``strict``, and its refusal says nothing about the first.

    Args:
        response_format: ``auto`` begins with a JSON schema and steps down; any other is kept.
    """

    def __init__(self, response_format: str) -> None:
        self._auto = response_format == "auto"
        first = 0 if self._auto else [form for form, _ in _FORMS].index(response_format)
        self._form = {True: first, False: max(1, first)}
        """The form that is used for a schema, by whether strict mode takes it."""
        self._tried = dict(self._form)
        self._left_out: Dict[str, str] = {}
        """Parameters that the endpoint does not take, with the name that it takes instead (or none)."""
        self._keywords: Set[str] = set()
        """Keywords of a schema that it does not take."""

    @property
    def format(self) -> str:
        """The response format that is used."""
        return _FORMS[self._form[True]][0]

    @property
    def strict(self) -> bool:
        """Whether a schema is sent in strict mode."""
        return _FORMS[self._form[True]][1]

    @property
    def fixed(self) -> bool:
        """Whether the settings say the format, so that no other is tried."""
        return not self._auto

    @property
    def refused(self) -> Tuple[str, ...]:
        """Parameters and schema keywords that the endpoint refused."""
        return (*self._left_out, *sorted(self._keywords))

    def takes(self, parameter: str) -> bool:
        """Check whether the endpoint accepts a parameter.

        Args:
            parameter: its name in the request.

        Returns:
            False after a request was refused because of it.
        """
        return parameter not in self._left_out

    def begin(self) -> None:
        """A new question: forget what was tried without success."""
        self._tried = dict(self._form)

    def fitted(self, request: Mapping[str, Any], schema: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
        """Write a request as the endpoint accepts it.

        Args:
            request: parameters of the chat completion.
            schema: JSON schema of the answer, if one is required.

        Returns:
            The parameters to send.
        """
        renamed = {self._left_out.get(key, key): value for key, value in request.items()}
        renamed.pop("", None)
        if not self.takes(_SYSTEM):  # The rules go to the beginning of the user's first message.
            rules = "\n\n".join(each["content"] for each in renamed["messages"] if each["role"] == "system")
            others = [each for each in renamed["messages"] if each["role"] != "system"]
            if others and rules:
                others[0] = {**others[0], "content": f"{rules}\n\n{others[0]['content']}"}
            renamed["messages"] = others
        if schema is None:
            return renamed
        plain = _without(schema, self._keywords)
        form, strict = _FORMS[self._tried[is_strict(plain)]]
        if form == TEXT:
            return renamed
        if form == OBJECT:
            return {**renamed, "response_format": {"type": OBJECT}}
        return {**renamed, "response_format": {
            "type": SCHEMA, "json_schema": {
                "name": "answer", "schema": plain or {"type": "object"}, "strict": strict}}}

    def worked(self) -> None:
        """The endpoint answered: keep the form that was tried."""
        for ready, at in self._tried.items():
            if at != self._form[ready]:
                form, strict = _FORMS[at]
                log.info("the endpoint takes the response format '%s'%s", form,
                         ", not strict" if form == SCHEMA and not strict else "")
        self._form = {True: self._tried[True], False: max(self._tried.values())}

    def ignores(self) -> bool:
        """The endpoint took a format and did not follow it: use the next one, where it may be chosen.

        Returns:
            whether there is a next one.
        """
        self.begin()
        ignored = self.format
        while self._auto and self.format == ignored != TEXT:
            self._form[True] += 1
        self._form[False] = max(self._form.values())
        self.begin()
        return self.format != ignored

    def adapt(
        self, error: openai.APIStatusError, request: Mapping[str, Any], schema: Optional[Mapping[str, Any]]
    ) -> bool:
        """Learn from a refused request.

        Args:
            error: the refusal.
            request: the parameters that were sent.
            schema: JSON schema of the answer, if one is required.

        Returns:
            Whether another form of the request is worth a try.
        """
        said = f"{error.param or ''} {said_in(error.body) or error}"
        if is_overflow(error):
            return bool(_NO_ROOM.search(said)) and self._leave_out("max_tokens", request)
        if is_final(error):
            return False
        if _RENAMED in said and "max_tokens" in request and self.takes("max_tokens"):
            self._left_out["max_tokens"] = _RENAMED
            return True
        if _NO_SYSTEM.search(said) and self.takes(_SYSTEM) and any(
                each["role"] == "system" for each in request.get("messages", ())):
            log.info("the endpoint takes no system role; the rules go into the first message of the user")
            self._left_out[_SYSTEM] = ""
            return True
        places = {name: re.search(rf"\b(?:{words})\b", said, re.IGNORECASE) for name, words in _OPTIONAL.items()}
        named = sorted((found.start(), name) for name, found in places.items() if found)
        if any(self._leave_out(name, request) for _, name in named):  # The first one is meant, if it is sent.
            return True
        if schema is None:
            return False
        if self._drop_keywords(said, schema):
            return True
        ready = is_strict(_without(schema, self._keywords))
        at = self._tried[ready]
        if at + 1 == len(_FORMS) or not self._auto and _FORMS[at + 1][0] != _FORMS[at][0]:
            return False
        self._tried[ready] = at + 1
        return True

    def _leave_out(self, name: str, request: Mapping[str, Any]) -> bool:
        if name not in request or self._left_out.get(name) == "":
            return False
        log.info("the endpoint does not take '%s'; it is left out", name)
        self._left_out[name] = ""
        return True

    def _drop_keywords(self, said: str, schema: Mapping[str, Any]) -> bool:
        """Give up the keywords of the schema that a refusal names."""
        plain = _without(schema, self._keywords)
        if _FORMS[self._tried[is_strict(plain)]][0] != SCHEMA:
            return False
        words = {word.replace("_", "").lower() for word in re.findall(r"\w+", _PLACE.sub(" ", said))}
        named: List[str] = [each for each in (*_BOUNDS, *_SHAPES)
                            if each.lower() in words and _without(plain, {each}) != plain]
        dropped = [each for each in named if each in _BOUNDS] or named[:1]
        if dropped:
            log.info("the endpoint takes no '%s' in a schema; it is left out", "', '".join(dropped))
        self._keywords.update(dropped)
        return bool(dropped)


def is_strict(schema: Mapping[str, Any]) -> bool:
    """Check whether strict mode takes a schema: its root is an object, and every object requires all its keys
    and allows no others.

    Args:
        schema: a JSON schema.

    Returns:
        Whether it can be sent with ``strict``.
    """
    return schema.get("type") == "object" and "anyOf" not in schema and _is_closed(schema)


def _is_closed(part: Any) -> bool:
    if isinstance(part, (list, tuple)):
        return all(map(_is_closed, part))
    if not isinstance(part, Mapping):
        return True
    if part.get("type") == "object" and not (
            part.get("additionalProperties") is False
            and set(part.get("required", ())) == set(part.get("properties", ()))):
        return False
    return all(map(_is_closed, part.values()))


def _without(schema: Any, keywords: Set[str]) -> Any:
    """A schema without some keywords; the names of properties and definitions are no keywords."""
    if isinstance(schema, (list, tuple)):
        return [_without(each, keywords) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {key: {name: _without(each, keywords) for name, each in value.items()}
            if key in ("properties", "$defs") else _without(value, keywords)
            for key, value in schema.items() if key not in keywords}


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
"""What the endpoint answers to a GET as JSON; ``None`` where it has no such page."""


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
        entries = models_in(answer)
        if path == _PAGES[0] and entries:
            found = replace(found, listed=any(model_name(each) in names for each in entries))
        size = next(_sizes([each for each in entries if model_name(each) in names]
                           or (answer if path == _OWN else [])), 0)
        if size:
            return replace(found, context=size)
    return found


def models_in(answer: Any) -> List[Mapping[str, Any]]:
    """Return the models in an endpoint's answer; none where it is no list."""
    models = (answer.get("data") or answer.get("models")) if isinstance(answer, dict) else None
    return [each for each in models if isinstance(each, dict)] if isinstance(models, list) else []


def model_name(entry: Mapping[str, Any]) -> str:
    """Return the name of a listed model; empty where it has none."""
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
