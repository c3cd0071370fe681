"""Why a run went as it did, in sentences."""

from __future__ import annotations

from typing import Any, Iterable, List, Mapping, NamedTuple, Optional, Set, Tuple

from hicrisp_core.trace.events import CorrectionMade, Witnessed
from hicrisp_core.trace.records import FeedbackRecord
from hicrisp_core.trace.timeline import AttemptRecord, Timeline, TimelineStep, counted, timeline_of

MAKERS = {
    "search": "a search over the known actions",
    "decoder": "the action decoder",
    "offline": "the offline planner",
    "person": "a person",
    "memory": "the memory of earlier runs",
}
"""Who makes corrections, in words; a model is called by its name."""
_DEEDS = {
    "search": "repaired it",
    "decoder": "aimed again",
    "person": "was asked for help",
    "memory": "applied a correction that worked before",
    "offline": "made a corrective action",
    "model": "made a corrective action",
}
"""What each maker does, as it follows its name, unless it makes a new plan."""
_MOST = 6


class Why(NamedTuple):
    """A part of an explanation, and the seconds of the run that it is about, from ``began`` to ``ended``."""

    text: str
    began: float = 0.0
    ended: float = 0.0


def explain(events: Iterable[Mapping[str, Any]]) -> str:
    """Summarize a run: request, actions, failures and their causes, corrections, and what remains.

    Args:
        events: event log of the run.

    Returns:
        A paragraph for the user.
    """
    return " ".join(reason.text for reason in reasons_of(timeline_of(events)))


def reasons_of(story: Timeline) -> List[Why]:
    """Return the explanation of a run in parts, in the order in which they are told.

    Args:
        story: the run.

    Returns:
        The sentences with the spans of time that they are about.
    """
    if not story.task.text and story.end is None and not story.steps:
        return [Why("Nothing is recorded of this task yet.")]
    said = [f"The task was: \"{story.text}\"."] if story.text else []
    planned = story.plans[0].t if story.plans else story.seconds
    told = [Why(text, 0.0, planned) for text in (*said, *_recalled(story), *_understood(story), *_planned(story))]
    for step in story.steps:
        told += _troubled(step, story.seconds)
    for each in story.remarks:
        sentence = f'While it ran, the user said: "{each.text}".'
        if each.effect == "changed":
            sentence += f" That changed the task. {_closed(each.reply)}"
            if each.stopped:
                sentence += f" The motion was stopped: {_closed(', '.join(each.stopped))}"
        elif each.effect == "kept":
            sentence += f" The task stayed as it was: {_closed(each.reply)}"
        told.append(Why(sentence, each.t, each.t))
    aimed = ((story.end.corrections if story.end else None) or {}).get("offset", 0)
    if aimed and not story.rungs["offset"]:
        times = counted(aimed, "time")
        told.append(Why(f"The action decoder also corrected the aim {times} by the measured deviation.", 0.0,
                        story.seconds))
    told += [Why(witness_words(each), each.t, each.t) for each in story.testimonies[-_MOST:]]
    return [*told, *(Why(text, story.seconds, story.seconds) for text in _ended(story))]


def witness_words(said: Witnessed) -> str:
    """Word what a second witness said, and what counts.

    Args:
        said: the event.

    Returns:
        A sentence.
    """
    why = f' ("{said.why}")' if said.why else ""
    agrees = said.measured is None or said.answer == "cannot tell" or (said.answer == "yes") is said.measured
    rest = "is exact, and stands" if said.holds is not None else "but is not exact, so that is open"
    counts = "" if agrees else f" The measurement says otherwise, {rest}."
    return f"Asked from pictures whether {said.statement}, a model said: {said.answer}{why}.{counts}"


def _understood(story: Timeline) -> List[str]:
    """Return what the user was asked back, and what the task was understood to mean."""
    said = [f"The user was asked: {_closed(each.text)} " + (f"The answer was: {_closed(each.answer)}"
                                                            if each.answer
                                                            else "Nobody answered in time.")
            for each in story.questions]
    goal = story.first_goal if story.remarks else story.goal
    if goal is not None and goal.known:
        said.append(f"It was understood to mean: {_closed(goal.said)}")
    elif goal is not None:
        said.append("Nobody could say what the task means as a whole, so its steps alone were judged.")
    return said


def _recalled(story: Timeline) -> List[str]:
    """Return what came from earlier runs before anything moved."""
    said = []
    for each in story.recalled:
        texts = each.texts[:_MOST]
        if each.what == "examples" and texts:
            listed = "; ".join(f'"{text}"' for text in texts)
            tasks = counted(len(each.texts), "earlier task")
            said.append(f"The brain was offered {tasks} as examples: {_closed(listed)}")
        elif each.what == "offsets" and texts:
            listed = ", ".join(texts)
            said.append(f"Offsets that earlier runs had learned were used from the start: {_closed(listed)}")
    return said


def _planned(story: Timeline) -> List[str]:
    if story.answer:
        return [f"It was a question, and the answer was: {_closed(story.answer)}"]
    if story.refusal is not None:
        said = [f"It was refused: {_closed(story.refusal.text)}"]
        alternatives = story.refusal.alternatives
        if alternatives:
            said.append(f"Try, for example: {_closed('; '.join(alternatives[:_MOST]))}")
        return said
    if not story.plans:
        return ["No plan was made."]
    plan = story.plans[0]
    listed = "; ".join(f"{number}. {text}" for number, text in enumerate(plan.steps, start=1))
    steps = counted(len(plan.steps), "step")
    return [f"The plan, by {source_words(plan.source)}, had {steps}: {_closed(listed)}"]


def _troubled(step: TimelineStep, now: float) -> List[Why]:
    """Describe a step; nothing if it succeeded at once."""
    told: List[Why] = []
    failed: Set[str] = set()
    last: Optional[Tuple[object, ...]] = None
    for moment in step.moments:
        if isinstance(moment, AttemptRecord):
            span = moment.command.t, moment.verdict.t if moment.verdict is not None else now
            if moment.ok is False and not moment.stopped:
                failure = moment.failure
                told.append(Why("The same happened again." if failure == last else _failed(moment), *span))
                last = failure
                failed.add(moment.name)
            elif moment.ok and moment.name in failed:
                told.append(Why(f"Then '{moment.text}' worked.", *span))
                failed.remove(moment.name)
        elif isinstance(moment, CorrectionMade):
            told.append(Why(_corrected(moment), moment.t, moment.t))
    if not told:
        return []
    if len(told) > 3 * _MOST:
        left_out = told[2 * _MOST:-_MOST]
        told = [*told[:2 * _MOST], Why(f"(... {len(left_out)} more ...)", left_out[0].began, left_out[-1].ended),
                *told[-_MOST:]]
    first = told[0]
    return [first._replace(text=f"In step {step.index + 1}, '{step.text}': {first.text}"), *told[1:]]


def _failed(attempt: AttemptRecord) -> str:
    feedback = attempt.feedback or FeedbackRecord()
    claimed = attempt.outcome.message if attempt.outcome else ""
    error = _closed(feedback.error or claimed or "it did not work")
    nested = "The correction failed too: " if attempt.command.purpose == "correction" else ""
    why = f" {_closed(feedback.reason)}" if feedback.reason else ""
    said = [each for each in (feedback.model_reason, feedback.model_suggestion) if each]
    guess = f" A model that saw pictures said: \"{' '.join(map(_closed, said))}\"" if said else ""
    return f"{nested}'{attempt.text}' failed: {error}{why}{guess}"


def _corrected(correction: CorrectionMade) -> str:
    if correction.rung == "give_up":
        return f"It was given up: {_closed(correction.note or 'no correction was left')}"
    maker, who = correction.maker.kind, maker_words(correction)
    planned = correction.replaces_plan and maker != "search"
    deed = "made a new plan from the failed step on" if planned else _DEEDS.get(maker, "corrected it")
    if correction.commands:
        deed += f": {', then '.join(correction.commands)}"
    elif maker == "decoder" and correction.note:
        deed += f" ({correction.note})"
    elif maker not in ("decoder", "person") and not planned:
        deed += ", by trying it again"
    return _closed(f"{who[:1].upper()}{who[1:]} {deed}")


def maker_words(correction: CorrectionMade) -> str:
    """Name the maker of a correction in words.

    Args:
        correction: rung, commands and steps.

    Returns:
        The words.
    """
    maker = correction.maker
    return f"the language model {maker.name}".strip() if maker.kind == "model" else \
        MAKERS.get(maker.kind, "the corrector")


def source_words(source: str) -> str:
    """Name who understood or planned, in words.

    Args:
        source: the name in the event; a model keeps its own name.

    Returns:
        The words.
    """
    return MAKERS.get(source, source) or "an unknown planner"


def _ended(story: Timeline) -> List[str]:
    end = story.end
    if end is None:
        return ["The run has not ended, or was cut off."]
    seconds = end.wall_s or story.seconds
    if story.verdict in ("answered", "refused"):
        return []
    corrections = sum((end.corrections or {}).values())
    spent = f"{counted(end.steps_executed or 0, 'command')}, {counted(corrections, 'correction')}, {seconds:.1f} s"
    # The brain's message to the user, if it adds to the plain reason.
    adds = end.message and end.reason not in ("", end.message)
    told = [f"The user was told: {_closed(end.message)}"] if adds else []
    if story.verdict == "succeeded":
        seen = ", and the detector sees its goal" if story.goal_state == "seen" else ""
        return [f"The task succeeded{seen} ({spent}).", *told]
    if story.verdict == "canceled":
        sentences = [f"The task was canceled ({spent})."]
    elif story.verdict == "stopped":
        sentences = [f"{_closed(end.message)[:-1]} ({spent})."]
    elif story.verdict == "interrupted":
        sentences = [f"The task was interrupted: {_closed(end.message)}"]
    else:
        reason = end.reason or end.message or "no reason was given"
        sentences = [f"The task failed ({spent}): {_closed(reason)}"]
        if end.not_begun and len(story.robots) > 1:
            sentences.append(f"Because of that these steps were never begun: {_closed('; '.join(end.not_begun))}")
    left = story.stack
    if left:
        undone = "; ".join(f"{entry.command} ({entry.error})" for entry in reversed(left))
        sentences.append(f"This was left to do, the latest first: {_closed(undone)}")
    return [*sentences, *told]


def _closed(text: str) -> str:
    """Return the text as the end of a sentence."""
    words = text.strip()
    return words if words.endswith((".", "!", "?")) else words + "."
