"""The tutorials and docs/extending.md as they stand: their files are written, their commands run, their
mistakes made.
"""

from __future__ import annotations

import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterator, Tuple

import pytest
from support.pages import Block, Page, pages

LIMIT = 300.0
"""Wall seconds after which a command of a page hangs."""
CHECK = "python3 -m hicrisp_core.check"
IN_PROCESS = re.compile(r"python3 -m (hicrisp_core\.(?:check|plan)) ([^|&;>$]*)\n?")
"""Commands that a page without code of its own may have run in this process, which spares an interpreter."""
ANYTHING = "…"
"""Stands on a page for what is another one each time."""
PAGES = {page.name: page for page in pages()}
RUNS = [(page.name, command, expected) for page in PAGES.values() for command, expected in page.pairs("run")]
MISTAKES = [(page.name, mistake, expected) for page in PAGES.values()
            for mistake, expected in page.pairs("mistake")]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, Path]:
    """A folder of one's own for each page, with its files."""
    made = {name: tmp_path_factory.mktemp(name) for name in PAGES}
    for name, page in PAGES.items():
        page.write(made[name])
    return made


def said(page: Page, folder: Path, command: str) -> str:
    """What a command prints, in the environment that its page sets up."""
    simple = IN_PROCESS.fullmatch(command)
    if simple and not page.setup:
        return said_here(folder, simple.group(1), shlex.split(simple.group(2)))
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(["bash", "-c", f"{page.setup}\n{command}"], cwd=folder, env=environment, text=True,
                          capture_output=True, timeout=LIMIT, check=False)
    return done.stdout or done.stderr


def said_here(folder: Path, module: str, arguments: "list[str]") -> str:
    """The same for a module of ours, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        written = _Written()
        patch.chdir(folder)
        patch.setattr(sys, "argv", [module, *arguments])
        patch.setattr(sys, "stdout", written)
        patch.delitem(sys.modules, module, raising=False)
        with pytest.raises(SystemExit):
            runpy.run_module(module, run_name="__main__")
    return written.text


class _Written:
    """Where a program prints to."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        """Nothing is kept back."""


def names(found: "list[Tuple[str, Block, str]]") -> Iterator[str]:
    return (f"{page}: {(block.about or block.text).strip()}" for page, block, _ in found)


@pytest.mark.parametrize(("page", "command", "expected"), RUNS, ids=names(RUNS))
def test_a_command_of_a_page_says_what_the_page_says(
    folders: Dict[str, Path], page: str, command: Block, expected: str,
) -> None:
    if "hicrisp_sim" in command.text:
        pytest.importorskip("mujoco", reason="the embedded world does not run here")
    printed = said(PAGES[page], folders[page], command.text)
    assert re.fullmatch(re.escape(expected).replace(ANYTHING, ".*"), printed), printed


@pytest.mark.parametrize(("page", "mistake", "expected"), MISTAKES, ids=names(MISTAKES))
def test_a_mistake_is_told_when_the_file_is_loaded(
    folders: Dict[str, Path], page: str, mistake: Block, expected: str,
) -> None:
    file = folders[page] / mistake.about
    right = file.read_text(encoding="utf-8")
    start = mistake.text[:mistake.text.index(":") + 1]
    assert right.count(f"\n{start}") == 1, "the page's mistake must replace one line"
    try:
        file.write_text(re.sub(rf"^{re.escape(start)}.*\n", lambda _: mistake.text, right,
                               flags=re.MULTILINE),
                        encoding="utf-8")
        assert said(PAGES[page], folders[page], f"{CHECK} {mistake.about}") == expected
    finally:
        file.write_text(right, encoding="utf-8")


def test_every_kind_of_file_has_an_example_and_a_mistake() -> None:
    mistakes = {mistake.about.split("/")[1] for _, mistake, _ in MISTAKES}
    assert mistakes >= {"domains", "scenes", "robots", "llm", "policies", "cameras"}
