"""Failures in words: error, reason and suggestion (CoPAL), made from the data of a Feedback for people and models.

This is the only place where a failure becomes English: by the tables of ``failure_sentences``.
"""

from __future__ import annotations

import math
import string
from dataclasses import dataclass, replace
from typing import Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.domain.effects import names_of
from hicrisp_core.domain.failure_sentences import ADVICE, CAUSES, DRIVER, MEASURES, SENTENCES
from hicrisp_core.domain.goal_wording import GoalWords
from hicrisp_core.domain.saying import Spelling, joined, named, sentence, spoken
from hicrisp_core.domain.schema import Domain, Precondition
from hicrisp_core.model import Cause, CauseKind, Command, Feedback, FeedbackKind, Measured, Relation

LEVELS = ("what", "why", "how")
"""How much is said: the error; also the reason; also the suggestion (CoPAL's H0, H1 and H2)."""


@dataclass(frozen=True)
class Words:
    """A failure in sentences; empty where there is nothing to say."""

    error: str = ""
    reason: str = ""
    suggestion: str = ""

    def at_level(self, level: str) -> "Words":
        """Leave out parts of a failure's words.

        Args:
            level: one of ``LEVELS``: error, with reason, or with suggestion.

        Returns:
            The words with the parts up to that level.
        """
        depth = LEVELS.index(level)
        return replace(self, reason=self.reason if depth > 0 else "", suggestion=self.suggestion if depth > 1 else "")


def words_of(feedback: Feedback, domain: Domain, exact: bool = False) -> Words:
    """Write a failure in the domain's words.

    Args:
        feedback: the failure as data.
        domain: types, predicates and actions of the application.
        exact: whether names stand as a model has to write them, instead of in words.

    Returns:
        Error, reason and suggestion as sentences; empty parts if unknown.
    """
    error, reasons, suggestion = _parts(feedback, domain, str if exact else spoken)
    return Words(sentence(error), " ".join(map(sentence, reasons)), sentence(suggestion))


def told(feedback: Feedback, domain: Domain) -> str:
    """Write a failure for people in one text: what happened, why, and what to do.

    Args:
        feedback: the failure as data.
        domain: types, predicates and actions of the application.

    Returns:
        One to three sentences.
    """
    error, reasons, suggestion = _parts(feedback, domain, spoken)
    first = f"{error}: {reasons[0]}" if reasons else error
    return " ".join(map(sentence, filter(None, (first, *reasons[1:], suggestion))))


def _parts(feedback: Feedback, domain: Domain, say: Spelling) -> Tuple[str, List[str], str]:
    """Error, reasons and suggestion, without capitals and full stops."""
    known = _Slots(feedback, domain, say)
    slots, said = known.filled(), SENTENCES[known.happened]
    reasons = [_first(said.reason, slots)]
    if said is DRIVER:
        reasons.append(slots["fact"])
    if feedback.seen:
        reasons.append(f"on the way: {slots['seen']}")
    if feedback.cause is not None and feedback.cause.kind not in (CauseKind.UNKNOWN, CauseKind.NO_PATH):
        reasons += [slots["cause"]] if slots["cause"] not in reasons else []
    return _first(said.error, slots), [each for each in reasons if each], \
        feedback.advice or _first(said.suggestion, slots)


def cause_text(cause: Optional[Cause], say: Spelling = spoken) -> str:
    """Write a cause as a part of a sentence.

    Args:
        cause: the first cause of a failure, or ``None``.
        say: turns names into words.

    Returns:
        The clause; empty without a cause or text.
    """
    if cause is None:
        return ""
    names = [say(name) for name in cause.names]
    return _first(CAUSES[cause.kind], {
        "said": cause.said.strip().rstrip("."), "names": _and(names),
        "names_the": _and(named(name, say) for name in cause.names),
        "names_be": "is" if len(names) == 1 else "are",
        "seconds": _measured(cause.seconds, "s"), "metres": _measured(cause.metres, "m")})


def _measured(value: Optional[float], unit: str) -> str:
    """A value with its unit; empty where it is not known, or was never measured."""
    return quantity(value, unit) if value is not None and math.isfinite(value) else ""


def with_names(template: str, names: Mapping[str, str], say: Spelling = spoken) -> str:
    """Fill the names into a text of the domain.

    Args:
        template: text with ``{parameter}`` placeholders.
        names: values by placeholder; an unknown one is written as 'something'.
        say: turns names into words.

    Returns:
        The filled text.
    """
    return template.format_map(_Names({key: say(name) for key, name in names.items()}))


def described(domain: Domain, command: Command, say: Spelling = spoken) -> str:
    """Describe a command in the action's own text.

    Args:
        domain: types, predicates and actions of the application.
        command: the action with its arguments and constraints.
        say: turns names into words.

    Returns:
        For example ``pick up the red box``.
    """
    spoken_names = {key: say(value) if isinstance(value, str) else value for key, value in command.arguments.items()}
    return domain.describe(replace(command, arguments=spoken_names))


def quantity(value: float, unit: str) -> str:
    """Format a value with its unit, rounded for reading.

    Args:
        value: the measured value.
        unit: ``m``, ``s``, ``deg`` or another unit.

    Returns:
        For example ``3.2 cm``.
    """
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

    def __init__(self, feedback: Feedback, domain: Domain, say: Spelling) -> None:
        self._feedback = feedback
        self._domain = domain
        self._say = say

    @property
    def happened(self) -> FeedbackKind:
        """The kind whose sentences hold: what a precondition stopped did not run, whatever kind the domain calls it."""
        kind = self._feedback.kind
        stopped = self._feedback.stopped and kind is not FeedbackKind.BARS_LATER_STEP
        return FeedbackKind.PRECONDITION if stopped else kind

    def filled(self) -> Dict[str, str]:
        """Every slot; empty where nothing is known for it."""
        feedback, command = self._feedback, self._feedback.command
        first = feedback.subjects[0] if feedback.subjects else ""
        robot = command.robot if command is not None else ""
        precondition, later = self._precondition(), self._checked()
        known = later is not None and later.action in self._domain.actions
        words, concerned = GoalWords(self._domain, self._say), feedback.conditions
        return {
            "doing": self._doing(),
            "later": described(self._domain, later, self._say) if later is not None and known else "",
            "robot": self._say(robot),
            "robot_the": self._named(robot),
            "item": self._say(self._domain.item(command)) if command is not None else "",
            "subject": self._say(first), "subject_the": self._named(first),
            "parameter": self._say(feedback.parameter),
            "subjects_the": _and(map(self._named, feedback.subjects)),
            "subjects_be": "is" if len(feedback.subjects) == 1 else "are",
            "blockers": joined(list(map(self._named, feedback.blockers)), "or"),
            "alternatives": ", ".join(map(self._say, feedback.alternatives)),
            "alternatives_and": _and(map(self._say, feedback.alternatives)),
            "condition": self._condition(precondition, precondition.reason if precondition else ""),
            "condition_advice": self._condition(precondition, precondition.suggestion if precondition else "", ""),
            "fact": self._facts(self._say), "fact_the": self._facts(self._named),
            "fact_wanted": self._facts(self._say, wanted=True),
            # The conditions of the goal that are concerned: as they are, as they should be, as they are to stay.
            "missing": _and(words.now(each, denied=True) for each in concerned),
            "so": _and(map(words.now, concerned)), "wanted": words.wanted(concerned), "kept": words.kept(concerned),
            "seen": "; ".join(self._fact(fact, self._say) for fact in feedback.seen),
            "measured": self._measured(feedback.measured), "measures": self._measures(),
            "cause": cause_text(feedback.cause, self._say),
            "cause_advice": ADVICE.get(feedback.cause.kind, "") if feedback.cause is not None else "",
            **self._values()}

    def _named(self, name: str) -> str:
        return named(name, self._say)

    def _doing(self) -> str:
        feedback = self._feedback
        if feedback.command is not None:
            known = feedback.command.action in self._domain.actions
            return described(self._domain, feedback.command, self._say) if known else f"carry out '{feedback.command}'"
        if feedback.step is not None and feedback.kind is not FeedbackKind.BARS_LATER_STEP:
            return f"carry out '{feedback.step.text or feedback.step}'"
        return ""

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

    def _condition(self, precondition: Optional[Precondition], template: str, otherwise: str = "{fact}") -> str:
        """A text of the domain with the names that it is about, or the facts that are wrong."""
        command = self._checked()
        if template and precondition is not None and command is not None:
            names = {**names_of(command), **dict(self._feedback.unmet[0].names)}
            return with_names(template, names, self._say)
        return self._facts(self._say) if otherwise else ""

    def _facts(self, said: Spelling, wanted: bool = False) -> str:
        """The facts that are not as they should be, as they are; or as they should be."""
        return " and ".join(self._fact(fact, said, denied=unmet.negated == wanted)
                            for unmet in self._feedback.unmet for fact in unmet.facts)

    def _fact(self, fact: Relation, said: Spelling, denied: bool = False) -> str:
        subject, object_ = (("something" if name == "_" else said(name)) for name in (fact.subject, fact.object))
        return self._domain.fact_text(Relation(subject, fact.predicate, object_), denied)

    def _values(self) -> Dict[str, str]:
        """The measured values that have a slot of their own."""
        values = {name: "" for name in ("pose_age", "pose_age_limit", "goals_tried", "drives_failed")}
        for each in self._feedback.measured:
            if each.name in values:
                values[each.name] = quantity(each.value, each.unit)
        for name, one in (("goals_tried", "pose"), ("drives_failed", "drive")):
            if values[name]:
                values[name] += f" {one}" if values[name] == "1" else f" {one}s"
        return values

    def _measured(self, measured: Iterable[Measured]) -> str:
        said = (MEASURES.get(each.name, f"{{}} in {self._say(each.name)}").format(quantity(each.value, each.unit))
                for each in measured)
        return ", ".join(said).replace(", (", " (")

    def _measures(self) -> str:
        """A sentence for each object that something was measured of."""
        first = self._feedback.subjects[0] if self._feedback.subjects else ""
        by_object: Dict[str, List[Measured]] = {}
        for each in self._feedback.measured:
            by_object.setdefault(each.of or first, []).append(each)
        said = ((self._named(name) or "it", self._measured(values)) for name, values in by_object.items())
        return "; ".join(f"{name} is {values}" for name, values in said if values)


def _first(variants: Sequence[str], slots: Mapping[str, str]) -> str:
    """The first sentence whose slots are all known."""
    for variant in variants:
        if all(slots.get(name) for _, name, _, _ in string.Formatter().parse(variant) if name is not None):
            return variant.format_map(slots)
    return ""


def _and(names: Iterable[str]) -> str:
    return joined(list(names), "and")


class _Names(Dict[str, str]):
    """Names for a text template; one that is not known is said as 'something'."""

    def __missing__(self, key: str) -> str:
        return "something"
