"""Reads one text of controlled English: a task in parts, with or without a condition, or a question.

A text is read only if it has exactly one reading. Every way to cut it into parts is tried.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from hicrisp_core.config.recipes import recipes
from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.truth import normal_goal
from hicrisp_core.goals.validation import contradiction
from hicrisp_core.model import Goal, Meaning, Question, Reason, Refusal, WorldState
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.parsing.names import forms_of, number_of
from hicrisp_core.ports.kinds import ARM
from hicrisp_core.understanding.controlled import tables as lexicon
from hicrisp_core.understanding.controlled.nouns import ONE, THEM, NounPhrases, Phrases
from hicrisp_core.understanding.written import Amount, Context, Fact, Line, Phrase, SaidGoal, SaidStage, meaning_of
from hicrisp_core.understanding.written.objects import GIVEN
from hicrisp_core.understanding.written.predicates import Use
from hicrisp_core.understanding.written.sayings import ACTOR, IT, MADE, ORDERS, SWAP, Queried, SaidCondition, each_in

_MOST_CLAUSES, _MOST_READINGS = 8, 32
_BUILT_IN = frozenset((*ORDERS, SWAP, MADE))
"""What the written goal language says in every domain."""
_SLOTS = ("{x}", "{y}")
_ACTOR = "_"


@dataclass(frozen=True)
class SentenceClause:
    """One part of a task.

    Args:
        sentence: its pattern, with what it means.
        values: what stands in the slots, in their order.
        lead: the words before the first slot.
        ordered: it follows the part before it in time.
        robot: who is to do it; empty for any.
        optional: it may be left out.
    """

    sentence: lexicon.Sentence
    values: Mapping[str, Any]
    lead: lexicon.Words = ()
    ordered: bool = False
    robot: str = ""
    optional: bool = False

    @property
    def keeps(self) -> bool:
        """Whether it is about what stays or must not be on the way."""
        return self.sentence.means.startswith("| ")

    @property
    def phrases(self) -> Tuple[Phrases, ...]:
        """The phrases in its slots, one entry for each slot."""
        return tuple(value for value in self.values.values() if isinstance(value, tuple))


class Reader:
    """Reads texts about one world.

    Args:
        unknown: words are let through that stand for nothing here.
    """

    def __init__(self, domain: Domain, world: WorldState, unknown: bool = False) -> None:
        self.tables = lexicon.tables()
        self.world = world
        self.domain = domain
        self.nouns = NounPhrases(self.tables, domain, world, unknown)
        self._patterns = [(sentence, lexicon.SentencePattern(say, self.tables.words))
                          for sentence in (*self.tables.sentences, *(
                              lexicon.Sentence((say,), means, fact=fact) for say, means, fact in own_sentences(domain)))
                          if self.has(sentence.needs) for say in sentence.say]
        self._ends = [phrase for phrases in self.tables.places.values() for phrase in phrases]
        self._found: Dict[lexicon.Words, List[SentenceClause]] = {}
        self._meant: Dict[Line, Meaning] = {}

    @property
    def known_words(self) -> Set[str]:
        """The words of controlled English that stand for no object."""
        return self.nouns.function_words | {word for _, pattern in self._patterns for word in pattern.words}

    def only_of(self, said: lexicon.Words, before: Phrases = ()) -> Optional[Line]:
        """Return the only reading of the words of a text.

        Args:
            before: the objects that were spoken of before it.
        """
        found = self.readings(said, before)
        return found[0] if len(found) == 1 else None

    def readings(self, said: lexicon.Words, before: Phrases = ()) -> Tuple[Line, ...]:
        """Return every reading of the words of a text, one for each meaning; those that cannot be if no other can."""
        found: Dict[bool, Dict[Meaning, Line]] = {True: {}, False: {}}
        if 0 < len(said) <= lexicon.LONGEST:
            for line in islice(self._texts(said, before), _MOST_READINGS):
                meaning = self.meaning(line)
                goals: Sequence[object] = [each.goal for each in meaning.choices] if isinstance(meaning, Question) \
                    else [meaning]
                sound = not (isinstance(meaning, Refusal) and meaning.reason is Reason.IMPOSSIBLE) and not (
                    goals and all(isinstance(each, Goal) and contradiction(each, self.domain) for each in goals))
                found[sound].setdefault(meaning, line)
        return tuple((found[True] or found[False]).values())

    def meaning(self, line: Line) -> Meaning:
        """Return what a line means if nothing was said before it."""
        if line not in self._meant:
            meaning = meaning_of(line, self.domain, self.world, Context(recipes=recipes()))
            self._meant[line] = normal_goal(meaning, self.domain) if isinstance(meaning, Goal) else meaning
        return self._meant[line]

    def has(self, predicate: str) -> bool:
        """Check whether the domain has a predicate; an empty one is no demand."""
        return not predicate or predicate in self.domain.predicates

    def slot(self, name: str, words: lexicon.Words) -> Sequence[Any]:
        """Return what the words of a slot may be, by the slot's name."""
        said = " ".join(words)
        forms = {"at": self.tables.places, "state": self.tables.states}.get(name)
        if forms is not None:
            return [key for key, phrases in forms.items() if said in phrases]
        if name == "recipe":
            number = number_of(words[0]) if words else 0
            bare, last = words[number > 0:-1], words[-1:]
            named = (" ".join((*bare, form)) for form in forms_of(last))
            return [f"{number} {each}" if number > 1 else each for each in named if each in recipes()][:1]
        if name == "with":
            return self.nouns.where(words)
        if name == "x":
            return self.nouns.several(words)
        return [(each,) for each in (self.nouns.kinds(words) if name == "k" else self.nouns.one(words))]

    def _texts(self, said: lexicon.Words, before: Phrases) -> Iterator[Line]:
        yield from self._lines(said, None, before)
        condition, rest = lexicon.led(said, self.tables.joins["if"])
        ends = [at for at, word in enumerate(rest) if word in (",", *self.tables.joins["order"])]
        for at in ends if condition else ():
            then = lexicon.led(lexicon.led(rest[at:], (",",))[1], self.tables.joins["order"])[1]
            for facts in self._parts(rest[:at], None, before):
                when = self._line(facts) if all(each.sentence.fact for each in facts) else None
                if isinstance(when, SaidGoal) and len(when.stages) == 1 and then:
                    yield from self._conditional(when.stages[0].conditions, then, facts[-1])

    def _conditional(self, when: Tuple[SaidCondition, ...], said: lexicon.Words, fact: SentenceClause
                     ) -> Iterator[SaidGoal]:
        """Yield the goals that hold under a condition, with what is done otherwise."""
        cut = next((at for at, word in enumerate(said) if word in self.tables.joins["otherwise"]), None)
        end = len(said) if cut is None else cut - (said[cut - 1] in lexicon.MARKS)
        others = [SaidGoal(())] if cut is None else self._goals(lexicon.led(said[cut + 1:], (",",))[1], fact)
        for then in self._goals(said[:end], fact):
            # Without an alternative, what follows the first stage would be done in any case.
            if len(then.stages) == 1 or cut is not None and then.stages:
                stages = (replace(then.stages[0], when=when), *then.stages[1:])
                yield from (SaidGoal(stages, other.stages, (*then.invariants, *other.invariants)) for other in others)

    def _goals(self, said: lexicon.Words, fact: SentenceClause) -> List[SaidGoal]:
        return [line for line in self._lines(said, fact, ()) if isinstance(line, SaidGoal)]

    def _lines(self, said: lexicon.Words, last: Optional[SentenceClause], before: Phrases) -> Iterator[Line]:
        yield from filter(None, map(self._line, self._parts(said, last, before)))

    def _parts(self, said: lexicon.Words, last: Optional[SentenceClause], before: Phrases, ordered: bool = False
               ) -> Iterator[List[SentenceClause]]:
        """Yield every way to cut words into clauses."""
        joins = self.tables.joins
        for end in range(len(said), 0, -1):
            left = said[end:]  # It must go on as the next part of a task: ``, and then``.
            after = left[1:] if left[:1] and left[0] in lexicon.MARKS else left
            after = after[1:] if after[:1] == ("and",) else after
            order, then = lexicon.led(after, joins["order"])
            after = lexicon.led(then, (",",))[1] if order else lexicon.led(after, joins["together"])[1]
            joined = not left or bool(after) and (after != left or bool(lexicon.led(after, joins["bare"])[0]))
            for clause in self._referring(said[:end], last, before, ordered) if joined else ():
                if not after:
                    yield [clause]
                for rest in self._parts(after, clause, (), bool(order)):
                    yield [clause, replace(rest[0], ordered=bool(order)), *rest[1:]]

    def _referring(self, said: lexicon.Words, last: Optional[SentenceClause], before: Phrases, ordered: bool
                   ) -> Iterator[SentenceClause]:
        """Yield every reading of words as one clause, which may leave out the verb of the clause before."""
        found = self._clauses(said)
        if not found and last is not None and last.sentence.again:
            leads = dict.fromkeys((last.lead, last.lead[:1]))
            found = [each for lead in leads for each in self._clauses((*lead, *said)) if each.sentence is last.sentence]
        if not found and last is not None and lexicon.ended(said, self._ends)[0]:
            found = self._clauses((*said, IT))
        spoken = last.phrases if last is not None else (before,)
        for clause in found:
            ways = list(_with_nouns(clause, spoken, not ordered))
            able = [each for each in ways if self._said(each.sentence.means, each.values, Use.MADE) is not None]
            yield from able or ways  # "Turn it on": what has a switch.

    def _clauses(self, said: lexicon.Words) -> List[SentenceClause]:
        """Return every way in which words fit the first pattern that they fit at all."""
        if said not in self._found:
            self._found[said] = []
            self._found[said] = self._plain(said) or self._led(said)
        return self._found[said]

    def _plain(self, said: lexicon.Words) -> List[SentenceClause]:
        for sentence, pattern in self._patterns:
            found = [SentenceClause(sentence, values, said[:lead]) for given, lead in pattern.matches(said, self.slot)
                     for values in (self._numbered(sentence, given),)
                     if values is not None and self._said(
                         sentence.means, values, Use.MADE if sentence.able else Use.ASKED) is not None]
            if found:
                return found[:_MOST_CLAUSES]
        return []

    def _led(self, said: lexicon.Words) -> List[SentenceClause]:
        joins, found = self.tables.joins, []
        for way in ("first", "possible"):
            lead, rest = lexicon.led(said, joins[way])
            found += [replace(each, optional=each.optional or way == "possible")
                      for each in (self._clauses(lexicon.led(rest, (",",))[1]) if lead else ())]
        let, rest = lexicon.led(said, joins["let"])
        ways = [(rest[:at], rest[at:]) for at in range(1, len(rest)) if let]
        ways += [(who, said[:at]) for at in range(1, len(said) - 1)
                 for by, who in (lexicon.led(said[at:], joins["by"]),) if by and who]
        return found + [replace(each, robot=robot) for who, what in ways for robot in self._robot(who)
                        for each in self._clauses(what)]

    def _robot(self, said: lexicon.Words) -> List[str]:
        """Return the only robot that words name, by its name or kind."""
        bare = " ".join(lexicon.led(said, self.tables.nouns["one"])[1])
        kind = next((kind for kind, phrases in self.tables.robots.items() if bare in phrases), bare)
        found = self.nouns.linked.actors(self.nouns.linked.names.fitting(kind).__contains__)
        return [found[0].replace("_", " ")] if len(found) == 1 else []

    def _numbered(self, sentence: lexicon.Sentence, values: Mapping[str, Any]) -> Optional[Mapping[str, Any]]:
        """Return the values of a match; for a sentence about so many objects, these one by one: those that are
        listed, or of a kind the ones nearest to an arm; ``None`` for another number of them.
        """
        objects: Phrases = values.get("x", ())
        if not sentence.fixed or not objects:
            return values
        if len(objects) == 1 and objects[0].least in (0, sentence.fixed):
            near = sorted(self.nouns.objects(objects[0]), key=self._distance)[:sentence.fixed]
            objects = tuple(Phrase(name.replace("_", " ")) for name in near)
        single = all(each.amount is Amount.ONE for each in objects) and len(objects) == sentence.fixed
        return {f"o{number}": (each,) for number, each in enumerate(objects, 1)} if single else None

    def _distance(self, name: str) -> Tuple[float, str]:
        """Return the distance of an object to the nearest arm, m; 0 if it was not seen. Then its name."""
        item = self.world.objects.get(name)
        arms = [robot.pose.position for robot in self.world.robots.values() if robot.kind == ARM and robot.pose]
        if item is None or item.pose is None:
            return 0.0, name
        position = item.pose.position
        return min(planar_distance(position, each) for each in arms or [(0.0, 0.0, 0.0)]), name

    def _line(self, clauses: Sequence[SentenceClause]) -> Optional[Line]:
        """Return what clauses mean together; ``None`` if they do not go together."""
        stages: List[SaidStage] = []
        invariants: Tuple[SaidCondition, ...] = ()
        for at, clause in enumerate(clauses):
            rest = [each for each in clauses[at + 1:] if not each.keeps]
            means = clause.sentence.means
            if rest and (rest[0].ordered or rest[0].sentence.after):
                means = clause.sentence.way or means
            elif clause.ordered and not rest:
                means = clause.sentence.last or means
            part = self._said(means, clause.values)
            if isinstance(part, Queried):
                return part if len(clauses) == 1 else None
            if not isinstance(part, SaidGoal):
                return None
            invariants += part.invariants
            added = [replace(each, robot=clause.robot, optional=clause.optional) for each in part.stages]
            if added and stages and not (clause.ordered or clause.sentence.after):
                last, first = stages.pop(), added.pop(0)
                if (last.robot, last.optional) != (first.robot, first.optional):
                    return None
                stages.append(replace(last, conditions=(*last.conditions, *first.conditions)))
            stages += added
        return SaidGoal(tuple(stages), (), invariants)

    def _said(self, means: str, values: Mapping[str, Any], use: Use = Use.ASKED) -> Optional[Line]:
        """Return a line with what stands in its slots; ``None`` if no predicate says that of such objects."""
        def once(name: str, phrase: Phrase) -> Phrase:  # A choice that is spoken of again would be made again.
            again = phrase.amount is Amount.ANY and means.count(f"{{{name}}}") > 1
            return replace(phrase, amount=Amount.ONE) if again else phrase

        said = {name: " + ".join(str(once(name, each)) for each in value) if isinstance(value, tuple) else str(value)
                for name, value in values.items()}
        text = means.replace("{at}", "{at}({x}, {y})").replace("{state}", said.get("state", ""))
        line = self.nouns.line(text.format_map(said).replace("not not ", ""))
        return line if line is not None and all(self._fits(each, use) for each in each_in(Fact, line)) else None

    def _fits(self, fact: Fact, use: Use) -> bool:
        objects = self.nouns.linked
        if fact.predicate in _BUILT_IN:
            return True

        def said_of(at: int, phrase: Phrase) -> bool:
            names = objects.actors(bool) if phrase.words == ACTOR else \
                () if phrase.words in GIVEN else self.nouns.objects(phrase)
            return any(objects.predicates.fits(fact.predicate, at, use, name, exchanged)
                       for name in names or ("",) for exchanged in (False, True))

        return all(said_of(at, phrase) for at, phrases in enumerate(fact.arguments) for phrase in phrases)


def _with_nouns(clause: SentenceClause, before: Sequence[Phrases], joint: bool) -> Iterator[SentenceClause]:
    """Yield a clause with its pronouns written out, once for each object that they may stand for.

    Args:
        before: what was spoken of in the part before it, one entry for each slot.
        joint: it is to hold together with that part, and not to undo it: "them" may be all objects of it.
    """
    pronouns = {phrase.words for value in clause.phrases for phrase in value} & {IT, THEM}
    meant = [each for each in before if each and all(_is_several(each) == (pronoun == THEM) for pronoun in pronouns)]
    together = tuple(chain.from_iterable(before))
    if joint and pronouns == {THEM} and not meant and _is_several(together):
        meant = [together]
    if clause.sentence.again and clause.phrases[0][0].words in pronouns and meant[:1] == [*before[:1]]:
        meant = meant[:1]  # What is moved on is what was moved.
    # A choice would be made again for the pronoun, perhaps another one.
    if pronouns and any(phrase.amount not in (Amount.ONE, Amount.ALL) for each in meant for phrase in each):
        return
    for each in meant if pronouns else [()]:
        values: Dict[str, Any] = {}
        noun = ""
        for name, value in clause.values.items():
            if isinstance(value, tuple):
                value = tuple(one for phrase in value for one in (
                    each if phrase.words in (IT, THEM) else (spelled(phrase, noun),)))
                noun = noun_of(value[-1]) or noun
            values[name] = value
        several, places = _is_several(values.get("x", ())), values.get("y", ())
        if several and [place.amount for place in places] == [Amount.ANY]:
            values["y"] = (replace(places[0], amount=Amount.SAME),)  # "A bowl" for several objects is one for all.
        yield replace(clause, values=values)


def _is_several(phrases: Phrases) -> bool:
    return len(phrases) > 1 or any(each.amount in (Amount.ALL, Amount.COUNT) for each in phrases)


def noun_of(phrase: Phrase) -> str:
    """Return the word of a phrase that tells the kind of its object; empty if none does."""
    return next((word for word in reversed(phrase.words.split()) if not word.isdigit() and word != ONE), "")


def spelled(phrase: Phrase, noun: str) -> Phrase:
    """Return a phrase with the noun in place of "one": "the red box on the blue one"."""
    *words, last = phrase.words.split()
    without = tuple(spelled(each, noun_of(phrase)) for each in phrase.without)
    return replace(phrase, words=" ".join((*words, noun)) if last == ONE and noun else phrase.words, without=without)


def own_sentences(domain: Domain) -> Iterator[Tuple[str, str, bool]]:
    """Yield what can be said, with slots for one or two objects, what it means, and whether it is a fact.

    An action's ``text`` asks for what it makes: "watch X" that X was watched. One that makes nothing of its objects
    alone, or whose text has a number, is no sentence.
    """
    for name, predicate in domain.predicates.items():
        slots = _SLOTS[:len(predicate.arguments)]
        for text, means in ((predicate.text, ""), (predicate.not_text, "not ")):
            if text:
                yield f"{{sure}} {text.format(*slots)}", f"{means}{name}({', '.join(slots)})", True
    for action in domain.actions.values():
        named = [name for name in action.parameters if f"{{{name}}}" in action.text]
        places = {**dict(zip(named, _SLOTS)), action.robot_parameter: _ACTOR} if 0 < len(named) <= len(_SLOTS) else {}
        if any(action.parameters[name].type == "number" for name in places if name in action.parameters):
            continue
        made = [each.atom for each in action.effects if not each.removes and set(each.atom.arguments) <= {*places}]
        if made:
            facts = (f"{each.predicate}({', '.join(map(places.__getitem__, each.arguments))})" for each in made)
            yield action.text.format_map(places), " & ".join(facts), False
