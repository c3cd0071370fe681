"""The grammar of task sentences: from the user's words to intents; what it cannot read it refuses, word by word."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.brain import lexicon
from hicrisp_core.errors import HicrispError

MAX_CHARACTERS = 2000


class NotUnderstood(HicrispError):
    """A sentence that the grammar cannot read; the message says which part and why."""


@dataclass(frozen=True)
class Noun:
    """A noun phrase: how many of which things.

    Args:
        count: ``the`` (the only one), ``any``, ``all``, ``it`` or a number.
        words: adjectives and the noun, as they were said.
        besides: what is left out.
    """

    count: str
    words: Tuple[str, ...] = ()
    number: int = 1
    besides: Tuple["Noun", ...] = ()

    def __str__(self) -> str:
        return " ".join(self.words) or self.count


@dataclass(frozen=True)
class Intent:
    """One thing that is wanted: a verb, what it is about, and where.

    ``group`` counts the parts of the request that follow each other ("then"): within a part all must hold together.
    """

    verb: str
    items: Tuple[Noun, ...] = ()
    relation: str = ""
    reference: Optional[Noun] = None
    shape: str = ""
    group: int = 0


@dataclass(frozen=True)
class Token:
    """A word or phrase with its meaning: kind ``verb``, ``relation``, ``then``, ``and``, ``except`` or ``word``."""

    kind: str
    value: str
    text: str


_TABLE: Mapping[str, Tuple[str, str]] = {
    **{p: ("relation", m) for p, m in lexicon.phrases(lexicon.RELATIONS).items()},
    **{p: ("verb", m) for p, m in lexicon.phrases(lexicon.VERBS).items()},
    **{p: ("filler", p) for p in lexicon.FILLERS},
    **{p: ("then", p) for p in lexicon.THEN},
    **{p: ("except", p) for p in lexicon.EXCEPT},
    "and": ("and", "and"), ",": ("and", ","),
}
_LONGEST = max(len(phrase.split()) for phrase in _TABLE)
_MADE_OF = ("of", "with", "from", "using", "out")
_FORBIDS = re.compile(r"\b(?:not|never|don'?t|do not|without|avoid)\b")
_SHAPES = lexicon.phrases(lexicon.SHAPES)


def tokenise(text: str) -> List[Token]:
    """Words and known phrases, the longest first; fillers are left out."""
    words = re.findall(r"[a-z0-9_]+|[,;.]", text.lower().replace("-", " ").replace("'s ", " "))
    tokens: List[Token] = []
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            phrase = " ".join(words[at:at + length])
            if phrase in _TABLE or length == 1:
                kind, value = _TABLE.get(phrase, ("word", phrase))
                if kind != "filler":
                    tokens.append(Token(kind, value, phrase))
                at += length
                break
    return tokens


def read(text: str) -> List[Intent]:
    """The intents of a request, in order.

    Raises:
        NotUnderstood: with the part that could not be read.
    """
    if len(text) > MAX_CHARACTERS:
        raise NotUnderstood(f"the request has {len(text)} characters; at most {MAX_CHARACTERS} are read")
    if not re.search(r"[A-Za-z]", text):
        raise NotUnderstood("the request holds no words")
    forbidden = _FORBIDS.search(text.lower().replace("but not", ""))
    if forbidden:
        raise NotUnderstood(f"what shall not be done ('{forbidden.group()}') cannot be planned: say what shall be done")
    intents = _Parser(tokenise(text)).run()
    if not intents:
        raise NotUnderstood("the request names no action")
    return intents


class _Parser:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._group = 0

    def run(self) -> List[Intent]:
        intents: List[Intent] = []
        while self._at < len(self._tokens):
            token = self._peek()
            if token.kind == "then":
                self._at += 1
                self._group += 1
            elif token.kind == "and":
                self._at += 1
            elif token.kind == "verb":
                self._at += 1
                intents.extend(self._clause(token.value))
            elif intents and intents[-1].relation:
                intents.extend(self._placements(intents[-1].verb))  # "... and the cylinder on the box"
            else:
                raise NotUnderstood(f"'{token.text}' is no action that is known here")
        return intents

    def _clause(self, verb: str) -> List[Intent]:
        if verb in ("put", "stack"):
            return self._placements(verb)
        if verb == "pick":
            items = self._nouns()
            if self._peek().kind == "word" and self._peek().text == "up":
                self._at += 1
            if self._peek().kind == "relation" and self._peek().value == "on":
                self._at += 1
                self._noun()  # "the box on the table": where it is, not where it goes
            return [self._intent("pick", items)]
        if verb == "build":
            return [self._build()]
        if verb == "put_down":
            return [self._intent("put_down", self._nouns() if self._at_noun() else (Noun("it"),))]
        if verb == "sort":
            items = self._nouns() if self._at_noun() else (Noun("all", ("box",)),)
            return [self._sort(items)]
        if verb == "clear":
            besides = self._noun().besides if self._at_noun() else self._besides()
            return [self._intent("clear", (Noun("all", ("thing",), besides=besides),))]
        return [self._intent(verb)]

    def _sort(self, items: Tuple[Noun, ...]) -> Intent:
        words = []
        while self._peek().kind in ("word", "relation") and self._peek().text not in ("then", "and"):
            words.append(self._peek().text)
            self._at += 1
        said = " ".join(words)
        if not re.fullmatch(r"(by (their )?colou?rs?)?( ?(into|in|to) (the )?(\w+ )*(bowls?|piles?|groups?))?"
                            r"( by (their )?colou?rs?)?( of the same colou?r)?", said):
            raise NotUnderstood(f"things are sorted by colour here, not '{said}'")
        return self._intent("sort", items)

    def _build(self) -> Intent:
        shape, items, reference = "", (), None  # type: str, Tuple[Noun, ...], Optional[Noun]
        if self._peek().text in ("a", "an", "the"):
            self._at += 1
        shape = self._shape()
        if not shape:
            items = self._nouns()  # "arrange the boxes in a line"
            if self._peek().kind == "relation" and self._peek().value in ("in", "on"):
                self._at += 1
            while self._peek().text in ("a", "an", "the", "as", "like", "to", "form"):
                self._at += 1
            shape = self._shape()
        if not shape:
            said = items[-1] if self._peek().kind == "end" else self._peek().text
            raise NotUnderstood(f"'{said}' is no shape that is known here; there are: "
                                f"{', '.join(lexicon.SHAPES)}")
        while self._peek().kind in ("word", "relation"):
            token = self._peek()
            self._at += 1
            if token.text in _MADE_OF:
                while self._peek().text in _MADE_OF:
                    self._at += 1
                items = self._nouns()
            elif token.value == "around":
                reference = self._noun()
            elif token.value in ("on", "in"):
                self._noun()  # "on the table", "in the working space"
            else:
                raise NotUnderstood(f"'{token.text}' is not understood after '{shape}'")
        return self._intent("build", items or (Noun("all", ("box",)),), "around" if reference else "", reference, shape)

    def _shape(self) -> str:
        for length in (2, 1):
            words = [token.text for token in self._tokens[self._at:self._at + length]]
            meaning = _SHAPES.get(" ".join(words), "")
            if meaning and len(words) == length:
                self._at += length
                if self._peek().text in ("shape", "sign"):
                    self._at += 1
                return meaning
        return ""

    def _placements(self, verb: str) -> List[Intent]:
        items = self._nouns()
        token = self._peek()
        if token.text == "down":
            self._at += 1
            return [self._intent("put_down", items)]
        if token.kind != "relation":
            if verb == "stack":
                return [self._intent("build", items, shape="tower")]
            raise NotUnderstood(f"it is not said where '{items[-1]}' shall go" if token.kind == "end" else
                                f"'{token.text}' is not understood after '{items[-1]}'")
        self._at += 1
        if verb == "stack" and token.value == "on" and self._peek().text in ("each", "one", "top"):
            while self._peek().kind == "word":
                self._at += 1
            return [self._intent("build", items, shape="tower")]
        found = [self._placed(items, token.value)]
        while self._peek().kind == "and" and self._another_placement():
            self._at += 1
            again = self._nouns()
            relation = self._peek().value
            self._at += 1
            found.append(self._placed(again, relation))
        return found

    def _placed(self, items: Tuple[Noun, ...], relation: str) -> Intent:
        reference = self._noun()
        if reference.besides:  # "everything in the bowl except the box": the exception is of the items
            items = tuple(replace(item, besides=(*item.besides, *reference.besides)) for item in items)
            reference = replace(reference, besides=())
        return self._intent("put", items, relation, reference)

    def _another_placement(self) -> bool:
        """Whether "and" leads to a further "X on Y" of the same verb."""
        for token in self._tokens[self._at + 1:]:
            if token.kind in ("verb", "then"):
                return False
            if token.kind == "relation":
                return True
        return False

    def _nouns(self) -> Tuple[Noun, ...]:
        """One or more noun phrases joined by "and" or commas."""
        found = [self._noun()]
        while self._peek().kind == "and":
            ahead = self._at
            while ahead < len(self._tokens) and self._tokens[ahead].kind == "and":
                ahead += 1
            if ahead >= len(self._tokens) or self._tokens[ahead].kind != "word":
                break
            self._at = ahead
            found.append(self._noun())
        return tuple(found)

    def _noun(self) -> Noun:
        """The quantifier, the adjectives and the noun."""
        count, number = "the", 1
        words: List[str] = []
        while self._peek().kind == "word":
            text = self._peek().text
            if text in ("with", "using", "from", "up", "down", "by", "to", "each", "of") and words:
                break
            if text in lexicon.PRONOUNS and not words:
                self._at += 1
                return Noun("it" if text != "them" else "them")
            if text in lexicon.ALL or text == "both":
                count, number = ("all", 0) if text != "both" else ("number", 2)
            elif text in lexicon.ANY:
                count = "any"
            elif text in lexicon.NUMBERS or (text.isdigit() and not words):
                count, number = "number", lexicon.NUMBERS.get(text) or int(text)
            elif text not in ("the", "of", "my", "your", "other", "these", "those"):
                words.append(text)
            self._at += 1
        if not words:
            raise NotUnderstood(f"a thing was expected before '{self._peek().text}'" if self._peek().kind != "end"
                                else "the request ends where a thing was expected")
        return Noun(count, tuple(words), number, self._besides())

    def _besides(self) -> Tuple[Noun, ...]:
        if self._peek().kind != "except":
            return ()
        self._at += 1
        return self._nouns()

    def _at_noun(self) -> bool:
        return self._peek().kind == "word"

    def _peek(self) -> Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else Token("end", "", "the end")

    def _intent(
        self, verb: str, items: Tuple[Noun, ...] = (), relation: str = "", reference: Optional[Noun] = None,
        shape: str = "",
    ) -> Intent:
        return Intent(verb, items, relation, reference, shape, self._group)
