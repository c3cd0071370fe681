"""The brain that the configuration names."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Union

from hicrisp_core.brain.agents import AgentBrain
from hicrisp_core.brain.model_brain import ModelBrain
from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import BRAIN, CORRECTOR, LlmSettings
from hicrisp_core.policy.policy import COPAL, GOAL, Policy
from hicrisp_core.ports.brain import Brain
from hicrisp_core.prompting.templates import AGENT_PLACEHOLDERS, Prompts

_USUAL = Policy("usual")


def make_brain(
    llm: Union[LlmSettings, Models], domain: Domain, prompts: Union[str, FilePath], policy: Policy = _USUAL
) -> Brain:
    """Return the planner by search, or one over a language model.

    A model that only makes goals is never asked for a plan, whatever brain the policy names: a search plans.

    Args:
        llm: the models of a process, or what a file of ``config/llm`` says.
        prompts: the folder of the policy's prompts.
        policy: names the brain.
    """
    models = Models.of_settings(llm)
    planner = models.settings.of_role(BRAIN)
    if planner.offline or planner.only_goals or policy.brain == GOAL:
        return SearchBrain(domain)
    client, corrector = models.of(BRAIN), models.of(CORRECTOR)
    if policy.brain == COPAL:
        return AgentBrain(models, domain, Prompts(prompts, AGENT_PLACEHOLDERS),
                          ModelBrain(client, domain, Prompts(prompts), corrector))
    return ModelBrain(client, domain, Prompts(prompts), corrector, policy.worded)
