"""Samples: a request in a scene and the answer that is right."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.typed import check_goal
from hicrisp_core.model import WorldState
from hicrisp_core.model.goal import Goal, Statement
from hicrisp_core.model.goal_text import parse_statement
from hicrisp_core.model.misfit import Misfit

from hicrisp_training.sentences.building import Cast
from hicrisp_training.sentences.frames import Frame
from hicrisp_training.sentences.phrases import Phrases
from hicrisp_training.sentences.slips import disturbed
from hicrisp_training.sentences.slots import SLOT, filled
from hicrisp_training.sentences.words import Words

Answer = Dict[str, Any]
_UNKNOWN = "unknown_thing"


@dataclass(frozen=True)
class Sample:
    """One request.

    Args:
        kind: its class.
        family: the frame that it was made from.
    """

    kind: str
    family: str
    domain: str
    world: WorldState
    text: str
    answer: Mapping[str, Any]


class Speaker:
    """Says frames in scenes.

    Args:
        domains: by name.
    """

    def __init__(self, words: Words, domains: Mapping[str, Domain]) -> None:
        self._words, self._domains = words, domains

    def sample(self, frame: Frame, cast: Cast, rng: random.Random) -> Optional[Sample]:
        """A sentence of a frame with its answer; nothing where the two do not fit."""
        say = rng.choice(frame.say)
        sentence = self.sentence(frame, cast, rng, say)
        answer = self.answer(frame, cast)
        if sentence is None or answer is None or (frame.refuse == _UNKNOWN and _is_there(frame, cast)):
            return None
        text = disturbed(sentence, frame.voice, frame.typos, frame.is_goal, rng)
        return self.checked(frame.kind, frame.family, cast, text, answer, set(frame.goal) <= set(frame.start))

    def checked(
        self, kind: str, family: str, cast: Cast, text: str, answer: Answer, done: bool = False
    ) -> Optional[Sample]:
        """The sample, where its goal fits the world, can hold and does not hold yet.

        Args:
            done: whether it may hold.
        """
        world, domain = cast.scene.world(), self._domains[cast.scene.domain]
        if len(text) > 240 or (answer["kind"] == "goal" and not _sound(answer, domain, world, done)):
            return None
        return Sample(kind, family, domain.name, world, text, answer)

    def sentence(self, frame: Frame, cast: Cast, rng: random.Random, say: str) -> Optional[str]:
        """One of the frame's sentences with its slots filled; nothing where a thing cannot be told apart."""
        phrases = Phrases(cast.scene, self._words, rng)
        bare = frame.voice in ("speech", "haste") and rng.random() < 0.3
        said = {slot: phrases.unique(thing, bare) for slot, thing in cast.things.items()}
        shared = phrases.shared([cast.things[slot] for slot in frame.twins]) if frame.twins else ""
        missing = {slot: phrases.missing(thing) for slot, thing in cast.absent.items()}
        if shared is None or any(words is None for words in missing.values()):
            return None

        def put(slot: str, form: str) -> str:
            if slot in cast.groups:
                return self._group(frame, cast, phrases, slot, form, rng)
            if slot in missing:
                return phrases.put((str(missing[slot]), True), form)
            if slot not in cast.things:
                return cast.names().get(slot, slot).replace("_", " ")
            thing = cast.things[slot]
            if form == "twin":
                return phrases.put((str(shared), True), "")
            if form in ("colour", "type", "name"):
                return {"colour": thing.colour, "type": thing.type, "name": thing.name.replace("_", " ")}[
                    form
                ]
            return phrases.put(said[slot], form)

        return filled(say, put)

    def _group(
        self, frame: Frame, cast: Cast, phrases: Phrases, slot: str, form: str, rng: random.Random
    ) -> str:
        group, members = frame.groups[slot], cast.groups[slot]
        noun = "object" if group.type == "graspable" else group.type
        plural = self._words.plurals.get(group.type, group.type + "s")
        if form == "colour":
            return members[0].colour
        if form == "type":
            return noun
        if form == "types":
            return plural if group.type != "graspable" else rng.choice(("things", "objects"))
        if not group.all or (group.but and group.all is not True):
            return phrases.several(members, form)
        if group.all == "scene":
            return (
                rng.choice(("everything", "all things", "all the objects", "everything here"))
                if form == ""
                else "things"
            )
        colour = f"{members[0].colour} " if group.all in ("colour", "both") else ""
        description = (
            f"{colour}{plural if group.all != 'colour' else rng.choice(('things', 'ones', 'objects'))}"
        )
        return (
            phrases.several(members, form) if group.but else phrases.all_of(description, len(members), form)
        )

    def answer(self, frame: Frame, cast: Cast) -> Optional[Answer]:
        """What is right."""
        if frame.refuse is not None:
            return {"kind": "refuse", "why": frame.refuse}
        if frame.ask is not None:
            return {"kind": "ask", "which": sorted(cast.things[slot].name for slot in frame.ask)}
        if not frame.is_goal:
            return {"kind": "answer"} if frame.answer else None
        parts = {
            "first": cast.conditions(frame.first),
            "end": cast.conditions(frame.goal),
            "keep": cast.conditions(frame.keep),
        }
        answer: Answer = {"kind": "goal", **{key: each for key, each in parts.items() if each}}
        if frame.robot:
            answer["robot"] = cast.names()[frame.robot]
        return answer


def _is_there(frame: Frame, cast: Cast) -> bool:
    """Whether a thing that the frame itself names as missing is in the scene."""
    words = f" {' '.join(re.findall('[a-z]+', ' '.join(SLOT.sub(' ', say) for say in frame.say).lower()))} "
    return any(
        f" {thing.noun.replace('_', ' ')} " in words
        for thing in cast.scene.plain_things()
        if thing.noun != thing.type
    )


def _sound(answer: Answer, domain: Domain, world: WorldState, may_hold: bool) -> bool:
    statements: Dict[str, Tuple[Statement, ...]] = {}
    for key in ("first", "end", "keep"):
        found: List[Statement] = []
        for text in answer.get(key, ()):
            statement = parse_statement(text)
            if isinstance(statement, Misfit):
                return False
            found.append(statement)
        statements[key] = tuple(found)
    goal = Goal(statements["end"], statements["keep"], statements["first"], answer.get("robot", ""))
    facts = {
        f"{fact.predicate}({fact.subject},{fact.object})"
        if fact.object
        else f"{fact.predicate}({fact.subject})"
        for fact in world.relations
    }
    done = not may_hold and bool(goal.end) and all(str(statement) in facts for statement in goal.end)
    return check_goal(goal, domain, world) is None and not done
