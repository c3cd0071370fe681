"""What the executive needs beside the world: a body that leaves no step out, a detector that reads what VirtualHome's
executor says when it refuses, and, for runs that nobody attends, first choices as answers to questions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import List, Pattern, Tuple, Union

from hicrisp_core.detector.detector import Detector
from hicrisp_core.domain.checker import malformed
from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import DomainError
from hicrisp_core.model import (
    Cause,
    CauseKind,
    Command,
    Feedback,
    FeedbackKind,
    Level,
    Outcome,
    Status,
    Step,
    Verdict,
    WorldState,
)
from hicrisp_core.model.meaning import Question, Speaker, Turn
from hicrisp_core.model.offsets import DecoderOffsets
from hicrisp_core.ports.body import Translation
from hicrisp_core.ports.interpreter import Interpreter, Request, Understood
from hicrisp_core.time.deadline import Deadline

_NODE = re.compile(r"<([^<>]+)> \((\d+)\)")
_WHEN = re.compile(r' when executing "[^"]*"')
_PERSON = re.compile(r"\bcharacter_\d+\b")


@dataclass(frozen=True)
class _Refusal:
    label: str
    pattern: Pattern[str]
    suggestion: str = ""


def _refusal(label: str, pattern: str, suggestion: str = "") -> _Refusal:
    return _Refusal(label, re.compile(pattern), suggestion)


_OTHER_THING = "Use something that this can be done with."
_REFUSALS: Tuple[_Refusal, ...] = (
    _refusal("not_close", r"character is not close to (?P<item>\S+)", "Find {item} first."),
    _refusal("not_facing", r"character (?:does not face|is not facing) (?P<item>\S+)",
             "Turn to {item} first."),
    _refusal("other_room", r"char room \S+ is not node room (?P<item>\S+)", "Walk to {item} first."),
    _refusal("not_holding", r"character is not holding (?P<item>\S+)", "Grab {item} first."),
    _refusal("not_holding", r"character does not hold anything", "Grab something to do it with first."),
    _refusal("hands_full", r"character does not have a free hand", "Put something down first."),
    _refusal("sitting", r"character is (?:sitting|lying)", "Stand up first."),
    _refusal("not_sitting", r"character is not (?:sitting|lying)",
             "Sit or lie down first, or leave this out."),
    _refusal("inside_closed", r"(?P<item>\S+) is inside other closed thing", "Open what {item} is in first."),
    _refusal("not_open", r"(?P<item>\S+) is not open or is not openable", "Open {item} first."),
    _refusal("not_open", r"(?P<item>\S+) is not open$", "It may be closed already."),
    _refusal("not_closed", r"(?P<item>\S+) is not closed$", "It may be open already."),
    _refusal("not_off", r"(?P<item>\S+) is not off$", "It may be on already."),
    _refusal("not_on", r"(?P<item>\S+) is not on$", "It may be off already."),
    _refusal("still_on", r"(?P<item>\S+) is still on$", "Switch {item} off first."),
    _refusal("unplugged", r"(?P<item>\S+) is unplugged", "Plug {item} in first."),
    _refusal("plugged", r"(?P<item>\S+) is not plugged_(?:in|out)", "It may be so already."),
    _refusal("already_held", r"(?P<item>\S+) already grabbed", "Leave this out."),
    _refusal("not_worn", r"(?P<item>\S+) is not on character", "Put {item} on first."),
    _refusal("occupied", r"Too many things on (?P<item>\S+)", "Clear {item} first."),
    _refusal("no_object", r"(?P<item>\S+) cannot be found", "Name a thing that is in the home."),
    _refusal("no_way", r"No path between|Door\(s\)", "Open the doors on the way."),
    _refusal("wrong_property",
             r"(?P<item>\S+) (?:is not (?:\w+ )*(?:sittable|lieable|grabbable|drinkable|recipient|"
             r"clothes|readable|movable|eatable|cuttable|person|pourable)|not lookable|can not be opened|"
             r"does not have (?:a )?(?:switch|plug))", _OTHER_THING),
    _refusal("wrong_property", r"none of object on (?P<item>\S+) is eatable", _OTHER_THING),
)
"""Tried in this order."""


def plain(message: str) -> str:
    """An executor's message in the domain's names: ``<sofa> (352)`` is ``sofa_352``, who acts is
    ``character``.
    """
    text = _NODE.sub(lambda match: f"{match.group(1)}_{match.group(2)}", _WHEN.sub("", message))
    return _PERSON.sub("character", text).strip()


def feedback_of(message: str, command: Command) -> Feedback:
    """What an executor's message means.

    Args:
        message: the executor's own words, or :func:`plain` ones.
        command: what it refused.
    """
    said = plain(message)
    cause = Cause(CauseKind.UNKNOWN, said=said)
    for refusal in _REFUSALS:
        match = refusal.pattern.search(said)
        if match:
            item = match.groupdict().get("item") or ""
            return Feedback(Level.LOW, FeedbackKind.REFUSED, command, label=refusal.label,
                            subjects=(item,) if item else (), cause=cause,
                            advice=refusal.suggestion.format(item=item))
    return Feedback(Level.LOW, FeedbackKind.REFUSED, command, cause=cause)


@dataclass(frozen=True)
class VerbatimBody:
    """Grounds each step; leaves none out because its effects hold: in a home, washing clean hands is a deed."""

    domain: Domain

    def translate(self, step: Step, world: WorldState, deadline: Deadline) -> Translation:
        """The step's one command, or the feedback that lists the valid names."""
        del deadline  # Grounding never waits.
        try:
            return Translation((self.domain.ground(step, world, step.robot),))
        except DomainError as error:
            return Translation(feedback=malformed(error, step=step))

    def aim(
        self, command: Command, world: WorldState, offsets: DecoderOffsets, deadline: Deadline
    ) -> Union[Command, Feedback]:
        """The command as it is: nothing is aimed in a graph."""
        del world, offsets, deadline
        return command


class HomeDetector:
    """The executor's refusal as a Feedback; its claim of success is checked against what is seen."""

    def __init__(self, domain: Domain) -> None:
        self._seen = Detector(domain)

    def check(self, command: Command, before: WorldState, after: WorldState, outcome: Outcome) -> Verdict:
        """Whether the command worked."""
        if outcome.status in (Status.PRECONDITION, Status.INVALID):
            return Verdict(feedback_of(outcome.message, command))
        return self._seen.check(command, before, after, outcome)


_MOST_ASKED = 6
"""Questions about one task that are answered."""


class FirstChoice:
    """Answers an interpreter's questions with the first choice.

    Attributes:
        asked: how many questions it answered.
    """

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self.asked = 0

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        """Return what the request means once its questions are answered."""
        turns: List[Turn] = list(request.conversation)
        text = request.text
        found = self._interpreter.understand(request, deadline)
        while isinstance(found.meaning, Question) and found.meaning.choices and self.asked < _MOST_ASKED:
            self.asked += 1
            first = found.meaning.choices[0]
            if first.goal is not None:
                return replace(found, meaning=first.goal)
            turns += [Turn(Speaker.USER, text), Turn(Speaker.ROBOT, found.meaning.text)]
            text = first.text
            found = self._interpreter.understand(replace(request, text=text, conversation=tuple(turns)), deadline)
        return found
