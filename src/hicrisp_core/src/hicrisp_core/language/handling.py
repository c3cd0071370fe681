"""Clauses without a place to go: picking, taking away, putting down, sorting, clearing, swapping."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import List, Optional, Tuple

from hicrisp_core.language.intents import Intent, NotUnderstood, Noun
from hicrisp_core.language.shapes import BuildReader

_SORTED = re.compile(r"(by (their )?colou?rs?)?"
                     r"( ?(into|in|to|onto) (the |their )?(\w+ )*(bowls?|piles?|groups?))?"
                     r"( by (their )?colou?rs?)?( ?(of|with) (the same|their|its) (own )?colou?r)?")


def each_where(items: Tuple[Noun, ...], relation: str, place: Noun) -> Tuple[Noun, ...]:
    """The items, told apart by where they are; what a pronoun means is known already."""
    return tuple(item if item.count in ("it", "them") else replace(item, where=(relation, place))
                 for item in items)


class ClauseReader(BuildReader):
    """Reads what follows a verb, up to the next clause."""

    def _pick(self, verb: str) -> List[Intent]:
        items = self.nouns()
        self.skip("up")
        return [self.intent("pick", self._which(items))]

    def _which(self, items: Tuple[Noun, ...]) -> Tuple[Noun, ...]:
        """The items with the place by which they are told apart: "the box on the table"."""
        while self.peek().kind == "relation":
            relation = self.peek().value
            if relation == "to":
                raise NotUnderstood("picking up leads to no place; say 'put ... on ...' instead")
            self.skip()
            items = each_where(items, "at" if relation == "from" else relation, self.noun())
        return items

    def _take(self, verb: str) -> List[Intent]:
        """"Take the box", "take it out of the bowl", "take the box to the bowl"."""
        items = self.nouns()
        self.skip("up")
        token = self.peek()
        if token.kind != "relation" and verb == "take":
            return [self.intent("pick", items)]
        if token.value == "to":
            self.skip()
            return [self.intent("put", items, "to", self.noun())]
        if token.value != "from":
            if verb == "remove" or token.value not in ("on", "in"):
                raise NotUnderstood(f"say where to take '{items[-1]}' from")
            return [self.intent("pick", self._which(items))]
        self.skip()
        source = self.noun()
        only_lift = verb == "take" and token.text == "from"
        which = each_where(items, "at", source)
        return [self.intent("pick" if only_lift else "take_away", which, reference=source)]

    def _put_down(self, verb: str) -> List[Intent]:
        return [self.intent("put_down", self.nouns() if self.at_noun() else (Noun("it"),))]

    def _sort(self, verb: str) -> List[Intent]:
        by_colour = self.peek().text == "by"
        items = self.nouns() if self.at_noun() and not by_colour else (Noun("all", ("box",)),)
        words = []
        while self.peek().kind in ("word", "relation") and self.peek().text not in ("then", "and"):
            words.append(self.peek().text)
            self.skip()
        said = " ".join(words)
        if not _SORTED.fullmatch(said):
            raise NotUnderstood(f"things are sorted by colour here, not '{said}'")
        return [self.intent("sort", items)]

    def _tidy(self, verb: str) -> List[Intent]:
        return self._clear(verb, self.noun() if self.at_noun() and self.peek().kind == "word" else None)

    def _empty(self, verb: str) -> List[Intent]:
        self.skip("out")
        return self._clear(verb, self.noun() if self.at_noun() and self.peek().kind == "word" else None)

    def _clear(self, verb: str, place: Optional[Noun]) -> List[Intent]:
        """Everything away from a place, and where it shall go, if that is said."""
        besides = place.besides if place else self.besides()
        if self.peek().text in ("into", "in", "to", "onto", "on"):
            token = self.peek()
            self.skip()
            target = self.noun()
            where = ("at", place) if place else None
            items = Noun("all", ("thing",), besides=(*besides, *target.besides), where=where)
            return [self.intent("put", (items,), token.value, replace(target, besides=()))]
        everything = (Noun("all", ("thing",), besides=besides),)
        return [self.intent("clear", everything, verb, replace(place, besides=()) if place else None)]

    def _unstack(self, verb: str) -> List[Intent]:
        return [self.intent("unstack", self.nouns() if self.at_noun() else (Noun("all", ("thing",)),))]

    def _swap(self, verb: str) -> List[Intent]:
        items = self.nouns()
        if self.skip("with", "for"):
            items = (*items, self.noun())
        return [self.intent("swap", items)]
