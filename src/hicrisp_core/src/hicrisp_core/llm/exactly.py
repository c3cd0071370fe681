"""Asking how likely a model would say a text: an answer that may be nothing else.

llama.cpp's server says how it cuts a text into tokens and takes a grammar of tokens, so the likelihood of the
answer is that of the text as the model would write it. A grammar of letters would let it cut the text in
another way.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

_ONLY = "const"
_MOST_TOKENS = 120
"""Longer texts are not asked for."""


def exactly(text: str) -> Dict[str, Any]:
    """The schema of an answer that is this text."""
    return {_ONLY: text}


def only(schema: Optional[Mapping[str, Any]]) -> Optional[str]:
    """The one text that a schema leaves; ``None`` where it leaves more."""
    text = schema.get(_ONLY) if schema is not None else None
    return text if isinstance(text, str) else None


def tokens_of(told: Any) -> List[int]:
    """The tokens that a server says of a text; none where it says something else or too many."""
    tokens = told.get("tokens") if isinstance(told, dict) else None
    if not isinstance(tokens, list) or not 0 < len(tokens) <= _MOST_TOKENS:
        return []
    return tokens if all(type(each) is int for each in tokens) else []


def token_grammar(tokens: List[int]) -> str:
    """A grammar that leaves these tokens alone."""
    return f"root ::= {' '.join(f'<[{each}]>' for each in tokens)}"
