"""Whether what was understood is what was meant.

A goal is right if its normal form is that of an alternative of the sentence, or if it comes to the same:

- It asks for every condition of the alternative at the end (``final_conditions``), or for what makes it so: a
  lid on the table is not on the pot, and who is in an area has visited it. A choice (``any``, a count) is
  taken apart into the ways in which it can come true, and each way must fit an alternative. That a condition
  holds already does not excuse leaving it out.
- It reaches the alternative's stages in their order, and keeps its invariants all the way. What the
  alternative denies at the end may also be denied all the way.
- It asks for nothing else, unless that holds already or follows: it holds at the end of a short plan for the
  alternative, or on the plan's way to the stage that is next.
- It names the robot that the alternative names, if there are several; if that names none, it is not judged.

An answer is right if the sentence expects one and its text contains what the sentence says, or if an
alternative holds already. A question back is right if the sentence expects one, unless the product only asks
for other words; one that shows the right goal first is confirmed by the user's yes. Other questions and
refusals are never wrong.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from enum import Enum
from typing import Dict, FrozenSet, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from hicrisp_core.domain import Searcher, apply_effects
from hicrisp_core.goals.planning import conditions_of
from hicrisp_core.goals.stages import applies, chosen, final_conditions, undoing
from hicrisp_core.goals.truth import holds, normal, normal_all, same_goal
from hicrisp_core.goals.validation import at_once
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.model.goal import Count, Goal, GoalError, Holds, Not, Stage, Statement
from hicrisp_core.model.meaning import Answer, Question, Refusal
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.ports.brain import Usage
from hicrisp_core.ports.interpreter import Understood
from hicrisp_core.understanding.written import SaidQuestion, parse_line

from hicrisp_bench.language.sentences import ANSWER, ASK, REFUSE, Sentence, Setting

MODEL, PRODUCT = "model", "product"
"""Who asks back."""
_MOST_WAYS = 400
"""Ways in which a goal can come true above which it is not taken apart: it asks for anything at all."""
_LIMITS = SearchLimits(depth=24, states=20_000, seconds=20.0)
"""For the plan of an alternative, which nobody waits for."""
Facts = FrozenSet[Statement]
"""Statements in normal form, each a fact or its denial."""
_NO_FACTS: Facts = frozenset()


class Mark(Enum):
    """How a sentence fared."""

    RIGHT = "right"
    """At once."""
    CONFIRMED = "confirmed"
    """The product asked, and what it showed first is right: one yes."""
    ASKED = "asked"
    """A question back that the sentence does not expect."""
    REFUSED = "refused"
    """A refusal that the sentence does not expect, or no usable answer."""
    WRONG = "wrong"
    """What nobody wanted would have been done or said."""


def asked_by(usage: Usage) -> str:
    """Who asks back: the model, if its own answer was a question, else the product."""
    if not usage.exchanges:
        return PRODUCT
    last = usage.exchanges[-1]
    own = not last.only_goals or isinstance(parse_line(last.answer.strip()), SaidQuestion)
    return MODEL if own else PRODUCT


class Judgement(NamedTuple):
    """A mark and why, for people."""

    mark: Mark
    why: str = ""


@dataclass(frozen=True)
class Course:
    """The worlds of a short plan through an alternative's stages.

    Args:
        worlds: for each stage those from where the one before was reached on; one without a plan.
    """

    worlds: Tuple[Tuple[WorldState, ...], ...]
    found: bool

    @property
    def whole(self) -> Tuple[WorldState, ...]:
        """All worlds in their order."""
        return tuple(itertools.chain.from_iterable(self.worlds))


class Judge:
    """Judges what was understood of sentences in one setting."""

    def __init__(self, setting: Setting) -> None:
        self._domain = setting.domain
        self._world = setting.world
        self._searcher = Searcher(setting.domain)
        self._courses: Dict[Goal, Course] = {}

    def judge(self, sentence: Sentence, understood: Understood) -> Judgement:
        """Return the mark of what was understood of a sentence."""
        meaning = understood.meaning
        if isinstance(meaning, Goal):
            return self._goal(sentence, meaning)
        if isinstance(meaning, Answer):
            return self._answer(sentence, meaning.text)
        if isinstance(meaning, Question):
            if ASK in sentence.others and (meaning.choices or asked_by(understood.usage) != PRODUCT):
                return Judgement(Mark.RIGHT)
            shown = meaning.choices[0].goal if meaning.choices else None
            confirmed = shown is not None and self._goal(sentence, shown).mark is Mark.RIGHT
            return Judgement(Mark.CONFIRMED if confirmed else Mark.ASKED, f"it asked: {meaning.text}")
        if isinstance(meaning, Refusal):
            expected = REFUSE in sentence.others
            return Judgement(Mark.RIGHT) if expected else Judgement(Mark.REFUSED, f"it refused: {meaning.text}")
        return Judgement(Mark.REFUSED, f"it gave no usable answer: {understood.trouble}")

    def course(self, alternative: Goal) -> Course:
        """Return the worlds of a short plan for an alternative."""
        if alternative not in self._courses:
            self._courses[alternative] = self._planned(alternative)
        return self._courses[alternative]

    def _answer(self, sentence: Sentence, text: str) -> Judgement:
        if ANSWER in sentence.others:
            lacking = next((each for each in sentence.answer if not _contains(text, each)), None)
            return Judgement(Mark.RIGHT) if lacking is None else Judgement(
                Mark.WRONG, f"the answer does not say '{' or '.join(lacking)}'")
        is_so = any(all(holds(each, self._world.relations, self._domain) for each in final_conditions(
            goal, self._domain)) for goal in sentence.goals)
        return Judgement(Mark.RIGHT) if is_so else Judgement(Mark.WRONG, "it only answered")

    def _goal(self, sentence: Sentence, meant: Goal) -> Judgement:
        sentence = replace(sentence, goals=tuple(map(self._plain, sentence.goals)))
        meant = self._plain(meant)
        free = meant.changed(lambda each: each, lambda robot: "")  # Any robot will do if none is named.
        if any(same_goal(meant if each.robots else free, each, self._domain) for each in sentence.goals):
            return Judgement(Mark.RIGHT)
        facts = self._world.relations  # Of its conditions those count that hold now.
        goal = replace(meant, otherwise=(), stages=tuple(
            replace(each, when=()) for each in chosen(meant, facts, self._domain).stages
            if applies(each, facts, self._domain)))
        if goal.empty:
            return self._answer(sentence, "")
        if not sentence.goals:
            return Judgement(Mark.WRONG, f"nothing should move: {' or '.join(sorted(sentence.others))}")
        ways = self._ways(goal)
        if not ways or len(ways) > _MOST_WAYS:
            why = "it leaves nearly everything open" if ways else "it cannot come true"
            return Judgement(Mark.WRONG, why)
        alternatives = [way for each in sentence.goals for way in self._ways(each)]
        for way in ways:
            complaint: Optional[str] = "no alternative can come true"
            for alternative in alternatives:
                complaint = self._complaint(way, alternative)
                if complaint is None:
                    break
            if complaint is not None:
                return Judgement(Mark.WRONG, complaint)
        return Judgement(Mark.RIGHT)

    def _plain(self, goal: Goal) -> Goal:
        """Return a goal in which a place on the way is visited, and what is not closed is open."""
        roles = self._domain.roles

        def passed(statement: Statement) -> Statement:
            if isinstance(statement, Holds) and statement.fact.predicate == roles.located and roles.visited:
                return Holds(statement.fact._replace(predicate=roles.visited))
            return statement

        def contrary(statement: Statement) -> Statement:
            if not isinstance(statement, Not) or not isinstance(statement.part, Holds):
                return statement
            fact = statement.part.fact
            others = [each for each in undoing(fact.predicate, self._domain) - {fact.predicate}
                      if fact.subject in self._world.objects and fact.predicate in undoing(each, self._domain)]
            return Holds(fact._replace(predicate=others[0])) if len(others) == 1 else statement

        *before, last = goal.stages or (Stage(()),)
        stages = (*(replace(each, conditions=tuple(map(passed, each.conditions))) for each in before), last)
        return replace(goal, stages=stages if goal.stages else ()).changed(contrary)

    def _ways(self, goal: Goal) -> List[Goal]:
        """Return goals without choices, one for each way in which a goal can come true."""
        sets = [list(itertools.islice(self._sets(each.conditions), _MOST_WAYS + 1)) for each in goal.stages]
        kept = list(itertools.islice(self._sets(goal.invariants), _MOST_WAYS + 1))
        found: List[Goal] = []
        for invariants, *stages in itertools.islice(itertools.product(kept, *sets), _MOST_WAYS + 1):
            way = replace(goal, invariants=_in_order(invariants), stages=tuple(
                replace(stage, conditions=_in_order(facts), optional=False)
                for stage, facts in zip(goal.stages, stages)))
            if at_once(final_conditions(way, self._domain), self._domain) is None:
                found.append(way)
        return found

    def _complaint(self, way: Goal, alternative: Goal) -> Optional[str]:
        """Return what does not fit between a goal and an alternative, both without choices."""
        if alternative.otherwise or any(each.when for each in alternative.stages):
            return "it does not depend on the same conditions"
        if len(self._world.robots) > 1 and alternative.robots and set(way.robots) != set(alternative.robots):
            return f"{' and '.join(alternative.robots)} is to do it"
        asked, wanted = self._end(way), self._end(alternative)
        lacking = [fact for fact in wanted if not self._follows(fact, asked)]
        if lacking:
            return f"it leaves out {_listed(lacking)}"
        kept = self._normal(way.invariants)
        lacking = [fact for fact in alternative.invariants if not self._follows(fact, kept)]
        if lacking:
            return f"it does not keep {_listed(lacking)} all the way"
        extra = [fact for fact in asked - wanted if (fact in kept or not self._follows(fact, wanted))
                 and not self._comes_with(fact, wanted, alternative, lasting=fact in kept)]
        return f"nobody asked for {_listed(extra)}" if extra else self._out_of_order(way, alternative)

    def _out_of_order(self, way: Goal, alternative: Goal) -> Optional[str]:
        """Return which stage is not reached in its turn, or is not asked for; ``None`` if all is in order."""
        stages = alternative.stages or (Stage(()),)
        reached = 0
        for number, stage in enumerate(way.stages, 1):
            made = self._end(replace(way, stages=way.stages[:number]))
            wanted = stages[reached].conditions if reached < len(stages) else None
            if wanted is not None and all(self._follows(fact, made) for fact in wanted):
                reached += 1
            elif not self._on_the_way(stage, alternative, min(reached, len(stages) - 1)):
                return f"nobody asked for {stage} at this point"
        if len(stages) > 1 and reached < len(stages):
            return f"it does not reach {stages[reached]} in its turn"
        return None

    def _end(self, goal: Goal) -> Facts:
        return self._normal(final_conditions(goal, self._domain))

    def _normal(self, conditions: Iterable[Statement]) -> Facts:
        return frozenset(normal_all(conditions, self._domain))

    def _sets(self, conditions: Iterable[Statement]) -> Iterator[Facts]:
        """Yield sets of facts, one for each way in which conditions can come true."""
        parts = normal_all(conditions, self._domain)
        for choice in itertools.product(*(list(self._choices(part)) for part in parts)):
            facts: Facts = _NO_FACTS.union(*choice)
            if at_once(facts, self._domain) is None:
                yield facts

    def _choices(self, statement: Statement) -> Iterator[Facts]:
        if not isinstance(statement, Count):
            yield frozenset((statement,))
            return
        every = statement.most is None or statement.most >= len(statement.parts)
        for true in itertools.islice(itertools.combinations(range(len(statement.parts)), statement.least),
                                     _MOST_WAYS + 1):
            parts = [part if at in true else normal(part, self._domain, denied=True)
                     for at, part in enumerate(statement.parts) if at in true or not every]
            for each in itertools.product(*(list(self._choices(part)) for part in parts)):
                yield _NO_FACTS.union(*each)

    def _follows(self, fact: Statement, asked: Facts) -> bool:
        """Check whether a fact is asked for, comes with what is asked for, or cannot but be denied by it."""
        if fact in asked:
            return True
        made = [each for each in asked if isinstance(each, Holds)]
        if isinstance(fact, Not):
            return at_once((*made, fact.part), self._domain) is not None
        return isinstance(fact, Holds) and at_once((*made, fact), self._domain) is None \
            and any(self._made_with(fact.fact, each.fact) for each in made)

    def _made_with(self, fact: Relation, other: Relation) -> bool:
        """Check whether each action that makes another fact makes this one as well, and for good."""
        if self._transient(fact) or other in self._world.relations:
            return False
        makers = [(action, effect.atom) for action in self._domain.actions.values()
                  for effect in action.effects
                  if not effect.removes and effect.atom.predicate == other.predicate]
        return bool(makers) and all(any(
            each.atom.bind(dict(zip(atom.arguments, (other.subject, other.object)))).fact() == fact
            for each in action.effects if not each.removes and each.when is None) for action, atom in makers)

    def _transient(self, fact: Relation) -> bool:
        known = self._domain.predicates.get(fact.predicate)
        return known is not None and known.transient

    def _comes_with(self, fact: Statement, wanted: Facts, alternative: Goal, lasting: bool) -> bool:
        """Check whether a fact holds now, at the end of a plan for an alternative, or while it is made.

        Args:
            lasting: whether it is asked for all the way: then the plan must not end it either.
        """
        if isinstance(fact, Holds) and self._transient(fact.fact) and any(
                self._made_with(each.fact, fact.fact) for each in wanted if isinstance(each, Holds)):
            return True
        course = self.course(alternative)
        held = [holds(fact, world.relations, self._domain) for world in course.whole]
        if lasting:
            return held[-1] and held == sorted(held)
        return held[0] or (course.found and held[-1])

    def _on_the_way(self, stage: Stage, alternative: Goal, number: int) -> bool:
        """Check whether a stage is a part of an alternative's stage, or holds on a plan's way to it."""
        facts = self._normal(stage.conditions)
        whole = alternative.stages[number].conditions if alternative.stages else ()
        if facts <= self._normal((*whole, *alternative.invariants)):
            return True
        return any(all(holds(fact, world.relations, self._domain) for fact in facts)
                   for world in self.course(alternative).worlds[number])

    def _planned(self, alternative: Goal) -> Course:
        world, found = self._world, True
        parts: List[Tuple[WorldState, ...]] = []
        keep = conditions_of(alternative.invariants, self._domain)
        for number in range(1, max(1, len(alternative.stages)) + 1):
            worlds = [world]
            wanted = conditions_of(final_conditions(
                replace(alternative, stages=alternative.stages[:number]), self._domain), self._domain)
            if isinstance(wanted, GoalError) or isinstance(keep, GoalError):
                found = False
            else:
                answer = self._searcher.find(world, wanted, _LIMITS, keep=keep)
                found = found and answer.found
                for command in answer.commands:
                    worlds.append(apply_effects(self._domain, command, worlds[-1]))
            world = worlds[-1]
            parts.append(tuple(worlds))
        return Course(tuple(parts), found)


def _contains(text: str, words: Iterable[str]) -> bool:
    """Check whether a text has one of some words, whole, in whatever case."""
    said = text.replace("_", " ").lower()
    whole = (re.escape(each.replace("_", " ").lower()) for each in words)
    return any(re.search(rf"(?<!\w){each}(?!\w)", said) for each in whole)


def _in_order(facts: Facts) -> Tuple[Statement, ...]:
    return tuple(sorted(facts, key=str))


def _listed(facts: Iterable[Statement]) -> str:
    return ", ".join(sorted(map(str, facts)))
