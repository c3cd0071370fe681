"""What a user says while a task runs, understood together with the task: by rules where they are exact, else
by the model of goals.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Callable, Dict, Optional

from hicrisp_core.brain.translator import Translated, Translator
from hicrisp_core.domain.saying import sentence
from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.normal import same_goal
from hicrisp_core.language.clarifying import clarified, unclarified
from hicrisp_core.language.intents import NotUnderstood
from hicrisp_core.language.remarks import Restate, read_remark
from hicrisp_core.language.revising import Reviser, Unfit
from hicrisp_core.model.goal import Goal
from hicrisp_core.ports.brain import Choice, PlanRequest, Question
from hicrisp_core.ports.interpreter import RemarkAnswer, RemarkRequest
from hicrisp_core.time.deadline import Deadline

_EXAMPLES = ('Try, for example: "not that one, the blue one", "no, on the table", "also the cylinder", or '
             '"stop".')
_UNCLEAR = "I do not understand that as a change of the task."
_WHICH = "Which one do you mean?"
_SAME = "It means what the task means already"


class RemarkReader:
    """Understands remarks.

    Args:
        translator: made when the first remark comes.
    """

    def __init__(self, domain: Domain, translator: Callable[[], Translator]) -> None:
        self._domain = domain
        self._make_translator = translator

    @cached_property
    def _translator(self) -> Translator:
        return self._make_translator()

    def understand(self, request: RemarkRequest, deadline: Deadline) -> RemarkAnswer:
        """The goal of the task as the remark changes it; who was asked back says it in other words first."""
        said, answers = unclarified(request.said)
        for words in (*answers[-1:], said):
            read = self._by_rules(request, words, deadline)
            if read is not None:
                return read
        return self._by_model(request, deadline)

    def _by_rules(self, request: RemarkRequest, said: str, deadline: Deadline) -> Optional[RemarkAnswer]:
        """The answer to what the grammar reads; ``None`` for all else."""
        try:
            found = self._revised(request, said, deadline)
        except Unfit as error:
            return RemarkAnswer(refusal=f"{sentence(str(error))} The task goes on as it was.")
        except NotUnderstood:
            return None
        return self._answer(request, found)

    def _revised(self, request: RemarkRequest, said: str, deadline: Deadline) -> Dict[str, Goal]:
        remark = read_remark(said)
        if remark is None or request.goal is None and not isinstance(remark, Restate):
            raise NotUnderstood("nothing is known of the task's goal")
        reviser = Reviser(self._domain, request.world, request.goal or Goal(), request.about,
                          lambda text: self._translator.sentence(text, request.world, deadline))
        return reviser.revised(remark)

    def _answer(self, request: RemarkRequest, found: Dict[str, Goal]) -> RemarkAnswer:
        goals = list(found.values())
        if len(goals) > 1:
            choices = tuple(Choice(words, goal) for words, goal in found.items())
            return RemarkAnswer(question=Question(_WHICH, choices))
        return self._new(request, goals[0])

    def _new(self, request: RemarkRequest, goal: Goal) -> RemarkAnswer:
        if request.goal is not None and same_goal(goal, request.goal, self._domain):
            return RemarkAnswer(refusal=f"{_SAME}: {goal.said}.")
        return RemarkAnswer(goal)

    def _by_model(self, request: RemarkRequest, deadline: Deadline) -> RemarkAnswer:
        said, answers = unclarified(request.said)
        text = clarified(request.task.text, f"correction: {said}")
        for answer in answers:
            text = clarified(text, answer)
        known = self._translator.reconsider(
            PlanRequest(replace(request.task, text=text), request.world), deadline)
        told = self._told(request, known)
        return replace(told, usage=known.usage)

    def _told(self, request: RemarkRequest, known: Translated) -> RemarkAnswer:
        if known.end is not None and known.end.question is not None:
            return RemarkAnswer(question=known.end.question)
        if known.goal is None:
            why = known.end.refusal or known.end.answer if known.end is not None else ""
            why = sentence(why) or _UNCLEAR
            return RemarkAnswer(refusal=f"{why} The task goes on as it was. {_EXAMPLES}")
        return self._new(request, known.goal)
