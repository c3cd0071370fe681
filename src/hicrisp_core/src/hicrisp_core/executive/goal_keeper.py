"""The goal of a task under way: how far it has come, whether it is seen at the end, and which commands it allows."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Iterable, Optional, Tuple, Union

from hicrisp_core.detector.detector import STILL_SURE, doubt_about
from hicrisp_core.detector.relations import derive_relations, is_measured
from hicrisp_core.domain import Domain, Searcher, apply_effects, goal_words, words_of
from hicrisp_core.domain.checker import no_picture
from hicrisp_core.executive.observation import out_of_sight
from hicrisp_core.executive.run_log import RunLog
from hicrisp_core.executive.second_witness import SecondWitness
from hicrisp_core.goals.planning import way_to
from hicrisp_core.goals.stages import applies, chosen, final_conditions, rest_of
from hicrisp_core.goals.truth import breaking, ended_by, guard, missing, truth, unknown_in
from hicrisp_core.model import Cause, CauseKind, Command, Feedback, FeedbackKind, Level, Relation, Unmet, WorldState
from hicrisp_core.model.goal import Goal, Stage, Statement, facts_in
from hicrisp_core.policy.policy import TASK, Policy
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.events import GoalJudged, GoalUnderstood

UNKNOWN, MISSED, SEEN = "unknown", "missed", "seen"
"""What is known of a goal at the end of a task."""
_TARGETS = 6
"""Places that are tried for one placement."""
_APART = 0.04
"""Least distance of a further place from one that would end something, metres."""
Aim = Callable[[Command], Union[Command, Feedback]]
_SEARCH_LIMIT = 5.0
"""Wall seconds for one search."""


class GoalKeeper:
    """Holds a task's goal and judges it.

    Args:
        goal: what the brain states; ``None`` if it does not know.
        witness: is asked about the goal too.
    """

    def __init__(
        self, domain: Domain, policy: Policy, ledger: RunLog, goal: Optional[Goal], world: WorldState,
        witness: Optional[SecondWitness] = None,
    ) -> None:
        self._witness = witness or SecondWitness(None, domain, policy.witness, ledger)
        self._domain = domain
        self._asked = policy.verify_goal == TASK and policy.detect
        self._ledger = ledger
        self._goal: Optional[Goal] = None
        self._reached = 0
        self._made: Tuple[Stage, ...] = ()
        """The stages that were reached."""
        self._entered = False
        """Whether the stage that is next has begun: its ``when`` is not asked for again."""
        self._begin(goal, world)
        self.state = UNKNOWN if self._asked and goal is None else ""
        if goal is not None or self._asked:
            self._tell()

    @property
    def goal(self) -> Optional[Goal]:
        """The remaining goal: without stages that were reached or do not apply."""
        if self._goal is None:
            return None
        left = rest_of(self._goal, self._reached, self._made, self._domain)
        if self._entered and left.stages:  # Its condition was judged as it began.
            return replace(left, stages=(replace(left.stages[0], when=()), *left.stages[1:]))
        return left

    @property
    def judged(self) -> bool:
        """Whether the goal decides on the success of the task."""
        return self._asked and self._goal is not None

    @property
    def staged(self) -> bool:
        """Whether a stage was not reached yet."""
        return self._goal is not None and self._reached < len(self._goal.stages)

    def restated(self, goal: Optional[Goal], world: WorldState) -> None:
        """Replace the goal by the one that a new plan states, for example with an equivalent object.

        Args:
            goal: the plan's goal; ``None`` changes nothing.
            world: observed objects, robots and facts; poses in the world frame.
        """
        if goal is not None and goal not in (self._goal, self.goal):
            self._begin(goal, world)
            self._tell()

    def see(self, world: WorldState, expected: Optional[WorldState] = None) -> bool:
        """Note which stages hold now, one after another, and which do not apply as they begin.

        Args:
            expected: the world as the plan has it by now.

        Returns:
            Whether a stage that begins applies otherwise than the plan has it.
        """
        turned = False
        while self._goal is not None and self._reached < len(self._goal.stages):
            stage = self._goal.stages[self._reached]
            if not self._entered:
                self._entered = applies(stage, world.relations, self._domain)
                turned = turned or expected is not None and self._entered is not applies(
                    stage, expected.relations, self._domain)
            if self._entered:
                if missing(stage.conditions, world.relations, self._domain,
                           unknown_in(world, self._domain)):
                    break
                self._made = (*self._made, Stage(stage.conditions))
            self._reached, self._entered = self._reached + 1, False
        return turned

    def pass_over(self) -> bool:
        """Skip the current stage if it is optional.

        Returns:
            Whether it was skipped.
        """
        if self._goal is None or not self.staged or not self._goal.stages[self._reached].optional:
            return False
        self._reached, self._entered = self._reached + 1, False
        return True

    def _begin(self, goal: Optional[Goal], world: WorldState) -> None:
        self._goal = None if goal is None else chosen(goal, world.relations, self._domain)
        self._reached, self._made, self._entered = 0, (), False
        self.see(world)

    def unseen(self, world: WorldState) -> Tuple[str, ...]:
        """Return the objects whose part in the goal cannot be observed in a world.

        Args:
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            Their names.
        """
        left = self._certain()
        found = None if left is None else self._missed(left, world)
        if found is None or found.kind is FeedbackKind.GOAL_UNSEEN:
            return found.subjects if found is not None else ()
        return out_of_sight(world, found.subjects)

    def judge(self, world: WorldState) -> Optional[Feedback]:
        """Return what is missing of the goal.

        Args:
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            The feedback; ``None`` if all of it is observed.
        """
        self.see(world)
        left = self._certain()
        if left is None:
            return None
        found = self._missed(left, world)
        before = tuple(each for stage in left.stages[:-1] for each in missing(
            stage.conditions, world.relations, self._domain))
        if before:
            later = found.conditions if found is not None and found.kind is FeedbackKind.GOAL_MISSED else ()
            found = Feedback(Level.HIGH, FeedbackKind.GOAL_MISSED,
                             conditions=tuple(dict.fromkeys((*before, *later))))
        self.state = SEEN if found is None else MISSED
        words = words_of(found, self._domain).error if found is not None else ""
        self._ledger.tell(GoalJudged(seen=found is None, missing=words))
        return found

    def _missed(self, left: Goal, world: WorldState) -> Optional[Feedback]:
        self._witness.hear((fact for each in final_conditions(left, self._domain) for fact in facts_in(each)), world)
        return missed(left, self._domain, self._witness.see(world), STILL_SURE, self._witness.doubts.get)

    def holds_in(self, world: WorldState) -> bool:
        """Check whether nothing is missing of the remaining goal in a world that is known for certain.

        Args:
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            True if it holds; false without a goal.
        """
        left = self._certain()
        return left is not None and missed(left, self._domain, world) is None

    def _certain(self) -> Optional[Goal]:
        """Return what is left of the goal, without stages that may be left out."""
        left = self.goal
        if left is None:
            return None
        return replace(left, stages=tuple(each for each in left.stages if not each.optional))

    def _tell(self) -> None:
        goal = self._goal or Goal()
        self._ledger.tell(GoalUnderstood(
            known=self._goal is not None, said=goal.said or goal_words(goal, self._domain), source=goal.source,
            stages=goal.texts.get("stages", ()), otherwise=goal.texts.get("otherwise", ()),
            invariants=goal.texts.get("invariants", ())))


def missed(
    goal: Goal, domain: Domain, world: WorldState, sigmas: float = 0.0,
    disputed: Callable[[Relation], Optional[Cause]] = lambda fact: None,
) -> Optional[Feedback]:
    """Return the feedback for a goal that is not observed to hold.

    A fact about an object that is out of view is neither missing nor observed; the same holds for a fact in
    doubt.

    Args:
        goal: stages, alternatives and invariants over names of the world.
        domain: types, predicates and actions of the application.
        world: observed objects, robots and facts; poses in the world frame.
        sigmas: error of a pose, in standard deviations, under which a fact must stay the same; 0 doubts nothing.
        disputed: why nobody can tell whether a fact holds, however exact its poses.

    Returns:
        The feedback; ``None`` if the goal holds.
    """
    unseen = {each.name for each in world.unseen}

    def doubt(fact: Relation) -> Optional[Cause]:
        return disputed(fact) or (doubt_about(domain, fact, world, sigmas) if sigmas > 0.0 else None)

    def unknown(fact: Relation) -> bool:
        return not unseen.isdisjoint((fact.subject, fact.object)) or doubt(fact) is not None

    lacking = missing(final_conditions(goal, domain), world.relations, domain, unknown)
    false = tuple(each for each in lacking if truth(each, world.relations, domain, unknown) is False)
    if false or not lacking:
        return Feedback(Level.HIGH, FeedbackKind.GOAL_MISSED, subjects=_things(false, world),
                        conditions=false) if false else None
    lost = tuple(name for name in _things(lacking, world) if name in unseen)
    if lost:
        return Feedback(Level.HIGH, FeedbackKind.GOAL_UNSEEN, subjects=lost, conditions=lacking,
                        cause=no_picture(world))
    causes = {fact: cause for fact in facts_in(lacking[0]) for cause in (doubt(fact),) if cause is not None}
    cause = next(iter(causes.values()))
    return Feedback(Level.HIGH, FeedbackKind.GOAL_UNSEEN, subjects=cause.names or _things(lacking[:1], world),
                    conditions=lacking[:1], cause=cause,
                    unmet=tuple(Unmet((fact,)) for fact, each in causes.items()
                                if each.kind is not CauseKind.DISPUTED))  # Doing it again settles no dispute.


def _things(statements: Iterable[Statement], world: WorldState) -> Tuple[str, ...]:
    """Return the objects of statements without repetitions, unobserved ones first."""
    named = dict.fromkeys(name for each in statements for fact in facts_in(each)
                          for name in (fact.subject, fact.object) if name in world.objects)
    return tuple(sorted(named, key=lambda name: not world.objects[name].unseen))


class InvariantGuard:
    """Refuses commands that would end what is to stay so, and finds places that do not.

    Args:
        keep: the conditions; without any every command passes.
    """

    def __init__(self, domain: Domain, keep: Tuple[Statement, ...] = ()) -> None:
        self._domain = domain
        self._keep = keep

    def refusal(self, command: Command, world: WorldState) -> Optional[Feedback]:
        """Return why a command must not run.

        Args:
            command: the action with its arguments and constraints.
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            The feedback that names the condition it would end; ``None`` if it ends none.
        """
        return guard(self._keep, self._domain, command, world)

    def aimed(self, command: Command, world: WorldState, aim: Aim) -> Union[Command, Feedback]:
        """Find a target at which a command's item ends no condition; a few targets are tried.

        Args:
            command: the action with its arguments and constraints.
            world: observed objects, robots and facts; poses in the world frame.
            aim: returns the command with a target, or why there is none.

        Returns:
            The command with its target, or the feedback.
        """
        found = aim(command)
        refused: Optional[Feedback] = None
        for _ in range(_TARGETS):
            if isinstance(found, Feedback):
                return refused or found
            refused = breaking(found, self.ended_there(found, world))
            if refused is None or found.target is None:
                return found
            command = replace(command, avoid=(*command.avoid, found.target.position),
                              apart=max(_APART, command.apart))
            found = aim(command)
        return refused or found

    def ended(self, before: WorldState, after: WorldState) -> Tuple[Statement, ...]:
        """Return the conditions that held before a command and do not hold after it.

        Args:
            before: world observed before the command.
            after: world observed after it.

        Returns:
            The conditions.
        """
        return ended_by(self._keep, self._domain, before, after) if self._keep else ()

    def ended_there(self, found: Command, world: WorldState) -> Tuple[Statement, ...]:
        """Return the conditions that a placement would end at its target.

        Args:
            found: the command; it may be without a target.
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            The conditions.
        """
        if found.target is None or not self._keep:
            return ()
        item = world.objects.get(self._domain.item(found))
        action = self._domain.actions.get(found.action)
        if item is None or action is None or not action.places:
            return ()
        there = replace(world, objects={**world.objects, item.name: replace(item, pose=found.target)})
        seen = frozenset((*derive_relations(self._domain, there),
                          *(fact for fact in world.relations if not is_measured(self._domain, fact))))
        return ended_by(self._keep, self._domain, world, replace(there, relations=seen))


def still_useful(command: Command, before: WorldState, goal: Goal, domain: Domain, searcher: Searcher) -> bool:
    """Check whether a running command lies on a shortest way to a changed goal and violates none of its invariants.

    Args:
        command: the action with its arguments and constraints.
        before: the world in which it started.
        goal: the changed goal.
        domain: types, predicates and actions of the application.
        searcher: searches the domain.

    Returns:
        True if it should continue; false also if the search runs out of time.
    """
    keeping = InvariantGuard(domain, goal.invariants)
    if keeping.refusal(command, before) is not None or keeping.ended_there(command, before):
        return False
    after = apply_effects(domain, command, before)
    lengths: Tuple[int, ...] = ()
    for world in (before, after):
        way = way_to(searcher, world, goal, Deadline(_SEARCH_LIMIT))
        if not way.found:
            return False
        lengths += (len(way.commands),)
    return 1 + lengths[1] <= lengths[0]
