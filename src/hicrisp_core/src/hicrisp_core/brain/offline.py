"""The brain without a model: a grammar for task sentences and a search over the domain."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import FrozenSet, List, Optional, Union

from hicrisp_core.brain.goal_search import GoalSearch
from hicrisp_core.brain.out_of_reach import out_of_reach, placed_by
from hicrisp_core.domain.goal_words import question_words
from hicrisp_core.domain.saying import spoken
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Searcher, preconditions_of
from hicrisp_core.domain.wording import words_of as failure_words
from hicrisp_core.language import examples
from hicrisp_core.language.builder import PlanBuilder
from hicrisp_core.language.by_name import said_by_name
from hicrisp_core.language.clarifying import named_in, unclarified
from hicrisp_core.language.drive_plans import plan_drives
from hicrisp_core.language.facts import FactReader, Reading
from hicrisp_core.language.front_ends import Form, Orders, form_of, read_task
from hicrisp_core.language.goals import goal_of_facts
from hicrisp_core.language.intents import Ambiguous, NotUnderstood
from hicrisp_core.language.names import Names
from hicrisp_core.language.order_plans import add_steps
from hicrisp_core.language.questions import answer
from hicrisp_core.language.stated_goals import goal_of_steps
from hicrisp_core.language.told_orders import told_order
from hicrisp_core.model import OFFLINE_SOURCE, FeedbackKind, Plan, Step, Task, WorldState
from hicrisp_core.model.goal import Ask
from hicrisp_core.ports.brain import Choice, CorrectionRequest, PlanAnswer, PlanRequest, Question
from hicrisp_core.time.deadline import Deadline


class OfflineBrain:
    """Plans what its grammar reads and any facts in the domain's words; refuses the rest, with what it can
    read.
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._facts = FactReader(domain)
        self._searcher = Searcher(domain)
        self._goals = GoalSearch(domain, self._searcher)

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """The steps of the task in the world as it is now.

        After a failure the remaining steps are planned anew, or all that is missing where the sentence lists
        facts; when things could not be reached, the whole sentence is, and its indefinite phrases ("a box")
        choose others. A goal that is not the sentence's own, as a remark makes it, is searched for.
        """
        if request.goal is not None and request.goal.source != OFFLINE_SOURCE:
            return self._goals.plan(request, request.goal, deadline)
        try:
            return self._answered(request, deadline)
        except NotUnderstood as error:
            return _question(request, error) or self.refused(request, str(error))

    def read(self, request: PlanRequest, deadline: Deadline) -> Optional[PlanAnswer]:
        """The same for what the grammar can read or knows to be ambiguous; ``None`` for all else, at once."""
        try:
            return self._answered(request, deadline)
        except NotUnderstood as error:
            return _question(request, error)

    def refused(self, request: PlanRequest, why: str) -> PlanAnswer:
        """A refusal with the nearest sentences that would work."""
        offered = examples.nearest(request.task.text, self._domain, request.world,
                                   self._works_in(request.world))
        return PlanAnswer(refusal=examples.refusal(why, self._domain, request.world), alternatives=offered)

    def _answered(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """The answer to what the grammar reads.

        Raises:
            NotUnderstood: with what it cannot read, or cannot do.
        """
        text, answers = unclarified(request.task.text)
        request = replace(request, task=replace(request.task, text=text))
        form = form_of(text, self._domain, self._facts)
        if form is Form.QUESTION and not request.remaining:
            return PlanAnswer(answer=answer(request.task.text, self._domain, request.world))
        if not request.done:  # Later the leftmost thing may be another one.
            text = said_by_name(text, self._domain, request.world)
            request = replace(request, task=replace(request.task, text=text))
        if form is not Form.FACTS and examples.drives_only(self._domain):
            return self._drives(request)
        return self._planned(request, form, named_in(answers, request.world), deadline)

    def _drives(self, request: PlanRequest) -> PlanAnswer:
        """A request for bases alone; a new one says what it means by its steps."""
        found = plan_drives(self._domain, request, OFFLINE_SOURCE)
        if found.plan is None or request.remaining or request.feedback:
            return found
        goal = goal_of_steps(found.plan.steps, self._domain, request.world)
        return replace(found, plan=replace(found.plan, goal=goal))

    def _works_in(self, world: WorldState) -> examples.Works:
        def works(sentence: str, deadline: Deadline) -> bool:
            try:
                found = self._answered(PlanRequest(Task(sentence), world), deadline)
            except NotUnderstood:
                return False
            form = form_of(sentence, self._domain, self._facts)
            return found.plan is not None or bool(found.answer) and form is Form.QUESTION

        return works

    def _planned(
        self, request: PlanRequest, form: Form, answers: FrozenSet[str], deadline: Deadline
    ) -> PlanAnswer:
        barred = [entry for entry in request.feedback if entry.kind is FeedbackKind.UNREACHABLE]
        if barred:
            return PlanAnswer(refusal=f"{failure_words(barred[-1], self._domain).error} "
                                      "Nothing else does what the task asks for.")
        unreachable = out_of_reach(self._domain, request.feedback)
        no_place = placed_by(self._domain, request.feedback, request.world)
        if unreachable:
            plan = self._sentence(request, unreachable | no_place, answers, deadline)
            stuck = _named_in(plan, unreachable)
            if stuck:
                return PlanAnswer(refusal=
                                  f"{', '.join(stuck)} cannot be reached, and the task names no other thing.")
        elif request.remaining and form is not Form.FACTS:
            elsewhere = self._elsewhere(request, no_place, answers, deadline) if no_place else None
            plan = elsewhere or self._rest(request, deadline)
        else:
            plan = self._sentence(request, frozenset(), answers, deadline)
        if not plan.steps:
            return PlanAnswer(answer="Nothing needs to be done: it is so already.")
        return PlanAnswer(plan)

    def _sentence(
        self, request: PlanRequest, avoid: FrozenSet[str], answers: FrozenSet[str], deadline: Deadline
    ) -> Plan:
        """The whole task; what holds already needs no steps.

        What cannot be read as facts or orders may be the order of a tower or row.

        Raises:
            NotUnderstood: with what cannot be read, or cannot be done.
        """
        text, world = request.task.text, request.world
        try:
            said = read_task(text, self._domain, world, self._facts)
        except NotUnderstood:
            told = told_order(text, self._domain, world)
            if not told.whole:
                raise
            return self._said(request, told, avoid, answers, deadline)
        try:
            return self._said(request, said, avoid, answers, deadline)
        except NotUnderstood:
            told = told_order(text, self._domain, world)
            with suppress(NotUnderstood):  # What was read first says why it cannot be done.
                if told.whole:
                    return self._said(request, told, avoid, answers, deadline)
            raise

    def _said(
        self, request: PlanRequest, said: Union[Reading, Orders], avoid: FrozenSet[str],
        answers: FrozenSet[str], deadline: Deadline
    ) -> Plan:
        """A list of facts is a goal for the search, which finds the order; orders are carried out in their
        own order.
        """
        moved = frozenset(name for record in request.done for name in record.names()
                          if name in request.world.objects)
        names = Names(self._domain, request.world, avoid, moved, answers)
        builder = PlanBuilder(self._searcher, request.world, names, request.done, deadline)
        if isinstance(said, Reading):
            builder.achieve(goal_of_facts(said, self._domain, request.world, names))
        else:
            builder.notes += said.notes
            add_steps(said.orders, builder, self._domain, request.world, names)
        named = {order.robot for order in said.orders if order.robot} if isinstance(said, Orders) else set()
        return Plan(tuple(builder.steps), OFFLINE_SOURCE, "; ".join((*names.notes, *builder.notes)),
                    goal=builder.goal(named.pop() if len(named) == 1 else ""))

    def _elsewhere(
        self, request: PlanRequest, no_place: FrozenSet[str], answers: FrozenSet[str], deadline: Deadline
    ) -> Optional[Plan]:
        """The task with another thing to place by, where the sentence leaves the choice."""
        try:
            plan = self._sentence(request, no_place, answers, deadline)
        except NotUnderstood:
            return None
        return None if _named_in(plan, no_place) else plan

    def _rest(self, request: PlanRequest, deadline: Deadline) -> Plan:
        """The steps that are left, each with what it needs now."""
        builder = PlanBuilder(
            self._searcher, request.world, Names(self._domain, request.world), (), deadline)
        builder.redo(request.remaining)
        return Plan(tuple(builder.steps), OFFLINE_SOURCE, "; ".join(builder.notes))

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """The steps that make the preconditions of the stack's top true."""
        top = request.stack[-1]
        if top.command.action not in self._domain.actions:
            return PlanAnswer(refusal=f"'{top.command.action}' is no action of this domain")
        if top.feedback.kind is FeedbackKind.UNREACHABLE:
            return PlanAnswer(refusal="no single action makes a way to where none leads")
        found = self._searcher.find(request.world, preconditions_of(self._domain, top.command),
                                    deadline=deadline)
        if not found.found:
            why = "the search ran out of time on the way" if found.out_of_time else "no way was found"
            return PlanAnswer(refusal=f"{why} to where '{self._domain.describe(top.command)}' can be tried")
        steps = tuple(Step(self._domain.describe(c), c.action, c.arguments, c.robot) for c in found.commands)
        return PlanAnswer(Plan(steps, OFFLINE_SOURCE, "what the failed action needs"))


def _question(request: PlanRequest, error: NotUnderstood) -> Optional[PlanAnswer]:
    """The question which thing a new request means; ``None`` where it is no question of that."""
    if not isinstance(error, Ambiguous) or request.feedback or request.remaining:
        return None
    choices = tuple(Choice(spoken(name)) for name in error.names)
    return PlanAnswer(question=Question(question_words(Ask(error.names)), choices))


def _named_in(plan: Plan, names: FrozenSet[str]) -> List[str]:
    return sorted(name for name in names if any(name in step.arguments.values() for step in plan.steps))
