"""Sentences for an arm and a base together: who is named or not, each part falls to the robot that can do it.

A part of a request loads, carries, brings back or unloads; or it is one that the grammar of drives or that of the table
top reads. Which robot acts follows from the domain's actions, never from the sentence.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Callable, List, Mapping, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import goal_of
from hicrisp_core.language import lexicon
from hicrisp_core.language.builder import PlanBuilder
from hicrisp_core.language.drive_plans import DrivePlanner
from hicrisp_core.language.drives import drives, read_errands
from hicrisp_core.language.goals import GOAL_LIMITS
from hicrisp_core.language.intents import Intent, NotUnderstood
from hicrisp_core.language.nouns import Names, words_of
from hicrisp_core.language.phrases import PhraseReader
from hicrisp_core.language.reader import read
from hicrisp_core.language.tokens import tokenise, words_in
from hicrisp_core.model import WorldState

EXAMPLES = ("bring the box to area 2", "load the red box onto the AGV, bring it to area 3 and back",
            "bring the box to area 2 and back to the table",
            "take the box to area 1 and meanwhile stack the other boxes",
            "unload the box")
_ARM_VERBS = sorted({phrase for phrases in lexicon.VERBS.values() for phrase in phrases}, key=len, reverse=True)
_VERBS = "|".join((*_ARM_VERBS, "load", "unload", "carry", "carries", "deliver", "transport", "send", "visit",
                   "inspect", "go", "goes", "drive", "return", "come", "dock", "wait", "back"))
_WHO = r"(?:(?:let )?(?:the )?(?:panda|arm|robot arm|agv|vehicle|cart)(?: (?:shall|should|must|will|can))? )"
_NEXT = re.compile(r"\s*(?:[,;]|\.(?!\d)|\b(?:and|then|after that|afterwards|finally|next)\b)"
                   rf"(?=\W*(?:(?:and|then|also|please|meanwhile:) )*{_WHO}?(?:{_VERBS})(?:e?s)?\b)")
_MEANWHILE = "meanwhile:"
_AT_ONCE = re.compile(r"(?:\band\s+)?\b(?:meanwhile|at the same time|in the meantime|in parallel|simultaneously)\b,?")
_LEADING = re.compile(rf"^(?:(?:and|then|also|please|now|finally|could you|can you|,) ?)*(?P<who>{_WHO})?")
_CARRIER = r"(?:the |its |our )?(?:agv|vehicle|cart|tray|truck|mobile robot|mobile base|agv s tray)"
_LOAD = re.compile(rf"^(?:load|put|place|set|lay|move) (?P<what>.+?) (?:onto|on to|on top of|on|in|into|aboard) "
                   rf"{_CARRIER}$|^load (?P<alone>.+)$")
_UNLOAD = re.compile(rf"^unload (?P<what>.+?)(?: (?:from|off|off of) {_CARRIER})?$"
                     rf"|^(?:take|remove|get) (?P<off>.+?) (?:from|off|off of|down from) {_CARRIER}$")
_CARRY = re.compile(r"^(?:bring|carry|take|transport|deliver|move|send) (?P<what>.+?) (?:over |on )?to (?P<where>.+)$")
_BACK = re.compile(r"^(?:(?:bring|carry|take|transport|move|drive|go|come|return|get) )?(?:(?P<what>.+?) )?back"
                   r"(?: again)?(?: (?:to|on|onto) (?P<where>.+))?$|^return(?: (?P<it>.+?))??(?: to (?P<to>.+))?$")
_ANOTHER = re.compile(r"^(?:another|an|any|some|the other) (?:area|place)$")


def delivers(domain: Domain) -> bool:
    """Whether the domain has an arm that picks up and a base that carries."""
    skills = {action.skill for action in domain.actions.values()}
    return drives(domain) and {"pick", "carry_to"} <= skills


class DeliveryReader:
    """Builds the steps of a request, part after part, on the builder's own world.

    Args:
        names: resolves the things; "it" is what the last part was about.
    """

    def __init__(self, domain: Domain, world: WorldState, names: Names, builder: PlanBuilder) -> None:
        self._domain = domain
        self._world = world
        self._names = names
        self._builder = builder
        self._drives = DrivePlanner(domain, world)
        self._base = domain.objects_of(world, "base")[0] if domain.objects_of(world, "base") else ""
        self._areas = domain.objects_of(world, "area")
        self._cargo: Tuple[str, ...] = ()
        """What "it" is that comes back or is unloaded."""
        self._stations = domain.objects_of(world, "station")
        self._kinds: Sequence[Tuple["re.Pattern[str]", Callable[[Mapping[str, str]], bool]]] = (
            (_LOAD, self._load), (_UNLOAD, self._unload), (_BACK, self._back), (_CARRY, self._carry))

    def build(self, text: str) -> None:
        """Add the steps of a request.

        Raises:
            NotUnderstood: with the part that could not be read.
        """
        parts = _parts(text)
        if not parts:
            raise NotUnderstood("the request names no action")
        for number, part in enumerate(parts):
            if not any(match and read_part({key: value for key, value in match.groupdict().items() if value})
                       for match, read_part in ((pattern.match(part), each) for pattern, each in self._kinds)):
                self._other(part, number)

    def _load(self, said: Mapping[str, str]) -> bool:
        self._cargo = self._things(said.get("what") or said["alone"])
        for item in self._cargo:
            self._aboard(item)
        return True

    def _unload(self, said: Mapping[str, str]) -> bool:
        what = said.get("what") or said["off"]
        for item in self._cargo if what in ("it", "them") and self._cargo else self._things(what):
            self._builder.achieve(goal_of(f"on({item}, table)"), GOAL_LIMITS)
        return True

    def _carry(self, said: Mapping[str, str]) -> bool:
        area = self._area(said["where"])
        if not area:
            return self._to_table(said)
        items = self._cargo = self._things(said["what"])
        for item in items:
            self._aboard(item)
        self._builder.achieve(goal_of(f"in_area({items[0]}, {area})"), GOAL_LIMITS)
        return True

    def _back(self, said: Mapping[str, str]) -> bool:
        where = said.get("where") or said.get("to") or ""
        what = said.get("what") or said.get("it") or "it"
        if self._area(where):
            return self._carry({"what": what, "where": where})
        if self._to_table({"what": what, "where": where}):
            return True
        if where and where.replace("the ", "").replace(" ", "_") not in (*self._stations, "start", "panda", "arm"):
            return False
        self._builder.achieve(goal_of(f"docked({self._base}, {self._stations[0]})"), GOAL_LIMITS)
        return True

    def _to_table(self, said: Mapping[str, str]) -> bool:
        if said["where"] not in ("table", "the table", "desk", "the desk"):
            return False
        return self._unload({"what": said["what"]})

    def _other(self, part: str, number: int) -> None:
        """A part for one of the robots alone: a drive, or what the table top's grammar reads."""
        try:
            errands = read_errands(part, self._domain, self._world)
        except NotUnderstood as not_driven:
            intents = self._at_table(part, not_driven)
            self._builder.build([replace(intent, group=intent.group + 100 * (number + 1)) for intent in intents])
            return
        for errand in errands:
            self._builder.redo(self._drives.steps(errand))

    def _at_table(self, part: str, not_driven: NotUnderstood) -> List[Intent]:
        try:
            return list(read(part, words_of(self._world)))
        except NotUnderstood as error:
            drives_there = re.match(r"(?:visit|inspect|go|drive|dock|wait|return)\b", part)
            raise (not_driven if drives_there else error) from error

    def _aboard(self, item: str) -> None:
        self._builder.achieve(goal_of(f"aboard({item}, {self._base})"), GOAL_LIMITS)

    def _things(self, said: str) -> Tuple[str, ...]:
        return self._names.items(PhraseReader(tokenise(words_in(said))).nouns())

    def _area(self, said: str) -> str:
        """The area that is meant; empty when it is none."""
        if _ANOTHER.match(said):
            return next((area for area in self._areas if not self._world.holds("at", self._base, area)), "")
        name = re.sub(r"^the\s+", "", said.strip()).replace(" ", "_")
        return name if name in self._areas else ""


def _parts(text: str) -> List[str]:
    """What follows each other in a request, without who shall do it; verbs in their plain form."""
    said = " ".join(_AT_ONCE.sub(f" ; {_MEANWHILE} ", text.lower().replace("\u2019", " ").replace("'", " ")).split())
    parts: List[str] = []
    for part in map(str.strip, _NEXT.split(said)):
        at_once = part.lstrip(" ,;").startswith(_MEANWHILE)
        part = part.replace(_MEANWHILE, " ").strip(" ,;")
        leading = _LEADING.match(part)
        rest = part[leading.end():] if leading else part
        if leading and leading.group("who"):
            rest = _plain(rest)
        rest = rest.strip(" ,;.")
        if rest:
            parts.insert(_place_of(parts) if at_once else len(parts), rest)
    return parts


def _place_of(parts: Sequence[str]) -> int:
    """Where what is to be done meanwhile belongs: before the return, for which the arm may be needed."""
    at = len(parts)
    while at and (_BACK.match(parts[at - 1]) or _UNLOAD.match(parts[at - 1])):
        at -= 1
    return at


def _plain(part: str) -> str:
    """"Brings it back" as "bring it back"."""
    verb, _, rest = part.partition(" ")
    plain = re.sub(r"ies$", "y", verb) if verb.endswith("ies") else "go" if verb == "goes" else verb[:-1] \
        if verb.endswith("s") else verb
    return f"{plain} {rest}".strip()
