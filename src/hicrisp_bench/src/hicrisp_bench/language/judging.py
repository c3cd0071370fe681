"""Whether what was understood is what was meant.

An understood goal is taken apart into the ways in which it can come true (one for each choice that an ``any``
or a count leaves), and each way must fit an alternative of the sentence:

- Every fact of the alternative is asked for, at the end, on the way (``keep``) or first (what was made first
  and is not undone by the end still holds), or cannot but follow: a lid that is on the table is not on the
  pot. What the domain calls symmetric or inverse is the same fact. That a fact holds already does not excuse
  leaving it out, as whoever understood the sentence does not know that; the answer "it is so already" is
  right where an alternative holds.
- Nothing else is asked for, unless it holds at the start already or follows from the alternative: it holds at
  the end of a short plan for it. What is to come first may also be a state on the way of that plan.

A question back is right only where ``ask`` is an alternative, a refusal only where ``refuse`` is; elsewhere
they count as asked and refused, never as wrong. ``answer`` without motion is wrong where a motion was asked
for. Which robot was named is not judged: one that is not there is refused before.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from enum import Enum
from typing import Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Tuple

from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.search import Searcher
from hicrisp_core.goals.contradictions import contradiction
from hicrisp_core.goals.normal import normal, normal_all
from hicrisp_core.goals.searching import conditions_of
from hicrisp_core.goals.truth import holds
from hicrisp_core.model import WorldState
from hicrisp_core.model.goal import AnswerOnly, Ask, Count, Goal, Holds, Not, Refuse, Statement
from hicrisp_core.model.misfit import Misfit
from hicrisp_core.policy.search_limits import SearchLimits

from hicrisp_bench.language.scenes import Setting
from hicrisp_bench.language.sentences import ANSWER, ASK, REFUSE, Sentence
from hicrisp_bench.language.understanding import SoAlready, Understood

_MOST_WAYS = 400
"""Ways in which a goal can come true above which it is not taken apart: it asks for anything at all."""
_LIMITS = SearchLimits(depth=24, states=20_000, seconds=20.0)
"""For the plan of an alternative, which nobody waits for."""
Facts = FrozenSet[Statement]
"""Statements in normal form, each a fact or its denial."""


class Mark(Enum):
    """How a sentence fared."""

    RIGHT = "right"
    ASKED = "asked"
    REFUSED = "refused"
    WRONG = "wrong"


class Judgement(NamedTuple):
    """A mark and why, for people."""

    mark: Mark
    why: str


@dataclass(frozen=True)
class Course:
    """The worlds of a short plan, the first one first; no more than that one where there is no plan."""

    worlds: Tuple[WorldState, ...]
    found: bool


class Judge:
    """Judges what was understood of sentences in one setting."""

    def __init__(self, setting: Setting) -> None:
        self._domain = setting.domain
        self._world = setting.world
        self._searcher = Searcher(setting.domain)
        self._courses: Dict[Facts, Course] = {}

    def judge(self, sentence: Sentence, understood: Understood) -> Judgement:
        """The mark of what was understood of a sentence."""
        if isinstance(understood, Ask):
            return _aside(Mark.ASKED, ASK in sentence.others, "it asked back")
        if isinstance(understood, Refuse):
            return _aside(Mark.REFUSED, REFUSE in sentence.others, "it refused")
        if isinstance(understood, AnswerOnly):
            return _aside(Mark.WRONG, ANSWER in sentence.others, "it only answered")
        if isinstance(understood, SoAlready):
            is_so = any(all(map(self._holds_now, each)) for each in sentence.goals)
            return _aside(Mark.WRONG, is_so, "it said that it is so already")
        if not sentence.goals:
            return Judgement(Mark.WRONG, f"nothing should move: {' or '.join(sorted(sentence.others))}")
        return self._goal(sentence, understood)

    def course(self, facts: Facts) -> Course:
        """The worlds of a short plan that makes some facts true."""
        if facts not in self._courses:
            self._courses[facts] = self._planned(facts)
        return self._courses[facts]

    def _goal(self, sentence: Sentence, goal: Goal) -> Judgement:
        wanted = [frozenset(normal_all(each, self._domain)) for each in sentence.goals]
        ways = list(itertools.islice(self._ways(goal), _MOST_WAYS + 1))
        if len(ways) > _MOST_WAYS:
            return Judgement(Mark.WRONG, "it leaves nearly everything open")
        if not ways:
            return Judgement(Mark.WRONG, "it cannot come true")
        for way in ways:
            complaints = [self._complaint(way, goal, alternative) for alternative in wanted]
            if all(complaints):
                return Judgement(Mark.WRONG, str(complaints[0]))
        return Judgement(Mark.RIGHT, "")

    def _ways(self, goal: Goal) -> Iterator[Facts]:
        """The facts at the end, one set for each way in which the goal can come true."""
        parts = normal_all((*goal.end, *goal.keep), self._domain)
        for chosen in itertools.product(*(list(self._choices(part)) for part in parts)):
            way = frozenset(itertools.chain.from_iterable(chosen))
            if contradiction(Goal(tuple(way)), self._domain) is None:
                yield way

    def _choices(self, statement: Statement) -> Iterator[Facts]:
        if not isinstance(statement, Count):
            yield frozenset((statement,))
            return
        every = statement.most is None or statement.most >= len(statement.parts)
        for chosen in itertools.islice(itertools.combinations(range(len(statement.parts)), statement.least),
                                       _MOST_WAYS + 1):
            parts = [part if at in chosen else normal(part, self._domain, denied=True)
                     for at, part in enumerate(statement.parts) if at in chosen or not every]
            for each in itertools.product(*(list(self._choices(part)) for part in parts)):
                yield frozenset(itertools.chain.from_iterable(each))

    def _complaint(self, way: Facts, goal: Goal, alternative: Facts) -> Optional[str]:
        """What does not fit between what is asked for and an alternative; ``None`` where it is the same."""
        first = [frozenset(normal_all((each,), self._domain)) for each in goal.first]
        lasting = frozenset(fact for facts in first for fact in facts
                            if contradiction(Goal((*way, fact)), self._domain) is None)
        missing = [fact for fact in alternative if not self._follows(fact, way | lasting)]
        if missing:
            return f"it leaves out {_listed(missing)}"
        extra = [fact for fact in way - alternative if not self._harmless(fact, alternative)]
        extra += [fact for facts in first if not self._on_the_way(facts, alternative) for fact in facts]
        return f"nobody asked for {_listed(extra)}" if extra else None

    def _follows(self, fact: Statement, asked: Facts) -> bool:
        """Whether a fact is asked for, or is denied by what is asked for so that it cannot but be false."""
        if fact in asked:
            return True
        return isinstance(fact, Not) and contradiction(
            Goal((*(each for each in asked if isinstance(each, Holds)), fact.part)), self._domain) is not None

    def _harmless(self, fact: Statement, alternative: Facts) -> bool:
        if self._holds_now(fact) or self._follows(fact, alternative):
            return True
        course = self.course(alternative)
        return course.found and holds(fact, course.worlds[-1].relations, self._domain)

    def _on_the_way(self, facts: Facts, alternative: Facts) -> bool:
        if facts <= alternative:
            return True
        return any(all(holds(fact, world.relations, self._domain) for fact in facts)
                   for world in self.course(alternative).worlds)

    def _holds_now(self, fact: Statement) -> bool:
        return holds(fact, self._world.relations, self._domain)

    def _planned(self, facts: Facts) -> Course:
        conditions = conditions_of(sorted(facts, key=str), self._domain)
        if isinstance(conditions, Misfit):
            return Course((self._world,), False)
        answer = self._searcher.find(self._world, conditions, _LIMITS)
        worlds: List[WorldState] = [self._world]
        for command in answer.commands:
            worlds.append(apply_effects(self._domain, command, worlds[-1]))
        return Course(tuple(worlds), answer.found)


def _aside(mark: Mark, right: bool, why: str) -> Judgement:
    return Judgement(Mark.RIGHT, "") if right else Judgement(mark, why)


def _listed(facts: List[Statement]) -> str:
    return ", ".join(sorted(map(str, facts)))
