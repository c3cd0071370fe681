"""Words that no interpreter of English should read as they stand: other letters, other languages, orders to stop."""

from __future__ import annotations

from typing import Any

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.llm.settings import load_llm_settings
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Question, Refusal
from hicrisp_core.ports.interpreter import Request
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.embedded import EmbeddedInterpreter
from hicrisp_core.understanding.factory import make_interpreter
from hicrisp_core.understanding.hearing import HearingInterpreter
from tabletop import table_top
from test_understanding_embedded import Written

WORLD = table_top({"box": "box", "cylinder": "cylinder", "bowl": "bowl"})


def controlled(domain: Any, text: str, world: Any = WORLD) -> Any:
    settings = load_llm_settings(config_file("llm", "offline"))
    return make_interpreter(settings, domain).understand(Request(text, world), Deadline(30)).meaning


def small_model(domain: Any, text: str, line: str, world: Any = WORLD) -> Any:
    model = Written(line, sure=1.0)
    found = HearingInterpreter(EmbeddedInterpreter(model, domain, 0.5), domain).understand(
        Request(text, world), Deadline(30))
    return found.meaning, model


def test_full_width_letters_are_read_as_plain_ones(domain: Any) -> None:
    text = "ｐｕｔ　ｔｈｅ　ｂｏｘ　ｉｎ　ｔｈｅ　ｂｏｗｌ"
    assert [str(each) for each in controlled(domain, text).statements] == ["in(box,bowl)"]
    _, model = small_model(domain, f"hm, {text}", "in(box, bowl)")
    assert "hm, put the box in the bowl" in model.asked[0][-1]["content"]


@pytest.mark.parametrize("text", ["stop!", "cancel", "Please stop now"])
def test_without_a_task_an_order_to_stop_moves_nothing_and_says_what_could_be_done(domain: Any, text: str) -> None:
    meaning, model = small_model(domain, text, "in(box, bowl)")
    for said in (meaning, controlled(domain, text)):
        assert isinstance(said, Refusal)
        assert said.text == "No task is running."
        assert said.alternatives
    assert model.asked == []


@pytest.mark.parametrize("line", ["refuse nothing", "refuse impossible", "closed(box)"])
def test_what_is_no_task_here_is_refused_with_tasks_that_are(domain: Any, line: str) -> None:
    meaning, _ = small_model(domain, "undo", line)
    assert isinstance(meaning, Refusal)
    assert "put the box next to the cylinder" in meaning.alternatives


@pytest.mark.parametrize(("text", "named"), [
    ("把盒子放进碗里", "Chinese characters"), ("поставь коробку рядом с цилиндром", "Cyrillic characters"),
    ("상자를 그릇에 넣어 주세요", "Hangul characters")])
def test_another_script_is_named_and_no_model_is_asked(domain: Any, text: str, named: str) -> None:
    meaning, model = small_model(domain, text, "in(box, bowl)")
    for said in (meaning, controlled(domain, text)):
        assert isinstance(said, Refusal)
        assert f"{named}. I understand English only." in said.text
    assert model.asked == []


@pytest.mark.parametrize("text", [
    "Stelle die Kiste neben den Zylinder", "Pon la caja al lado del cilindro", "Metti la scatola nella ciotola",
    "pousse le bloc rouge vers le bol", "Letakkan kotak di sebelah silinder"])
def test_a_goal_that_was_read_in_another_language_is_only_shown(domain: Any, text: str) -> None:
    meaning, _ = small_model(domain, text, "in(box, bowl)")
    assert isinstance(meaning, Question)
    assert "I understand English only. I understand: the box ends up in the bowl" in meaning.text
    assert "English only" in small_model(domain, text, "refuse impossible")[0].text
    assert "English only" in controlled(domain, text).text


@pytest.mark.parametrize("text", [
    "yelow cylnder infront of teh box pls", "so, hm, the bowl then", "I'd love the box beside that cylinder!",
    "Kiste in the bowl, please"])
def test_english_with_mistakes_is_taken_for_english(domain: Any, text: str) -> None:
    assert isinstance(small_model(domain, text, "in(box, bowl)")[0], Goal)


def test_names_of_objects_are_no_foreign_words(domain: Any) -> None:
    world = table_top({"箱": "box", "schüssel": "bowl", "kugel": "cylinder"})
    assert isinstance(small_model(domain, "箱 schüssel", "in(箱, schüssel)", world)[0], Goal)
    assert isinstance(small_model(domain, "kugel in schüssel", "in(kugel, schüssel)", world)[0], Goal)
