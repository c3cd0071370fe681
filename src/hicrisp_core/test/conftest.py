"""A symbolic table top on which most tests run whole tasks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "src/hicrisp_bringup/test/support")]


@pytest.fixture(scope="session")
def domain():
    """The table-top domain as it is shipped."""
    from hicrisp_core.domain import load_domain

    return load_domain(ROOT / "config" / "domains" / "tabletop.yaml")


@pytest.fixture
def config_dir():
    """The shipped configuration."""
    return ROOT / "config"


@pytest.fixture
def planning(config_dir, domain):
    """The default prompts of a planner."""
    from hicrisp_core.prompting.plan_prompt import PlanPrompt
    from hicrisp_core.prompting.templates import Prompts

    def make(domain=domain, folder=None, **more):
        return PlanPrompt(Prompts(folder or config_dir / "prompts" / "default"), domain, **more)
    return make
