"""Requests with what was said while they were carried out: another thing, something more, something else."""

from __future__ import annotations

import random
from typing import List, Mapping, Optional

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language.clarifying import clarified

from hicrisp_training.sentences.building import Cast
from hicrisp_training.sentences.frames import Frame
from hicrisp_training.sentences.phrases import Phrases
from hicrisp_training.sentences.samples import Sample, Speaker
from hicrisp_training.sentences.scenes import Thing
from hicrisp_training.sentences.slips import disturbed
from hicrisp_training.sentences.words import Words

_INSTEAD = (
    "not {wrong}, {right}",
    "not {wrong} but {right}",
    "{right}, not {wrong}",
    "{right} instead of {wrong}",
    "I meant {right}, not {wrong}",
    "no no, {right} rather than {wrong}",
    "sorry, {right} and not {wrong}",
    "wait, not {wrong}! {right}",
    "take {right} in place of {wrong}",
    "{wrong} was wrong, {right} is right",
    "swap {wrong} for {right}",
    "replace {wrong} by {right}",
)
_ITEM_INSTEAD = (
    "no, {right}",
    "I meant {right}",
    "actually {right}",
    "make that {right}",
    "{right} instead",
    "the other one, {right}",
    "wait, do it with {right}",
    "oh, {right} please",
    "hm, better {right}",
)
_ALSO = (
    "and also {}",
    "also {}",
    "and {}",
    "plus {}",
    "oh, and {}",
    "one more thing: {}",
    "when you are done, {}",
)
_ELSE = (
    "forget that, {}",
    "never mind that, {}",
    "no, {}",
    "on second thought, {}",
    "scrap that. {}",
    "instead {}",
    "rather {}",
    "I changed my mind, {}",
)


class Correcting:
    """Makes corrected requests from whole ones."""

    def __init__(
        self, words: Words, domains: Mapping[str, Domain], speaker: Speaker, rng: random.Random
    ) -> None:
        self._words, self._domains, self._speaker, self._rng = words, domains, speaker, rng

    def of_a_thing(self, frame: Frame, cast: Cast) -> Optional[Sample]:
        """A request that names a wrong thing, and the right one after it."""
        rng, say = self._rng, self._rng.choice(frame.say)
        slots = [slot for slot, form in frame.slots(say) if slot in cast.things and form in ("", "n")]
        if not slots:
            return None
        slot = rng.choice(slots)
        wrong = self._another(frame, cast, slot)
        answer = self._speaker.answer(frame, cast)
        if wrong is None or answer is None:
            return None
        first = self._speaker.sentence(
            frame, Cast(cast.scene, {**cast.things, slot: wrong}, cast.groups), rng, say
        )
        if first is None:
            return None
        phrases = Phrases(cast.scene, self._words, rng)
        moved = {each.partition("(")[2].split(",")[0] for each in cast.conditions(frame.goal)}
        item = moved == {cast.things[slot].name}
        words = rng.choice(_ITEM_INSTEAD if item and rng.random() < 0.5 else _INSTEAD).format(
            wrong=phrases.put(phrases.unique(wrong), ""),
            right=phrases.put(phrases.unique(cast.things[slot]), ""),
        )
        return self._corrected(frame, cast, first, words, answer)

    def of_the_request(self, frame: Frame, cast: Cast, other: Frame, second: Cast) -> Optional[Sample]:
        """A request and, after it, one that comes besides or takes its place."""
        rng = self._rng
        says = rng.choice(frame.say), rng.choice(other.say)
        one = self._speaker.sentence(frame, cast, rng, says[0])
        two = self._speaker.sentence(other, second, rng, says[1])
        before = self._speaker.answer(frame, cast)
        after = self._speaker.answer(other, second)
        if one is None or two is None or before is None or after is None:
            return None
        also = rng.random() < 0.5
        both: List[str] = list(dict.fromkeys((*before["end"], *after["end"])))
        words = rng.choice(_ALSO if also else _ELSE).format(
            two if two[:2] == "I " else two[:1].lower() + two[1:]
        )
        return self._corrected(
            frame, cast, one, words.rstrip(".!"), {"kind": "goal", "end": both} if also else after
        )

    def _corrected(
        self, frame: Frame, cast: Cast, first: str, words: str, answer: Mapping[str, object]
    ) -> Optional[Sample]:
        said = disturbed(first, frame.voice, frame.typos, False, self._rng)
        words = disturbed(words, frame.voice, frame.typos, False, self._rng)
        text = clarified(said, f"correction: {words}")
        return self._speaker.checked(frame.kind, frame.family, cast, text, dict(answer))

    def _another(self, frame: Frame, cast: Cast, slot: str) -> Optional[Thing]:
        """A thing that might play the same part and plays none."""
        taken = {
            thing.name
            for thing in (*cast.things.values(), *(each for group in cast.groups.values() for each in group))
        }
        domain, wanted = self._domains[cast.scene.domain], frame.things[slot]
        free = [
            thing
            for thing in cast.scene.plain_things()
            if thing.name not in taken and domain.is_a(thing.type, wanted)
        ]
        return self._rng.choice(free) if free else None
