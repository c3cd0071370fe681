"""The interpreter that the configuration names."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Optional, Union

from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import GOAL, VISION, LlmSettings
from hicrisp_core.ports.interpreter import Interpreter, Look
from hicrisp_core.understanding.controlled.interpreter import ControlledInterpreter
from hicrisp_core.understanding.embedded import EmbeddedInterpreter
from hicrisp_core.understanding.hearing import HearingInterpreter
from hicrisp_core.understanding.model import ModelInterpreter


def make_interpreter(
    llm: Union[LlmSettings, Models], domain: Domain, prompts: Union[str, FilePath] = "", look: Optional[Look] = None
) -> Interpreter:
    """Return who understands what users say: a chat model, a small model trained for it, or without either
    the reader of controlled English.

    Args:
        llm: the models of a process, or what a file of ``config/llm`` says.
        prompts: the folder of the policy's prompts; those for goals lie beside it.
        look: takes pictures for a chat model that is the one of the role ``vision``, too.
    """
    models = Models.of_settings(llm)
    settings = models.settings.of_role(GOAL)
    if settings.offline:
        interpreter: Interpreter = ControlledInterpreter(domain)
    elif settings.only_goals:
        interpreter = EmbeddedInterpreter(models.of(GOAL), domain, settings.ask_below)
    else:
        goal, vision = ((each.backend, each.model_name, each.url)
                        for each in (settings, models.settings.of_role(VISION)))
        sees = VISION in models.settings.roles and goal == vision
        return ModelInterpreter(models.of(GOAL), domain, prompts, look if sees else None)
    return HearingInterpreter(interpreter, domain)
