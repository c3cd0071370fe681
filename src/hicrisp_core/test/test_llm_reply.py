"""How sure a model is of an answer: by the tokens that the server tells, without what it thought before."""

import math
from types import SimpleNamespace

import pytest
from hicrisp_core.llm.reply import read_reply


def sure(*tokens):
    told = [SimpleNamespace(token=text, logprob=math.log(chance)) for text, chance in tokens]
    return read_reply(SimpleNamespace(choices=[SimpleNamespace(
        message=SimpleNamespace(content="".join(text for text, _ in tokens)), finish_reason="stop",
        logprobs=SimpleNamespace(content=told))])).sure


def test_what_is_thought_aloud_does_not_count():
    assert sure(('{"say":"', 0.9), ("the \\", 0.01), ('"red', 0.02), ('\\" box', 0.03),
                ('","kind":', 0.8), ('"goal"}', 0.7)) == pytest.approx(0.9 * 0.8 * 0.7)
    assert sure(('{"kind":', 0.5), ('"goal"}', 0.5)) == pytest.approx(0.25)
