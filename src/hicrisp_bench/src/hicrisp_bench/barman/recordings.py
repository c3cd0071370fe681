"""Recorded runs of CoPAL's authors: the first plan of each, how far their simulator got with it, what it names and
where our checker sees it fail, a brain that answers with it, and plans that are changed at random in one place.

Of a changed plan, steps that fetch, put away, open and close are dropped, repeated or swapped with the step behind
them: a repair can restore what the plan was meant to do. With a step dropped that the recipe asks for, the plan says
less than the task: only who knows the goal can know that.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Mapping, Optional, Sequence, Set, Tuple, Union

from hicrisp_core.domain import Domain, apply_effects, check
from hicrisp_core.errors import ConfigError, DomainError
from hicrisp_core.model import Plan, Step, WorldState
from hicrisp_core.parsing.grounding import Grounded, ground_each
from hicrisp_core.parsing.plan_text import ParseFailure, parse_plan
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.statistics import share_of

FILES = ("F1-10-Cocktail.json", "SF1-10-Cocktail.json")
_CLASSES = (
    ("name", "does not exist in environment"),
    ("action", "does not exist in the robot API"),
    ("not_held", "is not in hand|is not in a hand|I don't know how to execute"),
    ("hands_full", "both hands are already full|both hand are used"),
    ("hand_full", "specified hand because it is full"),
    ("no_door", "is not openable"),
    ("closed", "is closed"),
    ("full", "is full"),
)
"""Our kinds of failure, and the words by which the recorded simulator names them."""


@dataclass(frozen=True)
class FirstPlan:
    """The first plan of a recorded run.

    Args:
        recipe: the name of what was asked for.
        failed_step: index of the first step that the recorded simulator refused; ``None`` when it ran to its end.
        failure: the kind of that failure in our words; empty when there was none, ``other`` when it has no
            name here.
    """

    source: str
    recipe: str
    request: str
    text: str
    failed_step: Optional[int]
    failure: str
    message: str


def read_recordings(files: Sequence[Path]) -> List[FirstPlan]:
    """The first plans of all runs of some files.

    Raises:
        ConfigError: for a file that is missing, or is no recording of this form.
    """
    found: List[FirstPlan] = []
    for file in files:
        if not file.is_file():
            raise ConfigError(f"there is no recording {file}; set HICRISP_DATA to the folder that holds "
                              "'copal'")
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ConfigError(f"{file} is no JSON: {error}") from error
        found.extend(_runs(file, content))
    return found


def replanned(files: Sequence[Path]) -> List[Dict[str, Any]]:
    """Count what the recorded runs needed (CoPAL, Fig. 3).

    Args:
        files: recordings that :func:`read_recordings` has read.

    Returns:
        A row a file: runs, those that ended well, and the mean new plans and mid-level repairs of a run.
    """
    rows: List[Dict[str, Any]] = []
    for file in files:
        content = json.loads(file.read_text(encoding="utf-8"))
        logs = [run["log"] for entries in content.values() if isinstance(entries, list) for run in entries]
        kinds = [Counter(entry.get("type") for entry in log) for log in logs]
        done = sum(str(log[-1].get("result", "")).lower().startswith("succ") for log in logs)
        rows.append({"recorded": file.stem, "n": len(logs), **share_of("executable", done, len(logs)),
                     "replans_high": mean(each["rePlan"] for each in kinds),
                     "repairs": mean(each["subPlan"] for each in kinds)})
    return rows


def failure_kind(message: str) -> str:
    """Our name for a failure of the recorded simulator."""
    return next((kind for kind, words in _CLASSES if re.search(words, message)), "other")


def _runs(file: Path, content: Any) -> Iterator[FirstPlan]:
    runs = [(str(name), run) for name, entries in content.items() if isinstance(entries, list)
            for run in entries] \
        if isinstance(content, dict) else []
    if not runs or not all(isinstance(run, dict) and isinstance(run.get("log"), list) for _, run in runs):
        raise ConfigError(f"{file} is no recording: an object of recipes was expected, each a list of runs "
                          "that have a 'log'")
    for name, run in runs:
        planned = next((entry for entry in run["log"] if isinstance(entry, dict) and "plan" in entry), None)
        recipe = name.split(" ", 1)[-1]
        if planned is None:
            yield FirstPlan(file.stem, recipe, str(run.get("request", "")), "", 0, "other", "no plan was recorded")
            continue
        step, message = _failed(planned)
        yield FirstPlan(file.stem, recipe, str(run.get("request", "")), str(planned["plan"]), step,
                        "" if step is None else failure_kind(message), message)


def _failed(planned: Mapping[str, Any]) -> Tuple[Optional[int], str]:
    message = str(planned.get("message", ""))
    if planned.get("type") == "evaluation" and str(planned.get("result", "")).lower().startswith("succ"):
        return None, message
    return int(planned.get("commandIdx", 0)), message


class RecordedBrain:
    """Answers the first question with the recorded text and refuses every other: no model is asked."""

    def __init__(self, domain: Domain, text: str, source: str) -> None:
        self._domain = domain
        self._text = text
        self._source = source

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """The recorded plan; a step that does not fit stays in it and fails when its turn comes."""
        del deadline  # Reading never waits.
        if request.feedback:
            return PlanAnswer(refusal="a recording has no other plan")
        grounded = _read(self._domain, request.world, self._text)
        if isinstance(grounded, ParseFailure):
            return PlanAnswer(refusal=str(grounded))
        return PlanAnswer(Plan(grounded.steps, self._source, "; ".join(grounded.notes)))

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """Nothing was recorded for it."""
        del request, deadline
        return PlanAnswer(refusal="a recording has no corrections")


def _read(domain: Domain, world: WorldState, text: str) -> Union[Grounded, ParseFailure]:
    raw = parse_plan(text, domain)
    return raw if isinstance(raw, ParseFailure) else ground_each(raw, domain, world)


def _steps(domain: Domain, world: WorldState, text: str) -> Sequence[Step]:
    found = _read(domain, world, text)
    return () if isinstance(found, ParseFailure) else found.steps


def first_failure(domain: Domain, world: WorldState, text: str) -> Tuple[Optional[int], str]:
    """The first step that the logical checker refuses, by index and the failure's name; ``(None, "")`` for none."""
    grounded = _read(domain, world, text)
    if isinstance(grounded, ParseFailure):
        return 0, "other"
    for index, step in enumerate(grounded.steps):
        if index in grounded.mended:
            return index, "name"
        try:
            command = domain.ground(step, world)
        except DomainError:
            known = any(step.action in (action.name, *action.called) for action in domain.actions.values())
            return index, "name" if known else "action"
        feedback = check(domain, command, world)
        if feedback is not None:
            return index, feedback.name
        world = apply_effects(domain, command, world)
    return None, ""


def poured_out(domain: Domain, world: WorldState, text: str) -> float:
    """Sum up what a plan pours out of bottles.

    Args:
        domain: its actions.
        world: the first state.
        text: the plan.

    Returns:
        In the plan's own unit.
    """
    return sum(float(step.arguments.get("amount", 1.0)) for step in _steps(domain, world, text)
               if step.action == "pour" and world.types().get(str(step.arguments.get("source"))) == "bottle")


def named_ingredients(domain: Domain, world: WorldState, text: str) -> FrozenSet[str]:
    """The ingredients of the steps that fill a vessel: what they name, or what is in a bottle or bowl that
    they name at first.
    """
    found: Set[str] = set()
    for step in _steps(domain, world, text):
        action = domain.actions.get(step.action)
        fills = action is not None and any(effect.atom.predicate == "contains" and not effect.removes
                                           for effect in action.effects)
        source = str(next(iter(step.arguments.values()), "")) if fills else ""
        if domain.is_a(world.types().get(source, ""), "ingredient"):
            found.add(source)
        found.update(fact.object for fact in world.relations
                     if fact.subject == source and fact.predicate in ("contains", "supplies"))
    return frozenset(found)


_SUPPORT = re.compile(r"\b(get|put|open|close|unscrew|screw)\b")
_WANTED = re.compile(r"\b(?:pour|(?:put|tip)\s+\w+\s+(?:(?:back|in|into|on|onto|to|the)\s+)*"
                     r"(?:mixing_container|tray|\w+_glass))\b")
"""Steps that bring something into a vessel or onto the tray: the recipe asks for them, no other step does."""
_HANDS = {"hand_left": "hand_right", "hand_right": "hand_left"}
_NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


def _supports(line: str) -> bool:
    return bool(_SUPPORT.search(line)) and not _WANTED.search(line)


def mutated(plans: Sequence[FirstPlan], kind: str, seed: int) -> List[FirstPlan]:
    """Every plan that can be changed in one way, changed once; the recorded failure is no longer its own."""
    found = []
    for index, plan in enumerate(plans):
        text = KINDS[kind](plan.text, Random(f"{kind} {seed} {index}"))
        if text is not None:
            found.append(replace(plan, text=text, source=f"{plan.source}, {kind}", failed_step=None,
                                 failure="", message=""))
    return found


def _drop(text: str, dice: Random) -> Optional[str]:
    lines, chosen = _chosen(text, dice)
    return None if chosen is None else "\n".join(lines[:chosen] + lines[chosen + 1:])


def _drop_wanted(text: str, dice: Random) -> Optional[str]:
    lines, chosen = _chosen(text, dice, lambda line: bool(_WANTED.search(line)))
    return None if chosen is None else "\n".join(lines[:chosen] + lines[chosen + 1:])


def _repeat(text: str, dice: Random) -> Optional[str]:
    lines, chosen = _chosen(text, dice)
    return None if chosen is None else "\n".join(lines[:chosen + 1] + lines[chosen:])


def _swap(text: str, dice: Random) -> Optional[str]:
    lines, chosen = _chosen(text, dice)
    if chosen is None or chosen + 1 >= len(lines):
        return None
    lines[chosen], lines[chosen + 1] = lines[chosen + 1], lines[chosen]
    return "\n".join(lines)


def _misspell(text: str, dice: Random) -> Optional[str]:
    """One name without one of its letters, in one step."""
    names = [match for match in _NAME.finditer(text) if match.group() not in _HANDS]
    if not names:
        return None
    match = dice.choice(names)
    at = dice.randrange(match.start() + 1, match.end() - 1)
    return text[:at] + text[at + 1:] if text[at] != "_" else text[:at] + " " + text[at + 1:]


def _other_hand(text: str, dice: Random) -> Optional[str]:
    found = list(re.finditer("|".join(_HANDS), text))
    if not found:
        return None
    match = dice.choice(found)
    return text[:match.start()] + _HANDS[match.group()] + text[match.end():]


def _chosen(text: str, dice: Random, fits: Callable[[str], bool] = _supports) -> Tuple[List[str], Optional[int]]:
    """The lines of a plan, and one of those that fit."""
    lines = [line for line in text.splitlines() if line.strip()]
    places = [index for index, line in enumerate(lines) if fits(line)]
    return lines, dice.choice(places) if places else None


KINDS: Dict[str, Callable[[str, Random], Optional[str]]] = {
    "dropped": _drop, "repeated": _repeat, "swapped": _swap, "misspelled": _misspell,
    "other hand": _other_hand, "wanted step dropped": _drop_wanted}
"""The ways to change a plan, by name."""
