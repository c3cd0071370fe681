"""The language models of a run: the kinds of backends, and one model a role, with its memory and its record."""

from __future__ import annotations

import logging
from collections import OrderedDict
from copy import copy
from dataclasses import dataclass, field, replace
from threading import Lock, Thread
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import extensions
from hicrisp_core.llm.chat_model import (
    Capabilities,
    ChatModel,
    Completion,
    LlmFailure,
    Message,
    fingerprint,
    schema_hash,
)
from hicrisp_core.llm.images import for_record
from hicrisp_core.llm.redaction import redacted, redacted_values
from hicrisp_core.llm.replay import ReplayModel
from hicrisp_core.llm.settings import BRAIN, LlmSettings
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.exchange import Exchange
from hicrisp_core.trace.exchanges import ExchangeFile

log = logging.getLogger(__name__)

PROBE_LIMIT = 60.0
"""Wall seconds that a probe takes at most; a model that thinks before it answers needs most of them."""


@dataclass(frozen=True)
class Backend:
    """A kind of backend.

    Args:
        make: makes the model from its settings; ConfigError where they do not do, ImportError where a package
            is missing.
        ready: whether the settings name something that can be asked.
        options: what its files may say under ``options``, with the defaults, whose types are checked.
    """

    make: Callable[[LlmSettings], ChatModel]
    ready: Callable[[LlmSettings], bool] = lambda settings: True
    options: Mapping[str, Any] = field(default_factory=dict)


def can_be_asked(settings: LlmSettings) -> bool:
    """Check whether settings name a model that can answer here; the offline planner is none.

    Args:
        settings: a file of ``config/llm``.

    Returns:
        Whether the backend is ready.
    """
    if settings.offline:
        return False
    backend: Backend = extensions().backends.get(settings.backend)
    return backend.ready(settings)


def _openai(settings: LlmSettings) -> ChatModel:
    from hicrisp_core.llm.client import ChatClient  # the openai package is needed only here

    return ChatClient(settings)


OPENAI = Backend(_openai, lambda settings: bool(settings.url or settings.replay or settings.api_key()))


class RoleModel(ChatModel):
    """A model with a role, whatever backend it has.

    Args:
        model: answers; several roles may share one.
        memory: answers that are given again to the very same question; ``None`` to ask each time.
        secrets: texts that reach no record.
        plans: whether the run's brain asks a model, for the record.

    Raises:
        ConfigError: when the file that the settings record to cannot be written.
    """

    def __init__(
        self, model: ChatModel, role: str, settings: LlmSettings, memory: Optional["AnswerCache"] = None,
        secrets: Sequence[str] = (), plans: bool = True,
    ) -> None:
        self._model = model
        self._role = role
        self._settings = settings
        self._plans = plans
        self._memory = memory
        self._recalls = True
        self._secrets = tuple(secrets)
        self._file = ExchangeFile(settings.record) if settings.record else None
        if self._file is not None:
            try:
                self._file.open()
            except OSError as error:
                raise ConfigError(f"cannot record to {settings.record}: {error.strerror}") from error

    @property
    def name(self) -> str:
        """The backend and the model, for plans and reports."""
        return self._model.name

    def afresh(self) -> "RoleModel":
        """The same, asking each time; what it answers is kept in place of the earlier answer."""
        again = copy(self)
        again._recalls = False
        return again

    def complete(
        self, messages: Sequence[Message], deadline: Deadline, schema: Optional[Mapping[str, Any]] = None
    ) -> Union[Completion, LlmFailure]:
        """Ask, or repeat a remembered answer; the reply carries its record for the run."""
        question = _question(messages, schema)
        known = self._memory.get(question) if self._memory is not None and self._recalls else None
        if known is not None:
            said: Union[Completion, LlmFailure] = replace(
                known, prompt_tokens=0, completion_tokens=0, seconds=0.0, calls=0, before=())
        else:
            said = self._model.complete(messages, deadline, schema)
            if self._memory is not None and isinstance(said, Completion) and not said.cut_off:
                self._memory.put(question, said)
        if isinstance(said, LlmFailure):  # For people; the text of an answer is for the program, as it is.
            said = replace(said, message=redacted(said.message, *self._secrets))
        said = replace(said, exchanges=self._noted(messages, schema, said))
        if self._file is not None:
            try:
                for exchange in said.exchanges:
                    self._file.add(exchange.as_dict())
            except OSError as error:  # A full disk costs the recording, never the answer.
                log.error("an exchange could not be recorded: %s", error)
        return said

    def forget(self, messages: Sequence[Message], schema: Optional[Mapping[str, Any]] = None) -> bool:
        """Drop the answer to a question from the memory.

        Args:
            messages: the conversation, oldest first.
            schema: JSON schema of the answer, if one was required.

        Returns:
            Whether it was remembered.
        """
        return self._memory is not None and self._memory.forget(_question(messages, schema))

    def _noted(
        self, messages: Sequence[Message], schema: Optional[Mapping[str, Any]],
        said: Union[Completion, LlmFailure]
    ) -> Tuple[Exchange, ...]:
        """One exchange for each request, without secrets; the last one is what the question came to."""
        same = Exchange(role=self._role, model=self.name, schema=schema_hash(schema),
                        messages=tuple(redacted_values([for_record(each) for each in messages], *self._secrets)),
                        only_goals=self._settings.only_goals, ask_below=self._settings.ask_below,
                        plans=self._plans)
        before = [replace(same, attempt=number, failure=each.kind, error=each.message, seconds=each.seconds)
                  for number, each in enumerate(said.before, start=1)]
        last = replace(same, attempt=said.calls, seconds=said.seconds)
        if isinstance(said, LlmFailure):
            last = replace(last, failure=said.kind, error=said.message)
        else:
            last = replace(last, answer=redacted(said.text, *self._secrets), note=said.note, answered_by=said.model,
                           prompt_tokens=said.prompt_tokens, completion_tokens=said.completion_tokens,
                           cut_off=said.cut_off, cached=said.calls == 0,
                           sure=-1.0 if said.sure is None else said.sure)
        return (*before, last)


def _question(messages: Sequence[Message], schema: Optional[Mapping[str, Any]]) -> str:
    return fingerprint([list(map(dict, messages)), schema])


class AnswerCache:
    """The latest answers, by question.

    Args:
        most: answers that are kept; the one that was not asked for longest goes first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._answers: "OrderedDict[str, Completion]" = OrderedDict()
        self._lock = Lock()

    def get(self, question: str) -> Optional[Completion]:
        """Look up an answer.

        Args:
            question: fingerprint of messages and schema.

        Returns:
            The answer; ``None`` if it is not kept.
        """
        with self._lock:
            if question in self._answers:
                self._answers.move_to_end(question)
            return self._answers.get(question)

    def forget(self, question: str) -> bool:
        """Drop an answer.

        Args:
            question: fingerprint of messages and schema.

        Returns:
            Whether it was kept.
        """
        with self._lock:
            return self._answers.pop(question, None) is not None

    def put(self, question: str, answer: Completion) -> None:
        """Keep an answer; the least recently used one makes room.

        Args:
            question: fingerprint of messages and schema.
            answer: the answer to keep.
        """
        with self._lock:
            self._answers[question] = answer
            self._answers.move_to_end(question)
            while len(self._answers) > self._most:
                self._answers.popitem(last=False)


class Models:
    """Makes the model of each role when it is first wanted and keeps it, with what it has learnt of its
    endpoint.

    A process has one of these, so that a brain that is made anew for another scene asks the same models.

    Args:
        settings: of the file of ``config/llm`` that the run uses.
    """

    def __init__(self, settings: LlmSettings) -> None:
        self.settings = settings
        self._roles: Dict[str, ChatModel] = {}
        self._shared: List[Tuple[LlmSettings, ChatModel, AnswerCache]] = []
        self._probed: List[ChatModel] = []
        self.known: Tuple[Capabilities, ...] = ()
        """What was found out about the endpoints that were asked."""
        self._lock = Lock()

    @classmethod
    def of_settings(cls, given: Union[LlmSettings, "Models"]) -> "Models":
        """Return models as they are, or those that settings describe.

        Args:
            given: settings, or models that exist already.

        Returns:
            The models by role.
        """
        return given if isinstance(given, Models) else cls(given)

    def of(self, role: str) -> ChatModel:
        """Return the model of a role; roles with the same settings share one.

        Args:
            role: ``goal``, ``brain``, ``corrector``, ``body`` or one of CoPAL's agents.

        Returns:
            The model.

        Raises:
            ConfigError: for an unknown backend, or settings that do not do.
        """
        with self._lock:
            if role in self._roles:
                return self._roles[role]
            settings, plans = self.settings.of_role(role), not self.settings.of_role(BRAIN).offline
            if settings.replay:
                found = RoleModel(ReplayModel(settings.replay, role), role, settings, plans=plans)
            else:
                alike = replace(settings, name="", roles={})
                shared = next(((model, memory) for known, model, memory in self._shared if known == alike), None)
                if shared is None:
                    backend: Backend = extensions().backends.get(settings.backend)
                    shared = backend.make(settings), AnswerCache(settings.cache)
                    self._shared.append((alike, *shared))
                model, memory = shared
                repeats = settings.cache > 0 and settings.temperature == 0.0
                found = RoleModel(model, role, settings, memory if repeats else None, model.secrets, plans)
            self._roles[role] = found
            return found

    def probe(self, deadline: Deadline) -> List[Capabilities]:
        """Probe the models that were made since the last call, and log a line for each.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            What each of them supports.
        """
        with self._lock:
            fresh = [(settings, model) for settings, model, _ in self._shared
                     if settings.probe and model not in self._probed]
            self._probed.extend(model for _, model in fresh)
        known = []
        for _, model in fresh:
            found = model.probe(deadline)
            if found is not None:
                log.log(logging.WARNING if found.failure else logging.INFO, "%s", found.line)
                known.append(found)
                self.known = (*self.known, found)
        return known

    def begin_probe(self) -> None:
        """The same beside what goes on; a question waits until its endpoint is known."""
        Thread(target=lambda: self.probe(Deadline(PROBE_LIMIT)), name="llm probe", daemon=True).start()
