"""The stream of samples: several requests to each invented scene, with near misses made from whole ones."""

from __future__ import annotations

import random
from typing import Dict, Iterator, List, Mapping, Optional, Sequence

from hicrisp_core.domain.schema import Domain

from hicrisp_training.sentences.building import Builder, Cast, resembles
from hicrisp_training.sentences.casting import Casting
from hicrisp_training.sentences.correcting import Correcting
from hicrisp_training.sentences.frames import Frame
from hicrisp_training.sentences.phrases import Phrases
from hicrisp_training.sentences.samples import Answer, Sample, Speaker
from hicrisp_training.sentences.scenes import Maker, Scene, Thing
from hicrisp_training.sentences.slips import disturbed
from hicrisp_training.sentences.words import Words

_JOINTS = (
    " and ",
    ", ",
    ", then ",
    " and then ",
    "; ",
    ". ",
    ", and also ",
    " plus ",
    ", after that ",
    " and ",
    ", and ",
)
_WEIGHTS = {"tabletop": 1.0, "blocks": 0.8, "lab": 1.0, "agv": 0.7, "kitchen": 0.4, "virtualhome": 0.4}
_TIMES = {"order": 2, "constraint": 3, "count": 2, "several": 2}
"""How much more often than others the classes come that are learnt slowest."""
_BOUND, _TRIES = 0.5, 12
"""How often a further request is of a frame that needs a scene of its own, and how many of them are tried."""
DERIVED = {"joined": 9, "absent": 3, "which": 4, "clarified": 2, "corrected": 3, "robot": 2}
"""What is made from whole requests, and how often."""


class Mixture:
    """Makes samples without end, reproducibly.

    Args:
        frames: those that it may use.
        requests: how many it makes of one scene.
    """

    def __init__(
        self,
        frames: Sequence[Frame],
        words: Words,
        domains: Mapping[str, Domain],
        seed: int,
        requests: int = 11,
    ) -> None:
        self._words, self._domains, self._requests = words, domains, requests
        self._speaker = Speaker(words, domains)
        self._rng = random.Random(seed)
        self._casting = Casting(words, domains, self._rng)
        self._correcting = Correcting(words, domains, self._speaker, self._rng)
        usable = [frame for frame in frames if not frame.shown]
        self._bound: Dict[str, List[Frame]] = {}
        self._free: Dict[str, List[Frame]] = {}
        for frame in usable:
            kept = (self._free if frame.free else self._bound).setdefault(frame.domain, [])
            kept += [frame] * _TIMES.get(frame.kind, 1)
        self._anchors = [frame for frames in self._bound.values() for frame in frames] + [
            frame for frames in self._free.values() for frame in frames if frame.domain != "tabletop"
        ]

    def scenes(self) -> Iterator[List[Sample]]:
        """Scene after scene: the requests of each have the same things, robots and facts."""
        while True:
            anchor = self._rng.choices(
                self._anchors, [_WEIGHTS.get(frame.domain, 1.0) for frame in self._anchors]
            )[0]
            cast = Builder(anchor, self._words, self._rng).build()
            if cast is None:
                continue
            samples: List[Optional[Sample]] = [
                self._speaker.sample(anchor, cast, self._rng) for _ in range(2)
            ]
            if samples[0] is None and samples[1] is None:
                continue
            if samples[0] and samples[1] and samples[0].text == samples[1].text:
                samples.pop()
            for _ in range(3 * self._requests):
                if sum(sample is not None for sample in samples) >= self._requests:
                    break
                samples.append(self._another(cast.scene))
            yield [sample for sample in samples if sample is not None]

    def _another(self, scene: Scene) -> Optional[Sample]:
        """A further request to a scene: of a frame that its things fit, or of a free one, whole or changed
        into a near miss.
        """
        rng, frames = self._rng, self._free.get(scene.domain, ())
        bound = self._bound.get(scene.domain, ())
        if bound and rng.random() < _BOUND:
            for frame in rng.sample(bound, min(_TRIES, len(bound))):
                cast = self._casting.cast(frame, scene)
                if cast is not None:
                    return self._speaker.sample(frame, cast, rng)
        if not frames:
            return None
        frame = rng.choice(frames)
        cast = self._casting.cast(frame, scene)
        if cast is None:
            return None
        if not (frame.is_goal and frame.goal and not frame.absent) or rng.random() < 0.66:
            return self._speaker.sample(frame, cast, rng)
        made = {
            "joined": self._joined,
            "absent": self._without,
            "which": self._unclear,
            "clarified": self._clarified,
            "corrected": self._corrected,
            "robot": self._named_robot,
        }[rng.choices(list(DERIVED), list(DERIVED.values()))[0]]
        return made(frame, cast)

    def _joined(self, frame: Frame, cast: Cast) -> Optional[Sample]:
        """Two requests in one."""
        if not frame.joinable:
            return None
        rng = self._rng
        pair = self._partner(frame, cast)
        if pair is None:
            return None
        other, second = pair
        says = rng.choice(frame.say), rng.choice(other.say)
        one = self._speaker.sentence(frame, cast, rng, says[0])
        two = self._speaker.sentence(other, second, rng, says[1])
        answers = self._speaker.answer(frame, cast), self._speaker.answer(other, second)
        if one is None or two is None or None in answers:
            return None
        joint = rng.choice(_JOINTS)
        two = (
            two[:1].upper() + two[1:]
            if joint == ". "
            else two
            if two[:2] == "I "
            else two[:1].lower() + two[1:]
        )
        text = disturbed(one.rstrip(".!") + joint + two, other.voice, other.typos, False, rng)
        ends = list(dict.fromkeys(each for answer in answers if answer for each in answer["end"]))
        return self._speaker.checked("several", frame.family, cast, text, {"kind": "goal", "end": ends})

    def _partner(self, frame: Frame, cast: Cast) -> "Optional[tuple[Frame, Cast]]":
        """Another request to the same scene that moves other things."""
        for _ in range(6):
            other = self._rng.choice(self._free[cast.scene.domain])
            second = self._casting.cast(other, cast.scene) if other.joinable else None
            if second is None or {thing.name for thing in second.things.values()} == {
                thing.name for thing in cast.things.values()
            }:
                continue
            moved = [
                condition.partition("(")[2].partition(",")[0]
                for condition in (*cast.conditions(frame.goal), *second.conditions(other.goal))
            ]
            if len(set(moved)) == len(moved):
                return other, second
        return None

    def _corrected(self, frame: Frame, cast: Cast) -> Optional[Sample]:
        """A request that is corrected while it is carried out."""
        if self._rng.random() < 0.6 or not frame.joinable:
            return self._correcting.of_a_thing(frame, cast)
        pair = self._partner(frame, cast)
        return self._correcting.of_the_request(frame, cast, *pair) if pair else None

    def _without(self, frame: Frame, cast: Cast) -> Optional[Sample]:
        """The same request about a thing that is not there."""
        slots = [
            slot
            for say in frame.say
            for slot, form in frame.slots(say)
            if slot in cast.things and form in ("", "n")
        ]
        if not slots:
            return None
        slot = self._rng.choice(slots)
        made = Maker(self._words, self._rng, cast.scene.domain).thing(cast.things[slot].type, cast.scene)
        if made is None or any(resembles(thing, made) for thing in cast.scene.things.values()):
            return None
        things = {name: thing for name, thing in cast.things.items() if name != slot}
        changed = Cast(cast.scene, things, cast.groups, {slot: made})
        return self._retold("refuse", frame, changed, {"kind": "refuse", "why": "unknown_thing"})

    def _unclear(self, frame: Frame, cast: Cast) -> Optional[Sample]:
        """The same request with words that fit two or three things."""
        shared = self._shared(cast)
        if shared is None:
            return None
        slot, words, fitting = shared
        names = sorted(thing.name for thing in fitting)
        return self._worded("ask", frame, cast, slot, words, {"kind": "ask", "which": names})

    def _clarified(self, frame: Frame, cast: Cast) -> Optional[Sample]:
        """An unclear request with the answer to the question behind it."""
        shared = self._shared(cast)
        if shared is None:
            return None
        slot, words, _ = shared
        phrases = Phrases(cast.scene, self._words, self._rng)
        thing = cast.things[slot]
        told = self._rng.choice(
            (thing.name, phrases.put(phrases.unique(thing), ""), phrases.put(phrases.unique(thing), "n"))
        )
        return self._worded(frame.kind, frame, cast, slot, words, None, f" ({told})")

    def _named_robot(self, frame: Frame, cast: Cast) -> Optional[Sample]:
        """The same request to a robot by its name."""
        say = self._rng.choice(frame.say)
        answer = self._speaker.answer(frame, cast)
        sentence = self._speaker.sentence(frame, cast, self._rng, say)
        if (
            answer is None
            or sentence is None
            or not frame.joinable
            or cast.scene.domain not in ("tabletop", "lab", "blocks")
        ):
            return None
        name = cast.scene.robot("arm")
        said = self._rng.choice(
            (
                f"{name}, {{}}",
                f"let {name} do this: {{}}",
                f"{{}} with the {name}",
                f"{{}}, and let {name} do it",
                f"{name}: {{}}",
                f"{{}} using {name}",
            )
        )
        text = disturbed(
            said.replace(name, name.replace("_", " ")).format(sentence.rstrip(".!")),
            frame.voice,
            frame.typos,
            False,
            self._rng,
        )
        return self._speaker.checked(frame.kind, frame.family, cast, text, {**answer, "robot": name})

    def _shared(self, cast: Cast) -> "Optional[tuple[str, str, List[Thing]]]":
        phrases = Phrases(cast.scene, self._words, self._rng)
        slot = self._rng.choice(list(cast.things)) if cast.things else ""
        if not slot:
            return None
        thing = cast.things[slot]
        options = [
            thing.type,
            f"{thing.colour} {thing.type}".strip(),
            thing.noun.replace("_", " "),
            f"{thing.colour} one".strip(),
        ]
        self._rng.shuffle(options)
        for words in options:
            fitting = phrases.fitting(words)
            if (
                2 <= len(fitting) <= 3
                and thing in fitting
                and not {other.name for other in cast.things.values()} - {thing.name}
                & {each.name for each in fitting}
            ):
                return slot, words, fitting
        return None

    def _worded(
        self,
        kind: str,
        frame: Frame,
        cast: Cast,
        slot: str,
        words: str,
        answer: Optional[Answer],
        ending: str = "",
    ) -> Optional[Sample]:
        """The request with other words for one slot; with its own answer where none is given."""
        told = Thing(words.replace(" ", "_"), "", words.replace(" ", "_"))
        changed = Cast(
            cast.scene, {name: thing for name, thing in cast.things.items() if name != slot}, cast.groups
        )
        phrases = Phrases(cast.scene, self._words, self._rng)
        says = [say for say in frame.say if (slot, "") in frame.slots(say) or (slot, "n") in frame.slots(say)]
        if not says:
            return None
        own = self._rng.choice(says)
        say = own.replace(f"{{{slot}}}", phrases.put((told.noun.replace("_", " "), True), "")).replace(
            f"{{{slot}.n}}", words
        )
        if "{" + slot in say:
            return None
        sentence = self._speaker.sentence(frame.model_copy(update={"say": [say]}), changed, self._rng, say)
        answer = answer or self._speaker.answer(frame, cast)
        if sentence is None or answer is None:
            return None
        text = disturbed(sentence, frame.voice, frame.typos, not ending, self._rng) + ending
        return self._speaker.checked(kind, frame.family, cast, text, answer)

    def _retold(self, kind: str, frame: Frame, cast: Cast, answer: Answer) -> Optional[Sample]:
        said = self._speaker.sentence(frame, cast, self._rng, self._rng.choice(frame.say))
        if said is None or "{" in said:
            return None
        return self._speaker.checked(
            kind, frame.family, cast, disturbed(said, frame.voice, frame.typos, True, self._rng), answer
        )
