"""Sentences about shapes: towers, lines, rings, plus signs, the letters L and T."""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple

from hicrisp_core.language import lexicon
from hicrisp_core.language.intents import Intent, NotUnderstood, Noun
from hicrisp_core.language.noun_phrases import PhraseReader
from hicrisp_core.language.tokens import END, Token

_SHAPES = lexicon.phrases(lexicon.SHAPES)
_MADE_OF = ("of", "with", "from", "using", "out", "out of")
_AS = ("as", "like", "into", "in", "to", "so", "that", "they", "form", "make", "on")
_PLACES = ("table", "desk", "tabletop", "space", "workspace", "area")
_ALL_BOXES = (Noun("all", ("box",)),)


class BuildReader(PhraseReader):
    """Reads what shall be built, of what, and where."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        super().__init__(tokens)
        self.group = 0

    def intent(
        self, verb: str, items: Tuple[Noun, ...] = (), relation: str = "", reference: Optional[Noun] = None,
        shape: str = "",
    ) -> Intent:
        """An intent of the part of the request that is being read."""
        return Intent(verb, items, relation, reference, shape, self.group)

    def _build(self, verb: str) -> List[Intent]:
        items: Tuple[Noun, ...] = self._before_shape()
        shape = self.shape_after_article()
        if not shape:
            items = self.nouns()  # "arrange the boxes in a line"
            if self.peek().value == "around":
                return [self._around(items)]
            if self.peek().value == "next_to":
                self.skip()
                mutual = self.mutual(items, "next_to")
                if mutual:
                    return [mutual]
            while self.peek().text in _AS or self.peek().text in lexicon.ANY:
                self.skip()
            shape = self._shape()
        if not shape:
            said = items[-1] if self.peek() is END else self.peek().text
            known = ", ".join(lexicon.SHAPES)
            raise NotUnderstood(f"'{said}' is not a shape I know; I know: {known}")
        return self._details(shape, items)

    def _line_up(self, verb: str) -> List[Intent]:
        return self._details("line", self.nouns())

    def _before_shape(self) -> Tuple[Noun, ...]:
        """What stands before the shape: "a three block tower", "a red, green and blue tower"."""
        start = 1 if self.peek().text in ("a", "an", "the") else 0
        ahead = start
        while self.peek(ahead).text not in _SHAPES:
            if self.peek(ahead).kind not in ("word", "and") or self.peek(ahead).text in (*_MADE_OF, *_AS):
                return ()
            ahead += 1
        letter = self.peek(ahead).text in ("l", "t") or self.peek(ahead - 1).text in ("letter", "straight")
        if ahead == start or letter:
            return ()
        if start:
            self.skip()
        inner = PhraseReader([self.peek(at) for at in range(ahead - start)])
        items = inner.nouns()
        for _ in range(ahead - start):
            self.skip()
        if len(items) == 1 and items[0].count == "the":
            return (Noun("all", items[0].words),)
        return items

    def _details(self, shape: str, items: Tuple[Noun, ...]) -> List[Intent]:
        """What follows a shape: of what it is made, and where."""
        base: Optional[Noun] = None
        while self.peek().kind in ("word", "relation"):
            token = self.peek()
            if token.text in _MADE_OF:
                while self.skip(*_MADE_OF):
                    pass
                items = self.nouns()
            elif token.value == "around":
                return [self._around(items or _ALL_BOXES)]
            elif token.value in ("on", "in"):
                self.skip()
                place = self.noun()
                if not set(place.words[-1:]) & set(_PLACES):
                    base = place
                if base and (shape != "tower" or token.value == "in"):
                    raise NotUnderstood(f"a {shape} cannot be built {token.text} '{place}' here")
            else:
                raise NotUnderstood(f"'{token.text}' is not understood after '{shape}'")
        items = items or _ALL_BOXES
        if shape == "ring":
            raise NotUnderstood("say what the ring should be around")
        return [self.intent("build", (base, *items) if base else items, shape=shape)]

    def _around(self, items: Tuple[Noun, ...]) -> Intent:
        self.skip()
        return self.intent("build", items, "around", self.noun(), "ring")

    def mutual(self, items: Tuple[Noun, ...], relation: str) -> Optional[Intent]:
        """"Next to each other" and "on top of each other"; ``None`` where neither stands here."""
        if (self.peek().text, self.peek(1).text) not in (("each", "other"), ("one", "another")):
            return None
        self.skip()
        self.skip()
        if relation == "on":
            return self.intent("build", items, shape="tower")
        if relation == "next_to":
            return self.intent("gather", items)
        raise NotUnderstood(f"things cannot all be {relation.replace('_', ' ')} each other")

    def shape_after_article(self) -> str:
        """Go past a shape with or without an article; empty where none stands here."""
        if self.peek().text in ("a", "an", "the") and self._shape_length(1):
            self.skip()
        return self._shape()

    def _shape(self) -> str:
        length = self._shape_length(0)
        if not length:
            return ""
        meaning = _SHAPES[" ".join(self.peek(ahead).text for ahead in range(length))]
        for _ in range(length):
            self.skip()
        self.skip("shape", "sign")
        return meaning

    def _shape_length(self, ahead: int) -> int:
        for length in (2, 1):
            if " ".join(self.peek(ahead + each).text for each in range(length)) in _SHAPES:
                return length
        return 0
