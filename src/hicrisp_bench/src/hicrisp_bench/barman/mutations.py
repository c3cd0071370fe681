"""Recorded plans, each changed at random in one place: plans that nobody looked at when the repair was made.

Steps that fetch, put away, open and close are dropped, repeated or swapped with the step behind them: a
repair can restore what the plan was meant to do. With a step dropped that the recipe asks for, the plan says
less than the task: only who knows the goal can know that.
"""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random
from typing import Callable, Dict, List, Optional, Sequence

from hicrisp_bench.barman.recordings import FirstPlan

_SUPPORT = re.compile(r"\b(get|put|open|close|unscrew|screw)\b")
_WANTED = re.compile(r"\b(?:pour|(?:put|tip)\s+\w+\s+(?:(?:back|in|into|on|onto|to|the)\s+)*"
                     r"(?:mixing_container|tray|\w+_glass))\b")
"""Steps that bring something into a vessel or onto the tray: the recipe asks for them, no other step does."""
_HANDS = {"hand_left": "hand_right", "hand_right": "hand_left"}
_NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


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
    lines = _lines(text)
    places = [index for index, line in enumerate(lines) if _WANTED.search(line)]
    if not places:
        return None
    chosen = dice.choice(places)
    return "\n".join(lines[:chosen] + lines[chosen + 1:])


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


def _chosen(text: str, dice: Random) -> "tuple[List[str], Optional[int]]":
    lines = _lines(text)
    places = [index for index, line in enumerate(lines) if _SUPPORT.search(line) and not _WANTED.search(line)]
    return lines, dice.choice(places) if places else None


def _lines(text: str) -> List[str]:
    return [line for line in text.splitlines() if line.strip()]


KINDS: Dict[str, Callable[[str, Random], Optional[str]]] = {
    "dropped": _drop, "repeated": _repeat, "swapped": _swap, "misspelled": _misspell,
    "other hand": _other_hand, "wanted step dropped": _drop_wanted}
"""The ways to change a plan, by name."""
