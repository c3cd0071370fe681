"""What a finished run teaches: read from its events, which say what was tried and what the detector saw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Mapping, Optional, Set, Tuple

from hicrisp_core.domain import Domain, apply_effects, check
from hicrisp_core.errors import DomainError
from hicrisp_core.goals.stages import chosen, final_conditions
from hicrisp_core.goals.truth import missing
from hicrisp_core.memory.entries import LONGEST_TEXT, Example, Failure, Mended, Source, Unfit, entry_of, record_of
from hicrisp_core.memory.names import mentioned, names_in, things_of
from hicrisp_core.model import Goal, MakerKind, Step, WorldState
from hicrisp_core.trace.events import CommandTried, CorrectionMade
from hicrisp_core.trace.timeline import AttemptRecord, Timeline, timeline_of


@dataclass(frozen=True)
class Lesson:
    """What one run teaches.

    Args:
        example: the task with its commands; ``None`` if it did not succeed, or nothing was done.
        mended: the corrections after which the failed command worked.
        unhelpful: the ids of the remembered corrections that did not help.
    """

    example: Optional[Example]
    mended: Tuple[Mended, ...] = ()
    unhelpful: Tuple[str, ...] = ()


def lesson_of(
    events: Iterable[Mapping[str, Any]], text: str, world: WorldState, domain: Domain, goal: Optional[Goal],
    source: Source, went_well: bool,
) -> Lesson:
    """Extract what a run teaches.

    Args:
        events: event log of the run.
        text: the request, as it was understood.
        world: the one that the run began in.
        domain: types, predicates and actions of the application.
        goal: the goal; ``None`` if there was none.
        source: where the lesson comes from.
        went_well: whether the task succeeded, its goal seen where it was judged.

    Returns:
        The example and the corrections that worked or failed.
    """
    story = timeline_of(events)
    found = [_corrections(step.moments, world, domain, source) for step in story.steps]
    mended = tuple(each for worked, _ in found for each in worked)
    unhelpful = tuple(dict.fromkeys(each for _, failed in found for each in failed))
    example = _example(story, text, world, domain, goal, source) if went_well else None
    return Lesson(example, mended, unhelpful)


def _example(
    story: Timeline, text: str, world: WorldState, domain: Domain, goal: Optional[Goal], source: Source
) -> Optional[Example]:
    steps = tuple(_step(attempt.command) for attempt in story.attempts if attempt.ok)
    if not _leads_to(goal, steps, world, domain):
        return None
    named = (*names_in(steps), *(goal.names if goal is not None else ()), *mentioned(text, world))
    objects = things_of(iter(named), world)
    if not steps or objects is None or len(text) > LONGEST_TEXT:
        return None
    example = Example(domain.name, " ".join(text.split()), objects, steps, dict(goal.texts) if goal else {}, source)
    read = entry_of(record_of(example))
    return None if isinstance(read, Unfit) else example


def _leads_to(goal: Optional[Goal], steps: Iterable[Step], world: WorldState, domain: Domain) -> bool:
    """Check whether steps, as they were carried out, can run from where the task began and make its goal: chance, or
    another hand, may have had a part in what happened.
    """
    wanted = chosen(goal or Goal(), world.relations, domain)
    left = [stage for stage in wanted.stages if not stage.when and not stage.optional]
    for step in steps:
        try:
            command = domain.ground(step, world)
        except DomainError:
            return False
        if check(domain, command, world) is not None:
            return False
        world = apply_effects(domain, command, world)
        while left and not missing(left[0].conditions, world.relations, domain):
            del left[0]
    return not left and not missing(final_conditions(wanted, domain), world.relations, domain)


def _corrections(
    moments: Iterable[Any], world: WorldState, domain: Domain, source: Source
) -> Tuple[List[Mended], Set[str]]:
    """Return the corrections of one step that worked, and the remembered ones that did not."""
    mended: List[Mended] = []
    unhelpful: Set[str] = set()
    failed: Optional[AttemptRecord] = None
    correction: Optional[CorrectionMade] = None
    done: List[Step] = []

    def missed() -> None:
        if correction is not None and correction.maker.kind == MakerKind.MEMORY.value:
            unhelpful.add(correction.maker.name)

    for moment in moments:
        if isinstance(moment, CorrectionMade):
            missed()
            correction, done = moment, []
        elif isinstance(moment, AttemptRecord) and moment.ok is not None:
            if not moment.ok:
                missed()
                correction, failed = None, moment
            elif correction is None or failed is None:
                continue
            elif moment.command.purpose == "correction":
                done.append(_step(moment.command))
            elif moment.command.purpose == "retry":
                worked = _mended(failed, moment, done, correction, world, domain, source)
                mended += [worked] if worked is not None else []
                correction = None
    missed()
    return mended, unhelpful


def _mended(
    failed: AttemptRecord, again: AttemptRecord, done: List[Step], correction: CorrectionMade, world: WorldState,
    domain: Domain, source: Source,
) -> Optional[Mended]:
    feedback, command = failed.feedback, _step(failed.command)
    retried = _step(again.command)
    instead = retried != command
    steps = (*done, retried) if instead else tuple(done)
    if feedback is None or not steps:
        return None
    about = tuple(dict.fromkeys((*feedback.subjects, *feedback.blockers)))
    known = [name for name in about if name in world.types()]
    objects = things_of(iter((*names_in((command, *steps)), *known)), world)
    if objects is None:
        return None
    entry = Mended(domain.name, Failure(feedback.kind, command, feedback.label, tuple(known)), objects, steps,
                   instead, correction.maker.kind, source)
    return None if isinstance(entry_of(record_of(entry)), Unfit) else entry


def _step(command: CommandTried) -> Step:
    arguments: Dict[str, Any] = dict(command.arguments)
    return Step("", command.action, arguments)
