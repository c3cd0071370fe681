"""From a line of the written goal language to what it means in a world."""

from __future__ import annotations

from typing import Iterable, List, Optional, Sequence, Tuple, Union

from hicrisp_core.domain.saying import spoken
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import WorldState
from hicrisp_core.model.goal import Goal, Not, Stage, Statement, any_of
from hicrisp_core.model.meaning import Choice, Meaning, Question, Reason, Refusal
from hicrisp_core.understanding.written.answers import Answers
from hicrisp_core.understanding.written.context import Context, Several, Unlinked, called, listed
from hicrisp_core.understanding.written.objects import MOST_CHOICES, Chosen, Objects, question
from hicrisp_core.understanding.written.orders import Orders
from hicrisp_core.understanding.written.predicates import Use
from hicrisp_core.understanding.written.sayings import Asked, Condition, Line, Queried, Refused, SaidGoal, SaidStage
from hicrisp_core.understanding.written.statements import Statements, checked, conjuncts, denied

_MOST_TRIED = 40
"""Objects that are tried for a phrase for one."""
_REFUSALS = {
    Reason.IMPOSSIBLE: "No robot here has an action for that.",
    Reason.UNSAFE: "I do not do that: somebody could be hurt, or something could break.",
    Reason.NOTHING_TO_DO: "There is nothing for me to do.",
    Reason.UNKNOWN_OBJECT: "There is no such object here.",
}
_QUESTIONS = {"object": "Which object do you mean?", "place": "Which place do you mean?", "task": "What shall I do?"}


def meaning_of(line: Line, domain: Domain, world: WorldState, context: Optional[Context] = None) -> Meaning:
    """Return what a line means in a world.

    A phrase for one object that fits several is tried with each: if only one leads to a goal, that is meant;
    if several do, the user is asked which, with the goal that each would mean.
    """
    if isinstance(line, Refused):
        return Refusal(line.reason, _REFUSALS[line.reason])
    link = _Link(line, domain, world, context or Context())
    if isinstance(line, Asked):
        return link.asked(line)
    return link.decided({})


class _Link:
    """Links one line with one world."""

    def __init__(self, line: Line, domain: Domain, world: WorldState, context: Context) -> None:
        self._domain = domain
        self._world = world
        self._objects = Objects(domain, world, context)
        self._line = line
        self._objects.hear(line)
        statements = Statements(domain, world, self._objects)
        self._orders = Orders(domain, world, context, self._objects, statements)
        self._answers = Answers(domain, world, context, self._objects)

    def asked(self, line: Asked) -> Meaning:
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
        if len(fitting) == 1 and not untried:
            return self.decided({**chosen, phrase: fitting[0][0]})
        names = [*(name for name, _ in fitting), *untried]
        text = f"Which {called(phrase)} do you mean"
        text += f": {listed(names, 'or')}?" if len(names) <= MOST_CHOICES else "?"
        return Question(text, tuple(Choice(spoken(name), each if isinstance(each, Goal) else None)
                                    for name, each in fitting[:MOST_CHOICES]))

    def _tried(self, chosen: Chosen) -> Union[Meaning, Several]:
        self._objects.chosen = chosen
        try:
            if isinstance(self._line, Queried):
                return self._answer(self._line)
            if isinstance(self._line, SaidGoal):
                return self._goal(self._line)
        except Several as several:
            return several
        except Unlinked as unlinked:
            return unlinked.meaning
        raise TypeError(f"a line was expected, not {self._line!r}")

    def _answer(self, line: Queried) -> Meaning:
        self._objects.robot = ""
        return self._answers.of(line, self._conditions(line.conditions, Use.ASKED))

    def _goal(self, line: SaidGoal) -> Goal:
        stages, otherwise = self._stages(line.stages), self._stages(line.otherwise)
        return Goal(stages, self._invariants(line.invariants), otherwise)

    def _stages(self, said: Sequence[SaidStage]) -> Tuple[Stage, ...]:
        found: List[Stage] = []
        for each in said:
            self._objects.robot = ""
            robot = self._objects.robot = self._objects.actor(each.robot)
            when = checked(self._conditions(each.when, Use.ASKED))
            conditions = checked(self._conditions(each.conditions, Use.MADE))
            found.append(Stage(conditions, robot if robot in self._world.robots else "", when, each.optional))
        return tuple(found)

    def _invariants(self, said: Iterable[Condition]) -> Tuple[Statement, ...]:
        self._objects.robot = ""
        found = []
        for each in said:
            whole = any_of(*(self._orders.of(fact, Use.ASKED) for fact in each.facts))
            found.append(whole if each.holds else denied(whole))
        return checked(conjuncts(found))

    def _conditions(self, said: Iterable[Condition], use: Use) -> Tuple[Statement, ...]:
        found = []
        for each in said:
            made = Use.UNMADE if use is Use.MADE and not each.holds else use
            whole = any_of(*(self._orders.of(fact, made) for fact in each.facts))
            # "Not all of them" is a question; as a goal each of them is not to be so.
            found.append(whole if each.holds else Not(whole) if use is Use.ASKED else denied(whole))
        return conjuncts(found)
