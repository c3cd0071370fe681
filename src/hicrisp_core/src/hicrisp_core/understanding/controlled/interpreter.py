"""The interpreter without a language model: a task, what later turns change in it, and names for unknown objects."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import SequenceMatcher
from functools import partial
from itertools import islice, permutations
from typing import Callable, Container, Dict, Iterator, List, Optional, Sequence, Set, Tuple, Union

from hicrisp_core.config.recipes import recipes
from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.truth import missing
from hicrisp_core.model import Answer, Meaning, Reason, Refusal, Speaker, Turn, WorldState
from hicrisp_core.model.goal import Goal, facts_in
from hicrisp_core.parsing.names import forms_of, words_of
from hicrisp_core.ports.interpreter import Request, Understood
from hicrisp_core.ports.observer import NamingRequest
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.controlled import tables as lexicon
from hicrisp_core.understanding.controlled.nouns import ONE
from hicrisp_core.understanding.controlled.reader import Reader, spelled
from hicrisp_core.understanding.verifier import verify
from hicrisp_core.understanding.written import Amount, Context, Fact, Line, Phrase, SaidGoal, SaidStage, meaning_of
from hicrisp_core.understanding.written.context import called, not_there
from hicrisp_core.understanding.written.sayings import ACTOR, IT, START, SaidCondition, changed, each_in, exchanged

MOST = 3
"""Sentences that are offered."""
_TRIED, _OBJECTS, _TRIALS = 24, 5, 400
"""Ways to fill one sentence that are tried, objects that it is filled with, and trials in all (some seconds)."""
_OBJECT = re.compile(r"\[([^\]]*)\]")
_SEVERAL = ('This can be read in more than one way. Say "that is" before a place that only tells which object '
            'is meant, and name the object in place of "it".')
_UNCLEAR = 'It is not clear what this changes: begin with "also" or "no,".'
_NO_TASK = "This says what stays or must not happen, but gives no task."
Reading = Union[Line, Refusal]
SOURCE = "controlled English"
_UNKNOWN = re.compile(r"(?:the |that |this )?unknown(?: thing| object| item| one|[ _](?P<number>\d+))")
_ARTICLES = ("a", "an", "the", "my", "our")


def not_read(text: str, reader: Reader, remark: bool = False) -> Refusal:
    """Return why a text has no reading, or more than one.

    Args:
        remark: it speaks of a task that was said before.
    """
    said = lexicon.words_in(text, reader.tables)
    if not 0 < len(said) <= lexicon.LONGEST:
        return Refusal(Reason.NOTHING_TO_DO, f"A task has 1 to {lexicon.LONGEST} words; this one has {len(said)}.")
    lines = reader.readings(said)
    if lines:
        return Refusal(Reason.NOTHING_TO_DO, _SEVERAL if len(lines) > 1 else _UNCLEAR if remark else _NO_TASK)
    lenient = Reader(reader.domain, reader.world, unknown=True).readings(said)
    strangers = [called(phrase) for line in lenient[:1] for phrase in each_in(Phrase, line)
                 if phrase.words not in (ACTOR, START) and not reader.nouns.objects(phrase)]
    if strangers:
        return not_there(strangers[0], reader.world.objects)
    strange = next((word for word in said if word not in reader.known_words and not word.isdigit()
                    and not reader.nouns.one((word,))), "")
    why = f": '{strange}' is not one of its words and names nothing here" if strange else ""
    return Refusal(Reason.NOTHING_TO_DO, f"This is not controlled English{why}.")


def nearest(text: str, reader: Reader) -> Tuple[str, ...]:
    """Return the sentences of the page nearest to a text that work now, about the objects of this world."""
    trials = iter(range(_TRIALS))
    found: Dict[Meaning, str] = {}
    sentences = [each for each in reader.tables.sentences if reader.has(each.needs)]
    for sentence in sorted(sentences, key=lambda each: -_likeness(text, each, reader)):
        if len(found) == MOST:
            break
        for filled, _ in zip(islice(_filled(sentence.example, text, reader), _TRIED), trials):
            line = reader.only_of(lexicon.words_in(filled, reader.tables))
            meaning = reader.meaning(line) if line is not None and unique(line, reader) else None
            works = isinstance(meaning, Answer)
            if isinstance(meaning, Goal):  # "into" a block reads as "on" it, but is not to be offered.
                said = {fact.predicate for fact in each_in(Fact, line)}.intersection(reader.domain.predicates)
                works = bool(missing(meaning.statements, reader.world.relations, reader.domain)) \
                    and verify(meaning, reader.domain, reader.world) is None \
                    and said <= {fact.predicate for each in meaning.statements for fact in facts_in(each)}
            if works and meaning is not None:
                found.setdefault(meaning, filled)
                break
    return tuple(found.values())


def unique(line: Line, reader: Reader) -> bool:
    """Check whether every phrase of a line stands for exactly one object of this world."""
    return all(phrase.words in recipes() or phrase.amount is Amount.ONE and phrase.words != IT
               and (phrase.words in (ACTOR, START) or len(reader.nouns.objects(phrase)) == 1)
               for phrase in each_in(Phrase, line))


def _likeness(text: str, sentence: lexicon.Sentence, reader: Reader) -> float:
    """Return from 0 to 2 how many words of a text a sentence may have, and how alike its example is."""
    said = [word for word in lexicon.words_in(text, reader.tables) if word not in reader.nouns.function_words]
    known = {word for say in sentence.say for word in lexicon.SentencePattern(say, reader.tables.words).words}
    offered = lexicon.words_in(_OBJECT.sub("", sentence.example), reader.tables)
    return len({*offered, *known} & set(said)) / max(1, len(set(said))) + SequenceMatcher(None, said, offered).ratio()


def _filled(example: str, text: str, reader: Reader) -> Iterator[str]:
    """Yield a sentence with objects of the world in place of its own, those that the text mentions first."""
    domain, objects = reader.domain, reader.world.objects
    said = {form for word in words_of(text) for form in forms_of((word,))}
    handled = {action.parameters[action.item_parameter].type for action in domain.actions.values()
               if action.item_parameter}

    def order(name: str) -> Tuple[int, int, bool, str]:
        moved = name in objects and any(domain.is_a(objects[name].type, each) for each in handled)
        own = set(words_of(name))
        return -len(own & said), len(own - said if own & said else ()), not moved, name

    made = (name for name in recipes() if said.issuperset(words_of(name)))
    names = sorted((*objects, *reader.world.robots, *made), key=order)[:_OBJECTS]
    parts = _OBJECT.split(example)
    for chosen in permutations([_called(name, reader) for name in names], len(parts) // 2):
        yield "".join(word for pair in zip(parts[::2], (*chosen, "")) for word in pair)


def _called(name: str, reader: Reader) -> str:
    """Return an object's name without its number, if it is the only one that is called so."""
    bare = " ".join(word for word in name.split("_") if not word.isdigit())
    alone = bare and reader.nouns.objects(Phrase(bare)) == (name,)
    return bare if alone else name.replace("_", " ")


def read(text: str, domain: Domain, world: WorldState, conversation: Sequence[Turn] = ()) -> Reading:
    """Read the last turn of a conversation together with the turns before it.

    Args:
        conversation: the turns before it, oldest first.

    Returns:
        The line of the written goal language that all of it means, or why it cannot be read, with sentences
        of controlled English that work in this world.
    """
    reader = Reader(domain, world)
    found = line_of(text, reader, conversation)
    return replace(found, alternatives=nearest(text, reader)) if isinstance(found, Refusal) else found


def line_of(text: str, reader: Reader, conversation: Sequence[Turn] = ()) -> Reading:
    """Do what :func:`read` does, without looking for sentences that would work."""
    line: Optional[Line] = None
    new, asked = None, False
    for turn in (*conversation, Turn(Speaker.USER, text)):
        if turn.speaker is Speaker.ROBOT:
            asked = turn.text.rstrip().endswith("?")
            continue
        said = lexicon.words_in(turn.text, reader.tables)
        new = _Remark(reader, line, asked).read(said) if isinstance(line, SaidGoal) and line.stages \
            else reader.only_of(said)
        line, asked = new or line, False
    # What must not happen is alone no task.
    if new is None or isinstance(new, SaidGoal) and not new.stages:
        return not_read(text, reader, remark=isinstance(line, SaidGoal) and bool(line.stages))
    return new


class _Remark:
    """Reads a turn that speaks of a goal.

    Args:
        asked: the turn before it was a question of the robot.
    """

    def __init__(self, reader: Reader, goal: SaidGoal, asked: bool) -> None:
        self._reader = reader
        self._objects = reader.nouns.objects
        self._words = reader.tables.remarks
        self._goal = goal
        self._asked = asked
        conditions = [each for stage in goal.stages for each in stage.conditions]
        self._about = _subject(conditions[-1])

    def read(self, said: lexicon.Words) -> Optional[Line]:
        """Return the whole goal after the turn, or another line; ``None`` if it is not clear what changes."""
        lead, rest = lexicon.led(said, self._words["leads"])
        tail, rest = lexicon.ended(lexicon.led(rest, (",",))[1] if lead else rest, self._words["tails"])
        if lead or tail:
            return self._corrected(rest[:-1] if rest[-1:] == (",",) else rest)
        for say in self._words["replace"]:
            for values, _ in lexicon.SentencePattern(say, self._words).matches(said, self._reader.slot):
                (old,), (new,) = values["a"], values["b"]
                return self._replaced(partial(self._alike, old), new)
        line = self._reader.only_of(said, self._about)
        added, rest = lexicon.led(said, self._words["added"])
        adding, rest = lexicon.ended(rest, self._words["adding"])
        if isinstance(line, SaidGoal) and not line.stages:
            return self._joined(line)
        if added or adding:
            return self._added(rest)
        # A whole sentence in place of an answer is a new task; in mid-task it is not clear whether it is.
        if line is not None:
            return line if self._asked or not isinstance(line, SaidGoal) else None
        answer = self._phrase(said)
        return self._settled(answer) if answer is not None and self._asked else None

    def _phrase(self, said: lexicon.Words) -> Optional[Phrase]:
        found = self._reader.nouns.one(said)
        return found[0] if len(found) == 1 else None

    def _corrected(self, said: lexicon.Words) -> Optional[SaidGoal]:
        """Return the goal after "no, ...": another sentence, place or object."""
        for words in (said, ("put", "it", *said), ("put", "them", *said)):
            new = self._reader.only_of(words, self._about)
            if isinstance(new, SaidGoal) and len(new.stages) == 1:
                return self._restated(new)
        phrase = self._phrase(said)
        if phrase is None:
            return None
        head = phrase.words.split()[-1]
        return self._replaced(lambda each: head in (ONE, each.words.split()[-1])
                              and bool(self._objects(_spelled(phrase, each))), phrase)

    def _restated(self, new: SaidGoal) -> Optional[SaidGoal]:
        """Return the goal with the conditions of a new one in place of those about the same objects."""
        about = {phrase for each in new.stages[0].conditions for phrase in _subject(each)}
        stages: List[SaidStage] = []
        left = list(new.stages[0].conditions)
        for stage in self._goal.stages:
            kept = [each for each in stage.conditions if not about & set(_subject(each))]
            if len(kept) < len(stage.conditions):
                kept, left = [*kept, *left], []
            stages += [replace(stage, conditions=tuple(kept))] if kept else []
        whole = replace(self._goal, stages=tuple(stages), invariants=(*self._goal.invariants, *new.invariants))
        return None if left else whole

    def _added(self, said: lexicon.Words) -> Optional[Line]:
        """Return the goal after "also ...": another sentence, or another object of the last one."""
        new = self._reader.only_of(said, self._about)
        if isinstance(new, SaidGoal):
            return self._joined(new)
        lists, last = self._reader.nouns.several(said), self._goal.stages[-1]
        if len(lists) != 1 or len(last.conditions) != 1 or len(last.conditions[0].facts) != 1:
            return None
        more = changed(last.conditions, Fact, lambda fact: replace(fact, arguments=tuple(
            (*each, *lists[0]) if each == self._about else each for each in fact.arguments)))
        return replace(self._goal, stages=(*self._goal.stages[:-1], replace(last, conditions=more)))

    def _joined(self, new: SaidGoal) -> SaidGoal:
        """Return both goals as one: the new conditions join the last stage."""
        stages, others = list(self._goal.stages), list(new.stages)
        if others and (stages[-1].robot, stages[-1].optional) == (others[0].robot, others[0].optional):
            last, first = stages.pop(), others.pop(0)
            stages.append(replace(last, conditions=(*last.conditions, *first.conditions)))
        return replace(self._goal, stages=(*stages, *others), invariants=(*self._goal.invariants, *new.invariants))

    def _settled(self, answer: Phrase) -> Optional[SaidGoal]:
        """Return the goal with an answer in place of the only phrase that it decides."""
        def left(phrase: Phrase) -> Tuple[str, ...]:
            among = self._objects(phrase)
            return tuple(name for name in self._objects(_spelled(answer, phrase)) if name in among)

        open_ = [each for each in self._phrases() if each.amount is Amount.ONE and each.words != START
                 and 0 < len(left(each)) < len(self._objects(each))]
        if len(open_) != 1:
            return None
        names = left(open_[0])
        return self._replaced(open_[0].__eq__, Phrase(names[0].replace("_", " ")) if len(names) == 1 else answer)

    def _replaced(self, fits: Callable[[Phrase], bool], new: Phrase) -> Optional[SaidGoal]:
        """Return the goal with a phrase in place of the only one that fits, as many objects as before."""
        old = [each for each in self._phrases() if fits(each)]
        if len(old) != 1:
            return None
        spelled = replace(_spelled(new, old[0]), amount=old[0].amount, least=old[0].least, most=old[0].most)
        return replace(self._goal, stages=exchanged(self._goal.stages, old[0], spelled),
                       otherwise=exchanged(self._goal.otherwise, old[0], spelled))

    def _phrases(self) -> Set[Phrase]:
        """Return what the goal speaks of, without those who act."""
        facts = each_in(Fact, (self._goal.stages, self._goal.otherwise))
        return {each for fact in facts for argument in fact.arguments for each in argument if each.words != ACTOR}

    def _alike(self, one: Phrase, other: Phrase) -> bool:
        return one == other or bool(self._objects(one)) and set(self._objects(one)) == set(self._objects(other))


def _spelled(phrase: Phrase, other: Phrase) -> Phrase:
    """Return a phrase with what another one says in place of "one"."""
    where = other.where if phrase.words.split()[-1] == ONE else ()
    return replace(spelled(phrase, other.words.split()[-1]), where=(*where, *phrase.where))


def _subject(condition: SaidCondition) -> Tuple[Phrase, ...]:
    """Return the objects that a condition is about: those that do not act."""
    return next((each for each in condition.facts[0].arguments if each[0].words != ACTOR), ())


class ControlledInterpreter:
    """Understands controlled English and refuses everything else, with sentences that would work."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        """Return what the request means together with its conversation."""
        line = read(request.text, self._domain, request.world, request.conversation)
        return Understood(line) if isinstance(line, Refusal) else \
            Understood(_meaning(line, request, self._domain), sure=1.0)


def shortcut(request: Request, domain: Domain) -> Optional[Meaning]:
    """Return what a request means that is controlled English as a whole and spells out what it is about: a goal, an
    answer, or the question which of several objects is meant; ``None`` for any other, as that would be a guess.
    """
    reader = Reader(domain, request.world)
    line = line_of(request.text, reader, request.conversation)
    if isinstance(line, Refusal) or any(phrase.words == IT for phrase in each_in(Phrase, line)):
        return None
    meaning = _meaning(line, request, domain)
    return None if isinstance(meaning, Refusal) else meaning


def _meaning(line: Line, request: Request, domain: Domain) -> Meaning:
    meaning = meaning_of(line, domain, request.world, context_of(request))
    return replace(meaning, source=SOURCE) if isinstance(meaning, Goal) else meaning


def context_of(request: Request) -> Context:
    """Return what the phrases of a request may refer to."""
    goal = request.goal.names if request.goal is not None else ()
    return Context((*goal, *request.handled), recipes=recipes())


def naming_in(text: str, known: Container[str] = ()) -> Optional[NamingRequest]:
    """Return the name that a request gives; ``None`` if it asks for something else.

    Args:
        text: the request.
        known: names in the world, which a request may call differently.
    """
    said, slot = lexicon.words_in(text, lexicon.tables()), partial(_slot, known=known)
    for say in lexicon.tables().naming:
        found = [NamingRequest(values["unknown"] if "unknown" in values else values["known"], values["name"])
                 for values, _ in lexicon.SentencePattern(say, lexicon.tables().words).matches(said, slot)]
        if found:  # With a mug and a mug_2, "mug 2" is the latter.
            return max(found, key=lambda each: len(each.thing))
    return None


def _slot(name: str, words: lexicon.Words, known: Container[str]) -> Sequence[str]:
    if name == "known":
        called = "_".join(words[1:] if words[0] in _ARTICLES else words)
        return (called,) if called in known else ()
    if name == "unknown":
        found = _UNKNOWN.fullmatch(" ".join(words))
        return () if found is None else (f"unknown_{found['number']}" if found["number"] else "",)
    bare = words[1:] if words[0] in _ARTICLES else words
    return () if not bare or lexicon.MARKS & set(bare) or bare[0] in ("as", "now") else (" ".join(bare),)
