"""One client for OpenAI, Azure, vLLM, Ollama, llama.cpp: deadline, bounded retries with jitter, Retry-After."""

from __future__ import annotations

import logging
import random
import time
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Union

import openai

from hicrisp_core.llm.exchange import Completion, LlmFailure, Message, Recorder, Replayer, redacted
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.robot.deadline import Deadline

log = logging.getLogger(__name__)

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 20.0
_FORMATS = ("json_schema", "json_object", "none")
_NO_KEY = "not-needed"


class ChatClient:
    """Asks one model.

    Args:
        sleep: how pauses are made; tests give their own.
        seed: of the jitter.
    """

    def __init__(
        self, settings: LlmSettings, sleep: Callable[[float], None] = time.sleep, seed: Optional[int] = None
    ) -> None:
        self._settings = settings
        self._sleep = sleep
        self._jitter = random.Random(seed)
        self._replayer = Replayer(settings.replay) if settings.replay else None
        self._recorder = Recorder(settings.record) if settings.record else None
        self._format = "json_schema" if settings.response_format == "auto" else settings.response_format
        self._client: Optional[openai.OpenAI] = None

    @property
    def name(self) -> str:
        """The backend and the model, for plans and reports."""
        return f"openai:{self._settings.model}"

    def complete(
        self, messages: Sequence[Message], deadline: Deadline, schema: Optional[Mapping[str, Any]] = None
    ) -> Union[Completion, LlmFailure]:
        """Ask, at most until the deadline.

        Args:
            schema: a JSON schema that the answer should follow, where the server supports it.
        """
        request: Dict[str, Any] = {
            "model": self._settings.model, "messages": [dict(message) for message in messages],
            "temperature": self._settings.temperature, "max_tokens": self._settings.max_tokens}
        if self._replayer is not None:
            return self._replayer.answer(request)
        began = time.monotonic()
        answer = self._with_retries(request, schema, deadline, began)
        if isinstance(answer, Completion) and self._recorder is not None:
            self._recorder.add(request, answer)
        return answer

    def _with_retries(
        self, request: Mapping[str, Any], schema: Optional[Mapping[str, Any]], deadline: Deadline, began: float
    ) -> Union[Completion, LlmFailure]:
        failure = LlmFailure("timeout", "the deadline had passed before the model was asked", 0)
        calls, retries = 0, 0
        while not deadline.passed:
            calls += 1
            pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** retries) * self._jitter.uniform(0.5, 1.0)
            try:
                return self._once(request, schema, deadline, began, calls)
            except openai.BadRequestError as error:
                if self._step_down(schema):
                    continue
                return LlmFailure("request", redacted(f"the server refuses the request: {error}"), calls)
            except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
                return LlmFailure("unauthorised", f"the endpoint refuses the key (HTTP {error.status_code}); set "
                                  f"{self._settings.api_key_env} or api_key_file", calls)
            except openai.RateLimitError as error:
                failure = LlmFailure("rate_limit", "the endpoint's rate limit is reached", calls)
                pause = max(pause, _retry_after(error))
            except openai.APIStatusError as error:
                failure = LlmFailure("server", f"the endpoint answers HTTP {error.status_code}", calls)
                if error.status_code < 500:
                    return failure
                pause = max(pause, _retry_after(error))
            except openai.APITimeoutError:
                failure = LlmFailure("timeout", f"no answer within {self._settings.timeout_s:g} s", calls)
            except openai.APIConnectionError as error:
                failure = LlmFailure("connection", f"the endpoint {self._settings.url or 'of OpenAI'} cannot be "
                                     f"reached: {error.__cause__ or error}", calls)
            except (openai.OpenAIError, ValueError) as error:
                return LlmFailure("server", redacted(f"the answer cannot be read: {error}"), calls)
            retries += 1
            if retries > self._settings.retries or pause >= deadline.remaining:
                return failure
            log.info("%s; next attempt in %.1f s", failure.message, pause)
            self._sleep(pause)
        return failure

    def _once(
        self, request: Mapping[str, Any], schema: Optional[Mapping[str, Any]], deadline: Deadline, began: float,
        calls: int,
    ) -> Union[Completion, LlmFailure]:
        extra = self._response_format(schema)
        seconds = max(0.05, min(self._settings.timeout_s, deadline.remaining))
        answer = self._connected().chat.completions.create(**request, **extra, timeout=seconds)
        choices = getattr(answer, "choices", None) or []
        text = choices[0].message.content if choices and choices[0].message else None
        if not text or not text.strip():
            return LlmFailure("empty", "the model answered nothing", calls)
        usage = answer.usage
        return Completion(
            text, str(answer.model or ""), usage.prompt_tokens if usage else 0, usage.completion_tokens if usage else 0,
            choices[0].finish_reason == "length", time.monotonic() - began, calls)

    def _connected(self) -> openai.OpenAI:
        if self._client is None:
            self._client = openai.OpenAI(
                api_key=self._settings.api_key() or _NO_KEY, base_url=self._settings.url or None, max_retries=0)
        return self._client

    def _response_format(self, schema: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
        if schema is None or self._format == "none":
            return {}
        if self._format == "json_object":
            return {"response_format": {"type": "json_object"}}
        return {"response_format": {"type": "json_schema",
                                    "json_schema": {"name": "plan", "schema": dict(schema), "strict": False}}}

    def _step_down(self, schema: Optional[Mapping[str, Any]]) -> bool:
        """After a refused request: the next plainer format, remembered; False when there is none."""
        if self._settings.response_format != "auto" or schema is None or self._format == "none":
            return False
        self._format = _FORMATS[_FORMATS.index(self._format) + 1]
        log.info("the endpoint refuses the response format; trying %s", self._format)
        return True


def _retry_after(error: openai.APIStatusError) -> float:
    """The seconds that the server asks to wait; 0 where it does not say."""
    try:
        return max(0.0, float(error.response.headers.get("retry-after", "0")))
    except ValueError:
        return 0.0
