"""The memory that a launch asks for."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from hicrisp_core.domain import load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.memory.memory import FileMemory
from hicrisp_core.model import Task
from hicrisp_core.model.offsets import DecoderOffsets
from hicrisp_core.policy.policy import load_policy
from hicrisp_core.ports.memory import FinishedRun
from hicrisp_core.scene import load_scene
from hicrisp_core.trace.records import FaultRecord
from hicrisp_nodes.supervisor.memory import read_settings
from hicrisp_ros.config_files import Configuration

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "src" / "hicrisp_core" / "test"))
from tabletop import table_top  # noqa: E402 - the core's tests lie beside, in no package

DOMAIN = load_domain(ROOT / "config" / "domains" / "tabletop.yaml")
WORLD = table_top({"box": "box", "lid": "box"}, [("lid", "on", "box")])
KEY = "panda/place/world"
ROBOTS = ("panda",)


def configuration(policy: str) -> Configuration:
    return Configuration(load_scene(ROOT / "config" / "scenes" / "tabletop.yaml", 0), DOMAIN,
                         load_policy(ROOT / "config" / "policies" / f"{policy}.yaml"))


def opened(folder: Path, setting: str, policy: str = "hierarchical", simulator: str = "",
           *faults: FaultRecord) -> Any:
    return read_settings(setting, "", folder).memory(configuration(policy), {}, simulator, faults)


def learn(memory: FileMemory) -> None:
    memory.learn(FinishedRun(Task("t"), WORLD, (), None, True, DecoderOffsets().updated(KEY, (0.05, 0.0)),
                             (KEY,)))


@pytest.mark.parametrize("policy", ["hicrisp", "brainbody", "copal_mh2", "open_loop", "llm_p", "base_llm"])
def test_the_papers_policies_remember_nothing_unless_they_are_told_to(tmp_path: Path, policy: str) -> None:
    assert opened(tmp_path, "policy", policy) is None
    assert opened(tmp_path, "on", policy) is not None


@pytest.mark.parametrize(("setting", "kept"),
                         [("policy", True), ("on", True), ("read", False), ("off", None)])
def test_the_launch_has_the_last_word(tmp_path: Path, setting: str, kept: Any) -> None:
    memory = opened(tmp_path, setting)
    if memory is not None:
        learn(memory)
    assert (memory is not None and (tmp_path / "memory.sqlite").exists()) is bool(kept)
    assert (memory is None) is (kept is None)


def test_an_unknown_setting_is_refused_with_the_valid_ones(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'always' is not one of: off, read, on, policy"):
        read_settings("always", "", tmp_path)


def test_a_run_that_is_repeated_knows_what_it_knew_and_learns_nothing(tmp_path: Path) -> None:
    usual = read_settings("policy", "", tmp_path, LlmSettings("openai"))
    run = tmp_path / "run"
    run.mkdir()
    learn(usual.memory(configuration("hierarchical"), {}, "", ()))
    usual.copy_to(run, configuration("hierarchical"))
    learn(usual.memory(configuration("hierarchical"), {}, "", ()))
    again = read_settings("policy", "", tmp_path, LlmSettings("replay", replay=str(run / "llm.jsonl")))
    memory = again.memory(configuration("hierarchical"), {}, "", ())
    before = memory.offsets(DecoderOffsets(), ROBOTS)
    assert list(before.estimates) == [KEY]
    learn(memory)
    assert again.memory(configuration("hierarchical"), {}, "", ()).offsets(DecoderOffsets(), ROBOTS) == before
    other = LlmSettings("replay", replay=str(tmp_path / "x" / "llm.jsonl"))
    nothing = read_settings("policy", "", tmp_path, other)
    assert nothing.memory(configuration("hierarchical"), {}, "", ()) is None


def test_no_copy_is_made_where_no_model_is_asked_or_nothing_is_known(tmp_path: Path) -> None:
    offline = read_settings("policy", "", tmp_path)
    learn(offline.memory(configuration("hierarchical"), {}, "", ()))
    run = tmp_path / "run"
    run.mkdir()
    offline.copy_to(run, configuration("hierarchical"))
    for folder, policy in ((tmp_path / "new", "hierarchical"), (tmp_path, "brainbody")):
        read_settings("policy", "", folder, LlmSettings("openai")).copy_to(run, configuration(policy))
    assert list(run.iterdir()) == []


def test_a_simulated_arm_that_misplaces_is_another_one(tmp_path: Path) -> None:
    bent = FaultRecord("place_offset", "", (0.05, 0.0), 0)
    learn(opened(tmp_path, "on", "hierarchical", "embedded_world", bent))
    assert opened(tmp_path, "on").offsets(DecoderOffsets(), ROBOTS).estimates == {}
    embedded = opened(tmp_path, "on", "hierarchical", "embedded_world")
    assert embedded.offsets(DecoderOffsets(), ROBOTS).estimates == {}
    slips = FaultRecord("slip", "box", (), 1)
    assert KEY in opened(tmp_path, "on", "hierarchical", "embedded_world", slips, bent).offsets(
        DecoderOffsets(), ROBOTS).estimates
