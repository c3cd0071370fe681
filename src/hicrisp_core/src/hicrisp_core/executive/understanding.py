"""What a new task means: the interpreter is asked, and the user if the words have several readings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Callable, Optional, Tuple

from hicrisp_core.domain.wording import quantity
from hicrisp_core.executive.run_log import RunLog
from hicrisp_core.model.meaning import Meaning, Question, Reason, Refusal, Speaker, Turn
from hicrisp_core.ports.executive import Ports
from hicrisp_core.ports.interpreter import Request, Understood
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.events import QuestionAsked

_LIMIT = 300.0
"""Wall seconds for one answer of the interpreter."""
_MOST_QUESTIONS = 3
"""How often the user is asked back about one request."""


@dataclass(frozen=True)
class Settled:
    """What a conversation came to: its meaning without questions that are left, and its turns.

    Args:
        meaning: ``None`` if the interpreter gave no usable answer; ``trouble`` says why.
    """

    meaning: Optional[Meaning]
    conversation: Tuple[Turn, ...]
    trouble: str = ""


def settle(
    ports: Ports, ledger: RunLog, request: Request, patience: float,
    over: Callable[[], bool] = lambda: False,
) -> Settled:
    """Ask the interpreter for the meaning of a request, and the user whatever it asks back.

    Args:
        patience: wall seconds that the user has for an answer.
        over: whether the meaning is no longer needed.

    Returns:
        The meaning, with the request and the answers as turns of the conversation.
    """
    turns = request.conversation
    question = Question("")
    for _ in range(_MOST_QUESTIONS + 1):
        found = _asked(ports, request)
        turns = (*turns, Turn(Speaker.USER, request.text))
        ledger.used(found.usage)
        if over() or not isinstance(found.meaning, Question):
            return Settled(found.meaning, turns, found.trouble)
        question = found.meaning
        with ledger.for_a_person():
            said = ports.ask(question, patience)
        ledger.tell(QuestionAsked(text=question.text, choices=tuple(each.text for each in question.choices),
                                  answer=said))
        turns = (*turns, Turn(Speaker.ROBOT, _asked_as(question)))
        if not said:
            why = f"No answer came within {quantity(patience, 's')}, so nothing was changed."
            return Settled(Refusal(Reason.NOTHING_TO_DO, f"{_with_choices(question)} {why}"), turns)
        choice = question.chosen(said)
        if choice is not None and choice.goal is not None:
            return Settled(choice.goal, (*turns, Turn(Speaker.USER, choice.text)))
        request = replace(request, text=choice.text if choice is not None else said, conversation=turns)
    why = "The answers so far did not settle it. Say the whole task in other words."
    return Settled(Refusal(Reason.NOTHING_TO_DO, f"{_with_choices(question)} {why}"), turns)


def _asked(ports: Ports, request: Request) -> Understood:
    if ports.interpreter is None:
        return Understood(trouble="No interpreter is configured.")
    return ports.interpreter.understand(request, Deadline(_LIMIT))


def _asked_as(question: Question) -> str:
    """Return a question as a turn: with its choices by number, if it does not name them itself."""
    named = all(each.text.lower() in question.text.lower() or each.goal is not None for each in question.choices)
    listed = "; ".join(f"{number}. {each.text}" for number, each in enumerate(question.choices, start=1))
    return question.text if named else f"{question.text} {listed}"


def _with_choices(question: Question) -> str:
    """Return a question with its choices, if they are sentences of their own."""
    goals = [each.text for each in question.choices if each.goal is not None]
    listed = "; ".join(f"{number}. {text}" for number, text in enumerate(goals, start=1))
    return f"{question.text} {listed}." if listed else question.text
