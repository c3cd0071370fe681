"""One client for OpenAI, Azure, Claude's and Gemini's compatible endpoints, vLLM, Ollama, llama.cpp, LM Studio:
deadline, bounded retries with jitter, Retry-After.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from dataclasses import replace
from functools import partial
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import openai

from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.bounded_http import BoundedHttp, Unreadable, trusted
from hicrisp_core.llm.chat_model import Capabilities, ChatModel, Completion, LlmFailure, Message, RequestAttempt
from hicrisp_core.llm.dialect import LEAST_TOKENS, QUESTION, SEED, Dialect, model_name, models_in, probe
from hicrisp_core.llm.failures import MAY_PASS, Failures, retry_after
from hicrisp_core.llm.images import as_parts, images_in, misfit
from hicrisp_core.llm.reply import read_reply
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.time import BoundedCalls, Deadline, Overdue


class LlmBudget:
    """Counts calls and tokens of a client; the budgets of single tasks are the executive's.

    Args:
        calls: requests that may be sent; 0 for no bound.
        tokens: tokens of prompts and answers together; 0 for no bound.
    """

    def __init__(self, calls: int = 0, tokens: int = 0) -> None:
        if calls < 0 or tokens < 0:
            raise ValueError(f"a budget needs at least 0 calls and tokens, got {calls} and {tokens}")
        self._limits = (calls, tokens)
        self._used = (0, 0)
        self._lock = threading.Lock()

    def add(self, answer: Union[Completion, LlmFailure]) -> None:
        """Add the cost of an answer or a failure.

        Args:
            answer: the reply with its calls and tokens.
        """
        tokens = answer.prompt_tokens + answer.completion_tokens if isinstance(answer, Completion) else 0
        with self._lock:
            self._used = (self._used[0] + answer.calls, self._used[1] + tokens)

    @property
    def calls_left(self) -> float:
        """Requests that may still be sent; infinite where there is no bound."""
        return self._limits[0] - self._used[0] if self._limits[0] else float("inf")

    @property
    def exhausted(self) -> str:
        """Which bound is reached, as a sentence; empty while all last."""
        for used, limit, what in zip(self._used, self._limits, ("calls", "tokens")):
            if limit and used >= limit:
                return f"the budget of {limit} {what} of this language model is used up ({used})"
        return ""


log = logging.getLogger(__name__)

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 20.0
_NO_KEY = "not-needed"
_MAY_ADAPT = ("request", "context")
"""Failures that another form of the request may not meet."""
_MOST_REQUESTS = 8
"""Requests that may be under way at once, with those that nobody waits for any more."""
_LISTING = 5.0
"""Seconds for the endpoint's list of models, asked for where it does not know the one that is wanted."""
_SHOWN = 8
"""Models that a message names."""


class ChatClient(ChatModel):
    """Asks one model behind an endpoint that speaks chat completions.

    Args:
        sleep: how pauses are made; tests give their own.
        seed: of the jitter.

    Raises:
        ConfigError: for a key file that others can read, or a variable of ``base_url`` that is not set.
    """

    def __init__(
        self, settings: LlmSettings, sleep: Callable[[float], None] = time.sleep, seed: Optional[int] = None
    ) -> None:
        if settings.unset:
            raise ConfigError(f"{settings.name}: the environment variable {settings.unset[0]} is not set, "
                              f"and base_url or model needs it; run: export {settings.unset[0]}=...")
        self._settings = settings
        self._sleep = sleep
        self._jitter = random.Random(seed)
        self._key = settings.api_key()
        self._failures = Failures(settings, self._key)
        self._dialect = Dialect(settings.response_format)
        self._budget = LlmBudget(settings.budget_calls, settings.budget_tokens)
        self._client: Optional[openai.OpenAI] = None
        self._calls = BoundedCalls("the language model", _MOST_REQUESTS)
        self._probing = threading.Lock()

    @property
    def name(self) -> str:
        """The backend and the model, for plans and reports."""
        return f"openai:{self._settings.model_name}"

    @property
    def secrets(self) -> Tuple[str, ...]:
        """The key."""
        return (self._key,) if self._key else ()

    def complete(
        self, messages: Sequence[Message], deadline: Deadline, schema: Optional[Mapping[str, Any]] = None
    ) -> Union[Completion, LlmFailure]:
        """Ask the endpoint, with retries.

        Args:
            messages: the conversation, oldest first.
            deadline: wall-clock limit of the call.
            schema: JSON schema of the answer; sent if the server supports it.

        Returns:
            The answer, or why there is none.
        """
        no_key, wrong = self._failures.no_key(), misfit(messages)
        if wrong:
            return LlmFailure("request", wrong, 0)
        if self._budget.exhausted:
            return LlmFailure("budget", self._budget.exhausted, 0)
        if no_key is not None:
            return no_key
        if self._probing.acquire(timeout=deadline.remaining):  # What the endpoint takes is about to be known.
            self._probing.release()
        answer = self._with_retries(self._request(messages), schema, deadline, self._settings.retries)
        self._budget.add(answer)
        if isinstance(answer, LlmFailure) and answer.kind == "request" and images_in(messages):
            return replace(answer, message=f"{answer.message}; where a model takes no pictures, 'roles: {{vision: "
                                           "...}' of its file names one that does")
        return answer

    def _request(self, messages: Sequence[Message]) -> Dict[str, Any]:
        settings = self._settings
        optional = {
            "temperature": settings.temperature, "seed": settings.seed,
            "reasoning_effort": settings.reasoning_effort or None,
            "extra_body": dict(settings.extra_body) or None, "logprobs": settings.ask_below > 0.0 or None}
        return {"model": settings.model_name, "messages": [dict(message) for message in messages],
                "max_tokens": settings.max_tokens,
                **{key: value for key, value in optional.items() if value is not None}}

    def probe(self, deadline: Deadline) -> Optional[Capabilities]:
        """Find out what the endpoint supports, with one small question or a few.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            Forms of answers, seed and context length; with ``failure`` if it does not answer.
        """
        settings = self._settings
        no_key = self._failures.no_key()
        found = Capabilities(self.name, self._failures.clean(settings.url or "OpenAI"), failure=no_key)
        if no_key is not None:
            return found

        def ask(with_seed: bool, schema: Mapping[str, Any], limit: Deadline) -> Union[Completion, LlmFailure]:
            request = {"seed": SEED, **self._request(QUESTION),
                       "max_tokens": max(LEAST_TOKENS, settings.max_tokens)}
            if not with_seed:
                del request["seed"]
            return self._with_retries(request, schema, limit, most=0)

        with self._probing:
            return probe(found, settings.model_name, self._dialect, ask, self.get, deadline)

    def get(self, path: str, deadline: Deadline) -> Any:
        """What the endpoint answers to a GET as JSON; ``None`` where it has no such page.

        Args:
            path: below the base URL, or from the server's root where it begins with a slash.
        """
        def fetched() -> Any:
            client = self._package().with_options(timeout=deadline.remaining)
            return client.get(str(client.base_url.copy_with(path=path)) if path.startswith("/") else path,
                              cast_to=object)
        try:
            return self._calls.call(fetched, deadline)
        except (openai.OpenAIError, Unreadable, Overdue, ValueError, RecursionError):
            return None

    def _with_retries(
        self, request: Mapping[str, Any], schema: Optional[Mapping[str, Any]], deadline: Deadline, most: int
    ) -> Union[Completion, LlmFailure]:
        began = time.monotonic()
        failure = LlmFailure("timeout", "the deadline had passed before the model was asked", 0)
        before: List[RequestAttempt] = []
        retries = 0
        self._dialect.begin()
        while not deadline.passed and len(before) < self._budget.calls_left:
            pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** retries) * self._jitter.uniform(0.5, 1.0)
            try:
                fitted, limit = self._dialect.fitted(request, schema), min(self._settings.timeout_s, deadline.remaining)
                fitted["messages"] = [as_parts(message) for message in fitted["messages"]]
                asked = partial(self._package().chat.completions.create, **fitted, timeout=max(0.05, limit))
                found = self._failures.shown(read_reply(self._calls.call(asked, Deadline(max(0.05, limit)))))
                self._dialect.worked()
                return self._ended(found, before, began)
            except (openai.OpenAIError, Unreadable, Overdue, ValueError, RecursionError) as error:
                seconds = time.monotonic() - began
                failure = self._failures.of(error, seconds)
                if failure.kind in _MAY_ADAPT and isinstance(error, openai.APIStatusError) and \
                        self._dialect.adapt(error, request, schema):
                    log.info("%s; asking in another form", failure.message)
                    before.append(RequestAttempt("form", failure.message, seconds))
                    continue
                pause = max(pause, retry_after(error))
            retries += 1
            if failure.kind not in MAY_PASS or retries > most or pause >= deadline.remaining:
                return self._ended(self._explained(failure, deadline), before, began)
            before.append(RequestAttempt(failure.kind, failure.message, seconds))
            log.warning("%s; asking again in %.1f s (retry %d of %d)", failure.message, pause, retries,
                        most)
            self._sleep(pause)
        return replace(failure, calls=len(before), before=tuple(before[:-1]))

    @staticmethod
    def _ended(
        found: Union[Completion, LlmFailure], before: Sequence[RequestAttempt], began: float
    ) -> Union[Completion, LlmFailure]:
        return replace(found, calls=len(before) + 1, before=tuple(before),
                       seconds=time.monotonic() - began)

    def _explained(self, failure: LlmFailure, deadline: Deadline) -> LlmFailure:
        """An unknown model with the ones that there are."""
        if failure.kind != "model":
            return failure
        known = self.models(Deadline(min(_LISTING, deadline.remaining)))
        if not known:
            return replace(failure, message=f"{failure.message}; check base_url, which often ends in '/v1'")
        more = ", ..." if len(known) > _SHOWN else ""
        return replace(failure, message=f"{failure.message}; it has: {', '.join(known[:_SHOWN])}{more}")

    def models(self, deadline: Deadline) -> List[str]:
        """List the endpoint's models.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            Names; empty if it has no list.
        """
        return [self._failures.clean(model_name(each)) for each in models_in(self.get("models", deadline))
                if model_name(each)]

    def _package(self) -> openai.OpenAI:
        if self._client is None:
            settings = self._settings
            self._client = openai.OpenAI(
                api_key=self._key or _NO_KEY, base_url=settings.url or None, max_retries=0,
                default_headers={"Accept-Encoding": "identity"}, default_query=dict(settings.query),
                http_client=BoundedHttp(verify=trusted(), event_hooks={"request": [self._keyed]}))
        return self._client

    def _keyed(self, request: Any) -> None:
        """Put the key where this endpoint wants it, and send none where there is none."""
        if self._settings.key_header or not self._key:
            del request.headers["Authorization"]
        if self._settings.key_header and self._key:
            request.headers[self._settings.key_header] = self._key
