"""The brain that the configuration names."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Union

from hicrisp_core.brain.agents import AgentBrain
from hicrisp_core.brain.model_brain import ModelBrain
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.brain.words_brain import WordsBrain
from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm.chat_model import make_chat_model
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.policy.policy import COPAL, SINGLE
from hicrisp_core.ports.brain import Brain
from hicrisp_core.prompting.templates import AGENT_PLACEHOLDERS, Prompts


def make_brain(
    settings: LlmSettings, domain: Domain, prompts: Union[str, FilePath], agents: str = SINGLE,
    worded: bool = False
) -> Brain:
    """The offline planner, or one over an endpoint.

    Args:
        prompts: the folder of the policy's prompts.
        agents: the policy's ``brain``: ``single`` or ``copal``; without a model the offline planner serves
            both.
        worded: whether a single model plans in words and leaves the commands to the body.
    """
    if settings.offline:
        return OfflineBrain(domain)
    client = make_chat_model(settings)
    single = ModelBrain(client, domain, Prompts(prompts))
    if agents == COPAL:
        return AgentBrain(client, domain, Prompts(prompts, AGENT_PLACEHOLDERS), single)
    return WordsBrain(client, domain, Prompts(prompts)) if worded else single
