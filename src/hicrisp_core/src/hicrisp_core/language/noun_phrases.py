"""Noun phrases: "two red boxes", "the block on the table", "everything except the cylinder", "the other
one".
"""

from __future__ import annotations

from dataclasses import replace
from typing import List, Sequence, Tuple

from hicrisp_core.language import lexicon
from hicrisp_core.language.intents import NotUnderstood, Noun
from hicrisp_core.language.tokens import END, Token

_ENDS = ("with", "using", "from", "up", "down", "by", "to", "each", "of", "off", "out", "as", "so", "over",
         "at", "should", "shall", "must", "is", "are", "back", "go", "goes", "belong", "belongs")
"""Words that end a noun phrase once it has begun."""
_ARTICLES = ("the", "of", "my", "your", "these", "those", "its", "their")
_THAT = ("that", "which")
_IS = ("is", "are")
_FRESH = ("other", "others", "remaining", "rest", "another")


class PhraseReader:
    """A place in a list of tokens, and the reading of noun phrases from there."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._named: Tuple[str, ...] = ()  # The words of what was to be moved last, for "one in the bowl".

    def begin(self, tokens: Sequence[Token]) -> None:
        """Go on with other tokens; what was named before stays known."""
        self._tokens = tokens
        self._at = 0

    def unread(self) -> Sequence[Token]:
        """The tokens that were not read yet."""
        return self._tokens[self._at:]

    def rest(self) -> str:
        """Their words."""
        return " ".join(token.text for token in self.unread())

    def peek(self, ahead: int = 0) -> Token:
        """The next token, or one further on."""
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else END

    def skip(self, *texts: str) -> bool:
        """Go past the next token when it is one of the texts; without texts, past any."""
        if self.peek() is END or (texts and self.peek().text not in texts):
            return False
        self._at += 1
        return True

    def skip_kind(self, kind: str) -> None:
        """Go past all tokens of a kind."""
        while self.peek().kind == kind:
            self._at += 1

    def at_noun(self) -> bool:
        """Whether a noun phrase may begin here."""
        return self.peek().kind in ("word", "except")

    def nouns(self) -> Tuple[Noun, ...]:
        """One or more noun phrases joined by "and" or commas."""
        found = [self.noun()]
        while self.peek().kind == "and":
            ahead = 0
            while self.peek(ahead).kind == "and":
                ahead += 1
            if self.peek(ahead).kind != "word":
                break
            self._at += ahead
            found.append(self.noun())
        both = (found[0].number, found[0].definite) == (2, True)
        if both and len(found) > 1 and found[0].words[-1] not in lexicon.PLURALS:
            found[0] = replace(found[0], count="the", definite=False)  # "both the red and the green one"
        self._named = found[-1].words or self._named
        return tuple(found)

    def noun(self) -> Noun:
        """The quantifier, the adjectives, the noun, and what tells which one is meant.

        Raises:
            NotUnderstood: when there is none here.
        """
        noun = Noun("the")
        words: List[str] = []
        definite = partly = False
        while self.peek().kind == "word" and not (words and self.peek().text in _ENDS):
            text = self.peek().text
            if text in _THAT and words and self.peek(1).text in _IS:
                return self._told(replace(noun, words=tuple(words)))
            if text in lexicon.PRONOUNS and not words:
                self._at += 1
                return Noun("them" if text in ("them", "these", "those") else "it")
            if text in ("one", "ones") and words:
                words.append("thing" if text == "one" else "things")
            elif text == "both":
                if words:  # "the red and the green one both"
                    self._at += 1
                    break
                noun, definite = replace(noun, count="number", number=2), True
            elif text in lexicon.NUMBERS or (text.isdigit() and not words):
                number = lexicon.NUMBERS[text] if text in lexicon.NUMBERS else int(text)
                noun = replace(noun, count="number", number=number)
            elif text in lexicon.ALL or text == "everything":
                noun = replace(noun, count="all")
                words.extend(["everything"] if text == "everything" else [])
            elif text in _FRESH:
                count = {"another": "any", "other": noun.count}.get(text, "all")
                noun = replace(noun, fresh=True, count=count)
            elif text in lexicon.ANY:
                noun = replace(noun, count="any")
            elif text in _ARTICLES:
                partly = partly or (text == "of" and not definite)  # "two of the boxes"
                definite = definite or not partly
            else:
                words.append(text)
            self._at += 1
        return self._complete(noun, words, definite)

    def _complete(self, noun: Noun, words: List[str], definite: bool) -> Noun:
        if not words and (noun.count == "number" or noun.fresh):
            words = list(self._named) or ["thing"]  # "one in the bowl", "the others"
        if not words and noun.count == "all":
            words = ["thing"]  # "all but the red box"
        if words[:1] == ["everything"] and len(words) > 1:
            words = [*words[1:], "things"]  # "everything blue"
        if not words:
            raise NotUnderstood("the request ends where a thing was expected" if self.peek() is END else
                                f"a thing was expected before '{self.peek().text}'")
        counted = noun.count == "number"
        return replace(noun, words=tuple(words), definite=definite and counted, besides=self.besides())

    def _told(self, noun: Noun) -> Noun:
        """What follows "that is": a relation and a thing, or an adjective."""
        self._at += 2
        if self.peek().kind == "relation":
            relation = self.peek().value
            self._at += 1
            return replace(noun, where=(relation, self.noun()), besides=self.besides())
        if self.skip("not", "neither"):
            others = tuple(Noun("all", (*words, *noun.words)) for words in self._adjectives())
            return replace(noun, besides=(*others, *self.besides()))
        words, *more = self._adjectives()
        if more:
            raise NotUnderstood("'nor' is not understood without 'neither'")
        return replace(noun, words=(*words, *noun.words), besides=self.besides())

    def _adjectives(self) -> List[Tuple[str, ...]]:
        """What things are said to be, or neither to be."""
        found: List[Tuple[str, ...]] = []
        while not found or self.skip("nor"):
            words = []
            while self.peek().kind == "word" and self.peek().text not in (*_ENDS, "nor"):
                words.append(self.peek().text)
                self._at += 1
            if not words:
                raise NotUnderstood(f"'that is' is not understood before '{self.peek().text}'")
            found.append(tuple(words))
        return found

    def besides(self) -> Tuple[Noun, ...]:
        """What is left out: "except the red one and the cylinder"."""
        if self.peek().kind != "except":
            return ()
        self._at += 1
        return self.nouns()
