"""Clauses for an arm and a base together: what is loaded, carried, unloaded, brought back."""

from __future__ import annotations

from typing import List, Sequence, Tuple

from hicrisp_core.language import lexicon
from hicrisp_core.language.intents import Delivery, NotUnderstood, Noun
from hicrisp_core.language.noun_phrases import PhraseReader
from hicrisp_core.language.splitter import Clause
from hicrisp_core.language.tokens import END, Token
from hicrisp_core.language.vocabulary import Vocabulary
from hicrisp_core.ports.kinds import ARM

EXAMPLES = ("bring the box to area 2", "load the red box onto the AGV, bring it to area 3 and back",
            "bring the box to area 2 and back to the table",
            "take the box to area 1 and meanwhile stack the other boxes",
            "unload the box")
_IT = (Noun("it"),)
_AGAIN = ("back", "again", "over")
_ONTO = ("on", "in", "to", "aboard")


class DeliveryReader(PhraseReader):
    """Reads clause after clause; each must be a delivery's as a whole."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(())
        self._known = vocabulary

    def read(self, clause: Clause) -> List[Delivery]:
        """What a clause asks of an arm and a base.

        Raises:
            NotUnderstood: when it asks for something else.
        """
        self.begin(clause.tokens)
        verb = clause.verb
        if verb is END:
            raise NotUnderstood(f"'{clause.text}' begins with no action")
        moves = verb.value in ("go", "go_to") or verb.text in (*lexicon.CARRIES, *lexicon.LOADS, "get")
        back = moves and any("back" in token.text.split() for token in clause.tokens)
        self.skip()
        if back or verb.value == "return" or verb.text.startswith("return"):
            return [self._back(verb)]
        if verb.value == "unload" or (verb.text in lexicon.UNLOADS and self._is_carrier_behind("from")):
            return [self._unload()]
        if verb.value == "load" or (verb.text in lexicon.LOADS and self._is_carrier_behind(*_ONTO)):
            return [self._load()]
        if verb.text in lexicon.CARRIES:
            return [self._carry()]
        raise NotUnderstood(f"'{verb.text}' is no delivery", clause.text)

    def _load(self) -> Delivery:
        """"Load the box", "put the box on the AGV", "load the AGV with the box"."""
        said = self._tokens_until("with")
        if said is not None and self._known.is_carrier(said):
            return self._whole(Delivery("load", self._cargo()))
        items = self._cargo()
        if self.peek().value in _ONTO:
            self.skip()
            self._carrier()
        return self._whole(Delivery("load", items))

    def _unload(self) -> Delivery:
        """"Unload the box", "take the box off the AGV", "unload the AGV", which means all that it carries."""
        if self.peek() is END or self._known.is_carrier(self._ahead()):
            return Delivery("unload")
        items = self._cargo()
        self.skip("down")
        if self.peek().value == "from":
            self.skip()
            self._carrier()
        return self._whole(Delivery("unload", items))

    def _carry(self) -> Delivery:
        """"Bring the box to area 2"; to the table means down from the base."""
        items = self._cargo()
        while self.peek().text in ("over", "on"):
            self.skip()
        if self.peek().value != "to":
            raise NotUnderstood("say where to carry it")
        self.skip()
        return self._to(items, self._ahead())

    def _back(self, verb: Token) -> Delivery:
        """"Bring it back", "take the box back to area 1", "back to the table", "return"."""
        goes = verb.value == "go_to"  # What follows is a place.
        items = () if goes or self.peek().kind != "word" or self.peek().text in _AGAIN else self._cargo()
        while self.skip(*_AGAIN):
            pass
        where = self._ahead()
        if where and where[0].value in ("to", "on"):
            self.skip()
            where = where[1:]
        elif where and not goes:
            raise NotUnderstood(f"'{self.rest()}' is not understood")
        moves = goes or verb.value == "go" or verb.text in ("go back", "come back", "drive back")
        if moves and items:
            raise NotUnderstood(f"'{verb.text}' takes no things along; say 'bring ... back'")
        if moves and where and not self._known.table(where) and not self._is_start(where):
            raise NotUnderstood(f"'{verb.text} {self.rest()}' is a drive")
        if not where or self._known.station(where) or self._is_start(where):
            return Delivery("return", items)
        return self._to(items or (() if moves else _IT), where)

    def _to(self, items: Tuple[Noun, ...], where: Sequence[Token]) -> Delivery:
        """To an area is carried; to the table means back there, and down from the base."""
        area = self._known.area(where)
        elsewhere = " ".join(token.text for token in where) in lexicon.ANOTHER_AREA
        if area or elsewhere:
            return Delivery("carry", items, area, elsewhere)
        table = self._known.table(where)
        if table:
            return Delivery("return", items, table)
        raise NotUnderstood(f"'{' '.join(token.text for token in where)}' is not a place to carry things to")

    def _is_start(self, where: Sequence[Token]) -> bool:
        """"To the start", "to the arm"."""
        texts = [token.text for token in where if token.text not in lexicon.ARTICLES]
        names, length = self._known.robots.named(texts)
        kinds = {self._known.robots.kinds[name] for name in names}
        return texts == ["start"] or (length == len(texts) > 0 and ARM in kinds)

    def _cargo(self) -> Tuple[Noun, ...]:
        """The things; none for "the load", which is what the base carries."""
        for ahead in (0, 1):
            leads = ahead == 0 or self.peek().text in lexicon.ARTICLES
            if leads and self.peek(ahead).text in lexicon.CARGO:
                self._at += ahead + 1
                return ()
        return self.nouns()

    def _carrier(self) -> None:
        said = self._ahead()
        if not self._known.is_carrier(said):
            raise NotUnderstood(f"'{self.rest()}' carries nothing here")
        while self.skip():
            pass

    def _is_carrier_behind(self, *relations: str) -> bool:
        """Whether the clause ends with one of the relations and what carries things."""
        said = self._ahead()
        return any(token.value in relations and self._known.is_carrier(said[at + 1:])
                   for at, token in enumerate(said))

    def _tokens_until(self, text: str) -> "List[Token] | None":
        """The tokens before a word, which is passed too; ``None`` where it does not come."""
        said = self._ahead()
        for at, token in enumerate(said):
            if token.text == text:
                self._at += at + 1
                return list(said[:at])
        return None

    def _ahead(self) -> Sequence[Token]:
        return self._tokens[self._at:]

    def _whole(self, found: Delivery) -> Delivery:
        if self.peek() is not END:
            raise NotUnderstood(f"'{self.rest()}' is not understood")
        return found
