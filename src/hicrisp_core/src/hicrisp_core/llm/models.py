"""The language models of a run: one for each role, and what each of them can."""

from __future__ import annotations

import logging
from dataclasses import replace
from threading import Lock, Thread
from typing import Dict, List, Tuple, Union

from hicrisp_core.extensions import extensions
from hicrisp_core.llm.backends import Backend
from hicrisp_core.llm.cached_chat_model import AnswerCache, RoleModel
from hicrisp_core.llm.capabilities import Capabilities
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.llm.replay import ReplayModel
from hicrisp_core.llm.roles import BRAIN
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.time.deadline import Deadline

log = logging.getLogger(__name__)

PROBE_LIMIT = 60.0
"""Wall seconds that a probe takes at most; a model that thinks before it answers needs most of them."""


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
            if role not in self._roles:
                self._roles[role] = self._made(role, self.settings.of_role(role))
            return self._roles[role]

    def _made(self, role: str, settings: LlmSettings) -> ChatModel:
        plans = not self.settings.of_role(BRAIN).offline
        if settings.replay:
            return RoleModel(ReplayModel(settings.replay, role), role, settings, plans=plans)
        alike = replace(settings, name="", roles={})
        shared = next(((model, memory) for known, model, memory in self._shared if known == alike), None)
        if shared is None:
            backend: Backend = extensions().backends.get(settings.backend)
            shared = backend.make(settings), AnswerCache(settings.cache)
            self._shared.append((alike, *shared))
        model, memory = shared
        repeats = settings.cache > 0 and settings.temperature == 0.0
        return RoleModel(model, role, settings, memory if repeats else None, model.secrets, plans)

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
