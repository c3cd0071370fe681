"""The sources stay within Python 3.8, whichever interpreter runs this test."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def check38():
    spec = importlib.util.spec_from_file_location("check38", ROOT / "scripts" / "lib" / "check38.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("source", [
    "match x:\n    case 1: pass\n",
    "Alias = dict[str, int]\n",
    "def f(x: int | None): pass\n",
    "both = {**a} | {'b': 1}\n",
    "with (open('a') as a, open('b') as b): pass\n",
    "name = 'abc'.removeprefix('a')\n",
    "from functools import cache\n",
    "@dataclass(slots=True)\nclass A: pass\n",
])
def test_what_is_newer_is_found(check38, source):
    assert check38.findings(source, "<test>")


@pytest.mark.parametrize("source", [
    "from __future__ import annotations\ndef f(x: int | None, y: dict[str, int]) -> list[int]: pass\n",
    "flags = A | B\n",
    "if (n := 10) > 5: pass\n",
    "table = {}\ntable['a'] = 1\n",
])
def test_what_3_8_takes_is_let_through(check38, source):
    assert check38.findings(source, "<test>") == []
