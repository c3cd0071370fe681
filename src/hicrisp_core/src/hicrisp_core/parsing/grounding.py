"""From written names to the domain's and the world's: exact, by attributes, or one close match that is reported."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Tuple, Union

from hicrisp_core.domain.schema import Action, Domain, Parameter
from hicrisp_core.errors import DomainError
from hicrisp_core.model import Step, Value, WorldState
from hicrisp_core.parsing.names import Names, likely, respelled, words_by_name
from hicrisp_core.parsing.plan_text import ParseFailure, RawStep

_QUANTITY = re.compile(r"\s*(-?\d+(?:\.\d+)?)(?:[\W_]|[a-z])*$", re.IGNORECASE)
"""A number with what models write behind it: ``50ml``, ``2_parts``, ``1.``"""
_PUNCTUATED = re.compile(r"\w[.,;:!`]+\s*$")
_NUMBER_BEHIND = re.compile(r"_?\d+$")
_LONGEST_NAME = 5
"""Words that one name is split into, at most."""


@dataclass(frozen=True)
class Grounded:
    """Steps in the domain's and the world's names, and what was understood otherwise than it was written.

    Args:
        mended: the indices of the steps in which something was.
        refused: why the first step that does not fit does not.
    """

    steps: Tuple[Step, ...]
    notes: Tuple[str, ...] = ()
    mended: Tuple[int, ...] = ()
    refused: Optional[ParseFailure] = None


def ground_steps(raw: Sequence[RawStep], domain: Domain, world: WorldState) -> Union[Grounded, ParseFailure]:
    """Check every name; the first that does not fit is refused with the valid ones."""
    found = ground_each(raw, domain, world)
    return found.refused or found


def ground_each(raw: Sequence[RawStep], domain: Domain, world: WorldState) -> Grounded:
    """Check every name; a step that does not fit stays as it was written and fails when its turn comes.

    So a plan runs up to its first wrong step, as behind CoPAL's sequencer (section III-C).
    """
    grounder = _Grounder(domain, world)
    steps: List[Step] = []
    mended: List[int] = []
    refused: Optional[ParseFailure] = None
    for index, step in enumerate(raw):
        noted = len(grounder.notes)
        try:
            steps.append(grounder.step(step))
        except DomainError as error:
            refused = refused or ParseFailure(str(error), step.quote)
            steps.append(Step(step.quote, _normal(step.action), grounder.as_written(step)))
        if len(grounder.notes) > noted:
            mended.append(index)
    return Grounded(tuple(steps), tuple(grounder.notes), tuple(mended), refused)


def ground_name(written: str, domain: Domain, world: WorldState) -> Union[str, ParseFailure]:
    """The object or robot that is meant; one that is not there is refused with those that are."""
    try:
        name = _Grounder(domain, world).name(written)
    except DomainError as error:
        return ParseFailure(str(error), written)
    if name in world.types():
        return name
    return ParseFailure(f"no object '{name}' in the world; there are: {', '.join(sorted(world.types()))}", written)


class _Grounder:
    def __init__(self, domain: Domain, world: WorldState) -> None:
        self._domain = domain
        self._world = world
        self._types = world.types()
        self._names = Names(domain, world)
        self._spelled = {_normal(name): name for name in self._types}
        self._words = words_by_name(world)
        self._known = frozenset(word for words in self._words.values() for word in words)
        self.notes: List[str] = []

    def step(self, raw: RawStep) -> Step:
        """The step in the world's names; of several actions of that name the first that fits.

        Raises:
            DomainError: why the first of them does not fit.
        """
        words = {word for action in self._domain.actions.values() for word in (action.name, *action.called)}
        name = _normal(raw.action)
        found = "_".join(respelled(name.split("_"), {part for word in words for part in word.split("_")}))
        if name not in words and found in words:
            self.notes.append(f"the action '{name}' was read as '{found}'")
            name = found
        refusals: List[DomainError] = []
        for action in self._domain.called(name):
            noted = len(self.notes)
            try:
                given = {key: self._value(action.parameters[key], written)
                         for key, written in self._by_name(action, raw).items()}
                command = self._domain.ground(Step("", action.name, given), self._world)
                # What was left open stays open: it is chosen when the step's turn comes.
                arguments = {key: value for key, value in command.arguments.items()
                             if key in given or not (action.parameters[key].any or action.parameters[key].optional)}
                return Step(self._domain.describe(command), action.name, arguments, command.robot, raw.after)
            except DomainError as error:
                refusals.append(error)
                del self.notes[noted:]
        raise refusals[0]

    def as_written(self, raw: RawStep) -> Dict[str, Value]:
        """The words of a step under the parameters of the first action of that name; what is too much only
        where nothing else is wrong, for names tell more."""
        first = next((action for action in self._domain.actions.values()
                      if _normal(raw.action) in (action.name, *action.called)), None)
        if first is None:
            return {**_numbered(raw.positional, 1), **raw.named}
        written: Dict[str, Value] = {**dict(zip(first.parameters, raw.positional)), **raw.named}
        try:
            self._domain.ground(Step("", first.name, written), self._world)
        except DomainError:
            return written
        return {**written, **_numbered(raw.positional[len(first.parameters):], len(written) + 1)}

    def _by_name(self, action: Action, raw: RawStep) -> Dict[str, str]:
        parameters = list(action.parameters)
        unknown = [key for key in raw.named if key not in parameters]
        if unknown:
            raise DomainError(f"{action.name} has no parameter '{unknown[0]}'; it takes: {', '.join(parameters)}")
        named = dict(raw.named)
        open_ = [key for key in parameters if key not in named]
        for word in self._joined(raw.positional):
            while open_ and self._passed_over(action, action.parameters[open_[0]], word):
                open_.pop(0)
            if not open_:
                raise DomainError(f"{action.name} takes {', '.join(parameters)}; got "
                                  f"{', '.join(raw.positional)} ({word} is too much)")
            named[open_.pop(0)] = word
        return named

    def _passed_over(self, action: Action, parameter: Parameter, word: str) -> bool:
        """Whether a parameter that may be left out is not what a word is meant for: it is of another kind."""
        if parameter.name == action.robot_parameter:
            return self._own(word) not in self._world.robots  # The robot is often left out.
        if parameter.type == "number":
            return parameter.default is not None and not _QUANTITY.match(word)
        known = self._types.get(self._own(word))
        return (parameter.optional or parameter.any) and known is not None \
            and not self._domain.is_a(known, parameter.type)

    def _value(self, parameter: Parameter, written: str) -> Value:
        if parameter.type == "number":
            number = _QUANTITY.match(written)
            return number.group(1) if number else written
        return self.name(written)

    def _own(self, written: str) -> str:
        """The world's own spelling of a name, however it is capitalised and joined."""
        return written if written in self._types else self._spelled.get(_normal(written), _normal(written))

    def name(self, written: str) -> str:
        """The name in the world that is meant, or what was written when there is none."""
        name = self._own(written)
        if name in self._types or not name:
            if _PUNCTUATED.search(written):
                self.notes.append(f"'{written}' was read as '{name}'")
            return name
        found = self._named(name)
        unnumbered = _NUMBER_BEHIND.sub("", name)
        if not found and unnumbered in self._types and not any(
                _NUMBER_BEHIND.sub("", other) == unnumbered != other for other in self._types):
            found = (unnumbered,)
        found = found or self._named("_".join(respelled(name.split("_"), self._known)))
        close = likely(name, self._words) if not found else found[0]
        if len(found) > 1:
            raise DomainError(f"'{written}' may be any of: {', '.join(found)}; say which", found)
        if close and not self._names.exactly(name, found):
            self.notes.append(f"the name '{name}' was read as '{close}'")
        return close or name

    def _named(self, name: str) -> Tuple[str, ...]:
        found = self._names.fitting(name, observed=True)
        return self._names.exactly(name, found) or found

    def _joined(self, words: Sequence[str]) -> List[str]:
        """The words with those put together that are one name written with gaps, as ``lime slice``."""
        found: List[str] = []
        at = 0
        while at < len(words):
            sizes = range(min(_LONGEST_NAME, len(words) - at), 1, -1)
            parts = list(map(_normal, words[at:]))
            size = next((size for size in sizes if "_".join(parts[:size]) in self._spelled
                         and not all(part in self._spelled for part in parts[:size])), 1)
            found.append("_".join(words[at:at + size]))
            if size > 1:
                self.notes.append(f"'{' '.join(words[at:at + size])}' was read as '{_normal(found[-1])}'")
            at += size
        return found


def _numbered(words: Sequence[str], first: int) -> Dict[str, Value]:
    return {f"argument_{number}": word for number, word in enumerate(words, first)}


def _normal(name: str) -> str:
    """Lower case with underscores, without article, punctuation and quotes."""
    text = re.sub(r"[^\w\s-]", "", name).strip().lower()
    text = re.sub(r"^(?:the|a|an)\s+", "", text)
    return re.sub(r"[\s-]+", "_", text)
