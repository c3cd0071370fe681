"""docs/extending.md as it stands: its files are written, its commands run, its mistakes made."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "extending.md"
_BLOCK = re.compile(r"^```(\w+)(?: (\w+)(?:=(\S+))?)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LIMIT = 300.0
"""Wall seconds after which a command of the page hangs."""


@dataclass(frozen=True)
class Block:
    """A fenced block of the page: ``role`` is file, run, mistake or setup, ``about`` a file's name."""

    role: str
    about: str
    text: str


def blocks() -> Iterator[Block]:
    """The blocks of the page; what a command or a mistake says is the block after it."""
    for _, role, about, text in _BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        yield Block(role or "says", about, text)


def pairs(role: str) -> List[Tuple[Block, str]]:
    """The blocks of a role, with what stands in the block after each."""
    every = list(blocks())
    return [(block, after.text) for block, after in zip(every, every[1:]) if block.role == role]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package of one's own beside the workspace, with the files of the page."""
    folder = tmp_path_factory.mktemp("my_lab")
    for block in blocks():
        if block.role == "file":
            (folder / block.about).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.about).write_text(block.text, encoding="utf-8")
    return folder


def said(folder: Path, command: str) -> str:
    """What a command prints, in the environment that the page sets up."""
    setup = "".join(block.text for block in blocks() if block.role == "setup")
    environment: Dict[str, str] = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(["bash", "-c", f"{setup}\n{command}"], cwd=folder, env=environment, text=True,
                          capture_output=True, timeout=LIMIT, check=False)
    return done.stdout or done.stderr


@pytest.mark.parametrize(("command", "expected"), pairs("run"),
                         ids=lambda value: getattr(value, "text", "").strip())
def test_a_command_of_the_page_says_what_the_page_says(lab: Path, command: Block, expected: str) -> None:
    assert said(lab, command.text) == expected


@pytest.mark.parametrize(("mistake", "expected"), pairs("mistake"),
                         ids=lambda value: getattr(value, "about", ""))
def test_a_mistake_is_told_when_the_file_is_loaded(lab: Path, mistake: Block, expected: str) -> None:
    file = lab / mistake.about
    right = file.read_text(encoding="utf-8")
    start = mistake.text[:mistake.text.index(":") + 1]
    assert right.count(f"\n{start}") == 1, "the page's mistake must replace one line"
    try:
        file.write_text(re.sub(rf"^{re.escape(start)}.*\n", lambda _: mistake.text, right,
                               flags=re.MULTILINE),
                        encoding="utf-8")
        assert said(lab, f"python3 -m hicrisp_core.check {mistake.about}") == expected
    finally:
        file.write_text(right, encoding="utf-8")


def test_every_kind_of_extension_has_an_example_and_a_mistake() -> None:
    mistakes = {block.about.split("/")[1] for block, _ in pairs("mistake")}
    assert mistakes >= {"domains", "scenes", "robots", "llm", "policies"}
