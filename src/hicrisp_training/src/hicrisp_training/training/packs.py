"""Samples as rows of tokens: the requests to one scene share its description, so that it is computed once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import List, Mapping, Optional, Sequence, Tuple

import torch
from hicrisp_core.domain.schema import Domain
from hicrisp_core.prompting.goal_prompt import goal_messages
from torch import Tensor

from hicrisp_training.network.tokens import Tokens, conversation
from hicrisp_training.sentences.samples import Sample

_CUT = "\nRequest:"
_END = "<|im_end|>"


@dataclass(frozen=True)
class Pack:
    """One row.

    Args:
        tokens: the scene's description, then each request with its answer.
        positions: of each token in its own conversation.
        mask: length x length, true where a row may look: at the description and at its own request.
        places: indices whose next token is learnt.
        targets: those tokens.
        samples: how many requests there are.
    """

    tokens: Tensor
    positions: Tensor
    mask: Tensor
    places: Tensor
    targets: Tensor
    samples: int


def prompt_of(sample: Sample, domains: Mapping[str, Domain]) -> str:
    """What the model is asked, as the server writes it."""
    return conversation(*goal_messages(sample.text, domains[sample.domain], sample.world))


def answer_text(sample: Sample) -> str:
    """What the model shall write."""
    return json.dumps(sample.answer, separators=(",", ":"), ensure_ascii=False)


def packed(
    samples: Sequence[Sample], domains: Mapping[str, Domain], tokens: Tokens, longest: int = 800
) -> Optional[Pack]:
    """The requests to one scene as one row; those that would make it longer than ``longest`` are left out.

    Every request reads exactly the tokens that it would have alone.
    """
    prompt = prompt_of(samples[0], domains)
    shared = tokens.ids(prompt[: prompt.index(_CUT) + 1])
    row, positions, owners = list(shared), list(range(len(shared))), [0] * len(shared)
    places: List[int] = []
    targets: List[int] = []
    count = 0
    for sample in samples:
        request, answer = _continuation(sample, domains, tokens, shared)
        if not answer or len(row) + len(request) + len(answer) > longest:
            continue
        count += 1
        begin = len(row) + len(request)
        places += range(begin - 1, begin + len(answer) - 1)
        targets += answer
        # The last token of an answer is only learnt, never read.
        piece = [*request, *answer[:-1]]
        row += piece
        positions += range(len(shared), len(shared) + len(piece))
        owners += [count] * len(piece)
    if not count:
        return None
    owner = torch.tensor(owners)
    mask = ((owner[:, None] == owner[None, :]) | (owner[None, :] == 0)).tril()
    return Pack(
        torch.tensor(row), torch.tensor(positions), mask, torch.tensor(places), torch.tensor(targets), count
    )


def _continuation(
    sample: Sample, domains: Mapping[str, Domain], tokens: Tokens, shared: List[int]
) -> Tuple[List[int], List[int]]:
    """The tokens of the request behind the scene, and those of the answer; none where they do not part so."""
    prompt = prompt_of(sample, domains)
    asked = tokens.ids(prompt)
    whole = tokens.ids(prompt + answer_text(sample) + _END)
    if asked[: len(shared)] != shared or whole[: len(asked)] != asked:
        return [], []
    return asked[len(shared) :], whole[len(asked) :]
