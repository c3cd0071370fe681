"""An offline planner for a home: what ten household verbs want, and a search over the domain for each want in turn.

It stands in where no language model is configured. Its sentences are few: each verb says what shall hold, one
want after another; the commands come out of the search, and a deed without a lasting effect (``watch``) is
named itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from typing import Dict, List, Mapping, Optional, Pattern, Tuple

from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Searcher, goal_of, preconditions_of
from hicrisp_core.errors import DomainError
from hicrisp_core.model import Command, Plan, Step, WorldState
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.virtualhome.facts import CHARACTER, number_of

SOURCE = "offline"


@dataclass(frozen=True)
class _Verb:
    """A sentence, and its wants in order: conditions, or a deed as ``!watch {a}``."""

    says: Pattern[str]
    wants: Tuple[Tuple[str, ...], ...]
    also: Mapping[str, str]
    """Objects that the sentence does not name, by the word that the wants use."""


def _verb(says: str, *wants: Tuple[str, ...], **also: str) -> _Verb:
    return _Verb(re.compile(says), wants, also)


_A, _B, _C = (rf"(?:the |an? |some )?(?P<{name}>[\w ]+?)" for name in "abc")
_VERBS: Tuple[_Verb, ...] = (
    _verb(rf"eat {_A} (?:on|from) {_B}", ("holding(me, {a})",), ("on(me, {b})", "sitting(me)"),
          ("!eat {a}",)),
    _verb(rf"(?:put|place) {_A} (?:in|into|inside) {_B}", ("inside({a}, {b})",),
          ("not can_open({b}) or closed({b})",)),
    _verb(rf"(?:put|place) {_A} on {_B}", ("on({a}, {b})",)),
    _verb(rf"watch {_A}", ("switched_on({a})",), ("!watch {a}",)),
    _verb(rf"wash {_A}", ("inside({a}, {sink})",), ("switched_on({tap})",), ("!wash {a}",),
          ("switched_off({tap})",),
          sink="sink", tap="faucet"),
    _verb(rf"bring {_A} and {_B} to {_C}", ("on({a}, {c})", "on({b}, {c})")),
    _verb(rf"(?:microwave|heat) {_A}", ("inside({a}, {oven})",), ("closed({oven})",),
          ("switched_on({oven})",),
          oven="microwave"),
    _verb(rf"(?:turn|switch) off {_A}", ("switched_off({a})",)),
    _verb(rf"(?:turn|switch) on {_A}", ("switched_on({a})",)),
    _verb(r"brush (?:my |your )?teeth", ("holding(me, {brush})",), ("inside({paste}, {brush})",),
          paste="toothpaste",
          brush="toothbrush"),
    _verb(rf"throw (?:away|out) {_A}", ("inside({a}, {bin})",), ("closed({bin})",), bin="garbagecan"),
    _verb(r"make toast", ("inside({bread}, {toaster})",), ("switched_on({toaster})",),
          ("switched_off({toaster})",),
          bread="breadslice", toaster="toaster"),
)
_CALLED = {"tv": "television", "light": "lightswitch", "lights": "lightswitch", "trash": "garbagecan",
           "bread": "breadslice", "tap": "faucet"}
EXAMPLES = ("eat chips on the sofa", "put salmon in the fridge", "watch TV", "wash the plate",
            "turn off the light",
            "bring X and Y to Z", "microwave X", "brush teeth", "throw away X", "make toast")


class HouseholdBrain:
    """Plans the sentences that it reads by search, and corrects by search.

    Args:
        forget: the fraction of a plan's steps that it forgets to say, from 0 to 1; an injected fault, so that
            there is something to correct where no model plans.
        random: decides which.
    """

    def __init__(self, domain: Domain, forget: float = 0.0, random: Optional[Random] = None) -> None:
        if not 0.0 <= forget <= 1.0:
            raise ValueError(f"a fraction from 0 to 1 can be forgotten, got {forget}")
        self._domain = domain
        self._searcher = Searcher(domain)
        self._forget = forget
        self._random = random or Random(0)

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """The steps of the task from the world as it is now; after a failure likewise."""
        sentence = re.sub(r"[.!]", "", request.task.text.lower()).strip()
        for verb in _VERBS:
            said = verb.says.fullmatch(sentence)
            if said:
                return self._planned(verb, said.groupdict(), request.world, deadline)
        return PlanAnswer(refusal=f"I cannot read '{request.task.text}'. I can read, for example: "
                                  f"{'; '.join(EXAMPLES)}.")

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """The steps that make the preconditions of the stack's top true."""
        top = request.stack[-1].command
        if top.action not in self._domain.actions:
            return PlanAnswer(refusal=f"'{top.action}' is no action of this domain")
        found = self._searcher.find(request.world, preconditions_of(self._domain, top), deadline=deadline)
        if not found.found:
            why = "the search ran out of time" if found.out_of_time else "no way was found"
            return PlanAnswer(refusal=f"{why} to where '{self._domain.describe(top)}' can be tried")
        return PlanAnswer(Plan(self._steps(found.commands), SOURCE, "what the failed action needs"))

    def _planned(
        self, verb: _Verb, said: Mapping[str, str], world: WorldState, deadline: Deadline
    ) -> PlanAnswer:
        try:
            objects = {word: _thing(name, world) for word, name in {**verb.also, **said}.items()}
            commands: List[Command] = []
            for want in verb.wants:
                found = self._way(want, objects, world, deadline)
                for command in found:
                    world = apply_effects(self._domain, command, world)
                commands.extend(found)
        except DomainError as error:
            return PlanAnswer(refusal=f"I cannot do this: {error}.")
        remembered = tuple(command for command in commands if self._random.random() >= self._forget)
        return PlanAnswer(Plan(self._steps(remembered), SOURCE))

    def _way(
        self, want: Tuple[str, ...], objects: Mapping[str, str], world: WorldState, deadline: Deadline
    ) -> Tuple[Command, ...]:
        texts = [re.sub(r"\bme\b", CHARACTER, text.format(**objects)) for text in want]
        deed: Tuple[Command, ...] = ()
        goal = goal_of(*(text for text in texts if not text.startswith("!")))
        if texts[0].startswith("!"):
            action, name = texts[0][1:].split()
            deed = (Command(action, {"robot": CHARACTER, "item": name}, CHARACTER),)
            goal = preconditions_of(self._domain, deed[0])
        found = self._searcher.find(world, goal, deadline=deadline)
        if not found.found:
            why = "the search ran out of time on the way" if found.out_of_time else "no way was found"
            raise DomainError(f"{why} to {' and '.join(texts)}")
        return (*found.commands, *deed)

    def _steps(self, commands: Tuple[Command, ...]) -> Tuple[Step, ...]:
        return tuple(Step(self._domain.describe(c), c.action, c.arguments, c.robot) for c in commands)


def _thing(words: str, world: WorldState) -> str:
    """The object of a class: one in the person's room, else the one with the lowest number."""
    kind = "".join(words.split())
    kind = _CALLED.get(kind, kind)
    by_class: Dict[str, List[str]] = {}
    for name, item in world.objects.items():
        by_class.setdefault(str(item.attributes.get("class", "")), []).append(name)
    if kind not in by_class:
        raise DomainError(f"there is no {words} here", tuple(sorted(by_class)))
    return min(by_class[kind],
               key=lambda name: (not world.holds("same_room", CHARACTER, name), number_of(name)))
