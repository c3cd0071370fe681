"""Answers to questions that need no motion, from what is seen."""

from __future__ import annotations

from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language import drives, examples, lexicon
from hicrisp_core.language.intents import NotUnderstood, Noun
from hicrisp_core.language.names import Names, colour_of
from hicrisp_core.language.noun_phrases import PhraseReader
from hicrisp_core.language.tokens import Word, behind, plain, tokenise, words_in
from hicrisp_core.language.vocabulary import Vocabulary
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.scene.colours import COLOURS

_IS = ("is", "are")
_LEADS = (*lexicon.POLITE, "tell me", "do you know")
_EXCLAIMED = ("what a", "what an")
_PATTERNS = ("what is on the table?", "where is the box?", "is the box in the bowl?",
             "how many boxes are there?",
             "what colour is the box?", "what are you holding?")


def is_question(text: str) -> bool:
    """Whether a text asks rather than requests; neither a polite request ("can you ...?") nor an exclamation
    ("what a pity") asks.
    """
    words = _asked(text)
    if plain(words[:2]) in _EXCLAIMED:
        return False
    if _elliptic(text, words) or plain(words) in lexicon.HELP:
        return True
    return any(plain(words[:length]) in lexicon.QUESTION for length in (1, 2))


def answer(text: str, domain: Domain, world: WorldState) -> str:
    """The answer, from what is seen.

    Raises:
        NotUnderstood: with the questions that can be answered.
    """
    words = _asked(text)
    if _elliptic(text, words):
        words = (Word("is"), *(word for word in words if word.text not in _IS))
    if plain(words) in lexicon.HELP:
        known = drives.EXAMPLES if examples.drives_only(domain) else lexicon.EXAMPLES
        return f"I can read, for example: {'; '.join(known)}."
    return _Question(words, domain, world).answer()


def _elliptic(text: str, words: Sequence[Word]) -> bool:
    """Whether a text asks without a verb before it, or with none: "the red box is in the bowl?"."""
    return (text.rstrip().endswith("?") and bool(words)
            and (words[0].text in lexicon.DETERMINERS or words[0].text in COLOURS)
            and not {word.text for word in words_in(text)} & lexicon.WISHING
            and all(token.kind != "verb" for token in tokenise(words)))


def _asked(text: str) -> Tuple[Word, ...]:
    """The words of a question without its mark."""
    words = tuple(behind(words_in(text), _LEADS))
    while words and words[-1].text in ("?", "!", "."):
        words = words[:-1]
    return words


class _Question(PhraseReader):
    def __init__(self, words: Sequence[Word], domain: Domain, world: WorldState) -> None:
        super().__init__(tokenise(words))
        self._lost: Dict[str, str] = {}
        """What was asked about and is not seen, and for how long, in words."""
        self._domain = domain
        self._world = world
        self._names = Names(domain, world)
        self._robots = Vocabulary.of(domain, world).robots

    def answer(self) -> str:
        """By its first word."""
        first = self.peek().text
        known: Optional[Callable[[], str]] = {
            "what": self._what, "which": self._what, "where": self._where, "how": self._how_many,
            "is": self._is, "are": self._is}.get(first)
        self.skip()
        said = "; ".join(part for part in (known() if known else "", *self._lost.values()) if part)
        if not said or self.peek().kind != "end":
            raise NotUnderstood("this question is not understood; I can answer, for example: "
                                f"{' '.join(_PATTERNS)}")
        return f"{said}."

    def _what(self) -> str:
        if self.skip("colour", "color"):
            self.skip(*_IS)
            things = self._things(self.noun())
            return "; ".join(f"{name} is {self._colour(name)}" for name in things)
        if self.skip("do", "can"):
            return self._seen() if self.skip("you") and self.skip("see") else ""
        if self.peek().text in _IS and self.peek(1).text in ("you", "hold"):
            self.skip()
            return self._holding() if self.skip("you") and self.skip("holding") else ""
        if self.peek().text in _IS and self.peek(1).text in ("there", "end"):
            self.skip()
            return self._seen() if self.skip("there") else ""
        asked = self.noun_before_is()
        if not self.skip(*_IS):
            return ""
        self.skip("there")
        if self.peek().kind == "relation":
            return self._sentences(self._facts(asked)) or f"nothing{self._kind(asked)} is there"
        if self.peek().kind != "word":
            return ""
        if asked is None:
            return self._sentences(self._about(self._things(self.noun())))
        if not self._names.matching(asked):
            return ""
        return ", ".join(self._names.matching(Noun("all", (self._word(), *asked.words)))) or "none of them"

    def _where(self) -> str:
        if not self.skip(*_IS):
            return ""
        things = self._things(self.noun())
        return self._sentences(self._about(things)) or "; ".join(filter(None, map(self._spot, things)))

    def _spot(self, name: str) -> str:
        """Where a thing or a robot is of which no fact tells; empty where nobody sees it."""
        pose = getattr(self._world.objects.get(name) or self._world.robots.get(name), "pose", None)
        return "" if pose is None or name in self._lost else \
            f"{name} is at ({pose.position[0]:.2f}, {pose.position[1]:.2f}), in no place that has a name"

    def _how_many(self) -> str:
        if not self.skip("many"):
            return ""
        noun = self.noun_before_is() or Noun("all", ("thing",))
        self.skip(*_IS)
        self.skip("there")
        if self.peek().kind == "relation":
            found = sorted({fact.subject for fact in self._facts(noun)})
        else:
            found = [name for name in self._names.matching(noun) if not self._unseen(name)]
        return f"{len(found)}{': ' if found else ''}{', '.join(found)}"

    def _is(self) -> str:
        if self.peek().text in ("you", "holding"):
            return self._holding() if self.skip("you") and self.skip("holding") else ""
        self.skip("not")  # "Isn't the box in the bowl?"
        there = self.skip("there")
        noun = self.noun()
        things = self._things(noun) if not there else [
            name for name in self._names.matching(noun) if not self._unseen(name)]
        if self.peek().kind == "end":
            return f"yes: {', '.join(things)}" if there and things else "no" if there else ""
        if self.peek().kind != "relation":
            return ""
        facts = self._facts(None)
        so = [name for name in things if any(fact.subject == name for fact in facts)]
        if self._lost and len(self._lost) == len(things):
            return "nobody can tell"
        held = "yes" if so and (there or len(so) == len(things)) else "no"
        return f"{held}: {self._sentences(self._about(things))}" if things else held

    def noun_before_is(self) -> Optional[Noun]:
        """The noun of "which boxes are ...", which ends at the verb; ``None`` where there is none."""
        before = []
        while self.peek().kind == "word" and self.peek().text not in _IS:
            before.append(self.peek())
            self.skip()
        return PhraseReader(before).noun() if before else None

    def _word(self) -> str:
        text = self.peek().text
        self.skip()
        return text

    def _facts(self, subject: Optional[Noun]) -> List[Relation]:
        """The facts of the relation and the thing that follow, about the subject or about anything."""
        relation = self.peek().value
        self.skip()
        places = self._things(self.noun())
        subjects = self._names.matching(subject) if subject else None
        return [fact for fact in sorted(self._world.relations)
                if fact.predicate == relation and fact.object in places
                and (subjects is None or fact.subject in subjects)]

    def _things(self, noun: Noun) -> Tuple[str, ...]:
        robots, length = self._robots.named(noun.words)
        found = list(robots) if length and length == len(noun.words) else self._names.matching(noun)
        if not found:
            there = ", ".join(sorted(self._world.objects))
            raise NotUnderstood(f"there is no '{noun}' here; there are: {there}")
        return tuple(name for name in found if not self._unseen(name)) or tuple(found)

    def _unseen(self, name: str) -> bool:
        """Whether a thing that was asked about is not seen; the answer says so then."""
        thing = self._world.objects.get(name)
        if thing is None or not thing.unseen:
            return False
        self._lost[name] = f"the {name.replace('_', ' ')} {thing.sight}"
        return True

    def _about(self, things: Iterable[str]) -> List[Relation]:
        return [fact for fact in sorted(self._world.relations) if fact.subject in things or (
            fact.object in things and fact.predicate == self._domain.roles.held)]

    def _sentences(self, facts: Iterable[Relation]) -> str:
        return "; ".join(self._domain.facts_text(facts))

    def _seen(self) -> str:
        return self._sentences(self._world.relations) or "nothing is seen"

    def _holding(self) -> str:
        held = self._domain.roles.held
        facts = [fact for fact in self._world.relations if fact.predicate == held]
        return self._sentences(facts) or "nothing is held"

    def _colour(self, name: str) -> str:
        return colour_of(self._world.objects[name]) or "of no known colour"

    def _kind(self, noun: Optional[Noun]) -> str:
        return f" like '{noun}'" if noun else ""
