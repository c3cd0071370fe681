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
from hicrisp_core.brain.remark_reader import RemarkReader
from hicrisp_core.brain.translator import Translator
from hicrisp_core.brain.words_brain import WordsBrain
from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm import roles
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.policy.policy import COPAL, GOAL, TASK, Policy
from hicrisp_core.ports.brain import Brain
from hicrisp_core.ports.interpreter import Interpreter
from hicrisp_core.prompting.goal_prompt import GoalPrompt, goal_folder
from hicrisp_core.prompting.templates import AGENT_PLACEHOLDERS, Prompts

_USUAL = Policy("usual")


def make_brain(
    llm: Union[LlmSettings, Models], domain: Domain, prompts: Union[str, FilePath], policy: Policy = _USUAL
) -> Brain:
    """The offline planner, or a brain over a language model.

    A model that only makes goals is never asked for a plan, whatever brain the policy names: a search plans.

    Args:
        llm: the models of a process, or what a file of ``config/llm`` says.
        prompts: the folder of the policy's prompts; those for goals lie beside it.
        policy: says which brain, and whether its tasks are judged by their goals.
    """
    models = Models.of_settings(llm)
    planner, understands = models.settings.of_role(roles.BRAIN), models.settings.of_role(roles.GOAL)
    offline = OfflineBrain(domain)
    if planner.offline and understands.offline:
        return offline  # It serves every kind of brain.
    translator = _translator(models, domain, prompts, policy, offline)
    if planner.offline or planner.only_goals or policy.brain == GOAL:
        return GoalBrain(domain, translator, offline)
    brain = _planner(models, domain, prompts, policy)
    if policy.verify_goal != TASK:
        return brain
    return GoalFirstReporter(brain, translator) if isinstance(brain, AgentBrain) else GoalFirst(brain,
                                                                                                translator)


def make_interpreter(
    llm: Union[LlmSettings, Models], domain: Domain, prompts: Union[str, FilePath], policy: Policy = _USUAL
) -> Interpreter:
    """Who understands what users say while a task runs: the grammar, then the model of goals, if there is
    one.

    Args:
        llm: as for :func:`make_brain`; the models are made when they are first wanted.
    """
    def translator() -> Translator:
        return _translator(Models.of_settings(llm), domain, prompts, policy, OfflineBrain(domain))

    return RemarkReader(domain, translator)


def _planner(
    models: Models, domain: Domain, prompts: Union[str, FilePath], policy: Policy
) -> Union[AgentBrain, ModelBrain]:
    client, corrector = models.of(roles.BRAIN), models.of(roles.CORRECTOR)
    if policy.brain == COPAL:
        return AgentBrain(models, domain, Prompts(prompts, AGENT_PLACEHOLDERS),
                          ModelBrain(client, domain, Prompts(prompts), corrector))
    kind = WordsBrain if policy.worded else ModelBrain
    return kind(client, domain, Prompts(prompts), corrector)


def _translator(
    models: Models, domain: Domain, prompts: Union[str, FilePath], policy: Policy, offline: OfflineBrain
) -> Translator:
    settings = models.settings.of_role(roles.GOAL)
    model = None if settings.offline else GoalModel(
        models.of(roles.GOAL), domain, GoalPrompt(goal_folder(prompts, settings.goal_prompt)), offline,
        settings.ask_below, settings.read_back)
    return Translator(domain, model, offline, policy.grammar)
