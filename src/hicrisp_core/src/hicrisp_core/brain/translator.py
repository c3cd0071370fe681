"""From a request to its meaning: by the grammar where it can read it, else by a model, or by both."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Optional, Tuple

from hicrisp_core.brain.goal_model import GoalModel, Meaning
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.domain.goal_words import question_words
from hicrisp_core.domain.saying import spoken
from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.normal import same_goal
from hicrisp_core.language.intents import NotUnderstood
from hicrisp_core.language.questions import answer
from hicrisp_core.model import Plan, Task, WorldState
from hicrisp_core.model.goal import AnswerOnly, Ask, Goal, NoGoal, Refuse
from hicrisp_core.model.remembered import Remembered
from hicrisp_core.policy.policy import FIRST, OFF
from hicrisp_core.ports.brain import Choice, PlanAnswer, PlanRequest, Question, Usage
from hicrisp_core.time.deadline import Deadline

_REFUSALS = {
    NoGoal.UNKNOWN_THING: "I do not see what you name.",
    NoGoal.IMPOSSIBLE: "No robot here can do that.",
    NoGoal.NO_TASK: "I cannot find a task in what you say.",
}
_DIFFERENT = "I can read this in two ways. Which one do you mean?"
_DOUBTFUL = "I understand: {goal}. Is that right?"
_YES = "yes"


@dataclass(frozen=True)
class Translated:
    """What is known of a request before anything is planned.

    Args:
        goal: what it means.
        end: the answer to the user where nothing is to be planned: a question, an answer or a refusal.
        read: the grammar's own answer, where the grammar read the request.
        meaning: what the model understood, where it was asked.
        trouble: why nobody knows what it means.
    """

    goal: Optional[Goal] = None
    end: Optional[PlanAnswer] = None
    read: Optional[PlanAnswer] = None
    meaning: Optional[Meaning] = None
    trouble: str = ""
    usage: Usage = field(default_factory=Usage)


class Translator:
    """Says what requests mean.

    Args:
        model: asked where the grammar does not read a request; ``None`` for the grammar alone.
        grammar: ``first``, ``doubt`` or ``off``, as in a policy.
    """

    def __init__(
        self, domain: Domain, model: Optional[GoalModel], offline: OfflineBrain, grammar: str = FIRST
    ) -> None:
        self._domain = domain
        self._model = model
        self._offline = offline
        self._grammar = grammar

    def translate(self, request: PlanRequest, deadline: Deadline) -> Translated:
        """What a new request means."""
        read = self._offline.read(request,
                                  deadline) if self._grammar != OFF or self._model is None else None
        certain = read is not None and (self._grammar == FIRST or read.question is not None)
        if self._model is None or certain:
            return self._as_read(read)
        meaning = self._model.understand(request.task.text, request.world, deadline,
                                         self._believed(request, deadline))
        if meaning.understood is None and read is not None:
            return replace(self._as_read(read), usage=meaning.usage)
        return replace(self._meant(request, meaning, read), meaning=meaning)

    def meaning(self, request: PlanRequest, deadline: Deadline) -> Optional[PlanAnswer]:
        """The same as an answer: a plan without steps whose goal is what the request means; ``None`` where
        nobody knows.
        """
        known = self.translate(request, deadline)
        if known.end is not None:
            return known.end
        if known.goal is None:
            return known.read
        return PlanAnswer(Plan((), known.goal.source, goal=known.goal), usage=known.usage)

    def reconsider(self, request: PlanRequest, deadline: Deadline) -> Translated:
        """What a request means together with what was said of it since, which the grammar does not read."""
        if self._model is None:
            return Translated(trouble="no language model is there to ask")
        meaning = self._model.understand(request.task.text, request.world, deadline)
        return self._meant(request, meaning, None)

    def sentence(self, text: str, world: WorldState, deadline: Deadline) -> Optional[Goal]:
        """The goal of a sentence that the grammar reads; ``None`` for all else."""
        read = self._offline.read(PlanRequest(Task(text), world), deadline)
        return read.plan.goal if read is not None and read.plan is not None else None

    def _believed(self, request: PlanRequest, deadline: Deadline) -> Tuple[Remembered, ...]:
        """The remembered tasks without those that the grammar reads otherwise: it overrules what anybody
        remembers.
        """
        found = []
        for each in request.examples:
            goal = self.sentence(each.text, request.world, deadline)
            if goal is None or each.goal is None or same_goal(goal, each.goal, self._domain):
                found.append(each)
        return tuple(found)

    def _as_read(self, read: Optional[PlanAnswer]) -> Translated:
        if read is None:
            return Translated(trouble="the grammar cannot read it")
        if read.plan is None:
            return Translated(end=read, read=read)
        return Translated(read.plan.goal, read=read)

    def _meant(self, request: PlanRequest, meaning: Meaning, read: Optional[PlanAnswer]) -> Translated:
        understood, usage = meaning.understood, meaning.usage
        if isinstance(understood, Goal):
            other = read.plan.goal if read is not None and read.plan is not None else None
            if other is not None and not same_goal(understood, other, self._domain):
                choices = tuple(Choice(each.said, each) for each in (other, understood))
                return Translated(end=PlanAnswer(question=Question(_DIFFERENT, choices), usage=usage),
                                  usage=usage)
            if meaning.doubtful and other is None:
                question = Question(_DOUBTFUL.format(goal=understood.said), (Choice(_YES, understood),))
                return Translated(end=PlanAnswer(question=question, usage=usage), usage=usage)
            return Translated(understood, read=read, usage=usage)
        if isinstance(understood, Ask):
            choices = tuple(Choice(spoken(name)) for name in understood.which)
            question = Question(question_words(understood), choices)
            return Translated(end=PlanAnswer(question=question, usage=usage), usage=usage)
        if isinstance(understood, Refuse):
            return Translated(end=self._refused(request, _REFUSALS[understood.why], usage), usage=usage)
        if isinstance(understood, AnswerOnly):
            return Translated(end=self._answered(request, usage), usage=usage)
        return Translated(trouble=meaning.trouble, usage=usage)

    def _refused(self, request: PlanRequest, why: str, usage: Usage) -> PlanAnswer:
        return replace(self._offline.refused(request, why), usage=usage)

    def _answered(self, request: PlanRequest, usage: Usage) -> PlanAnswer:
        """The answer to a question about what is seen, where the words can be read."""
        try:
            return PlanAnswer(answer=answer(request.task.text, self._domain, request.world), usage=usage)
        except NotUnderstood:
            return self._refused(request, "I understand this as a question, and I do not know the answer.",
                                 usage)
