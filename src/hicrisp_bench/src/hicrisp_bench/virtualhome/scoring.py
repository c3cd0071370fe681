"""How a household task was done: EXEC, GCR, SR, PSR and precision.

EXEC: the commands that the executor took, of all that were asked for, corrections and refusals included
    (BrainBody-LLM, section 4: the proportion of steps that are executable).
GCR: the satisfied of the goal's conditions (BrainBody-LLM, section 4: goal conditions recall); of several
    endings that count, the nearest one's.
SR: 1 if and only if GCR is 1 (ibid.).
PSR: of the facts that the reference run changes between beginning and end, those that this run ended with likewise.
Precision: of the facts that the reference run leaves as they were, those that this run left so. Both after
    ProgPrompt, by whose standards HiCRISP (section IV-A) reports them; of several reference runs the nearest
    counts. Facts of the moment, such as closeness, are not compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event
from typing import Any, Mapping, Sequence, Tuple

from hicrisp_core.domain import Domain, Facts, goal_of, type_test
from hicrisp_core.model import Command, WorldState
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.virtualhome.facts import CHARACTER
from hicrisp_bench.virtualhome.household import Ending, HouseholdTask, world_of

METRICS = ("exec", "gcr", "sr", "psr", "precision")
_OF_THE_MOMENT = ("close", "facing", "same_room", "right_hand", "left_hand")
"""Facts that PSR and precision do not compare: where the person stands, and which hand holds what is held."""
_LIMIT = 10.0
"""Wall seconds for a command or an observation; both are a matter of milliseconds."""


@dataclass(frozen=True)
class Course:
    """What was seen of a run: the states after each command, the first before any; how many commands were
    asked for.
    """

    states: Tuple[WorldState, ...]
    asked: int
    taken: int


def score(task: HouseholdTask, course: Course, domain: Domain, graph: Any) -> Mapping[str, float]:
    """The metrics of a run, each from 0 to 1."""
    recalls = [sum(_satisfied(ending, course, domain)) / len(ending.wanted) for ending in task.endings]
    compared = [_compared(course, reference_course(ending, domain, graph)) for ending in task.endings]
    psr, precision = max(compared)
    gcr = max(recalls)
    return {"exec": course.taken / course.asked if course.asked else 0.0, "gcr": gcr, "sr": float(gcr == 1.0),
            "psr": psr, "precision": precision}


def _satisfied(ending: Ending, course: Course, domain: Domain) -> Sequence[bool]:
    found = []
    for wanted in ending.wanted:
        condition, = goal_of(wanted.condition)
        looked_at = course.states if wanted.once else course.states[-1:]
        found.append(any(condition.holds(Facts(state.relations), type_test(domain, state)) for state in looked_at))
    return found


def _compared(course: Course, reference: Course) -> Tuple[float, float]:
    """PSR and precision against a reference run."""
    before, meant, after = (frozenset(fact for fact in state.relations if fact.predicate not in _OF_THE_MOMENT)
                            for state in (reference.states[0], reference.states[-1], course.states[-1]))
    made, removed, kept = meant - before, before - meant, before & meant
    changes = len(made) + len(removed)
    psr = (len(made & after) + len(removed - after)) / changes if changes else 1.0
    return psr, len(kept & after) / len(kept)


def reference_course(ending: Ending, domain: Domain, graph: Any) -> Course:
    """What the reference commands of an ending come to."""
    world = world_of(domain, graph)
    states = [world.observe(Deadline(_LIMIT))]
    taken = 0
    for line in ending.reference:
        action, *objects = line.split()
        names = [name for name in domain.action(action).parameters if name != "robot"]
        command = Command(action, {"robot": CHARACTER, **dict(zip(names, objects))}, CHARACTER)
        taken += world.execute(command, Deadline(_LIMIT), Event()).ok
        states.append(world.observe(Deadline(_LIMIT)))
    return Course(tuple(states), len(ending.reference), taken)
