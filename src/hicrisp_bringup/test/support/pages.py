"""Pages of the documentation that tell people to make files and to type commands: their blocks."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import List, Tuple

ROOT = Path(__file__).resolve().parents[4]
DOCS = ROOT / "docs"
_BLOCK = re.compile(r"^```(\w+)(?: (\w+)(?:=(\S+))?)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: ``role`` is file, run, mistake, setup, ros or nodes, ``about`` a file's name."""

    role: str
    about: str
    text: str


@dataclass(frozen=True)
class Page:
    """A page whose files are written, whose commands are run and whose mistakes are made."""

    name: str
    blocks: Tuple[Block, ...]

    @property
    def setup(self) -> str:
        """The lines that every command of the page needs."""
        return "".join(block.text for block in self.blocks if block.role == "setup")

    def pairs(self, role: str) -> List[Tuple[Block, str]]:
        """The blocks of a role, with what stands in the block after each: what is said then."""
        return [(block, after.text) for block, after in zip(self.blocks, self.blocks[1:])
                if block.role == role]

    def write(self, folder: Path) -> None:
        """Write the files of the page."""
        for block in self.blocks:
            if block.role == "file":
                (folder / block.about).parent.mkdir(parents=True, exist_ok=True)
                (folder / block.about).write_text(block.text, encoding="utf-8")


def read_page(file: Path) -> Page:
    """A page by its file."""
    found = _BLOCK.findall(file.read_text(encoding="utf-8"))
    return Page(file.stem, tuple(Block(role or "says", about, text) for _, role, about, text in found))


def pages() -> List[Page]:
    """Every page with something to run."""
    found = [read_page(file) for file in (DOCS / "extending.md", *sorted((DOCS / "tutorials").glob("*.md")))]
    return [page for page in found if page.pairs("run") or page.pairs("mistake")]


def first_task() -> str:
    """The task that the first tutorial tells people to submit."""
    typed = next(block.text for block in read_page(DOCS / "tutorials" / "first_task.md").blocks
                 if block.role == "ros")
    return shlex.split(typed)[-1]


def written_pages() -> List[Path]:
    """The README and all pages that people write."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md")),
            *sorted((DOCS / "tutorials").glob("*.md"))]
