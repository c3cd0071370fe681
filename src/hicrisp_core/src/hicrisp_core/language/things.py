"""Clauses about things: from a verb and noun phrases to intents; what cannot be read is refused by the
word.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import AbstractSet, Callable, List, Mapping, Optional, Tuple

from hicrisp_core.language import lexicon
from hicrisp_core.language.handling import ClauseReader, each_where
from hicrisp_core.language.intents import Intent, NotUnderstood, Noun
from hicrisp_core.language.shared_places import shared_places
from hicrisp_core.language.splitter import Clause
from hicrisp_core.language.tokens import END, Token, check_readable

_NOUNS = frozenset(lexicon.phrases(lexicon.NOUNS))
_PLACING = ("put", "stack")
_SHALL_BE = ("should", "shall", "must", "be", "go", "goes", "belong", "belongs", "stand", "sit")
_SORTING = ("by", "colour", "color", "colours", "colors", "piles", "groups")
_STANDING = ("stand", "rest", "sit")
_BESIDE = ("left_of", "right_of", "in_front_of", "behind", "next_to")
_SURFACES = frozenset(lexicon.NOUNS["surface"])
_SAME_COLOUR = re.compile(r"(of|with) (the same|their|its|their own|its own|matching) colou?rs?")


class ThingsReader(ClauseReader):
    """Reads clause after clause; one without a verb goes on with that of the one before."""

    def __init__(self, known: AbstractSet[str] = frozenset()) -> None:
        super().__init__(())
        self._known = known
        self._last: Optional[Intent] = None
        self._beside: Optional[Noun] = None
        """What "it" means in "the fork left of the plate and the knife right of it"."""
        self._clauses: Mapping[str, Callable[[str], List[Intent]]] = {
            "put": self._placements, "stack": self._placements, "drop": self._placements, "pick": self._pick,
            "take": self._take, "build": self._build, "line_up": self._line_up, "put_down": self._put_down,
            "sort": self._sort, "gather": self._gather, "tidy": self._tidy, "empty": self._empty,
            "unstack": self._unstack, "swap": self._swap, "home": lambda _: [self.intent("home")],
        }

    def read(self, clause: Clause) -> List[Intent]:
        """What a clause asks for.

        Raises:
            NotUnderstood: with the part that could not be read.
        """
        clause = replace(clause, tokens=shared_places(clause.tokens))
        check_readable(clause.text, self._known, lexicon.UNREADABLE_OF_THINGS)
        self.begin(clause.tokens)
        self.group = clause.group
        intents: List[Intent] = []
        while self.peek() is not END:
            intents += self._next()
            self._last = intents[-1]
            self.skip_kind("and")
        return intents

    def _next(self) -> List[Intent]:
        token = self.peek()
        goes_on = self._last is not None and self._last.verb in _PLACING
        if token.kind == "verb":
            if token.value not in self._clauses:
                raise NotUnderstood(f"'{token.text}' is not an action I know")
            self.skip()
            return self._clauses[token.value](token.text)
        if token.kind == "relation" and goes_on:
            self.skip()  # "... and on the table": the same things
            return [self._placed((Noun("them"),), token.value)]
        if token.kind == "word" and goes_on and self._last is not None:
            # "... and the cylinder on the box"
            return self._placements(self._last.verb, self._last.reference)
        if token.kind == "relation" and self._last is None:
            return self._fronted(token.value)
        if token.text in _STANDING and self._last is None:
            self.skip()
            return self._placements("put")  # "stand the cup on the saucer"
        if token.text == "let" and self._last is None:
            self._let()
            token = self.peek()
        begins = token.text in lexicon.DETERMINERS or token.text in self._known or token.text in _NOUNS
        if begins and self._last is None and self._is_wish():
            return self._placements("put")  # "the box should be on the cylinder", "red box into the bowl"
        raise NotUnderstood(f"'{token.text}' is not an action I know" if self._last is None else
                            f"an action was expected before '{token.text}'")

    def _let(self) -> None:
        """"Let the box stand on the cylinder" is a wish without "should"."""
        self.skip()
        rest = self.unread()
        self.begin([token for token, after in zip(rest, (*rest[1:], END))
                    if after.kind != "relation" or token.text not in _SHALL_BE])

    def _fronted(self, relation: str) -> List[Intent]:
        """"On the green box put the red one"."""
        self.skip()
        reference = self.noun()
        self.skip_kind("and")
        if self.peek().value not in _PLACING:
            raise NotUnderstood(f"an action was expected before '{self.peek().text}'")
        self.skip()
        return [self.intent("put", self.nouns(), relation, reference)]

    def _is_wish(self) -> bool:
        """Whether a relation comes before any verb, as in "the box on the cylinder"."""
        ahead = 0
        while self.peek(ahead).kind in ("word", "and", "except") or self.peek(ahead).text == "to":
            ahead += 1
        return self.peek(ahead).kind == "relation"

    def _put_down(self, verb: str) -> List[Intent]:
        """"Put down the box"; a placement where it is said what it goes on: "put down the box on the
        cylinder".
        """
        ahead = 0
        while self.peek(ahead).kind in ("word", "and"):
            ahead += 1
        placed = self.at_noun() and self.peek(ahead).kind == "relation" and self.peek(ahead).value != "from"
        return self._placements("put") if placed else super()._put_down(verb)

    def _gather(self, verb: str) -> List[Intent]:
        """"Collect the pens in the tray", "group the boxes by colour", "gather the salt and the pepper"."""
        rest = self.unread()
        if any(token.text in _SORTING for token in rest):
            return self._sort(verb)
        if any(token.kind == "relation" for token in rest):
            return self._placements("put")
        return [self.intent("gather", self.nouns())]

    def _placements(self, verb: str, beside: Optional[Noun] = None) -> List[Intent]:
        """One or more "X relation Y" of the same verb; the first may be told by what the one before was
        placed by.
        """
        self._beside = beside
        items = self.nouns()
        if verb == "put":
            while self.skip(*_SHALL_BE):
                pass
        if (self.skip("down") or verb == "drop") and self.peek().kind != "relation":
            return [self.intent("put_down", items)]
        if self.peek().text == "," and self.peek(1).kind == "relation":
            self.skip()
        token = self.peek()
        if token.kind != "relation":
            if verb in ("stack", "stack up", "pile", "pile up"):
                return [self.intent("build", items, shape="tower")]
            raise NotUnderstood(f"say where '{items[-1]}' should go" if token is END else
                                f"'{token.text}' is not understood after '{items[-1]}'")
        self.skip()
        if token.value == "to":  # "over to the left of": the second relation is the one
            ahead = 1 if self.peek().text == "the" else 0
            if self.peek(ahead).kind == "relation":
                token = self.peek(ahead)
                for _ in range(ahead + 1):
                    self.skip()
        found = self._one_placement(verb, items, token)
        while self.peek().kind == "and" and self._another_placement():
            self.skip_kind("and")
            again = self.nouns() if self.at_noun() else (Noun("them"),)
            relation = self.peek()
            if not self.skip() or relation.kind != "relation":
                raise NotUnderstood(f"'{relation.text}' is not understood after '{again[-1]}'")
            self._beside = found[-1].reference
            found.extend(self._one_placement(verb, again, relation))
        self._beside = None
        return found

    def _one_placement(self, verb: str, items: Tuple[Noun, ...], token: Token) -> List[Intent]:
        relation = token.value
        if token.text == "side by side":
            return [self.intent("gather", items)]
        mutual = self.mutual(items, relation)
        if mutual:
            return [mutual]
        if token.value in ("in", "to"):
            shape = self.shape_after_article()
            if shape:  # "put the boxes in a line"
                return [self.intent("build", items, shape=shape)]
        if token.text == "on top" and not self.at_noun():
            return [self.intent("put", items, "on", Noun("it"))]
        placed = self._placed(items, relation)
        if verb.startswith(("stack", "pile")) and relation == "on":
            placed = replace(placed, verb="stack")
        if placed.verb == "put" and relation == "in" and self._same_colour():
            return [self.intent("sort", items)]
        if relation == "around" and self.peek().text == "in":
            self.skip()
            if self.shape_after_article() != "ring":
                raise NotUnderstood("things around another stand in a ring; say 'in a ring'")
        further = self.peek()
        if further.kind != "relation" or placed.reference is None:
            return [placed]
        self.skip()
        if placed.verb == "stack":  # "stack X on Y on Z"
            return [*self._one_placement(verb, (placed.reference,), further), placed]
        if relation not in ("to", "around"):  # "put the box on the table into the bowl": which box
            which = tuple(replace(item, where=(relation, placed.reference)) for item in items)
            return self._one_placement(verb, which, further)
        raise NotUnderstood(f"'{further.text}' is not understood after '{placed.reference}'")

    def _placed(self, items: Tuple[Noun, ...], relation: str) -> Intent:
        reference = self.noun()
        if reference.count == "it" and relation in _BESIDE and self._beside is not None \
                and self._beside.count == "the" and self._beside.words[-1] not in _SURFACES:
            reference = self._beside
        if reference.besides:  # "everything in the bowl except the box": the exception is of the items
            items = tuple(replace(item, besides=(*item.besides, *reference.besides)) for item in items)
            reference = replace(reference, besides=())
        if relation == "from":  # "move the box out of the bowl"
            return self.intent("put_down", each_where(items, "at", reference))
        return self.intent("put", items, relation, reference)

    def _same_colour(self) -> bool:
        """Go past "of the same colour"; whether it stood here."""
        for length in (4, 3, 2):
            said = " ".join(self.peek(ahead).text for ahead in range(length))
            if _SAME_COLOUR.fullmatch(said):
                for _ in range(length):
                    self.skip()
                return True
        return False

    def _another_placement(self) -> bool:
        """Whether "and" leads to a further "X on Y" of the same verb."""
        ahead = 1
        while self.peek(ahead).kind not in ("verb", "then", "end"):
            if self.peek(ahead).kind == "relation":
                return True
            ahead += 1
        return False
