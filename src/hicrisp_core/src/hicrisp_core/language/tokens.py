"""The one tokenizer: words with their places in the text, and tokens that are the lexicon's phrases."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import AbstractSet, Container, Iterator, List, Mapping, Sequence, Tuple

from hicrisp_core.language import lexicon
from hicrisp_core.language.intents import NotUnderstood

MAX_CHARACTERS = 2000
_WORD = re.compile(r"\d+(?:st|nd|rd|th)\b|\d+(?:\.\d+)?(?=[a-z]*(?!\w))|\w+(?:'\w+)*|[,;.:!?()\n]")
_SAME_LENGTH = {ord(quote): "'" for quote in "\u2018\u2019\u201b\u02bc`\u00b4"}
_SAME_LENGTH.update({ord(dash): "-" for dash in "\u2010\u2011\u2012\u2013\u2014\u2212"})
_MARK = (".", ")", ":")
_END_OF_STEP = (".", "!", "?")


@dataclass(frozen=True)
class Word:
    """A word in lower case, a number or a punctuation mark, and the characters that it stands at."""

    text: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True)
class Token:
    """A word or phrase with its meaning: a kind of the lexicon's, or ``word`` for what it does not list."""

    kind: str
    value: str
    text: str
    start: int = 0
    end: int = 0


END = Token("end", "", "the end")


def words_in(text: str) -> Tuple[Word, ...]:
    """The words of a text; hyphens part them, "isn't" is "is not", "the AGV's" is "the agv"."""
    said = text.translate(_SAME_LENGTH).lower()
    if len(said) != len(text):  # Few letters change their length; of these the first one is kept.
        said = "".join(letter.lower()[:1] for letter in text.translate(_SAME_LENGTH))
    found: List[Word] = []
    for match in _WORD.finditer(said):
        found.extend(Word(part, match.start(), match.end()) for part in _uncontracted(match.group()))
    return tuple(found)


def plain(words: Sequence[Word]) -> str:
    """Words as one text, each parted by a space."""
    return " ".join(word.text for word in words)


def check_size(text: str, words: Sequence[Word], empty: str) -> None:
    """Refuse a text that is empty or too long.

    Args:
        empty: what is wrong where it holds no words.

    Raises:
        NotUnderstood: with the reason.
    """
    if len(text) > MAX_CHARACTERS:
        raise NotUnderstood(f"the request has {len(text)} characters; at most {MAX_CHARACTERS} are read")
    if not any(letter.isalpha() for word in words for letter in word.text):
        raise NotUnderstood(empty)


def check_readable(
    said: str, known: AbstractSet[str], unreadable: Sequence[Tuple[str, str]] = lexicon.UNREADABLE
) -> None:
    """Refuse what the grammar has no words for.

    Args:
        said: plain words, each parted by a space.
        known: words by which things of the world are called; they are never refused.
        unreadable: patterns, each with the reason.

    Raises:
        NotUnderstood: with the part and the reason.
    """
    for pattern, why in unreadable:
        found = re.search(pattern, said)
        if found and found.group() not in known:
            raise NotUnderstood(f"'{found.group()}' {why}", found.group())


def tokenise(
    words: Sequence[Word], table: Mapping[str, Tuple[str, str]] = lexicon.PHRASES,
    known: AbstractSet[str] = frozenset(),
) -> List[Token]:
    """The phrases of a table, the longest first, and single words; fillers are left out.

    Args:
        known: words by which things of the world are called; they are no fillers.
    """
    tokens: List[Token] = []
    lines: List[int] = []
    for phrase, first, last in _phrases(_unnumbered(words), table):
        kind, value = table.get(phrase, ("word", phrase))
        if phrase == "\n":
            lines.append(len(tokens))
        elif phrase == "," and tokens and tokens[-1].text == ",":
            continue  # What stood between them is left out.
        elif kind != "filler" or phrase in known:
            tokens.append(Token("word" if kind == "filler" else kind, value, phrase, first.start, last.end))
    for at in reversed(lines):  # A line that begins with a verb follows the one before.
        if at < len(tokens) and tokens[at].kind == "verb":
            tokens.insert(at, Token("then", "\n", "\n", tokens[at].start, tokens[at].start))
    return tokens


def rewritten(words: Sequence[Word], table: Mapping[str, str]) -> Tuple[Word, ...]:
    """Words with each phrase of a table, the longest first, in its other form."""
    return tuple(Word(part, first.start, last.end) for phrase, first, last in _phrases(words, table)
                 for part in table.get(phrase, phrase).split(" ") if part)


def behind(words: Sequence[Word], phrases: Container[str]) -> Sequence[Word]:
    """What is left behind some phrases that may lead, with their commas."""
    at = 0
    while at < len(words):
        length = next((length for length in range(min(lexicon.LONGEST, len(words) - at), 0, -1)
                       if plain(words[at:at + length]) in phrases), 0)
        if not length and not (at and words[at].text in (",", ":")):
            break
        at += length or 1
    return words[at:]


def _phrases(words: Sequence[Word], table: Container[str]) -> Iterator[Tuple[str, Word, Word]]:
    """Each phrase that a table knows, the longest first, or else each word; with its first and last word."""
    at = 0
    while at < len(words):
        for length in range(min(lexicon.LONGEST, len(words) - at), 0, -1):
            phrase = plain(words[at:at + length])
            if phrase in table or length == 1:
                yield phrase, words[at], words[at + length - 1]
                at += length
                break


def _uncontracted(word: str) -> Tuple[str, ...]:
    """"isn't" as "is not", "let's" as "let us"; an "'s" that belongs to a name is left out."""
    whole = lexicon.CONTRACTIONS.get(word)
    if whole:
        return tuple(whole.split())
    if word.endswith("n't"):
        return (word[:-3], "not")
    return (word.split("'")[0],)


def _unnumbered(words: Sequence[Word]) -> List[Word]:
    """A numbered list as parts that follow each other; other numbers and the brackets of asides stay
    words.
    """
    kept: List[Word] = []
    number, at = 1, 0
    while at < len(words):
        mark = at + (words[at].text == "step")
        if (number > 1 or not kept) and _is_mark(words[mark:mark + 3], number):
            kept.append(replace(words[mark], text=";"))
            number, at = number + 1, mark + 2
            continue
        if words[at].text in _END_OF_STEP:
            kept.append(replace(words[at], text="."))
        elif words[at].text not in (":", "(", ")"):
            kept.append(words[at])
        at += 1
    return kept


def _is_mark(words: Sequence[Word], number: int) -> bool:
    """Whether "2." or "2)" stands here, with a space and something after it."""
    return len(words) == 3 and words[0].text == str(number) and words[1].text in _MARK \
        and words[1].start == words[0].end and words[2].start > words[1].end
