"""What people associate with the nouns of everyday things, and which noun some words of a description mean.

The lexicon lies in ``config/words``: ``descriptions.yaml`` holds descriptions by use, look and kind,
``associations.yaml`` other names and words that come up. Both are read once, with the first request.
"""

from __future__ import annotations

import logging
import math
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

import yaml

from hicrisp_core.config.files import config_folders
from hicrisp_core.errors import ConfigError

_LOGGER = logging.getLogger(__name__)
DESCRIPTIONS, ASSOCIATIONS = "descriptions.yaml", "associations.yaml"
GENERIC = frozenset((
    "thing", "things", "stuff", "object", "objects", "item", "items", "one", "ones", "something", "anything",
    "tool", "tools", "utensil", "utensils", "implement", "implements", "device", "instrument", "gadget",
    "piece"))
"""Heads of descriptions that say nothing of what is meant."""
_EMPTY = GENERIC | frozenset((
    "a", "an", "the", "this", "that", "these", "those", "my", "your", "our", "his", "her", "its", "their",
    "it", "them", "they", "you", "i", "we", "he", "she", "me", "us", "people", "person", "somebody",
    "someone", "everybody", "everyone", "one's", "who", "which", "whose", "what", "whatever", "where",
    "when", "that's", "to", "for", "of", "with", "from", "in", "on", "into", "onto", "at", "by", "off",
    "out", "up", "down", "over", "under", "through", "around", "about", "as", "like", "than", "and", "or",
    "so", "is", "are", "was", "were", "be", "been", "being", "am", "has", "have", "had", "do", "does",
    "did", "can", "could", "would", "should", "may", "might", "must", "will", "shall", "d", "ll", "use",
    "used", "using", "usually", "always", "often", "normally", "typically", "get", "gets", "got", "some",
    "any", "all", "both", "each", "every", "very", "really", "just", "only", "too", "also", "kind",
    "sort", "type", "bit", "lot", "little", "small", "big", "large", "tall", "old", "new", "tiny", "huge",
    "long", "short", "nice", "good", "usual", "ordinary", "own", "there", "here", "please",
    "want", "wants", "wanted", "need", "needs", "needed", "say", "said", "mean", "means", "know", "think",
    "love", "ask", "put", "puts", "let", "give", "gives", "take", "make", "makes"))
"""Words that say nothing of what is meant."""
_FORMS = {
    "wrote": "write", "written": "write", "drank": "drink", "drunk": "drink", "ate": "eat",
    "eaten": "eat", "spelt": "spell", "kept": "keep", "held": "hold", "stuck": "stick", "swept": "sweep",
    "lit": "light", "made": "make", "told": "tell", "cooked": "cook", "teeth": "tooth", "feet": "foot",
    "mice": "mouse", "knives": "knife", "leaves": "leaf", "loaves": "loaf", "torn": "tear", "sewn": "sew",
    "worn": "wear", "woven": "weave", "drew": "draw", "drawn": "draw", "sliced": "slice",
    "yoghurt": "yogurt", "coloured": "colour", "laid": "lay", "frozen": "freeze", "ground": "grind",
    "grown": "grow", "hung": "hang", "dug": "dig", "dirty": "dirt", "dishes": "dish", "tasty": "taste",
    "spicy": "spice", "salty": "salt", "sugary": "sugar", "fruity": "fruit", "sharpener": "sharpen",
    "flavouring": "flavour", "flavor": "flavour", "color": "colour", "eatable": "eat", "edible": "eat",
    "drinkable": "drink", "photograph": "photo", "picture": "photo", "transparent": "see-through"}
"""Irregular forms, and words of one meaning."""
_LOST_E = re.compile(r"[^aeiou][aeiou][^aeiouwxy]")
"""What is left of "making" and "taped"."""
_SEEN = (0.0, 0.55, 0.75, 0.85, 0.92, 0.97, 1.0)
"""How far a word that was said of a noun so many times speaks for it."""
_HEAD_ENDS = frozenset((
    "that", "which", "who", "to", "for", "of", "with", "from", "in", "on", "into", "you", "i", "we",
    "one", "people", "under", "below", "at", "by", "as", "like"))
"""What begins what tells more of a thing."""
_BY_NAME = 5
"""How often a word counts as said of a noun that is called so."""
_CLOSE_KIND = 16
"""Nouns of a kind of at most so many are so near to each other that a description of one may be meant for the
other.
"""


class Scored(NamedTuple):
    """How far a noun is what some words describe, 0 to 1."""

    noun: str
    score: float


def stem(word: str) -> str:
    """A word without its usual endings; only good for being compared."""
    word = _FORMS.get(word, word)
    for end in ("ing", "ed", "es", "s"):
        if word.endswith(end) and len(word) - len(end) >= 3 and not word.endswith("ss"):
            word = word[:-len(end)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            elif end in ("ing", "ed", "es") and _LOST_E.fullmatch(word):
                word += "e"
            break
    if word.endswith("e") and len(word) > 4:
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


def content(words: Iterable[str]) -> Tuple[str, ...]:
    """The stems of the words that say something, each once."""
    return tuple(dict.fromkeys(stem(word) for word in words if word not in _EMPTY and not word.isdigit()))


def words_of_phrase(phrase: str) -> List[str]:
    """The words of a phrase of the lexicon: hyphens part them."""
    return phrase.lower().replace("'s", "").replace("-", " ").replace("_", " ").split()


def head_of(words: Sequence[str]) -> str:
    """The last word before what tells more of it: "holder" of "holder for a boiled egg"."""
    end = next((at for at, word in enumerate(words) if at and word in _HEAD_ENDS), len(words))
    return words[end - 1] if end else ""


class Associations:
    """The nouns with the stems that are said of them.

    Args:
        phrases: by noun, its descriptions.
        names: by noun, what it is called.
        words: by noun, what comes up when people speak of it.
        groups: words that stand for several nouns.
        ending: by verb, alone or with a preposition, the nouns that a description may mean which ends so.
        kinds: nouns that are of a kind.
        opened: by noun, what it is where it is an open container.
        colours: by colour, phrases that liken it to things.
    """

    def __init__(
        self, phrases: Mapping[str, Sequence[str]], names: Mapping[str, Sequence[str]],
        words: Mapping[str, Sequence[str]], groups: Mapping[str, Sequence[str]],
        ending: Mapping[str, Sequence[str]], kinds: Iterable[Sequence[str]], opened: Mapping[str, str],
        colours: Mapping[str, Sequence[str]],
    ) -> None:
        self.groups = groups
        self.colours = colours
        self.phrases = {noun: frozenset((*phrases.get(noun, ()), *names[noun])) for noun in names}
        self._ending = {" ".join((stem(verb), *more)): nouns
                        for (verb, *more), nouns in ((end.split(), nouns) for end, nouns in ending.items())}
        self._opened = opened
        self._kin: Dict[str, Set[str]] = {}
        for kind in kinds:
            for noun in kind if len(kind) <= _CLOSE_KIND else ():
                self._kin.setdefault(noun, set()).update(kind)
        self._nouns = {name.replace(" ", "_"): noun for noun, said in names.items() for name in said[1:]}
        self._nouns.update({noun: noun for noun in names})
        self.said: Dict[str, "Counter[str]"] = {}
        self.heads: Dict[str, Set[str]] = {}
        self._by_stem: Dict[str, Set[str]] = {}
        for noun in names:
            counts: "Counter[str]" = Counter()
            for phrase in (*phrases.get(noun, ()), *words.get(noun, ())):
                counts.update(content(words_of_phrase(phrase)))
            for name in names[noun]:
                counts.update(dict.fromkeys(content(words_of_phrase(name)), _BY_NAME))
            self.said[noun] = counts
            self.heads[noun] = {stem(head_of(words_of_phrase(phrase)))
                                for phrase in (*phrases.get(noun, ()), *names[noun])}
            for each in counts:
                self._by_stem.setdefault(each, set()).add(noun)

    def noun_of(self, name: str, is_open: bool = False) -> str:
        """The noun that a thing of a name is: "egg_cup", "block" of "red_block_1"; empty where none is known.

        Args:
            is_open: whether other things are put into it.
        """
        words = [word for word in name.split("_") if not word.isdigit()]
        noun = next((self._nouns[said] for said in ("_".join(words[at:]) for at in range(len(words)))
                     if said in self._nouns), "")
        return self._opened.get(noun, noun) if is_open else noun

    def may_end(self, noun: str, tail: Sequence[str]) -> bool:
        """Whether a noun may be meant by words that end so: no fork by "something to eat"."""
        last = tail[-1] if tail else ""
        ends = (stem(last), *(f"{stem(word)} {last}" for word in tail[:-1]))
        return all(noun in self._ending[end] for end in ends if end in self._ending)

    def akin(self, noun: str, others: Iterable[str]) -> bool:
        """Whether a noun is of a small kind with one of others."""
        return not self._kin.get(noun, set()).isdisjoint(others)

    def weight(self, each: str) -> float:
        """How much a stem tells: the fewer nouns have it, the more; one that none has tells most."""
        return math.log(1 + len(self.said) / max(1, len(self._by_stem.get(each, ()))))

    def score(self, stems: Sequence[str], noun: str) -> float:
        """How far a noun is what the stems describe: the part of their weight that is said of it."""
        counts = self.said.get(noun)
        if counts is None:
            return 0.0
        weights = [self.weight(each) for each in stems]
        told = sum(weight * _SEEN[min(len(_SEEN) - 1, counts[each])]
                   for each, weight in zip(stems, weights))
        return told / sum(weights) if weights else 0.0

    def best(self, stems: Sequence[str]) -> List[Scored]:
        """All nouns of which one of the stems is said, the best first."""
        nouns = {noun for each in stems for noun in self._by_stem.get(each, ())}
        scored = (Scored(noun, self.score(stems, noun)) for noun in nouns)
        return sorted(scored, key=lambda each: (-each.score, each.noun))


def lexicon_file(name: str) -> Optional[Path]:
    """A file of the workspace's ``config/words``; ``None`` where there is none."""
    return next((folder / name for folder in config_folders("words") if (folder / name).is_file()), None)


def read_lexicon(file: Path) -> Dict[str, Any]:
    """The content of a file of the lexicon, over libyaml where there is one: it is thirty times as fast.

    Raises:
        ConfigError: where it cannot be read.
    """
    try:
        loaded = yaml.load(file.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ConfigError(f"the lexicon {file} cannot be read: {error}") from error
    if not isinstance(loaded, dict):
        raise ConfigError(f"the lexicon {file} holds no sections")
    return loaded


@lru_cache(maxsize=1)
def associations() -> Associations:
    """What the workspace's lexicon says; nothing where none can be read, which is logged once."""
    try:
        described, associated = ({} if file is None else read_lexicon(file)
                                 for file in map(lexicon_file, (DESCRIPTIONS, ASSOCIATIONS)))
        return _of(described, associated)
    except (ConfigError, AttributeError, TypeError, ValueError) as error:
        _LOGGER.warning("Descriptions of things are not understood: %s", error)
        return _of({}, {})


def _of(described: Mapping[str, Any], associated: Mapping[str, Any]) -> Associations:
    """What the two files say."""
    plain, bare, kinds = (described.get(key, {}) for key in ("nouns", "bare", "kinds"))
    called, words = associated.get("called", {}), associated.get("words", {})
    phrases: Dict[str, List[str]] = {
        noun: [*plain.get(noun, ()), *bare.get(noun, ())] for noun in (*plain, *words, *called)}
    for kind, members in kinds.items():
        for noun in members:
            phrases.setdefault(noun, []).append(kind)
    names = {noun: [noun.replace("_", " "), *called.get(noun, ())] for noun in phrases}
    colours = {colour: [*said["front"], *said["behind"]]
               for colour, said in described.get("colours", {}).items()}
    return Associations(
        phrases, names, {noun: said.split() for noun, said in words.items()}, associated.get("groups", {}),
        associated.get("ending", {}), kinds.values(), associated.get("open", {}), colours)
