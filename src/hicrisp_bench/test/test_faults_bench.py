"""The bench of faults: which cases a call runs in which launches, and when a row is ok."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import pytest
from hicrisp_bench.faults.probe import AGV, ARM, WORLDS, Seen
from hicrisp_bench.faults.suite import CASES, groups_of
from hicrisp_core.errors import ConfigError


def options(**changed: Any) -> Namespace:
    return Namespace(**{"worlds": list(WORLDS), "cases": [], "quick": False, **changed})


def test_every_case_has_a_name_of_its_own_and_worlds_that_there_are() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    assert all(case.worlds and set(case.worlds) <= set(WORLDS) for case in CASES)


def test_every_case_runs_once_in_each_of_its_worlds_and_those_alone_have_a_launch_to_themselves() -> None:
    groups = groups_of(options())
    run = [(world, case.name) for world, cases in groups for case in cases]
    assert sorted(run) == sorted((world, case.name) for case in CASES for world in case.worlds)
    assert all(len(cases) == 1 for _, cases in groups if any(case.alone for case in cases))


def test_cases_are_chosen_by_words_of_their_names_and_worlds_by_theirs() -> None:
    groups = groups_of(options(cases=["scan silent", "Ctrl-C"], worlds=[ARM, AGV]))
    assert {(world, case.name) for world, cases in groups for case in cases} == {
        (ARM, "Ctrl-C in mid-motion"), (AGV, "Ctrl-C in mid-motion"), (AGV, "scan silent")}


def test_the_short_form_is_one_launch() -> None:
    (world, cases), = groups_of(options(quick=True))
    assert world == ARM
    assert cases
    assert not any(case.alone for case in cases)


def test_an_unknown_case_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(ConfigError, match="Ctrl-C in mid-motion"):
        groups_of(options(cases=["earthquake"]))


def test_a_row_is_ok_only_where_everything_is_and_something_was_seen() -> None:
    seen = Seen()
    assert not seen.ok
    seen.remarks.append(("stands", True))
    assert seen.ok
    seen.remarks.append(("a traceback", False))
    assert not seen.ok
    assert seen.text == "stands; NOT AS IT MUST BE: a traceback"
