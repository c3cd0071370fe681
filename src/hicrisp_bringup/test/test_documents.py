"""The commands that the documents tell people to type have these names and options."""

from __future__ import annotations

import re
import shlex
from typing import Callable, Dict, Iterator, Tuple

import pytest
from hicrisp_nodes.cli import main as hicrisp
from hicrisp_nodes.cli import options as demo
from hicrisp_perception.calibration import calibrate_options as calibration
from hicrisp_perception.scene_scan import look_options as looking
from support.pages import ROOT, written_pages

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^    \S.*$", re.MULTILINE)
INLINE = re.compile(r"`([^`]+)`")
COMMAND = re.compile(r"(?:\$ )?(scripts/\w+|hicrisp)(?![\w/.])(.*?)(?: +#.*)?")


def code(text: str) -> Iterator[str]:
    """The lines of the blocks of a document, and what stands in backticks."""
    for block in FENCED.findall(text):
        yield from block.splitlines()
    prose = FENCED.sub("", text)
    yield from (line.strip() for line in INDENTED.findall(prose))
    yield from (" ".join(span.split()) for span in INLINE.findall(INDENTED.sub("", prose)))


def commands() -> Iterator[Tuple[str, str, str]]:
    """Where each command stands, its program, and what follows; a backslash joins lines."""
    for file in written_pages():
        for line in code(file.read_text(encoding="utf-8").replace("\\\n", " ")):
            found = COMMAND.fullmatch(line)
            if found:
                yield f"{file.name}: {line}", found.group(1), found.group(2)


def parsers() -> Dict[str, Callable[..., object]]:
    """Who reads the command line of a program."""
    bench = pytest.importorskip("hicrisp_bench.cli", reason="the suites do not run here")
    return {"scripts/demo": demo.parse, "scripts/bench": bench.parse, "hicrisp": hicrisp.parse,
            "scripts/calibrate_camera": calibration.parse, "scripts/look": looking.parse}


def test_the_commands_of_the_documents_are_taken() -> None:
    known, wrong, taken = parsers(), [], 0
    for where, program, rest in commands():
        if program not in known or (not rest.strip() and program != "scripts/demo"):
            continue
        try:
            known[program](shlex.split(rest))
            taken += 1
        except (SystemExit, ValueError) as error:
            wrong.append(f"{where} ({error})")
    assert not wrong, "\n".join(wrong)
    assert taken > 40


def test_the_programs_of_the_documents_are_there() -> None:
    for where, program, _ in commands():
        assert program == "hicrisp" or (ROOT / program).is_file(), where


def test_the_readme_begins_with_the_two_commands_that_do_all() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = [line.split("#")[0].strip() for line in code(readme) if not line.startswith("```")]
    assert first[:2] == ["scripts/demo", "scripts/test"]
    assert len(readme.splitlines()) <= 120
    assert 10_000 < (ROOT / "docs" / "pictures" / "run.webp").stat().st_size <= 2_000_000
