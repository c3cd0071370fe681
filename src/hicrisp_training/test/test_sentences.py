"""Sentences made from frames: right about their scenes, and the same for the same seed."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hicrisp_core.config.files import config_file
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_training.sentences.building import Builder
from hicrisp_training.sentences.casting import Casting
from hicrisp_training.sentences.describing import Describing
from hicrisp_training.sentences.frames import Frame, held_out, load_frames
from hicrisp_training.sentences.mixture import Mixture
from hicrisp_training.sentences.phrases import Phrases
from hicrisp_training.sentences.samples import Speaker
from hicrisp_training.sentences.scenes import Scene, Thing
from hicrisp_training.sentences.slots import expanded
from hicrisp_training.sentences.words import Lexicon, Words, load_words

DATA = Path(__file__).resolve().parents[1] / "data"
DOMAINS = {
    name: load_domain(config_file("domains", name))
    for name in ("tabletop", "blocks", "lab", "agv", "kitchen", "virtualhome")
}


@pytest.fixture(scope="module")
def words() -> Words:
    return load_words(DATA)


def scene() -> Scene:
    things = (
        Thing("red_box", "box", "box", "red"),
        Thing("blue_box", "box", "box", "blue"),
        Thing("mug", "cylinder", "mug", "red"),
        Thing("bowl", "bowl", "bowl", "white"),
        Thing("table", "surface", "table"),
    )
    return Scene("tabletop", {thing.name: thing for thing in things}, set(), {"panda": "arm"})


@pytest.mark.parametrize(
    ("condition", "facts"),
    [
        ("in(a,b)", ["in(x,y)"]),
        ("tower(a,b,c)", ["on(y,x)", "on(z,y)"]),
        ("row(left_of,a,b,c)", ["left_of(x,y)", "left_of(y,z)"]),
        ("in(each A,b)", ["in(m,y)", "in(n,y)"]),
        ("not(in(each A,b))", ["not(in(m,y))", "not(in(n,y))"]),
        ("count(at_least,2,in(each A,b))", ["at_least(2,in(m,y),in(n,y))"]),
        ("any(in(each A,b))", ["any(in(m,y),in(n,y))"]),
        ("any(all(on(a,b),in(a,c)),on(a,table))", ["any(all(on(x,y),in(x,z)),on(x,table))"]),
    ],
)
def test_conditions_over_slots_become_facts(condition: str, facts: list) -> None:
    assert expanded(condition, {"a": "x", "b": "y", "c": "z"}, {"A": ["m", "n"]}) == facts


def test_a_noun_phrase_fits_its_thing_alone(words: Words) -> None:
    for seed in range(200):
        phrases = Phrases(scene(), words.model_copy(update={"lexicon": Lexicon()}), random.Random(seed))
        for thing in scene().plain_things():
            said, _ = phrases.unique(thing)
            assert [each.name for each in phrases.fitting(said.replace("_", " "))] == [thing.name], said


def described(made: Scene, name: str, words: Words) -> set:
    """What a thing is called by, in many tries."""
    found = set()
    for seed in range(300):
        describing = Describing(made, words, random.Random(seed))
        found |= {said for (said, _), _ in describing.options(made.things[name], lambda said: True)}
    return found


def test_a_thing_is_described_by_use_kind_and_what_stands_out(words: Words) -> None:
    lexicon = Lexicon(
        nouns={"mug": ["coffee vessel"]},
        kinds={"thing to drink from": ["mug", "glass"]},
        types={"cylinder": ["round one"]},
    )
    known = words.model_copy(update={"lexicon": lexicon})
    made = scene()
    made.things["mug"] = replace(made.things["mug"], size=(0.07, 0.07, 0.2))
    said = described(made, "mug", known)
    assert {"coffee vessel", "thing to drink from", "round one", "tallest thing"} <= said
    made.things["glass"] = Thing("glass", "cylinder", "glass", size=(0.07, 0.07, 0.2))
    assert described(made, "mug", known) == set()
    made.things["fork"] = Thing("fork", "box", "fork")
    del made.things["glass"]
    assert "coffee vessel" in described(made, "mug", known)


def test_what_is_not_there_is_described_only_where_nothing_of_its_kind_is(words: Words) -> None:
    lexicon = Lexicon(nouns={"glass": ["vessel for wine"]}, kinds={"thing to drink from": ["mug", "glass"]})
    known = words.model_copy(update={"lexicon": lexicon})
    assert Describing(scene(), known, random.Random(1)).of_noun("glass") == []
    dry = scene()
    del dry.things["mug"]
    assert Describing(dry, known, random.Random(1)).of_noun("glass") == ["vessel for wine"]


def test_frames_find_their_parts_in_a_scene_that_is_there(words: Words) -> None:
    casting = Casting(words, DOMAINS, random.Random(3))
    both = Frame.model_validate(
        {
            "class": "several",
            "voice": "student",
            "say": ["{A} in {b}"],
            "things": {"b": "bowl"},
            "groups": {"A": {"type": "box", "all": True}},
            "goal": ["in(each A,b)"],
        }
    )
    cast = casting.cast(both, scene())
    assert cast is not None
    assert cast.conditions(both.goal) == ["in(blue_box,bowl)", "in(red_box,bowl)"]
    red = Frame.model_validate(
        {
            "class": "described",
            "voice": "student",
            "say": ["{a.colour} in {b}"],
            "things": {"a": "graspable", "b": "bowl"},
            "only": {"a": "colour"},
            "goal": ["in(a,b)"],
        }
    )
    assert {casting.cast(red, scene()).things["a"].name for _ in range(20)} == {"blue_box"}
    out = Frame.model_validate(
        {
            "class": "need",
            "voice": "student",
            "say": ["empty {b}"],
            "things": {"a": "graspable", "b": "bowl"},
            "start": ["in(a,b)"],
            "goal": ["on(a,table)"],
        }
    )
    assert casting.cast(out, scene()) is None
    full = scene()
    full.facts.add(("mug", "in", "bowl"))
    assert casting.cast(out, full).things["a"].name == "mug"


def test_words_that_fit_two_things_are_found(words: Words) -> None:
    phrases = Phrases(scene(), words, random.Random(1))
    assert phrases.shared([scene().things["red_box"], scene().things["blue_box"]]) == "box"
    assert phrases.shared([scene().things["red_box"], scene().things["bowl"]]) is None


def test_every_frame_of_the_repository_makes_samples(words: Words) -> None:
    rng, speaker = random.Random(5), Speaker(words, DOMAINS)
    empty = []
    for frame in load_frames(DATA / "frames"):
        made = (
            speaker.sample(frame, cast, rng)
            for _ in range(60)
            for cast in [Builder(frame, words, rng).build()]
            if cast
        )
        if not frame.shown and not any(made):
            empty.append(frame.say[0])
    assert empty == []


def test_nothing_is_in_a_bowl_and_elsewhere_as_the_detector_sees_it(words: Words) -> None:
    rng, contents = random.Random(7), 0
    for frame in load_frames(DATA / "frames"):
        cast = Builder(frame, words, rng).build() if frame.domain == "tabletop" else None
        facts = cast.scene.facts if cast is not None else set()
        for thing in (subject for subject, predicate, _ in facts if predicate == "in"):
            contents += 1
            assert {predicate for subject, predicate, _ in facts if subject == thing} == {"in"}, frame.say
    assert contents > 50


def test_the_same_seed_makes_the_same_samples_and_another_other_ones(words: Words) -> None:
    frames = load_frames(DATA / "frames")

    def first(seed: int) -> list:
        stream = Mixture(frames, words, DOMAINS, seed).scenes()
        return [(sample.text, sample.answer) for _ in range(5) for sample in next(stream)]

    assert first(3) == first(3)
    assert first(3) != first(4)


def test_families_that_are_held_out_stay_so_when_others_are_added() -> None:
    frames = load_frames(DATA / "frames")
    kept = {frame.family for frame in frames if held_out(frame, 8)}
    assert 0.05 < len(kept) / len(frames) < 0.12
    assert {frame.family for frame in reversed(frames[::2]) if held_out(frame, 8)} <= kept


def test_what_is_to_be_asked_names_all_things_that_fit(words: Words) -> None:
    frame = Frame.model_validate(
        {
            "class": "ask",
            "voice": "student",
            "things": {"a": "box", "b": "box", "c": "bowl"},
            "twins": ["a", "b"],
            "say": ["put {a.twin} in {c}"],
            "ask": ["a", "b"],
        }
    )
    rng, speaker, seen = random.Random(2), Speaker(words, DOMAINS), 0
    for _ in range(60):
        cast = Builder(frame, words, rng).build()
        sample = speaker.sample(frame, cast, rng) if cast else None
        if sample is not None and cast is not None:
            seen += 1
            assert sample.answer == {"kind": "ask", "which": sorted(cast.things[slot].name for slot in "ab")}
    assert seen > 10


def test_a_wrong_entry_is_named_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(yaml.safe_dump([{"class": "plain", "voice": "student", "say": []}]))
    with pytest.raises(ConfigError, match=r"a\.yaml, entry 1"):
        load_frames(tmp_path)
