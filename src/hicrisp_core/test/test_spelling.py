"""Misspelt names: what they can only mean is taken, what is another word or may be several things is not."""

from __future__ import annotations

import pytest
from hicrisp_core.parsing.spelling import described, likely, meant, slips

GLASSES = ("first_glass", "fifth_glass", "forth_glass")
BAR = {"tomato_juice_bottle": {"tomato", "juice", "bottle"},
       "pineapple_juice_bottle": {"pineapple", "juice", "bottle"},
       "lemon_slice": {"lemon", "slice"}, "coca_cola_bottle": {"coca", "cola", "bottle"},
       "mixing_container": {"mixing", "container"}}


@pytest.mark.parametrize(("written", "known", "count"), [
    ("botle", "bottle", 1), ("cylindre", "cylinder", 1), ("contanier", "container", 1),
    ("contaner", "container", 1),
    ("fourth", "forth", 1), ("gn", "gin", 1), ("red", "red", 0), ("cotnaienr", "container", 2)])
def test_slips_in_a_word_are_counted(written: str, known: str, count: int) -> None:
    assert slips(written, known) == count


@pytest.mark.parametrize(("written", "known"), [
    ("rum", "gum"), ("cork", "fork"), ("box", "bowl"), ("2", "1"), ("box1", "box2"), ("rye", "rum"),
    ("a", "ab"),
    ("apple", "pineapple")])
def test_another_word_is_no_slip(written: str, known: str) -> None:
    assert slips(written, known) is None


@pytest.mark.parametrize(("written", "names"), [
    ("frst_glass", ("first_glass",)), ("fist_glass", ("first_glass",)), ("fith_glass", ("fifth_glass",)),
    ("firstglass", ("first_glass",)), ("fi_rst_glass", ("first_glass",)), ("sixth_glass", ()), ("glass", ())])
def test_the_name_with_the_fewest_slips_is_meant(written: str, names: "tuple[str, ...]") -> None:
    assert meant(written, GLASSES) == names


def test_as_many_slips_from_two_names_leave_it_open() -> None:
    assert meant("left_shlf", ("left_shelf", "left_shalf")) == ("left_shalf", "left_shelf")


def test_a_word_that_means_something_here_is_no_misspelling() -> None:
    assert meant("green_cups", ("green_cup",)) == ("green_cup",)
    assert meant("green_cups", ("green_cup",), words=("green", "cups")) == ()


def test_a_thing_is_described_by_words_with_slips_in_them() -> None:
    assert described(["coa", "cola"], BAR) == ("coca_cola_bottle",)
    assert described(["juic"], BAR) == ("pineapple_juice_bottle", "tomato_juice_bottle")
    assert described(["lemon", "juice"], BAR) == ()  # Both words mean something, and nothing has both.


def test_what_is_much_alike_is_taken_only_where_its_known_words_are_one_things_alone() -> None:
    assert likely("mixer_container", BAR) == "mixing_container"
    for other in ("lemon_juice_bottle", "apple_juice_bottle", "soup_bottle", "nothing"):
        assert likely(other, BAR) is None
