"""Which objects words name: by names, types, their ancestors and attribute values, and by nothing else; and which
known word a misspelt one can only be.
"""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from os.path import commonprefix
from typing import Collection, Dict, FrozenSet, Iterable, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from hicrisp_core.domain.schema import ANYTHING, Domain
from hicrisp_core.model import WorldState
from hicrisp_core.scene.colours import COLOURS

HEADS = frozenset(("one", "object", "thing"))
"""What stands for an object of any kind."""
_COLOUR = ("colour", "color")
_LONGEST_COMPOUND = 3
"""Words that may be spelled as one: ``coffee table maker``, ``coffeetable``."""
_GERUND = "ing"
"""A compound may begin with what it is for in either form: ``frying pan``, ``frypan``."""
_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_CARDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
             "twelfth")
NUMBERS = {word: str(number) for words in (_CARDINALS, _ORDINALS) for number, word in enumerate(words, 1)}
_EXACT, _OWN, _TYPE, _ASIDE, _FOR = range(5)
"""How well words fit: they are the name, their head is the name's head, their head is the type's, they are only said
besides, or say what the object is for.
"""
USE, _PURPOSE = "use", "for"
"""The attribute that says what an object is for; its words tell objects apart and name none."""
_LONG = 8
"""Letters of a word in which two slips may be slips; in a shorter one it is one."""
_REPLACED = 5
"""Letters of a word in which another letter may be a slip: fork and cork, rum and gum are other words."""
_ALIKE = 0.8
"""How alike a name with an unknown word in it is to the one that it is taken for."""
_CODE = re.compile(r"\d+|(?<![^\W\d_])[^\W\d_](?![^\W\d_])")
"""Numbers and single letters of a name: with another one it is another name."""
Words = Tuple[str, ...]


def words_of(text: str) -> Words:
    """Return the words of a text or name: lower case, digits apart from letters, without underscores."""
    return tuple(_TOKEN.findall(unicodedata.normalize("NFKC", text).casefold()))


def number_of(word: str, ordinal: bool = False) -> int:
    """Return the number that a word says: 2 for ``two`` and ``2``; 0 if it says none.

    Args:
        ordinal: 2 is said as ``second`` and ``2nd``.
    """
    digits = re.fullmatch(r"(\d+)(?:st|nd|rd|th)" if ordinal else r"(\d+)", word)
    words = _ORDINALS if ordinal else _CARDINALS
    return int(digits[1]) if digits is not None else words.index(word) + 1 if word in words else 0


class Names:
    """The names in a world by the words that stand for them.

    Objects, robots, and what only facts mention, such as what a bottle contains, are named alike.
    """

    def __init__(self, domain: Domain, world: WorldState) -> None:
        self._world = world
        self._values: Dict[str, Set[str]] = {}
        """The words that are values of an attribute, by the attribute."""
        for item in world.objects.values():
            for key, value in item.attributes.items():
                self._values.setdefault(key, set()).update(words_of(str(value)))
        self._types: Dict[str, Words] = {name: domain.ancestry(type_) for name, type_ in world.types().items()}
        for fact in sorted(world.relations):
            if fact.object and not fact.object.replace(".", "", 1).lstrip("+-").isdigit():
                self._types.setdefault(fact.object, (ANYTHING,))
        self._sayings = {name: self._sayings_of(name) for name in self._types}
        self._uses = {name: _forms_of_use(str(world.objects[name].attributes.get(USE, "")))
                      if name in world.objects else frozenset() for name in self._types}
        self._found: Dict[Words, Mapping[str, int]] = {}

    @property
    def movable(self) -> Words:
        """The objects that a robot may move, sorted."""
        return tuple(sorted(name for name, item in self._world.objects.items() if item.movable))

    def fitting(self, words: str, observed: bool = False) -> Words:
        """Return the names for which every word is accounted for, sorted.

        Those that they name best leave out the others: with a box on the table, no stapler is a ``box``
        though its type may be, and no glass bowl is a ``glass``.

        Args:
            observed: whether only objects and robots count, and not what facts alone mention.
        """
        known = self._world.types()
        found = {name: how for name, how in self._fit(words).items() if not observed or name in known}
        best = max(min(found.values(), default=_ASIDE), _OWN)
        fit = tuple(sorted(name for name, how in found.items() if how <= best))
        said = frozenset(words_of(words)) & set(COLOURS)
        only = tuple(name for name in fit if self._colours(name) == said) if said else ()
        return only or fit  # Of a white mug and a white and yellow one, the white one.

    def tells_kind(self, words: str) -> bool:
        """Check whether words name an object or its kind, and do not only tell it from others."""
        return min(self._fit(words).values(), default=_ASIDE) < _ASIDE

    def exactly(self, words: str, among: Iterable[str]) -> Words:
        """Return the names that are just the words."""
        found = self._fit(words)
        return tuple(name for name in among if found.get(name) == _EXACT)

    def is_called(self, name: str, word: str) -> bool:
        """Check whether a word is said of an object: ``dirty`` as one of its attributes."""
        return self._sayings.get(name, {}).get(_joined(words_of(word)), _FOR) < _FOR

    def alike(self, name: str, others: Iterable[str]) -> Words:
        """Return those that have the colour of an object; without colours, those that share a word that does
        not tell its kind.
        """
        own = self._colours(name)
        if own:
            return tuple(each for each in others if self._colours(each) & own)
        return tuple(each for each in others if self._besides(name) & self._besides(each))

    def _fit(self, text: str) -> Mapping[str, int]:
        words = words_of(text)
        if words not in self._found:
            how = {name: self._how(words, name) for name in self._types} if words else {}
            self._found[words] = {name: each for name, each in how.items() if each is not None}
        return self._found[words]

    def _how(self, words: Words, name: str) -> Optional[int]:
        if _spelling(words) == _spelling(words_of(name)):
            return _EXACT
        item, sayings = self._world.objects.get(name), self._sayings[name]
        if _PURPOSE in words[1:]:
            at = words.index(_PURPOSE)  # "Thing for turning screws": turning and screws are said of it.
            return self._how(words[:at], name) if {*self._uses[name], *sayings}.issuperset(words[at + 1:]) else None
        if set(words) <= HEADS:
            return _OWN if item is not None and item.movable else None
        if item is not None and words[-1] in HEADS and _accounted(words[:-1], sayings) is not None:
            return _OWN
        found = _accounted(words, sayings)
        return None if found == _FOR else found

    def _sayings_of(self, name: str) -> Dict[str, int]:
        """Return what is said of an object, each with how well it names it."""
        found: Dict[str, int] = {}

        def add(words: Words, how: int) -> None:
            head = next((word for word in reversed(words) if not word.isdigit()), None)
            for begin in range(len(words)):
                for end in range(begin + 1, min(len(words), begin + _LONGEST_COMPOUND) + 1):
                    for form in forms_of(words[begin:end]):
                        told = how if head in words[begin:end] else _ASIDE
                        found[form] = min(told, found.get(form, told))

        item = self._world.objects.get(name)
        own = dict(item.attributes) if item is not None else {}
        # A colour word in a name does not count against the colour that the object has; its head does.
        denied = {word for key, value in own.items()
                  for word in self._values.get(key, set()) - set(words_of(str(value)))}
        said = words_of(name)
        head = next((word for word in reversed(said) if not word.isdigit()), "")
        add(tuple(word for word in said if word == head or word not in denied), _OWN)
        for value in (value for key, value in own.items() if key != USE):
            add(words_of(str(value)), _ASIDE)
        for type_ in self._types[name]:
            add(words_of(type_), _TYPE)
        for word in words_of(str(own.get(USE, ""))):
            found.setdefault(word, _FOR)
        return found

    def _colours(self, name: str) -> FrozenSet[str]:
        item = self._world.objects.get(name)
        attributes = item.attributes if item is not None else {}
        own = [value for key, value in attributes.items() if key in _COLOUR]
        known = {word for key in _COLOUR for word in self._values.get(key, ())}
        return frozenset(words_of(str(own[0])) if own else set(words_of(name)) & known)

    def _besides(self, name: str) -> FrozenSet[str]:
        return frozenset(word for word in words_of(name)
                         if not word.isdigit() and self._sayings[name].get(word, _ASIDE) == _ASIDE)


def _accounted(words: Words, sayings: Mapping[str, int]) -> Optional[int]:
    """Return how well the last word, numbers apart, names an object; ``None`` if a word is left over."""
    told: List[Optional[int]] = [_ASIDE] + [None] * len(words)
    for end in range(1, len(words) + 1):
        for begin in range(max(0, end - _LONGEST_COMPOUND), end):
            said, before = _joined(words[begin:end]), told[begin]
            if said not in sayings and end - begin > 1 and words[begin].endswith(_GERUND):
                stem = words[begin][:-len(_GERUND)]
                said = next((each for silent in ("", "e") for each in (
                    _joined((stem + silent, *words[begin + 1:end])),) if each in sayings), said)
            if before is not None and said in sayings:
                now, how = told[end], before if said.isdigit() else sayings[said]
                told[end] = how if now is None else min(now, how)
    return told[-1]


def _forms_of_use(text: str) -> FrozenSet[str]:
    """Return the words of a use in all forms; of ``cutting`` also what may be its verb: ``cutte``, ``cut``."""
    words = words_of(text)
    stems = [word[:-len(_GERUND)] for word in words if word.endswith(_GERUND) and len(word) > len(_GERUND) + 2]
    verbs = (verb for stem in stems for verb in (stem, f"{stem}e", *([stem[:-1]] if stem[-1] == stem[-2] else [])))
    return frozenset(form for word in (*words, *verbs) for form in forms_of((word,)))


def _spelling(words: Words) -> Tuple[str, Words]:
    """Return the letters of words, and their numbers: ``glass 1`` is spelled as ``first_glass``."""
    said = [NUMBERS.get(word, word) for word in words]
    return "".join(word for word in said if not word.isdigit()), tuple(filter(str.isdigit, said))


def _joined(words: Words) -> str:
    return "".join(NUMBERS.get(word, word) for word in words)


def forms_of(words: Words) -> Iterator[str]:
    """Yield a word, or several as one, in the singular and the plural, as far as spelling tells."""
    said = _joined(words)
    yield said
    if said.isdigit():
        return
    yield from (f"{said}s", f"{said}es")
    for one, many in (("y", "ies"), ("f", "ves"), ("fe", "ves"), ("", "es"), ("", "s")):
        if one and said.endswith(one):
            yield said[:len(said) - len(one)] + many
        if len(said) > len(many) + 1 and said.endswith(many):
            yield said[:-len(many)] + one


def words_by_name(world: WorldState) -> Dict[str, FrozenSet[str]]:
    """Return the words of each object's name, type and attributes, and of each robot's name."""
    found = {robot: frozenset(robot.split("_")) for robot in world.robots}
    for name, item in world.objects.items():
        values = (str(each).lower() for each in item.attributes.values())
        found[name] = frozenset((*name.split("_"), item.type, *values))
    return found


def respelled(words: Sequence[str], known: Collection[str]) -> Words:
    """Return words with the only known one in place of each that may be a slip of it."""
    def meant(word: str) -> str:
        near = {other: count for other in sorted(known) for count in (slips(word, other),) if count is not None}
        best = [other for other, count in near.items() if count == min(near.values())]
        return best[0] if len(best) == 1 and word not in known else word

    return tuple(map(meant, words))


def likely(written: str, objects: Mapping[str, Collection[str]]) -> str:
    """Return the only object that has all words of a name that mean something here, if the two are much alike."""
    telling = {word for words in objects.values() for word in words}.intersection(written.split("_"))
    found = [name for name, words in objects.items() if telling and telling <= set(words)]
    alike = len(found) == 1 and _CODE.findall(written) == _CODE.findall(found[0]) \
        and SequenceMatcher(None, written, found[0]).ratio() >= _ALIKE
    return found[0] if alike else ""


def slips(written: str, known: str) -> Optional[int]:
    """Return how many letters of a word are left out, added, changed or swapped; ``None`` if it is another word.

    A word with a digit in it is never misspelt: another number is another object.
    """
    if written == known:
        return 0
    shorter = min(len(written), len(known))
    most = 2 if shorter >= _LONG else 1
    if shorter < 2 or abs(len(written) - len(known)) > most or any(map(str.isdigit, written + known)):
        return None
    if len(written) == len(known) < _REPLACED and sorted(written) != sorted(known):
        return None
    found = _distance(written, known, most)
    return found if found <= most else None


def _distance(written: str, known: str, most: int) -> int:
    """Edits from one word to another, more than the most if there are more; a swap of two neighbours is one."""
    alike = len(commonprefix((written, known)))
    written, known = written[alike:], known[alike:]
    if not written or not known or not most:
        return max(len(written), len(known))
    tails = [(written[1:], known), (written, known[1:]), (written[1:], known[1:])]
    tails += [(written[2:], known[2:])] if written[:2] == known[1::-1] else []
    return 1 + min(_distance(one, other, most - 1) for one, other in tails)
