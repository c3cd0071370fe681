"""docs/papers.md has every figure, table and listing of the papers, and each of its commands is one."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Dict, List, Set, Tuple

import pytest
from hicrisp_bench.cli import parse

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "papers.md"
PAPERS: Dict[str, Set[str]] = {
    "HiCRISP": {*(f"Fig. {number}" for number in range(1, 7)), "Table I", "Algorithm 1"},
    "BrainBody-LLM": {*(f"Fig. {number}" for number in range(1, 8)), *(f"Table {number}" for number in range(1, 5)),
                      "Algorithm 1"},
    "CoPAL": {*(f"Fig. {number}" for number in range(1, 6)),
              *(f"Table {number}" for number in ("I", "II", "III", "IV", "V")), "Listing 1"},
}
_ONE = r"(?:\d+|[IV]+)\b(?: left| right)?"
_SEVERAL = re.compile(rf"\b(Fig|Table|Algorithm|Listing)s?\.? ({_ONE}(?:(?:, | to ){_ONE})*)")


def rows(paper: str) -> List[Tuple[str, str, str, str]]:
    """The table below a paper's heading: part, code, command, difference."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {paper}\n")[1].split("\n## ")[0]
    found = [line.strip("|\n").split("|") for line in section.splitlines() if line.startswith("|")][2:]
    assert all(len(each) in (3, 4) for each in found)
    return [(each[0], each[1], each[2], "".join(each[3:])) for each in found]


def commands() -> List[str]:
    """What follows ``scripts/bench``, each once."""
    return list(dict.fromkeys(command.strip("`") for paper in PAPERS for _, _, command, _ in rows(paper)))


def named(part: str) -> Set[str]:
    """The figures and tables that a row is about; ``Figs. 2 to 4`` are three."""
    found: Set[str] = set()
    for kind, numbers in _SEVERAL.findall(part):
        name = "Fig." if kind == "Fig" else kind
        ends = re.fullmatch(r"(\d+) to (\d+)", numbers)
        each = range(int(ends[1]), int(ends[2]) + 1) if ends else re.findall(r"\b(?:\d+|[IV]+)\b", numbers)
        found |= {f"{name} {number}" for number in each}
    return found


@pytest.mark.parametrize("paper", PAPERS)
def test_every_figure_and_table_has_a_row(paper: str) -> None:
    assert set().union(*(named(part) for part, _, _, _ in rows(paper))) >= PAPERS[paper]


@pytest.mark.parametrize("command", commands())
def test_every_row_has_a_command_that_is_understood(command: str) -> None:
    assert parse([*shlex.split(command), "--quick"]).suite


def test_the_code_of_a_row_is_there() -> None:
    roots = {"bench/": "hicrisp_bench/src/hicrisp_bench/", "sim/": "hicrisp_sim/src/hicrisp_sim/",
             "nodes/": "hicrisp_nodes/src/hicrisp_nodes/"}
    for paper in PAPERS:
        for _, code, _, _ in rows(paper):
            for path in re.findall(r"`([\w/]+/[\w*.]*)`", code):
                root = next((ROOT / "src" / real / path[len(short):] for short, real in roots.items()
                             if path.startswith(short)), None)
                places = [root] if root else [ROOT / path, ROOT / "src/hicrisp_core/src/hicrisp_core" / path]
                assert any(list(place.parent.glob(place.name)) for place in places), path
