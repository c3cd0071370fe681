"""A language model that says what a request means: a goal, a question to the user, a refusal."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Optional, Sequence, Union

from hicrisp_core.brain.back_translation import BackTranslation, Compared
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.brain.said_commands import SaidCommands
from hicrisp_core.domain.goal_words import goal_words
from hicrisp_core.domain.schema import Domain
from hicrisp_core.language.by_name import said_by_name
from hicrisp_core.language.doubts import Doubt, doubt
from hicrisp_core.language.left_alone import leaving, left_alone
from hicrisp_core.language.questions import is_question
from hicrisp_core.language.repairs import repaired
from hicrisp_core.language.spelling import respelled, written_out
from hicrisp_core.language.undoable import is_undoable
from hicrisp_core.language.untold_places import beside
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.llm.exchange import Completion
from hicrisp_core.model import WorldState
from hicrisp_core.model.goal import AnswerOnly, Ask, Goal, NoGoal, Refuse, Understanding
from hicrisp_core.model.remembered import Remembered
from hicrisp_core.parsing.raw import ParseFailure
from hicrisp_core.ports.brain import Usage
from hicrisp_core.prompting.asking import Asked, ask
from hicrisp_core.prompting.goal_prompt import GoalPrompt, goal_schema, read_goal_answer
from hicrisp_core.time.deadline import Deadline


@dataclass(frozen=True)
class Meaning:
    """What a request was understood to mean, or why nobody knows; and what that cost.

    Args:
        doubtful: whether the model is not sure of it, or the words speak against it.
        sure: how likely the model found its answer, 0 to 1; ``None`` where the endpoint does not say.
    """

    understood: Optional[Understanding] = None
    trouble: str = ""
    usage: Usage = field(default_factory=Usage)
    doubtful: bool = False
    sure: Optional[float] = None


class GoalModel:
    """Asks a model for goals; an answer that does not fit domain and world is asked for once more.

    Args:
        prompt: the rules and the form of the request.
        grammar: reads the plain commands that a model says before its facts.
        ask_below: goals that the model finds less likely than this, 0 to 1, are doubtful.
        read_back: whether goals are compared with near ones by how likely the request is for each.
    """

    def __init__(
        self, client: ChatModel, domain: Domain, prompt: GoalPrompt, grammar: OfflineBrain,
        ask_below: float = 0.0, read_back: bool = False
    ) -> None:
        self._ask_below = ask_below
        self._client = client
        self._domain = domain
        self._prompt = prompt
        self._back = BackTranslation(client, domain, prompt.back) if read_back else None
        self._commands = SaidCommands(domain, grammar) if prompt.worded else None

    def understand(
        self, text: str, world: WorldState, deadline: Deadline, earlier: Sequence[Remembered] = ()
    ) -> Meaning:
        """What a request means in a world.

        Args:
            earlier: tasks like it that went well.
        """
        text = said_by_name(respelled(written_out(text) if self._prompt.worded else text, world),
                            self._domain, world)
        if is_undoable(text, self._domain, world):
            return Meaning(Refuse(NoGoal.IMPOSSIBLE))
        system, user = self._prompt.messages(text, self._domain, world)
        asked: Asked[Understanding] = ask(
            self._client, system, user, deadline,
            goal_schema(self._domain, world, self._prompt.worded),
            lambda said: self._read(said, text, world, deadline),
            (*self._prompt.examples(self._domain),
             *self._prompt.remembered(earlier, self._domain, world)))
        if not isinstance(asked.answer, Goal):
            return Meaning(_no_goal(asked.answer, text), asked.trouble, asked.usage, sure=asked.sure)
        found, usage = Compared(beside(text, asked.answer, self._domain, world), False, Usage()), asked.usage
        if self._back is not None:
            found = self._back.compare(text, found.goal, world, deadline)
            usage = usage + found.usage
        goal = leaving(found.goal, left_alone(text, self._domain, world), self._domain, world)
        against = doubt(text, goal, self._domain, world)
        if self._back is not None and against.unsure:
            others = repaired(text, goal, against, self._domain, world)
            found = self._back.likelier(text, goal, others, deadline)
            usage = usage + found.usage
            against = against if found.goal == goal else Doubt()
        if against.which:
            return Meaning(Ask(against.which), usage=usage, sure=asked.sure)
        goal = replace(found.goal, said=goal_words(found.goal, self._domain), source=self._client.name)
        unsure = found.unsure or asked.sure is not None and asked.sure < self._ask_below
        return Meaning(goal, usage=usage, doubtful=unsure or against.unsure, sure=asked.sure)

    def _read(
        self, said: Completion, text: str, world: WorldState, deadline: Deadline
    ) -> Union[Understanding, ParseFailure]:
        found = read_goal_answer(said, self._domain, world)
        return found if self._commands is None else self._commands.over(said, found, text, world, deadline)


def _no_goal(said: Optional[Understanding], text: str) -> Optional[Understanding]:
    """An answer is one to a question; what is none asks for nothing."""
    return Refuse(NoGoal.NO_TASK) if isinstance(said, AnswerOnly) and not is_question(text) else said
