"""Failures in words: error, reason and suggestion (CoPAL), made from the data of a Feedback for people and
models.

This is the only place where a failure becomes English. Each entry of the tables below has its sentences
without a capital and a full stop. Where several stand in a row, the first whose slots are all known is taken;
where none is, nothing is said.
"""

from __future__ import annotations

import string
from dataclasses import dataclass, replace
from typing import Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from hicrisp_core.domain.effects import names_of
from hicrisp_core.domain.goal_words import GoalWords
from hicrisp_core.domain.saying import Namer, joined, named, sentence, spoken
from hicrisp_core.domain.schema import Domain, Precondition
from hicrisp_core.model import Cause, CauseKind, Command, Feedback, FeedbackKind, Measured, Relation

LEVELS = ("what", "why", "how")
"""How much is said: the error; also the reason; also the suggestion (CoPAL's H0, H1 and H2)."""
Variants = Tuple[str, ...]


class _Said(NamedTuple):
    error: Variants
    reason: Variants = ()
    suggestion: Variants = ()


_COULD_NOT = ("could not {doing}",)
_CANNOT = ("cannot {doing}", "cannot carry out this step")
_DRIVER = _Said(_COULD_NOT, ("{cause}",), ("move {blockers} away first",))

SENTENCES: Mapping[FeedbackKind, _Said] = {
    FeedbackKind.PRECONDITION: _Said(
        _CANNOT, ("{condition}", "{cause}"), ("{condition_advice}",)),
    FeedbackKind.PLANNING: _DRIVER,
    FeedbackKind.EXECUTION: _DRIVER,
    FeedbackKind.POSTCONDITION: _DRIVER,
    FeedbackKind.TIMEOUT: _DRIVER,
    FeedbackKind.REFUSED: _DRIVER,
    FeedbackKind.SAFETY: _DRIVER,
    FeedbackKind.INVALID: _Said(
        _CANNOT, ("{condition}", "{cause}", "there is no {parameter} '{subject}'; there are: {alternatives}"),
        ("{condition_advice}",)),
    FeedbackKind.CANCELED: _Said(
        _COULD_NOT, ("{cause}", "the task was canceled")),
    FeedbackKind.LOST: _Said(
        _COULD_NOT + ("cannot reach the {subject}",), ("{cause}",), ("start the {subject} again",)),
    FeedbackKind.NO_EFFECT: _Said(
        _COULD_NOT, ("the driver reports success, but nothing has changed",)),
    FeedbackKind.NOT_GRASPED: _Said(
        ("{subject_the} is not in the gripper of {robot}",), ("it is {measured}",),
        ("pick up {subject} again",)),
    FeedbackKind.NOT_RELEASED: _Said(
        ("{subject_the} is still in the gripper of {robot}",), ("it is {measured}",), ("{doing} again",)),
    FeedbackKind.NOT_SEEN: _Said(
        _CANNOT, ("{subject_the} has not been seen for {pose_age}", "{subject_the} was never seen"),
        ("bring it back into view",)),
    FeedbackKind.STALE_POSE: _Said(
        ("{subject_the} has not been seen for {pose_age}",),
        ("poses older than {pose_age_limit} do not count",),
        ("check the source of the poses, or bring it back into view",)),
    FeedbackKind.NOT_MADE: _Said(
        ("{fact_the}",), ("{measures}",), ("pick up {item} and {doing} again",)),
    FeedbackKind.NOT_REMOVED: _Said(
        ("{fact_the}",), ("{measures}",), ("pick up {item} and {doing} again",)),
    FeedbackKind.UNDONE: _Said(
        ("it no longer holds that {fact_wanted}",), ("it was so after '{doing}'",), ("{doing} again",)),
    FeedbackKind.NO_PLACE: _Said(
        _CANNOT,
        ("no spot within reach is free: {subjects_the} {subjects_be} in the way",
         "{cause}",
         "every spot is out of reach, off the table or tried already"),
        ("move {blockers} away first", "choose another place")),
    FeedbackKind.UNREACHABLE: _Said(
        ("cannot {doing}", "{subject} was skipped"),
        ("no path leads to a free spot there ({goals_tried} tried)", "{cause}",
         "no path led there, and the order allows no visit later"),
        ("skip it and go on: a path leads to {alternatives_and}", "move {blockers} away first")),
    FeedbackKind.ENTERED: _Said(
        ("{robot_the} entered {subject_the}, where it must not go",), (), ("take another way",)),
    FeedbackKind.OUT_OF_ORDER: _Said(
        ("{robot_the} is in {subject}, but {alternatives_and} comes first",
         "{robot_the} is in {subject}, which is not due", "cannot {doing}"),
        ("{condition}",), ("{condition_advice}", "go to {alternatives_and} first")),
    FeedbackKind.WRONG_AREA: _Said(
        ("{robot_the} is in {subject}, but {alternatives_and} comes first",
         "{robot_the} is in {subject}, which is not due"),
        (), ("{doing}",)),
    FeedbackKind.NOT_DUE: _Said(
        _CANNOT, ("{condition}",), ("{condition_advice}", "leave this step out")),
    FeedbackKind.OMITTED: _Said(
        ("{subject} was not visited",), ("{cause}", "the task asks for it, and no step went there"),
        ("{doing}",)),
    FeedbackKind.GOAL_MISSED: _Said(
        ("the task is not done: {missing}", "the task is not done"), (), ("see to it that {wanted}",)),
    FeedbackKind.GOAL_UNSEEN: _Said(
        ("nobody can see whether the task is done",), ("{subjects_the} {subjects_be} out of view",),
        ("bring {subjects_the} back into view",)),
    FeedbackKind.BREAKS_CONDITION: _Said(
        _CANNOT, ("the task is to be done {kept}",), ("take another way",)),
    FeedbackKind.SAID_BY_USER: _Said(
        ("the user changed the task while it ran",), ("{cause}",), ("see to it that {wanted}",)),
    FeedbackKind.BARS_LATER_STEP: _Said(
        ("cannot {doing}: it cannot be undone, and the plan could not {later} any more",),
        ("{condition}",), ("first {later}, or leave it out",)),
}

CAUSES: Mapping[CauseKind, Variants] = {
    CauseKind.UNKNOWN: ("{said}",),
    CauseKind.STALE_SENSOR: ("no data has come from {names} for {seconds}", "{names} is silent",
                             "a sensor is silent"),
    CauseKind.NOT_SEEN: ("{names_the} has not been in view for {seconds}", "{names_the} is not in view",
                         "{said}"),
    CauseKind.REFUSED: ("{names} refused the command: {said}", "{said}", "{names} refused the command"),
    CauseKind.UNSUPPORTED: ("the driver cannot honour {names}: {said}", "the driver cannot honour {names}",
                            "{said}"),
    CauseKind.NO_PATH: ("no path reaches {names}", "{said}", "no path was found"),
    CauseKind.FORBIDDEN: ("no path keeps out of {names_the}, which must not be entered", "{said}",
                          "a forbidden zone is in the way"),
    CauseKind.OUT_OF_REACH: ("{said}", "{names} is out of reach", "it is out of reach"),
    CauseKind.BLOCKED: ("{names_the} {names_be} in the way", "{said}", "something is in the way"),
    CauseKind.TOUCHED: ("{said}", "the robot touched {names_the}", "the robot touched something"),
    CauseKind.SLIPPED: ("{names_the} slipped out of the gripper", "{said}", "it slipped out of the gripper"),
    CauseKind.NOT_GRIPPED: ("the gripper closed on nothing",),
    CauseKind.OFF_COURSE: ("{said}", "{names} ended off its course", "the motion ended off its course"),
    CauseKind.OUT_OF_TIME: ("the time limit of {seconds} passed", "{said}", "the time limit passed"),
    CauseKind.TAKEN_OVER: ("{said}", "{names} took the robot over", "somebody else commanded the robot"),
    CauseKind.UNREACHABLE_NODE: ("{said}", "{names} has not answered for {seconds}",
                                 "{names} does not answer"),
    CauseKind.LOCALISATION: (
        "it is not known where the robot is: {names} is {seconds} old", "{said}",
        "it is not known where the robot is: {names} is missing", "it is not known where the robot is"),
    CauseKind.HARDWARE: ("{said}", "{names} reports an error", "the robot reports an error"),
    CauseKind.STOPPED: ("{said}", "{names} stopped the robot", "the robot was stopped"),
    CauseKind.CANCELED: ("{said}", "{names} canceled it", "the task was canceled"),
    CauseKind.MALFORMED: ("{said}",),
    CauseKind.SAID: ('the user said: "{said}"', "the user wants it otherwise"),
    CauseKind.NOT_APPROVED: ("it cannot be undone and was not approved",),
}

MEASURES: Mapping[str, str] = {
    "gap": "{} away",
    "gap_limit": "(at most {})",
    "bearing_off": "{} off the direction",
    "from_tool": "{} from the tool",
    "opening": "with the fingers {} apart",
    "above_top": "{} above its top",
    "below_top": "{} below its top",
    "beside": "{} beside it",
    "from_middle": "{} from its middle",
    "below_rim": "{} below its rim",
    "above_floor": "{} above the floor",
    "tilt": "tilted by {}",
    "from_edge": "{} from its edge",
    "from_place": "{} from its place",
    "turned": "turned by {}",
    "off_target": "{} from its target",
    "displaced": "{} from where it stood",
}
"""Each measured value as it follows "it is"."""


@dataclass(frozen=True)
class Words:
    """A failure in sentences; empty where there is nothing to say."""

    error: str = ""
    reason: str = ""
    suggestion: str = ""

    def at_level(self, level: str) -> "Words":
        """As much as one of LEVELS says."""
        depth = LEVELS.index(level)
        return replace(self, reason=self.reason if depth > 0 else "",
                       suggestion=self.suggestion if depth > 1 else "")



def words_of(feedback: Feedback, domain: Domain, exact: bool = False) -> Words:
    """A failure in the domain's words; with ``exact`` names, as a model has to write them, instead of
    spoken ones.
    """
    error, reasons, suggestion = _parts(feedback, domain, str if exact else spoken)
    return Words(sentence(error), " ".join(map(sentence, reasons)), sentence(suggestion))


def told(feedback: Feedback, domain: Domain) -> str:
    """A failure for people, in one go: what happened, why, and what to do."""
    error, reasons, suggestion = _parts(feedback, domain, spoken)
    first = f"{error}: {reasons[0]}" if reasons else error
    return " ".join(map(sentence, filter(None, (first, *reasons[1:], suggestion))))


def _parts(feedback: Feedback, domain: Domain, say: Namer) -> Tuple[str, List[str], str]:
    """Error, reasons and suggestion, without capitals and full stops."""
    said = SENTENCES[feedback.kind]
    slots = _Slots(feedback, domain, say).filled()
    reasons = [_first(said.reason, slots)]
    if said is _DRIVER:
        reasons.append(slots["fact"])
    if feedback.seen:
        reasons.append(f"on the way: {slots['seen']}")
    if feedback.cause is not None and feedback.cause.kind not in (CauseKind.UNKNOWN, CauseKind.NO_PATH):
        reasons += [slots["cause"]] if slots["cause"] not in reasons else []
    return _first(said.error, slots), [each for each in reasons if each], \
        feedback.advice or _first(said.suggestion, slots)


def cause_text(cause: Optional[Cause], say: Namer = spoken) -> str:
    """A cause as the part of a sentence; empty where there is nothing to say."""
    if cause is None:
        return ""
    names = [say(name) for name in cause.names]
    return _first(CAUSES[cause.kind], {
        "said": cause.said.strip().rstrip("."), "names": _and(names),
        "names_the": _and(named(name, say) for name in cause.names),
        "names_be": "is" if len(names) == 1 else "are",
        "seconds": "" if cause.seconds is None else quantity(cause.seconds, "s")})


def with_names(template: str, names: Mapping[str, str], say: Namer = spoken) -> str:
    """A text of the domain with the names that it is about; one that is not known is said as 'something'."""
    return template.format_map(_Names({key: say(name) for key, name in names.items()}))


def described(domain: Domain, command: Command, say: Namer = spoken) -> str:
    """What a command does, with its names as they are said."""
    spoken_names = {key: say(value) if isinstance(value, str) else value
                    for key, value in command.arguments.items()}
    return domain.describe(replace(command, arguments=spoken_names))


def quantity(value: float, unit: str) -> str:
    """A value with its unit, as exactly as it serves a reader."""
    if unit == "m":
        if abs(value) >= 1.0:
            return f"{value:.2f} m"
        return f"{100 * value:.1f} cm" if abs(value) >= 0.01 else f"{1000 * value:.0f} mm"
    if unit == "deg":
        return f"{value:.0f} degrees"
    if unit == "s":
        return f"{value:.1f} s" if abs(value) < 10.0 and value != int(value) else f"{value:.0f} s"
    return f"{value:g}{' ' + unit if unit else ''}"


class _Slots:
    """What the sentences of one feedback may name."""

    def __init__(self, feedback: Feedback, domain: Domain, say: Namer) -> None:
        self._feedback = feedback
        self._domain = domain
        self._say = say

    def filled(self) -> Dict[str, str]:
        """Every slot; empty where nothing is known for it."""
        feedback, command = self._feedback, self._feedback.command
        first = feedback.subjects[0] if feedback.subjects else ""
        robot = command.robot if command is not None else ""
        precondition = self._precondition()
        return {
            "doing": self._doing(), "later": self._later(), "robot": self._say(robot),
            "robot_the": self._named(robot),
            "item": self._say(self._item(command)) if command is not None else "",
            "subject": self._say(first), "subject_the": self._named(first),
            "parameter": self._say(feedback.parameter),
            "subjects_the": _and(map(self._named, feedback.subjects)),
            "subjects_be": "is" if len(feedback.subjects) == 1 else "are",
            "blockers": _or(map(self._named, feedback.blockers)),
            "alternatives": ", ".join(map(self._say, feedback.alternatives)),
            "alternatives_and": _and(map(self._say, feedback.alternatives)),
            "condition": self._condition(precondition, precondition.reason if precondition else ""),
            "condition_advice": self._condition(precondition, precondition.suggestion if precondition else "",
                                                ""),
            "fact": self._facts(self._say), "fact_the": self._facts(self._named),
            "fact_wanted": self._facts(self._say, wanted=True),
            **self._conditions(),
            "seen": "; ".join(self._fact(fact, self._say) for fact in feedback.seen),
            "measured": self._measured(feedback.measured), "measures": self._measures(),
            "cause": cause_text(feedback.cause, self._say), **self._values()}

    def _named(self, name: str) -> str:
        return named(name, self._say)

    def _item(self, command: Command) -> str:
        return self._domain.item(command)

    def _doing(self) -> str:
        feedback = self._feedback
        if feedback.command is not None:
            known = feedback.command.action in self._domain.actions
            return described(self._domain, feedback.command,
                             self._say) if known else f"carry out '{feedback.command}'"
        if feedback.step is not None and feedback.kind is not FeedbackKind.BARS_LATER_STEP:
            return f"carry out '{feedback.step.text or feedback.step}'"
        return ""

    def _later(self) -> str:
        later = self._checked()
        known = later is not None and later.action in self._domain.actions
        return described(self._domain, later, self._say) if later is not None and known else ""

    def _checked(self) -> Optional[Command]:
        """The command whose preconditions are meant: the later one, where an earlier one is in its way."""
        step = self._feedback.step
        if self._feedback.kind is FeedbackKind.BARS_LATER_STEP and step is not None:
            return Command(step.action, step.arguments, step.robot)
        return self._feedback.command

    def _precondition(self) -> Optional[Precondition]:
        """The domain's own entry for the condition that is not met, where it is one of the command's."""
        command, unmet = self._checked(), self._feedback.unmet
        action = self._domain.actions.get(command.action) if command is not None else None
        if action is None or not unmet or not 0 <= unmet[0].precondition < len(action.preconditions):
            return None
        return action.preconditions[unmet[0].precondition]

    def _condition(self, precondition: Optional[Precondition], template: str,
                   otherwise: str = "{fact}") -> str:
        """A text of the domain with the names that it is about, or the facts that are wrong."""
        command = self._checked()
        if template and precondition is not None and command is not None:
            names = {**names_of(command), **dict(self._feedback.unmet[0].names)}
            return with_names(template, names, self._say)
        return self._facts(self._say) if otherwise else ""

    def _facts(self, said: Namer, wanted: bool = False) -> str:
        """The facts that are not as they should be, as they are; or as they should be."""
        return " and ".join(self._fact(fact, said, denied=unmet.negated == wanted)
                            for unmet in self._feedback.unmet for fact in unmet.facts)

    def _fact(self, fact: Relation, said: Namer, denied: bool = False) -> str:
        subject, object_ = (("something" if name == "_" else said(name))
                            for name in (fact.subject, fact.object))
        return self._domain.fact_text(Relation(subject, fact.predicate, object_), denied)

    def _conditions(self) -> Dict[str, str]:
        """The conditions of the goal that are concerned: as they are, as they should be, as they are to
        stay.
        """
        words, concerned = GoalWords(self._domain, self._say), self._feedback.conditions
        return {"missing": _and(words.now(each, denied=True) for each in concerned),
                "wanted": words.wanted(concerned), "kept": words.kept(concerned)}

    def _values(self) -> Dict[str, str]:
        """The measured values that have a slot of their own."""
        values = {name: "" for name in ("pose_age", "pose_age_limit", "goals_tried")}
        for each in self._feedback.measured:
            if each.name in values:
                values[each.name] = quantity(each.value, each.unit)
        if values["goals_tried"]:
            values["goals_tried"] += " pose" if values["goals_tried"] == "1" else " poses"
        return values

    def _measured(self, measured: Iterable[Measured]) -> str:
        said = (MEASURES.get(each.name,
                             f"{{}} in {self._say(each.name)}").format(quantity(each.value, each.unit))
                for each in measured)
        return ", ".join(said).replace(", (", " (")

    def _measures(self) -> str:
        """A sentence for each thing that something was measured of."""
        first = self._feedback.subjects[0] if self._feedback.subjects else ""
        by_thing: Dict[str, List[Measured]] = {}
        for each in self._feedback.measured:
            by_thing.setdefault(each.of or first, []).append(each)
        said = ((self._named(name) or "it", self._measured(values)) for name, values in by_thing.items())
        return "; ".join(f"{name} is {values}" for name, values in said if values)


def _first(variants: Sequence[str], slots: Mapping[str, str]) -> str:
    """The first sentence whose slots are all known."""
    for variant in variants:
        if all(slots.get(name) for _, name, _, _ in string.Formatter().parse(variant) if name is not None):
            return variant.format_map(slots)
    return ""


def _and(names: Iterable[str]) -> str:
    return joined(list(names), "and")


def _or(names: Iterable[str]) -> str:
    return joined(list(names), "or")


class _Names(Dict[str, str]):
    """Names for a text template; one that is not known is said as 'something'."""

    def __missing__(self, key: str) -> str:
        return "something"
