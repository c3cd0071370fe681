"""From a line of the written goal language to what it means in a world."""

from __future__ import annotations

from typing import Callable, Iterable, List, Optional, Sequence, Tuple, Union

from hicrisp_core.domain import Domain, spoken
from hicrisp_core.goals.truth import conjuncts
from hicrisp_core.goals.validation import without_implied
from hicrisp_core.model import Choice, Meaning, Question, Reason, Refusal, WorldState
from hicrisp_core.model.goal import Goal, Not, Stage, Statement, any_of
from hicrisp_core.understanding.written import sayings
from hicrisp_core.understanding.written.answers import Answers
from hicrisp_core.understanding.written.context import Context, Several, Unlinked, called, listed
from hicrisp_core.understanding.written.objects import MOST_CHOICES, Chosen, Objects, question
from hicrisp_core.understanding.written.orders import Orders
from hicrisp_core.understanding.written.predicates import Use
from hicrisp_core.understanding.written.statements import checked, denied

_MOST_TRIED = 40
"""Objects that are tried for a phrase for one."""
_REFUSALS = {
    Reason.IMPOSSIBLE: "No robot here has an action for that.",
    Reason.UNSAFE: "I do not do that: somebody could be hurt, or something could break.",
    Reason.NOTHING_TO_DO: "There is nothing for me to do.",
    Reason.UNKNOWN_OBJECT: "There is no such object here.",
}
_QUESTIONS = {"object": "Which object do you mean?", "place": "Which place do you mean?", "task": "What shall I do?"}


def meaning_of(line: sayings.Line, domain: Domain, world: WorldState, context: Optional[Context] = None) -> Meaning:
    """Return what a line means in a world.

    A phrase for one object that fits several is tried with each: if only one leads to a goal, that is meant;
    if several do, the user is asked which, with the goal that each would mean.
    """
    if isinstance(line, sayings.SaidRefusal):
        return Refusal(line.reason, _REFUSALS[line.reason])
    link = _Link(line, Objects(domain, world, context or Context()))
    if isinstance(line, sayings.SaidQuestion):
        return link.asked(line)
    return link.decided({})


class _Link:
    """Links one line with one world."""

    def __init__(self, line: sayings.Line, objects: Objects) -> None:
        self._world = objects.world
        self._objects = objects
        self._line = objects.predicates.own_words(line)
        objects.hear(self._line)
        self._orders = Orders(objects)
        made = [fact.arguments[0] for fact in sayings.each_in(sayings.Fact, line) if fact.predicate == sayings.MADE]
        self._orders.alone = sum(map(len, made)) == 1
        self._answers = Answers(objects)

    def asked(self, line: sayings.SaidQuestion) -> Meaning:
        """Return the question of what a request leaves open."""
        movable = self._objects.names.movable
        fixed = tuple(sorted(name for name in self._world.objects if name not in movable))
        return question(_QUESTIONS[line.about], {"object": movable, "place": fixed}.get(line.about, ()))

    def decided(self, chosen: Chosen) -> Meaning:
        """Return the meaning with the objects that are chosen for phrases that fit several."""
        found = self._tried(chosen)
        if not isinstance(found, Several):
            return found
        phrase = found.phrase
        tried = [(name, self._tried({**chosen, phrase: name})) for name in found.names[:_MOST_TRIED]]
        fitting = [(name, each) for name, each in tried if not isinstance(each, Refusal)]
        untried = found.names[_MOST_TRIED:]
        if not fitting and not untried:
            return next(each for _, each in tried if isinstance(each, Refusal))
        if len({each for _, each in fitting}) == 1 and not untried:
            return self.decided({**chosen, phrase: fitting[0][0]})
        names = [*(name for name, _ in fitting), *untried]
        text = f"Which {called(phrase)} do you mean"
        text += f": {listed(names, 'or')}?" if len(names) <= MOST_CHOICES else "?"
        return Question(text, tuple(Choice(spoken(name), each if isinstance(each, Goal) else None)
                                    for name, each in fitting[:MOST_CHOICES]))

    def _tried(self, chosen: Chosen) -> Union[Meaning, Several]:
        self._objects.chosen, line = chosen, self._line
        self._objects.robot, self._orders.promised = "", set()
        try:
            if isinstance(line, sayings.Queried):
                return self._answers.of(line, self._conditions(line.conditions, Use.ASKED, Not))
            if isinstance(line, sayings.SaidGoal):
                stages, otherwise = self._stages(line.stages), self._stages(line.otherwise)
                self._objects.robot = ""
                invariants = checked(self._conditions(line.invariants, Use.ASKED, denied))
                return without_implied(Goal(stages, invariants, otherwise), self._objects.domain)
        except Several as several:
            return several
        except Unlinked as unlinked:
            return unlinked.meaning
        raise TypeError(f"a line was expected, not {line!r}")

    def _stages(self, said: Sequence[sayings.SaidStage]) -> Tuple[Stage, ...]:
        found: List[Stage] = []
        for each in said:
            self._objects.robot = ""
            robot = self._objects.robot = self._objects.actor(each.robot)
            # "Not all of them" is a question; as a goal each of them is not to be so.
            when = checked(self._conditions(each.when, Use.ASKED, Not))
            conditions = checked(self._conditions(each.conditions, Use.MADE, denied))
            found.append(Stage(conditions, robot if robot in self._world.robots else "", when, each.optional))
        return tuple(found)

    def _conditions(
        self, said: Iterable[sayings.SaidCondition], use: Use, deny: Callable[[Statement], Statement]
    ) -> Tuple[Statement, ...]:
        found = []
        for each in said:
            made = Use.UNMADE if use is Use.MADE and not each.holds else use
            whole = any_of(*(self._orders.said(fact, made) for fact in each.facts))
            found.append(whole if each.holds else deny(whole))
        return conjuncts(found)
