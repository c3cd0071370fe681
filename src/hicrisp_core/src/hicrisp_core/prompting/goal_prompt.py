"""The goal prompt: what a model is asked, the form of its answer and how that is read, in one place.

The same messages are trained on and asked at run time; nobody else writes them.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path as FilePath
from typing import Dict, List, Mapping, NamedTuple, Sequence, Tuple, Union

from hicrisp_core.config.files import named_folder
from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.language.clarifying import clarified
from hicrisp_core.llm.exchange import THINKING
from hicrisp_core.model import WorldState
from hicrisp_core.model.remembered import Remembered
from hicrisp_core.prompting.asking import Turn
from hicrisp_core.prompting.goal_answer import read_goal_answer
from hicrisp_core.prompting.goal_request import (
    compact,
    predicate_names,
    predicates_text,
    request_values,
)
from hicrisp_core.prompting.goal_schema import goal_schema
from hicrisp_core.prompting.quarantine import quarantined
from hicrisp_core.prompting.remembered import goal_record
from hicrisp_core.prompting.templates import GOAL_PLACEHOLDERS, Prompts

__all__ = ["FULL", "SHORT", "GoalPrompt", "Messages", "clarified", "goal_messages", "goal_schema",
           "read_goal_answer"]

FULL, SHORT = "goal", "goal_short"
"""The folders of ``config/prompts``: rules and examples for a general model; a line for one trained on it."""


class Messages(NamedTuple):
    """What a model is asked."""

    system: str
    user: str


class GoalPrompt:
    """The prompt for goals of one folder; the request's form is the same in all.

    Raises:
        ConfigError: for a missing file or a wrong placeholder.
    """

    def __init__(self, folder: Union[str, FilePath]) -> None:
        self._prompts = Prompts(folder, GOAL_PLACEHOLDERS, shared=FULL)
        self._systems: Dict[int, Tuple[Domain, str]] = {}

    def messages(self, task_text: str, domain: Domain, world: WorldState) -> Messages:
        """The system's and the user's message for a request in a world."""
        known = self._systems.get(id(domain))
        if known is None or known[0] is not domain:
            known = self._systems[id(domain)] = (domain, self._system(domain))
        return Messages(known[1],
                        self._prompts.render("request", **request_values(task_text, domain, world)).strip())

    @property
    def worded(self) -> bool:
        """Whether an answer begins with the wish as plain commands."""
        return self._prompts.says("system", THINKING)

    @property
    def back(self) -> str:
        """The rule for saying goals in other words."""
        return self._prompts.render("back").strip()

    def examples(self, domain: Domain) -> Tuple[Turn, ...]:
        """The requests and answers that go before as turns of the conversation: small models follow those
        better than examples among the rules."""
        return self._examples(domain) if self._prompts.says("system", "turns") else ()

    def remembered(
        self, examples: Sequence[Remembered], domain: Domain, world: WorldState
    ) -> Tuple[Turn, ...]:
        """Earlier requests with their goals, as further turns; none where the prompt has no turns: a model
        that was trained on this form has never seen any."""
        if not self._prompts.says("system", "turns"):
            return ()
        return tuple(
            (self._prompts.render("request", **request_values(each.text, domain, world)).strip(),
             compact(goal_record(each.goal, domain if self.worded else None)))
            for each in examples if each.goal is not None)

    def _examples(self, domain: Domain) -> Tuple[Turn, ...]:
        turns: List[Turn] = []
        for example in domain.goal_examples:
            values = {key: str(example.get(key, "-")) for key in ("things", "robots", "now", "extremes")}
            request = self._prompts.render("request", task=quarantined(str(example["request"])), **values)
            said = example["answer"]
            if isinstance(said, Mapping) and not self.worded:
                said = {key: value for key, value in said.items() if key != THINKING}
            turns.append((request.strip(), compact(said)))
        return tuple(turns)

    def _system(self, domain: Domain) -> str:
        shown = self._examples(domain) if self._prompts.says("system", "examples") else ()
        examples = "\n\n".join(f"{request}\n{answer}" for request, answer in shown)
        return self._prompts.render(
            "system", description=domain.description, names=predicate_names(domain),
            predicates=predicates_text(domain), examples=examples or "(none)", turns="",
            say=f'"{THINKING}"').strip()


def goal_messages(task_text: str, domain: Domain, world: WorldState, prompt: str = SHORT) -> Messages:
    """The messages by which a model is asked what a request means.

    Args:
        prompt: the folder of ``config/prompts``.
    """
    return _prompt(prompt).messages(task_text, domain, world)


def goal_folder(prompts: Union[str, FilePath], name: str) -> FilePath:
    """The folder of a prompt for goals: beside that of the policy's prompts, else the workspace's."""
    usual = FilePath(prompts).parent / name
    return usual if usual.is_dir() else named_folder("prompts", name) or usual


@lru_cache(maxsize=8)
def _prompt(name: str) -> GoalPrompt:
    folder = named_folder("prompts", name)
    if folder is None:
        raise ConfigError(f"there is no folder '{name}' in config/prompts")
    return GoalPrompt(folder)
