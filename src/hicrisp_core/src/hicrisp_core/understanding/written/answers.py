"""Answers to questions about the world and the robots, with the facts that they rest on."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Callable, Dict, Iterable, List, Mapping, Sequence, Tuple

from hicrisp_core.domain import ANYTHING, Action, GoalWords, joined, named, sentence, spoken
from hicrisp_core.goals.truth import missing, ways_to_say
from hicrisp_core.model import Answer, Relation
from hicrisp_core.model.goal import Statement, facts_in
from hicrisp_core.understanding.written.context import Unlinked, called, listed
from hicrisp_core.understanding.written.objects import GIVEN, Objects
from hicrisp_core.understanding.written.predicates import CONTAINS
from hicrisp_core.understanding.written.sayings import Amount, Phrase, Queried, each_in

_MOST_FACTS = 12
"""Facts that are told of one object."""
_MOST_OBJECTS = 40
"""Objects of a scene that are told."""
_LONGEST = 1200
"""Characters of an answer."""
_CENTIMETRES = 100.0
Facts = Tuple[Relation, ...]


class Answers:
    """Answers queries from the observed world; what is not seen is not told as if it were."""

    def __init__(self, objects: Objects) -> None:
        self._domain = objects.domain
        self._world = objects.world
        self._objects = objects
        self._relations = sorted(self._world.relations)
        self._words = GoalWords(self._domain)

    def of(self, line: Queried, conditions: Sequence[Statement]) -> Answer:
        """Return the answer to a query, cut off where nobody would read on.

        Args:
            conditions: what the query asks about, linked.

        Raises:
            Unlinked: if it names an object that is not there.
        """
        answer = self._of(line, conditions)
        text = answer.text if len(answer.text) <= _LONGEST else f"{answer.text[:_LONGEST - 4]} ..."
        return replace(answer, text=text)

    def _of(self, line: Queried, conditions: Sequence[Statement]) -> Answer:
        if line.query == "is":
            return self._whether(conditions)
        if line.query in ("where", "state"):
            names: List[str] = []
            for each in line.phrase:  # One object is the one of just that name, or all of the kind.
                found = self._objects.all(_of_all(each))
                alone = self._objects.names.exactly(each.words, found) if each.amount is Amount.ONE else ()
                names += alone or found
            return self._where(names) if line.query == "where" else self._state(names)
        if line.query in ("which", "count"):
            return self._found(line.query, line.phrase)
        others: Mapping[str, Callable[[], Answer]] = {
            "scene": self._scene, "holding": self._holding, "abilities": self._abilities}
        return others[line.query]() if line.query in others else Answer("Nothing is being done now.")

    def _whether(self, conditions: Sequence[Statement]) -> Answer:
        unseen = sorted({name for each in conditions for fact in facts_in(each)
                         for name in (fact.subject, fact.object)
                         if name in self._world.objects and self._world.objects[name].unseen})
        if unseen:
            return Answer(sentence(f"that is not known now: {self._sight(unseen[0])}"))
        lacking = missing(conditions, self._world.relations, self._domain)
        if not lacking:
            return Answer(sentence(f"yes, {self._words.state(conditions)}"), self._observed(conditions))
        said = joined([self._words.now(each, denied=True) for each in lacking], "and")
        concerned = {self._objects.predicates.placed(fact) for each in lacking for fact in facts_in(each)}
        facts = [fact for name in sorted(concerned - {""}) for fact in self._places(name)]
        now = f": {self._told(facts[:_MOST_FACTS])}" if facts else ""
        return Answer(sentence(f"no, {said}{now}"), (*self._observed(lacking), *facts[:_MOST_FACTS]))

    def _where(self, names: Sequence[str]) -> Answer:
        texts, facts = [], []
        for name in names:
            item = self._world.objects.get(name)
            places = list(self._places(name))
            if item is None:  # What is only in a vessel is where that is.
                places += [fact for each in places for fact in self._places(each.subject)]
            if item is not None and item.unseen:
                texts.append(self._sight(name))
            elif places:
                near = [] if len(names) > 1 else [fact for fact in self._relations if fact.subject == name
                                                  and self._objects.places.direction(fact.predicate) != (0.0, 0.0)][:2]
                texts.append(self._told([*places, *near]))
                facts += [*places, *near]
            else:
                at = self._objects.places.position(name)
                texts.append(f"{named(name)} is at ({at[0]:.2f}, {at[1]:.2f}) m" if at is not None
                             else f"it is not known where {named(name)} is")
        return Answer(" ".join(map(sentence, texts)), tuple(dict.fromkeys(facts)))

    def _found(self, query: str, phrases: Sequence[Phrase]) -> Answer:
        found: List[str] = []
        for phrase in phrases:
            try:
                found += [name for name in self._objects.all(_of_all(phrase)) if name not in found]
            except Unlinked:
                if not all(each.words in GIVEN or self._objects.names.fitting(each.words)
                           for each in each_in(Phrase, phrase)):
                    raise
        predicates = {where.predicate for each in phrases for where in each.where}
        facts = tuple(fact for fact in self._relations
                      if predicates and {fact.subject, fact.object} & set(found)
                      and (fact.predicate in predicates or self._objects.predicates.placed(fact) in found))
        if not found:
            none = "None" if query == "count" else "Nothing"
            return Answer(f"{none}: there is no {joined([called(each) for each in phrases], 'and')} now.")
        names = listed(found[:_MOST_OBJECTS], "and")
        return Answer(sentence(f"{len(found)}: {names}" if query == "count" else names), facts)

    def _state(self, names: Sequence[str]) -> Answer:
        texts: List[str] = []
        facts: List[Relation] = []
        for name in names:
            item = self._world.objects.get(name)
            if item is None:
                texts.append(f"{named(name)} is of the kind '{self._world.types().get(name, ANYTHING)}'")
            else:
                words = [*(str(value) for _, value in sorted(item.attributes.items())), spoken(item.type)]
                size = " x ".join(f"{_CENTIMETRES * extent:.0f}" for extent in item.size)
                texts.append(f"{named(name)} is a {' '.join(dict.fromkeys(words))}"
                             + (f" of {size} cm" if item.pose is not None else ""))
                texts += [self._sight(name)] if item.unseen else []
            about = [fact for fact in self._relations if name in (fact.subject, fact.object)][:_MOST_FACTS]
            texts += [self._told(about)] if about else []
            facts += about
        return Answer(" ".join(map(sentence, texts)), tuple(dict.fromkeys(facts)))

    def _scene(self) -> Answer:
        seen = [name for name, item in sorted(self._world.objects.items()) if not item.unseen]
        shown = seen[:_MOST_OBJECTS]
        facts = [fact for fact in self._relations
                 if self._objects.predicates.placed(fact) in (*shown, *self._world.robots)]
        groups: Dict[Tuple[str, str], List[str]] = {}
        for fact in facts:
            name = self._objects.predicates.placed(fact)
            place = fact.subject if name == fact.object else fact.object
            groups.setdefault((fact.predicate, place), []).append(name)
        texts = [self._grouped(predicate, place, names) for (predicate, place), names in groups.items()]
        placed = {name for names in groups.values() for name in names} | {place for _, place in groups}
        besides = [name for name in shown if name not in placed]
        if besides:
            also = f"{'is' if len(besides) == 1 else 'are'}{' also' if texts else ''}"
            texts.append(f"there {also} {listed(besides, 'and')}")
        if len(seen) > len(shown):
            texts.append(f"{len(seen) - len(shown)} more are in view")
        return Answer(" ".join(map(sentence, texts)) or "There is nothing in view.", tuple(facts))

    def _grouped(self, predicate: str, place: str, names: Sequence[str]) -> str:
        said, known = listed(names, "and"), self._domain.predicates.get(predicate)
        text = known.text if known is not None else f"{{0}} {spoken(predicate)} {{1}}"
        if predicate in (CONTAINS, self._domain.roles.held):
            return text.format(named(place), said)
        return (text.replace(" is ", " are ", 1) if len(names) > 1 else text).format(said, named(place))

    def _holding(self) -> Answer:
        held = self._domain.roles.held
        facts = tuple(fact for fact in self._relations if held and fact.predicate == held)
        return Answer(sentence(self._told(facts) if facts else "nothing is in any hand"), facts)

    def _abilities(self) -> Answer:
        texts = []
        for name, robot in sorted(self._world.robots.items()):
            can = dict.fromkeys(_ability(each, name) for each in self._domain.actions_of(robot.kind))
            texts.append(f"{named(name)} can {joined(list(can), 'and') or 'do nothing'}")
        return Answer(" ".join(map(sentence, texts)) or "There is no robot here.")

    def _places(self, name: str) -> Facts:
        return self._objects.predicates.places(name, self._relations)

    def _observed(self, conditions: Iterable[Statement]) -> Facts:
        """Return the facts that conditions speak of, as they hold in the world."""
        facts = (fact for each in conditions for fact in facts_in(each))
        ways = (way for fact in facts for way in ways_to_say(fact, self._domain))
        return tuple(dict.fromkeys(way for way in ways if way in self._world.relations))

    def _sight(self, name: str) -> str:
        return f"{named(name)} {self._world.objects[name].sight}"

    def _told(self, facts: Iterable[Relation]) -> str:
        said = (Relation(named(fact.subject), fact.predicate, named(fact.object)) for fact in facts)
        return joined(list(map(self._domain.fact_text, said)), "and")


def _of_all(phrase: Phrase) -> Phrase:
    """Return a phrase for all that fit, as a query means them."""
    return phrase if phrase.rank else replace(phrase, amount=Amount.ALL, least=0, most=None)


def _ability(action: Action, robot: str) -> str:
    """Return what an action does to whatever it is given: ``pick up an item``."""
    given = {name: "some" if each.type == "number" else f"{'an' if name[0] in 'aeiou' else 'a'} {spoken(name)}"
             for name, each in action.parameters.items() if name != action.robot_parameter}
    return action.text.format_map(defaultdict(lambda: spoken(robot), given))
