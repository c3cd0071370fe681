"""The tutorials over the nodes: what a page has typed after ``scripts/demo`` is typed beside the page's files.

The robot does it, and sees by its camera.

HICRISP_TEST_ALL runs every command, which takes minutes; without it the last one is run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import List, Tuple

import pytest
from run_rostests import embedded_world_is_here
from support.pages import ROOT, Page, pages

LIMIT = 1200.0
"""Wall seconds after which a command hangs, on however busy a machine."""
ALL = bool(os.environ.get("HICRISP_TEST_ALL"))
PROGRAM = "scripts/demo"


def typed() -> List[Tuple[Page, str]]:
    """The commands of each page that start the nodes."""
    found: List[Tuple[Page, str]] = []
    for page in pages():
        found += [(page, block.text.strip()) for block in page.blocks if block.role == "nodes"]
    return found if ALL else found[-1:]


@pytest.mark.parametrize(("page", "command"),
                         [pytest.param(*each, id=f"{each[0].name}: {each[1]}") for each in typed()])
def test_a_robot_does_what_a_page_has_typed(page: Page, command: str, tmp_path: Path) -> None:
    if not embedded_world_is_here():
        pytest.skip("the embedded world does not run here")
    assert command.startswith(PROGRAM), command
    page.write(tmp_path)
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("OPENAI_") and name != "HICRISP_LLM_BASE_URL"}
    script = f"{page.setup}\n{ROOT / PROGRAM}{command[len(PROGRAM):]} --runs-dir runs"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stdout[-20000:]
    assert list((tmp_path / "runs").glob("*/report.html"))
    shutil.rmtree(tmp_path / "runs")


def test_pages_start_the_nodes() -> None:
    assert typed()
