"""The brain that the configuration names."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Union

from hicrisp_core.brain.agents import AgentBrain
from hicrisp_core.brain.model_brain import ModelBrain
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.brain.words_brain import WordsBrain
from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm import roles
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.policy.policy import COPAL, SINGLE
from hicrisp_core.ports.brain import Brain
from hicrisp_core.prompting.templates import AGENT_PLACEHOLDERS, Prompts


def make_brain(
    llm: Union[LlmSettings, Models], domain: Domain, prompts: Union[str, FilePath], agents: str = SINGLE,
    worded: bool = False
) -> Brain:
    """The offline planner, or one over an endpoint.

    Args:
        llm: the models of a process, or what a file of ``config/llm`` says.
        prompts: the folder of the policy's prompts.
        agents: the policy's ``brain``: ``single`` or ``copal``; without a model the offline planner serves
            both.
        worded: whether a single model plans in words and leaves the commands to the body.
    """
    models = Models.of_settings(llm)
    if models.settings.of_role(roles.BRAIN).offline:
        return OfflineBrain(domain)
    client, corrector = models.of(roles.BRAIN), models.of(roles.CORRECTOR)
    single = ModelBrain(client, domain, Prompts(prompts), corrector)
    if agents == COPAL:
        return AgentBrain(models, domain, Prompts(prompts, AGENT_PLACEHOLDERS), single)
    return WordsBrain(client, domain, Prompts(prompts), corrector) if worded else single
