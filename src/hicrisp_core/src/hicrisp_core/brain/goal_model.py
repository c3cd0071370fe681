"""A language model that says what a request means: a goal, a question to the user, a refusal."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Optional, Sequence

from hicrisp_core.domain.goal_words import goal_words
from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.normal import same_goal
from hicrisp_core.language.doubts import doubt
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.model import WorldState
from hicrisp_core.model.goal import Ask, Goal, Understanding
from hicrisp_core.model.remembered import Remembered
from hicrisp_core.ports.brain import Usage
from hicrisp_core.prompting.asking import Asked, ask
from hicrisp_core.prompting.goal_prompt import GoalPrompt, goal_schema, read_goal_answer
from hicrisp_core.time.deadline import Deadline


@dataclass(frozen=True)
class Meaning:
    """What a request was understood to mean, or why nobody knows; and what that cost.

    Args:
        doubtful: whether the model is not sure of it, or the words speak against it.
        other: what else it may be, where the model said something else the second time.
    """

    understood: Optional[Understanding] = None
    trouble: str = ""
    usage: Usage = field(default_factory=Usage)
    doubtful: bool = False
    other: Optional[Goal] = None


class GoalModel:
    """Asks a model for goals; an answer that does not fit domain and world is asked for once more.

    A small model that guesses is led by the order in which it reads the things: what it says again when they
    come the other way round is seldom a guess.

    Args:
        prompt: the rules and the form of the request.
        ask_below: goals that the model finds less likely than this, 0 to 1, are doubtful.
        check_below: goals that it finds less likely than this are asked for again with the things in the
            opposite order, and are doubtful when something else comes.
    """

    def __init__(
        self, client: ChatModel, domain: Domain, prompt: GoalPrompt, ask_below: float = 0.0,
        check_below: float = 0.0,
    ) -> None:
        self._ask_below, self._check_below = ask_below, check_below
        self._client = client
        self._domain = domain
        self._prompt = prompt

    def understand(
        self, text: str, world: WorldState, deadline: Deadline, earlier: Sequence[Remembered] = ()
    ) -> Meaning:
        """What a request means in a world.

        Args:
            earlier: tasks like it that went well.
        """
        asked = self._ask(text, world, deadline, earlier)
        if not isinstance(asked.answer, Goal):
            return Meaning(asked.answer, asked.trouble, asked.usage)
        goal = self._told(asked.answer)
        against = doubt(text, goal, self._domain, world)
        if against.which:
            return Meaning(Ask(against.which), usage=asked.usage)
        found = Meaning(goal, usage=asked.usage)
        if against.unsure or (asked.sure is not None and asked.sure < self._ask_below):
            return replace(found, doubtful=True)
        if asked.sure is None or asked.sure >= self._check_below:
            return found
        return self._checked(found, goal, self._ask(text, world, deadline, earlier, turned=True), text, world)

    def _checked(
        self, found: Meaning, goal: Goal, asked: Asked[Understanding], text: str, world: WorldState
    ) -> Meaning:
        """What is held of a goal after it was asked for again."""
        found = replace(found, usage=found.usage + asked.usage)
        other = self._told(asked.answer) if isinstance(asked.answer, Goal) else None
        if other is not None and same_goal(goal, other, self._domain):
            return found
        against = doubt(text, other, self._domain, world) if other is not None else None
        likely = against is not None and not against.which and not against.unsure
        return replace(found, doubtful=True, other=other if likely else None)

    def _told(self, goal: Goal) -> Goal:
        return replace(goal, said=goal_words(goal, self._domain), source=self._client.name)

    def _ask(
        self, text: str, world: WorldState, deadline: Deadline, earlier: Sequence[Remembered],
        turned: bool = False,
    ) -> Asked[Understanding]:
        system, user = self._prompt.messages(text, self._domain, world, turned)
        return ask(
            self._client, system, user, deadline,
            goal_schema(self._domain, world, self._prompt.worded),
            lambda said: read_goal_answer(said, self._domain, world),
            (*self._prompt.examples(self._domain),
             *self._prompt.remembered(earlier, self._domain, world)))
