"""The interpreter over a chat model: it reads the conversation and the scene, and decides alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath
from typing import List, Union

from hicrisp_core.config.files import named_folder
from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.llm.exchange import Completion
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Meaning, Speaker, Turn
from hicrisp_core.model.misfit import Misfit
from hicrisp_core.parsing.raw import ParseFailure
from hicrisp_core.ports.interpreter import Request, Understood
from hicrisp_core.prompting.asking import Asked, ask, compact
from hicrisp_core.prompting.quarantine import plain, quarantined
from hicrisp_core.prompting.templates import GOAL_PLACEHOLDERS, Prompts
from hicrisp_core.prompting.turns import turns_text
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.answer import answer_of, read_meaning
from hicrisp_core.understanding.form import form_text
from hicrisp_core.understanding.scene_text import predicates_text, scene_text
from hicrisp_core.understanding.schema import meaning_schema
from hicrisp_core.understanding.verifier import refusal_of, verify

PROMPTS = "goal"
"""The folder of ``config/prompts``."""
_LINE = 400
"""Characters of a line about earlier tasks."""


class ModelInterpreter:
    """Asks a model for the meaning; a goal that does not fit goes back to it once, with the reason.

    Args:
        prompts: the folder of the policy's prompts; those for goals lie beside it.

    Raises:
        ConfigError: for a missing prompt or a wrong placeholder.
    """

    def __init__(self, client: ChatModel, domain: Domain, prompts: Union[str, FilePath] = "") -> None:
        self._client = client
        self._domain = domain
        beside = FilePath(prompts).parent / PROMPTS
        folder = beside if prompts and beside.is_dir() else named_folder("prompts", PROMPTS) or beside
        self._prompts = Prompts(folder, GOAL_PLACEHOLDERS, shared=PROMPTS)
        self._system = self._prompts.render(
            "system", description=domain.description, form=form_text(),
            predicates=predicates_text(domain)).strip()

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        """Return what the request means together with its conversation."""
        misfits: List[Misfit] = []

        def read(said: Completion) -> Union[Meaning, ParseFailure]:
            meaning = read_meaning(said, self._domain, request.world)
            misfit = verify(meaning, self._domain, request.world) if isinstance(meaning, Goal) else None
            misfits[:] = [misfit] if misfit is not None else []
            return meaning if misfit is None else ParseFailure(str(misfit), misfit.quote)

        asked: Asked[Meaning] = ask(self._client, self._system, self.prompt(request), deadline,
                                    meaning_schema(self._domain, request.world), read)
        meaning = asked.answer
        if meaning is None and misfits and not asked.silent:
            meaning = refusal_of(misfits[0])
        elif isinstance(meaning, Goal):
            meaning = replace(meaning, source=self._client.name)
        return Understood(meaning, asked.trouble if meaning is None else "", asked.usage, asked.sure)

    def prompt(self, request: Request) -> str:
        """Return the message for a request: the scene, what it may refer to, and the conversation."""
        turns = (*request.conversation, Turn(Speaker.USER, request.text))
        return self._prompts.render(
            "request", scene=scene_text(self._domain, request.world), context=_context(request),
            conversation=turns_text(turns)).strip()

def _context(request: Request) -> str:
    """What a request may refer to beside its scene, one a line."""
    lines = [f"Earlier: {quarantined(line, _LINE)}" for line in request.history]
    lines += [f"Earlier: user: {quarantined(each.text, _LINE)} It meant: {compact(answer_of(each.goal))}"
              for each in request.examples if each.goal is not None]
    if request.goal is not None:
        left = "; then ".join(map(str, request.goal.stages)) or "nothing"
        kept = "; ".join(map(str, request.goal.invariants))
        lines.append(f"The goal of the running task, as far as it is left: {plain(left)}"
                     + (f"; all the way {plain(kept)}" if kept else ""))
    if request.handled:
        lines.append(f"Handled just now: {', '.join(map(plain, request.handled))}")
    return "\n".join(lines)
