"""Reading a domain file: types, predicates and actions, with errors that name file, line and key."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

from hicrisp_core.config.extending import extended_files
from hicrisp_core.config.yaml_lines import Path, Positions, check_keys, read_yaml, value_of
from hicrisp_core.domain.condition_text import parse_atom, parse_condition
from hicrisp_core.domain.conditions import BUILT_IN, Atom, Condition
from hicrisp_core.domain.role_reading import check_item_role, read_roles
from hicrisp_core.domain.roles import ITEM, PARAMETER_ROLES, Roles
from hicrisp_core.domain.schema import (
    PRECONDITION_KINDS,
    ROBOT_TYPES,
    Action,
    Domain,
    Effect,
    Needless,
    Parameter,
    Precondition,
    Predicate,
    Saying,
)
from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import extensions
from hicrisp_core.model import FeedbackKind
from hicrisp_core.ports.kinds import Skill

_PLACE = re.compile(r"\{\w+\}")
_NUMBER = "number"
"""In place of a type: the argument is a quantity."""


def load_domain(file: Union[str, FilePath], chain: Tuple[FilePath, ...] = ()) -> Domain:
    """Read and check a domain file.

    Args:
        chain: the files that led to this one by extending each other.

    Raises:
        ConfigError: for an unknown key, type, predicate, parameter, role, skill, target rule or detector test, with
            the file, the line and the valid ones.
    """
    values, positions = read_yaml(file)
    check_keys(values, ("domain", "description", "extends", "types", "predicates", "roles", "actions", "examples",
                        "sayings"),
               ("domain", "types", "predicates", "actions"), positions)
    parents = [load_domain(each, (*chain, FilePath(file)))
               for each in extended_files(FilePath(file), values, positions, "domain", chain)]
    types = _types(value_of(values, "types", dict, positions), positions, parents)
    predicates = {name: predicate for parent in parents for name, predicate in parent.predicates.items()}
    predicates.update({
        name: _predicate(name, entry, types, positions)
        for name, entry in value_of(values, "predicates", dict, positions).items()})
    roles = read_roles(values, types, predicates, positions, [parent.roles for parent in parents])
    actions = {name: action for parent in parents for name, action in parent.actions.items()}
    actions.update({
        name: _ActionReader(name, types, predicates, roles, positions, actions.get(name)).read(entry)
        for name, entry in value_of(values, "actions", dict, positions).items()})
    check_item_role(values, roles, actions, positions)
    examples = value_of(values, "examples", list, positions, default=[])
    for index, example in enumerate(examples):
        check_keys(example, ("task", "state", "plan"), ("task", "plan"), positions, ("examples", index))
    return Domain(value_of(values, "domain", str, positions), types, predicates, actions,
                  value_of(values, "description", str, positions, default=""), tuple(examples),
                  tuple(_saying(entry, positions, ("sayings", index)) for index, entry in enumerate(
                      value_of(values, "sayings", list, positions, default=[]))), roles)


def _types(entries: Mapping[str, Any], positions: Positions, parents: Sequence[Domain]) -> Dict[str, str]:
    roots = ("object", "robot")
    types = {"object": "", "robot": "", **{type_: "robot" for type_ in ROBOT_TYPES},
             **{name: above for parent in parents for name, above in parent.types.items()}, **entries}
    for name, parent in entries.items():
        if parent not in types or parent == name:
            raise positions.error(("types", name), f"unknown parent type '{parent}'; valid are: "
                                                   f"{', '.join(sorted(set(types) - {name}))}")
        seen, current = {name}, parent
        while current not in roots:
            if current in seen:
                raise positions.error(("types", name), f"the type '{name}' is its own ancestor")
            seen.add(current)
            current = types[current]
    return types


def _predicate(name: str, entry: Any, types: Mapping[str, str], positions: Positions) -> Predicate:
    path: Path = ("predicates", name)
    check_keys(entry, ("args", "text", "not_text", "detect", "tolerance", "direction", "transient"),
               ("args", "text"), positions, path)
    arguments = tuple(value_of(entry, "args", list, positions, path))
    if not 1 <= len(arguments) <= 2:
        raise positions.error((*path, "args"), "a predicate has one or two arguments, as facts are triplets")
    for index, type_ in enumerate(arguments):
        if not (index and type_ == _NUMBER):
            _known_type(type_, types, positions, (*path, "args", index))
    text = value_of(entry, "text", str, positions, path)
    detect = value_of(entry, "detect", str, positions, path, default="")
    if detect and detect not in extensions().tests:
        raise positions.error((*path, "detect"), extensions().tests.unknown(detect))
    direction = value_of(entry, "direction", list, positions, path, default=[0.0, 0.0])
    if len(direction) != 2 or not all(isinstance(value, (int, float)) for value in direction):
        raise positions.error((*path, "direction"), f"two numbers were expected, got {direction!r}")
    return Predicate(name, arguments, text, value_of(entry, "not_text", str, positions, path, default=f"not: {text}"),
                     detect, value_of(entry, "tolerance", float, positions, path, default=0.0),
                     (float(direction[0]), float(direction[1])),
                     value_of(entry, "transient", bool, positions, path, default=False))


def _saying(entry: Any, positions: Positions, path: Path) -> Saying:
    check_keys(entry, ("say", "means"), ("say", "means"), positions, path)
    say, means = (value_of(entry, key, str, positions, path) for key in ("say", "means"))
    unknown = sorted(set(_PLACE.findall(means)) - set(_PLACE.findall(say)))
    if unknown:
        raise positions.error((*path, "means"), f"{unknown[0]} does not stand in '{say}'")
    return Saying(say, means)


def _known_type(type_: Any, types: Mapping[str, str], positions: Positions, path: Path) -> str:
    if type_ not in types:
        raise positions.error(path, f"unknown type '{type_}'; valid are: {', '.join(sorted(types))}")
    return str(type_)


class _ActionReader:
    """Reads one action; knows its parameters while it reads conditions and effects.

    Args:
        inherited: the action of that name in a domain that this one extends.
    """

    def __init__(
        self, name: str, types: Mapping[str, str], predicates: Mapping[str, Predicate], roles: Roles,
        positions: Positions, inherited: Optional[Action] = None,
    ) -> None:
        self._name = name
        self._roles = roles
        self._inherited = inherited
        self._types = types
        self._predicates = predicates
        self._positions = positions
        self._path: Path = ("actions", name)

    def read(self, entry: Any) -> Action:
        """The action of a YAML entry; one without parameters adds to the inherited one."""
        if self._inherited is not None and isinstance(entry, dict) and "parameters" not in entry:
            check_keys(entry, ("preconditions", "effects"), (), self._positions, self._path)
            return replace(self._inherited, preconditions=(*self._inherited.preconditions, *self._preconditions(entry)),
                           effects=(*self._inherited.effects, *self._effects(entry)))
        check_keys(entry, ("text", "parameters", "skill", "decode", "preconditions", "effects", "reversible",
                           "time_limit", "called", "needless"), ("text", "parameters"), self._positions, self._path)
        parameters = {
            name: self._parameter(name, value)
            for name, value in self._value(entry, "parameters", dict).items()}
        time_limit = self._value(entry, "time_limit", float, 30.0)
        if not time_limit > 0.0:
            raise self._positions.error((*self._path, "time_limit"), f"more than 0 seconds needed, got {time_limit:g}")
        return Action(
            self._name, self._value(entry, "text", str), parameters, self._preconditions(entry), self._effects(entry),
            self._skill(entry, parameters), self._target(entry),
            self._value(entry, "reversible", bool, True), time_limit,
            tuple(map(str, self._value(entry, "called", list, []))),
            tuple(self._needless(index, value) for index, value in enumerate(self._value(entry, "needless", list, []))))

    def _skill(self, entry: Mapping[str, Any], parameters: Mapping[str, Parameter]) -> str:
        """The name of the action's skill, when there is such a skill and the parameters are what it needs."""
        name, path = self._value(entry, "skill", str, ""), (*self._path, "skill")
        if not name:
            return ""
        known = extensions().skills
        if name not in known:
            raise self._positions.error(path, known.unknown(name))
        skill: Skill = known.get(name)
        kinds = [parameter.type for parameter in parameters.values() if parameter.type in ROBOT_TYPES]
        if kinds[:1] != [skill.robot]:
            raise self._positions.error(path, f"the skill '{name}' is one of a robot of the type {skill.robot}, and "
                                              f"{self._name} has no such parameter")
        if skill.item and not any(parameter.role == ITEM for parameter in parameters.values()):
            raise self._positions.error(path, f"the skill '{name}' handles a thing: name a parameter of {self._name} "
                                              f"'{self._roles.item}', or give one 'role: {ITEM}'")
        return name

    def _target(self, entry: Mapping[str, Any]) -> str:
        name = self._value(entry, "decode", str, "")
        if name and name not in extensions().targets:
            raise self._positions.error((*self._path, "decode"), extensions().targets.unknown(name))
        return name

    def _preconditions(self, entry: Mapping[str, Any]) -> Tuple[Precondition, ...]:
        return tuple(self._precondition(index, value)
                     for index, value in enumerate(self._value(entry, "preconditions", list, [])))

    def _effects(self, entry: Mapping[str, Any]) -> Tuple[Effect, ...]:
        return tuple(self._effect(index, value) for index, value in enumerate(self._value(entry, "effects", list, [])))

    def _value(self, entry: Mapping[str, Any], key: str, type_: Any, default: Optional[Any] = None) -> Any:
        return value_of(entry, key, type_, self._positions, self._path, default=default)

    def _parameter(self, name: str, value: Any) -> Parameter:
        path = (*self._path, "parameters", name)
        role = ITEM if name == self._roles.item else ""
        if isinstance(value, str):
            return Parameter(name, _known_type(value, self._types, self._positions, path), role=role)
        check_keys(value, ("type", "default", "min", "max", "any", "optional", "role"), ("type",), self._positions,
                   path)
        if value["type"] != _NUMBER:
            return Parameter(name, _known_type(value["type"], self._types, self._positions, (*path, "type")),
                             any=value_of(value, "any", bool, self._positions, path, default=False),
                             optional=value_of(value, "optional", bool, self._positions, path, default=False),
                             role=value_of(value, "role", str, self._positions, path, default=role,
                                           choices=PARAMETER_ROLES if "role" in value else ()))
        numbers = {key: value_of(value, key, float, self._positions, path) for key in ("default", "min", "max")}
        return Parameter(name, _NUMBER, numbers["default"],
                         -float("inf") if numbers["min"] is None else numbers["min"],
                         float("inf") if numbers["max"] is None else numbers["max"])

    def _precondition(self, index: int, value: Any) -> Precondition:
        path = (*self._path, "preconditions", index)
        if isinstance(value, str):
            return Precondition(self._condition(value, path))
        check_keys(value, ("holds", "reason", "suggestion", "kind", "label"), ("holds",), self._positions, path)
        reason, suggestion, label = (value_of(value, key, str, self._positions, path, default="")
                                     for key in ("reason", "suggestion", "label"))
        kind = value_of(value, "kind", str, self._positions, path, default=Precondition.kind.value,
                        choices=tuple(each.value for each in PRECONDITION_KINDS))
        return Precondition(self._condition(value_of(value, "holds", str, self._positions, path), path),
                            reason, suggestion, FeedbackKind(kind), label)

    def _needless(self, index: int, value: Any) -> Needless:
        path = (*self._path, "needless", index)
        check_keys(value, ("holds", "note"), ("holds", "note"), self._positions, path)
        return Needless(self._condition(value_of(value, "holds", str, self._positions, path), path),
                        value_of(value, "note", str, self._positions, path))

    def _effect(self, index: int, value: Any) -> Effect:
        path = (*self._path, "effects", index)
        when: Optional[Condition] = None
        if isinstance(value, dict):
            check_keys(value, ("when", "then"), ("when", "then"), self._positions, path)
            when = self._condition(value_of(value, "when", str, self._positions, path), path)
            value = value["then"]
        if not isinstance(value, str):
            raise self._positions.error(path, f"an effect such as 'not on(item, _)' was expected, got {value!r}")
        removes = value.strip().startswith("not ")
        try:
            atom = parse_atom(value.strip()[4:] if removes else value)
        except ConfigError as error:
            raise self._positions.error(path, str(error)) from error
        self._known(atom, path)
        if not removes and when is None and not atom.ground:
            raise self._positions.error(path, f"'{atom}' makes a fact, so it needs names, not _ or ?variables")
        return Effect(atom, removes, when)

    def _condition(self, text: str, path: Path) -> Condition:
        try:
            condition = parse_condition(text)
        except ConfigError as error:
            raise self._positions.error(path, str(error)) from error
        for clause in condition.clauses:
            for atom in clause.atoms:
                self._known(atom, path)
        return condition

    def _known(self, atom: Atom, path: Path) -> None:
        if atom.predicate not in ("*", *BUILT_IN, *self._predicates):
            raise self._positions.error(path, f"unknown predicate '{atom.predicate}'; valid are: "
                                              f"{', '.join((*sorted(self._predicates), *BUILT_IN))}")
        if atom.predicate in BUILT_IN and len(atom.arguments) != 2:
            raise self._positions.error(path, f"'{atom}' needs two arguments")
        if atom.predicate == "type":
            _known_type(atom.arguments[-1], self._types, self._positions, path)
        elif atom.predicate in self._predicates and \
                len(atom.arguments) != len(self._predicates[atom.predicate].arguments):
            raise self._positions.error(path, f"'{atom}' has {len(atom.arguments)} arguments; {atom.predicate} takes "
                                              f"{len(self._predicates[atom.predicate].arguments)}")
