"""One client for OpenAI, Azure, vLLM, Ollama, llama.cpp: deadline, bounded retries with jitter,
Retry-After.
"""

from __future__ import annotations

import logging
import random
import time
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Union

import openai

from hicrisp_core.llm.budget import LlmBudget
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.llm.dialect import Dialect
from hicrisp_core.llm.exchange import Completion, LlmFailure, Message, redacted
from hicrisp_core.llm.recording import Recorder, Replayer
from hicrisp_core.llm.reply import read_reply, retry_after, why_refused
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.time.bounded_call import BoundedCalls, Overdue
from hicrisp_core.time.deadline import Deadline

log = logging.getLogger(__name__)

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 20.0
_NO_KEY = "not-needed"
_MOST_REQUESTS = 8
"""Requests that may be under way at once, with those that nobody waits for any more."""
_MAY_PASS = (408, 409, 425)
"""HTTP refusals below 500 that a later attempt may not meet."""


class ChatClient(ChatModel):
    """Asks one model behind an endpoint that speaks chat completions.

    Args:
        sleep: how pauses are made; tests give their own.
        seed: of the jitter.

    Raises:
        ConfigError: for a key file that others can read, or a recording that cannot be read or written.
    """

    def __init__(
        self, settings: LlmSettings, sleep: Callable[[float], None] = time.sleep, seed: Optional[int] = None
    ) -> None:
        self._settings = settings
        self._sleep = sleep
        self._jitter = random.Random(seed)
        self._key = "" if settings.replay else settings.api_key()
        self._replayer = Replayer(settings.replay) if settings.replay else None
        self._recorder = Recorder(settings.record, self._key) if settings.record else None
        self._dialect = Dialect(settings.response_format)
        self._budget = LlmBudget(settings.budget_calls, settings.budget_tokens)
        self._client: Optional[openai.OpenAI] = None
        self._calls = BoundedCalls("the language model", _MOST_REQUESTS)

    @property
    def name(self) -> str:
        """The backend and the model, for plans and reports."""
        return f"openai:{self._settings.model_name}"

    def complete(
        self, messages: Sequence[Message], deadline: Deadline, schema: Optional[Mapping[str, Any]] = None
    ) -> Union[Completion, LlmFailure]:
        """Ask, at most until the deadline.

        Args:
            schema: a JSON schema that the answer should follow, where the server supports it.
        """
        request: Dict[str, Any] = {
            "model": self._settings.model_name, "messages": [dict(message) for message in messages],
            "temperature": self._settings.temperature, "max_tokens": self._settings.max_tokens}
        if self._settings.seed is not None:
            request["seed"] = self._settings.seed
        if self._replayer is not None:
            return self._replayer.answer(request)
        refused = self._may_ask()
        if refused is not None:
            return refused
        answer = self._with_retries(request, schema, deadline)
        self._budget.add(answer)
        if isinstance(answer, Completion) and self._recorder is not None:
            self._recorder.add(request, answer)
        return answer

    def _may_ask(self) -> Optional[LlmFailure]:
        if self._budget.exhausted:
            return LlmFailure("budget", self._budget.exhausted, 0)
        if not self._settings.url and not self._key:
            return LlmFailure("unauthorised",
                              f"OpenAI needs a key and none is configured; {self._key_mend()}", 0)
        return None

    def _with_retries(
        self, request: Mapping[str, Any], schema: Optional[Mapping[str, Any]], deadline: Deadline
    ) -> Union[Completion, LlmFailure]:
        began = time.monotonic()
        failure = LlmFailure("timeout", "the deadline had passed before the model was asked", 0)
        calls, retries = 0, 0
        self._dialect.begin()
        while not deadline.passed and calls < self._budget.calls_left:
            calls += 1
            pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** retries) * self._jitter.uniform(0.5, 1.0)
            try:
                reply = self._once(self._dialect.fitted(request, schema), deadline)
                self._dialect.worked()
                return read_reply(reply, time.monotonic() - began, calls)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if self._dialect.adapt(error, request, schema is not None):
                    continue
                return LlmFailure("request", self._clean(f"the server refuses the request: {error}"), calls)
            except openai.APIStatusError as error:
                failure = self._status(error, calls)
                if failure.kind not in ("rate_limit", "server"):
                    return failure
                pause = max(pause, retry_after(error))
            except (openai.APITimeoutError, Overdue):
                failure = LlmFailure("timeout", f"no answer within {time.monotonic() - began:.1f} s", calls)
            except openai.APIConnectionError as error:
                failure = LlmFailure("connection", self._clean(
                    f"the endpoint {self._settings.url or 'of OpenAI'} cannot be reached: "
                    f"{error.__cause__ or error}"),
                    calls)
            except (openai.OpenAIError, ValueError) as error:
                return LlmFailure("server", self._clean(f"the answer cannot be read: {error}"), calls)
            retries += 1
            if retries > self._settings.retries or pause >= deadline.remaining:
                return failure
            log.info("%s; next attempt in %.1f s", failure.message, pause)
            self._sleep(pause)
        return failure

    def _once(self, request: Dict[str, Any], deadline: Deadline) -> Any:
        """One request; the package's own timeout is for each read, so a trickling answer needs a limit
        around it.
        """
        seconds = max(0.05, min(self._settings.timeout_s, deadline.remaining))
        if self._client is None:
            self._client = openai.OpenAI(
                api_key=self._key or _NO_KEY, base_url=self._settings.url or None, max_retries=0)
        create = self._client.chat.completions.create
        return self._calls.call(lambda: create(**request, timeout=seconds), Deadline(seconds))

    def _status(self, error: openai.APIStatusError, calls: int) -> LlmFailure:
        """What an HTTP status other than 400 and 422 means; ``rate_limit`` and ``server`` may pass."""
        status, why = error.status_code, self._clean(why_refused(error))
        if status in (401, 403):
            mend = self._key_mend()
            return LlmFailure("unauthorised", f"the endpoint refuses the key (HTTP {status}); {mend}", calls)
        if status == 429 and getattr(error, "code", None) == "insufficient_quota":
            return LlmFailure("unauthorised", f"the account's quota is used up (HTTP 429){why}", calls)
        if status == 429:
            return LlmFailure("rate_limit", f"the endpoint's rate limit is reached (HTTP 429){why}", calls)
        if status >= 500 or status in _MAY_PASS:
            return LlmFailure("server", f"the endpoint answers HTTP {status}{why}", calls)
        return LlmFailure("request", f"the endpoint answers HTTP {status}{why}; is the model "
                                     f"'{self._settings.model_name}' there?", calls)

    def _key_mend(self) -> str:
        variable = self._settings.key_variable
        return f"set {variable} or api_key_file" if variable else \
            "name its variable as api_key_env (for example OPENAI_API_KEY) or give api_key_file"

    def _clean(self, text: str) -> str:
        return redacted(text, self._key)
