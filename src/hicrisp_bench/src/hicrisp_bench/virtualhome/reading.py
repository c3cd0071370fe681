"""A recorded answer as steps, every line of it: actions that stand twice, missing and surplus objects included.

The models were asked for one JSON object with an action as each key. Read by the book, an action that stands
twice loses its first line. Here the lines are taken as they stand, in their order:

- an action for one object that lists several is a step for each of them;
- a missing object is the one that was spoken of last (``WALK sofa, SIT``);
- an object that no name fits stays as it was written: the domain refuses it with the valid ones.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Step
from hicrisp_core.parsing.json_text import mended
from hicrisp_core.parsing.plan_text import ParseFailure

from hicrisp_bench.virtualhome.facts import name_of, number_of

_START = re.compile(r"[{\[]")
_Line = Tuple[str, List[str]]


@dataclass(frozen=True)
class Reading:
    """The steps of an answer, and the numbers of the objects that they name."""

    steps: Tuple[Step, ...]
    named: Tuple[int, ...]


def read_lines(
    text: str, domain: Domain, names: Mapping[str, int], graph: Any, last_of_each: bool = False
) -> Union[Reading, ParseFailure]:
    """Read an answer line by line.

    Args:
        names: the objects that the model was told of: class to number.
        graph: the scene, for objects that it was not told of; of several of a class the first is meant.
        last_of_each: by the book: of an action that stands twice, the last line in the place of the first.
    """
    lines = _lines(text)
    lines = list(dict(lines).items()) if last_of_each else lines
    if not lines:
        return ParseFailure("no step was found in the answer", text.strip()[:160])
    reader = LineReader(domain, names, graph)
    for action, objects in lines:
        reader.line(action, objects)
    return Reading(tuple(reader.steps), tuple(sorted(reader.named)))


def _lines(text: str) -> List[_Line]:
    """The pairs of the first JSON object, or those of a list of objects, in their order."""
    start = _START.search(text)
    if start is None:
        return []
    whole = mended(text[start.start():].replace("\\_", "_"))
    if whole is None:
        return []
    try:
        found = json.loads(whole.text, object_pairs_hook=_Pairs)
    except ValueError:
        return []
    objects = [found] if isinstance(found, _Pairs) else [entry for entry in found if isinstance(entry, _Pairs)]
    return [(action, _objects(value)) for pairs in objects for action, value in pairs]


class _Pairs(List[Tuple[str, Any]]):
    """The pairs of a JSON object, with keys that stand twice."""


def _objects(value: Any) -> List[str]:
    listed = value if isinstance(value, list) and not isinstance(value, _Pairs) else [value]
    return [entry.strip() for entry in listed if isinstance(entry, str) and entry.strip()]


class LineReader:
    """Turns lines into steps, in the home's names.

    Args:
        names: class to number of the objects that are meant where there are several.
        graph: the scene, for all other classes.
    """

    def __init__(self, domain: Domain, names: Mapping[str, int], graph: Any) -> None:
        self._domain = domain
        self._names = {_normal(name): number for name, number in names.items()}
        self._graph = graph
        self._said: List[str] = []
        self.steps: List[Step] = []
        self.named: List[int] = []

    def line(self, written: str, objects: List[str]) -> None:
        """Add the steps of one line."""
        action = _normal(written).replace("_", "")
        items = [self._name(item) for item in objects]
        known = self._domain.actions.get(action)
        wanted = [name for name, parameter in known.parameters.items() if parameter.type != "base"] if known else []
        if known is None:
            self._add(action, {}, f"{written} {' '.join(objects)}")
        elif len(wanted) == 1:
            for item in items or self._last(1, []):
                self._add(action, {wanted[0]: item}, f"{written} {item}")
        else:
            items = items[:len(wanted)]
            items += self._last(len(wanted) - len(items), items)
            self._add(action, dict(zip(wanted, items)), " ".join([written, *items]))
        self._said.extend(items)

    def _add(self, action: str, arguments: Dict[str, Any], text: str) -> None:
        self.steps.append(Step(text.strip(), action, arguments))

    def _last(self, count: int, but: List[str]) -> List[str]:
        """The objects that were spoken of last, the latest first; an empty name where there are too few."""
        if count < 1:
            return []
        others = [item for item in dict.fromkeys(reversed(self._said)) if item not in but]
        return [*others, *[""] * count][:count]

    def _name(self, written: str) -> str:
        name = _normal(written)
        number = self._names.get(name)
        node = self._graph.get_node(number) if number is not None else self._of_class(name)
        if node is None or node.class_name == "character":
            return name
        self.named.append(number_of(name_of(node)))
        return name_of(node)

    def _of_class(self, name: str) -> Optional[Any]:
        return min(self._graph.get_nodes_by_attr("class_name", name), key=lambda node: node.id, default=None)


def _normal(name: str) -> str:
    return re.sub(r"[\s-]+", "_", name.strip().lower())
