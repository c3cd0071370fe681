"""The brain that the configuration names."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Union

from hicrisp_core.brain.agents import AgentBrain
from hicrisp_core.brain.goal_brain import GoalBrain
from hicrisp_core.brain.goal_first import GoalFirst, GoalFirstReporter
from hicrisp_core.brain.goal_model import GoalModel
from hicrisp_core.brain.model_brain import ModelBrain
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.brain.translator import Translator
from hicrisp_core.brain.words_brain import WordsBrain
from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm.chat_model import ChatModel, make_chat_model
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.policy.policy import COPAL, GOAL, TASK, Policy
from hicrisp_core.ports.brain import Brain
from hicrisp_core.prompting.goal_prompt import GoalPrompt
from hicrisp_core.prompting.templates import AGENT_PLACEHOLDERS, Prompts

_USUAL = Policy("usual")


def make_brain(
    settings: LlmSettings, domain: Domain, prompts: Union[str, FilePath], policy: Policy = _USUAL
) -> Brain:
    """The offline planner, or a brain over a language model.

    A model that only makes goals is never asked for a plan, whatever brain the policy names: a search plans.

    Args:
        prompts: the folder of the policy's prompts; those for goals lie beside it.
        policy: says which brain, and whether its tasks are judged by their goals.
    """
    if settings.offline:
        return OfflineBrain(domain)  # It serves every kind of brain.
    client = make_chat_model(settings)
    if policy.brain == GOAL or settings.only_goals:
        offline = OfflineBrain(domain)
        return GoalBrain(domain, _translator(client, settings, domain, prompts, policy, offline), offline)
    single = ModelBrain(client, domain, Prompts(prompts))
    if policy.brain == COPAL:
        agents = AgentBrain(client, domain, Prompts(prompts, AGENT_PLACEHOLDERS), single)
        if policy.verify_goal != TASK:
            return agents
        return GoalFirstReporter(agents,
                                 _translator(client, settings, domain, prompts, policy, OfflineBrain(domain)))
    planner = WordsBrain(client, domain, Prompts(prompts)) if policy.worded else single
    if policy.verify_goal != TASK:
        return planner
    return GoalFirst(planner, _translator(client, settings, domain, prompts, policy, OfflineBrain(domain)))


def _translator(
    client: ChatModel, settings: LlmSettings, domain: Domain, prompts: Union[str, FilePath], policy: Policy,
    offline: OfflineBrain,
) -> Translator:
    prompt = GoalPrompt(FilePath(prompts).parent / settings.goal_prompt)
    return Translator(domain, GoalModel(client, domain, prompt), offline, policy.grammar)
