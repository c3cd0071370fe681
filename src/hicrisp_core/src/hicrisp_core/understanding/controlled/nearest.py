"""Why a text cannot be read, and the sentences of the page nearest to it that work in this world."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import islice, permutations
from typing import Iterator, List, Tuple

from hicrisp_core.goals.truth import missing
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Answer, Reason, Refusal
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.controlled.patterns import LONGEST, Pattern, words_in
from hicrisp_core.understanding.controlled.reader import Reader, recipes
from hicrisp_core.understanding.controlled.tables import Sentence
from hicrisp_core.understanding.verifier import verify
from hicrisp_core.understanding.written.context import Context, called, not_there, phrases_in
from hicrisp_core.understanding.written.linking import meaning_of
from hicrisp_core.understanding.written.sayings import ACTOR, IT, START, Amount, Line, Phrase

MOST = 3
"""Sentences that are offered."""
_PERIOD = 1.0
"""Wall seconds for all trials: a refusal must come at once."""
_TRIED, _OBJECTS = 24, 5
"""Ways to fill one sentence that are tried, and objects that it is filled with."""
_OBJECT = re.compile(r"\[([^\]]*)\]")
_SEVERAL = ('This can be read in more than one way. Say "that is" before a place that only tells which object '
            'is meant, and name the object in place of "it".')
_UNCLEAR = 'It is not clear what this changes: begin with "also" or "no,".'
_NO_TASK = "This says what stays or must not happen, but gives no task."


def not_read(text: str, reader: Reader, remark: bool = False) -> Refusal:
    """Return why a text has no reading, or more than one.

    Args:
        remark: it speaks of a task that was said before.
    """
    said = words_in(text, reader.tables)
    if not 0 < len(said) <= LONGEST:
        return Refusal(Reason.NOTHING_TO_DO, f"A task has 1 to {LONGEST} words; this one has {len(said)}.")
    lines = reader.readings(said)
    if lines:
        return Refusal(Reason.NOTHING_TO_DO, _SEVERAL if len(lines) > 1 else _UNCLEAR if remark else _NO_TASK)
    lenient = Reader(reader.meanings.domain, reader.world, unknown=True).readings(said)
    strangers = [called(phrase) for line in lenient[:1] for phrase in phrases_in(line)
                 if phrase.words not in (ACTOR, START) and not reader.meanings.objects(phrase)]
    if strangers:
        return not_there(strangers[0], reader.world.objects)
    strange = next((word for word in said if word not in reader.known_words and not word.isdigit()
                    and not reader.nouns.one((word,))), "")
    why = f": '{strange}' is not one of its words and names nothing here" if strange else ""
    return Refusal(Reason.NOTHING_TO_DO, f"This is not controlled English{why}.")


def nearest(text: str, reader: Reader) -> Tuple[str, ...]:
    """Return the sentences of the page nearest to a text that work now, about the objects of this world."""
    deadline = Deadline(_PERIOD)
    found: List[str] = []
    sentences = [each for each in reader.tables.sentences if reader.meanings.has(each.needs)]
    for sentence in sorted(sentences, key=lambda each: -_likeness(text, each, reader)):
        for filled in islice(_filled(sentence.example, text, reader), _TRIED):
            if deadline.passed or len(found) == MOST:
                return tuple(found)
            line = reader.only(filled)
            if line is not None and unique(line, reader) and _works(line, reader):
                found.append(filled)
                break
    return tuple(found)


def unique(line: Line, reader: Reader) -> bool:
    """Check whether every phrase of a line stands for exactly one object of this world."""
    given = (ACTOR, START, *recipes())
    return all(phrase.amount is Amount.ONE and phrase.words != IT
               and (phrase.words in given or len(reader.meanings.objects(phrase)) == 1)
               for phrase in phrases_in(line))


def _works(line: Line, reader: Reader) -> bool:
    domain, world = reader.meanings.domain, reader.world
    meaning = meaning_of(line, domain, world, Context(recipes=recipes()))
    if not isinstance(meaning, Goal):
        return isinstance(meaning, Answer)
    open_ = missing(meaning.statements, world.relations, domain)
    return bool(open_) and verify(meaning, domain, world) is None


def _likeness(text: str, sentence: Sentence, reader: Reader) -> float:
    """Return from 0 to 2 how many words of a text a sentence may have, and how alike its example is."""
    said = [word for word in words_in(text, reader.tables) if word not in reader.nouns.function_words]
    known = {word for say in sentence.say for word in Pattern(say, reader.tables.words).words}
    offered = words_in(_OBJECT.sub("", sentence.example), reader.tables)
    return len({*offered, *known} & set(said)) / max(1, len(set(said))) + SequenceMatcher(None, said, offered).ratio()


def _filled(example: str, text: str, reader: Reader) -> Iterator[str]:
    """Yield a sentence with objects of the world in place of its own, those that the text mentions first."""
    domain, objects = reader.meanings.domain, reader.world.objects
    said = set(" ".join(words_in(text, reader.tables)).replace("_", " ").split())
    handled = {action.parameters[action.item_parameter].type for action in domain.actions.values()
               if action.item_parameter}

    def order(name: str) -> Tuple[int, bool, str]:
        moved = name in objects and any(domain.is_a(objects[name].type, each) for each in handled)
        return -len(said & set(name.split("_"))), not moved, name

    names = sorted((*objects, *reader.world.robots), key=order)[:_OBJECTS]
    parts = _OBJECT.split(example)
    for chosen in permutations([_called(name, reader) for name in names], len(parts) // 2):
        yield "".join(word for pair in zip(parts[::2], (*chosen, "")) for word in pair)
    yield "".join(parts)


def _called(name: str, reader: Reader) -> str:
    """Return an object's name without its number, if it is the only one that is called so."""
    bare = " ".join(word for word in name.split("_") if not word.isdigit())
    alone = bare and reader.meanings.objects(Phrase(bare)) == (name,)
    return bare if alone else name.replace("_", " ")
