"""The base model's tokens: text to numbers exactly as the server does it."""

from __future__ import annotations

from typing import List, Sequence

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

from hicrisp_training.network.base_file import BaseFile

_CONTROL = 3
_END_OF_TURN = "<|im_end|>\n"
_PIECES = Regex(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)")


class Tokens:
    """Byte-level tokens of a base file."""

    def __init__(self, base: BaseFile) -> None:
        tokens, merges, kinds = base.vocabulary
        pairs = [(left, right) for left, _, right in (merge.partition(" ") for merge in merges)]
        self._tokenizer = Tokenizer(models.BPE({token: index for index, token in enumerate(tokens)}, pairs))
        self._tokenizer.add_special_tokens(
            [
                AddedToken(token, special=True, normalized=False)
                for token, kind in zip(tokens, kinds)
                if kind == _CONTROL
            ]
        )
        self._tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.Split(_PIECES, "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        self._tokenizer.decoder = decoders.ByteLevel()

    def ids(self, text: str) -> List[int]:
        """The tokens of a text; control tokens may be written in it."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def text(self, ids: Sequence[int]) -> str:
        """The text of tokens."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=False))


def conversation(system: str, user: str) -> str:
    """The base model's form of a conversation, up to where its answer begins."""
    turns = (("system", system), ("user", user))
    asked = "".join(f"<|im_start|>{role}\n{text}{_END_OF_TURN}" for role, text in turns)
    return f"{asked}<|im_start|>assistant\n"
