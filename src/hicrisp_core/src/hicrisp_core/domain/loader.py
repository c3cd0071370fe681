"""Reading a domain file: types, predicates and actions, with errors that name file, line and key."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

from hicrisp_core.config.files import extended_files
from hicrisp_core.config.settings import read_settings
from hicrisp_core.config.yaml_files import Path, Positions, read_yaml
from hicrisp_core.domain import entries
from hicrisp_core.domain.conditions import BUILT_IN, Atom, Condition, parse_atom, parse_condition
from hicrisp_core.domain.roles import (
    AMOUNT,
    ITEM,
    PARAMETER_ROLES,
    PREDICATE_ROLES,
    ROLE_NAMES,
    TARGET,
    TYPE_ROLES,
    Roles,
)
from hicrisp_core.domain.schema import (
    ANYTHING,
    PRECONDITION_KINDS,
    Action,
    Domain,
    Effect,
    Needless,
    Parameter,
    Precondition,
    Predicate,
)
from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import extensions
from hicrisp_core.model import FeedbackKind
from hicrisp_core.ports.kinds import ROBOT_TYPES, Skill

_REMOVED = {
    "sayings": "sentences that are read without a model stand in config/controlled_english.yaml",
    "goal_examples": "one prompt, config/prompts/goal, serves all domains",
}
_NUMBER = "number"
"""In place of a type: the argument is a quantity."""
_ARGUMENTS = {"touched": 1, "near_miss": 1, "not_due": 1}
"""How many arguments a predicate has that plays a role; two where nothing else is said."""


def load_domain(file: Union[str, FilePath], chain: Tuple[FilePath, ...] = ()) -> Domain:
    """Read and check a domain file.

    Args:
        file: path of the YAML file.
        chain: the files that led to this one through ``extends``, to detect cycles.

    Returns:
        The domain, with the content of the domains that it extends.

    Raises:
        ConfigError: for an unknown key, type, predicate, parameter, role, skill, target rule or detector test, with
            the file, the line and the valid ones.
    """
    values, positions = read_yaml(file)
    read = read_settings(entries.DomainFile, values, positions, others=("extends", "roles"), removed=_REMOVED)
    parents = [load_domain(each, (*chain, FilePath(file)))
               for each in extended_files(FilePath(file), values, positions, "domain", chain)]
    types = _types(read.types, positions, parents)
    predicates = {name: predicate for parent in parents for name, predicate in parent.predicates.items()}
    for name, entry in read.predicates.items():
        path: Path = ("predicates", name)
        for index, type_ in enumerate(entry.args):
            if not (index and type_ == _NUMBER):
                _known_type(type_, types, positions, (*path, "args", index))
        if entry.detect and entry.detect not in extensions().tests:
            raise positions.error((*path, "detect"), extensions().tests.unknown(entry.detect))
        words = {"not_text": entry.not_text or f"not: {entry.text}", "name": name}
        predicates[name] = Predicate(**{**vars(entry), **words})
    for name in read.predicates:
        inverse, others = predicates[name].inverse, ", ".join(sorted(set(predicates) - {name}))
        for key, other in (("inverse", inverse), *(("instead", each) for each in predicates[name].instead.values())):
            if other and (other not in predicates or other == name):
                raise positions.error(("predicates", name, key), f"'{other}' is no other predicate of this domain; "
                                                                 f"there are: {others}")
        if inverse and predicates[inverse].inverse != name:
            raise positions.error(("predicates", name, "inverse"), f"'{inverse}' must have the inverse '{name}'")
        for type_ in predicates[name].instead:
            _known_type(type_, types, positions, ("predicates", name, "instead"))
    roles = _roles(values, types, predicates, positions, [parent.roles for parent in parents])
    actions = {name: action for parent in parents for name, action in parent.actions.items()}
    actions.update({
        name: _ActionReader(name, types, predicates, roles, positions, actions.get(name)).read(entry)
        for name, entry in read.actions.items()})
    parameters = {name for action in actions.values() for name in action.parameters}
    if ITEM in values.get("roles", {}) and roles.item not in parameters:
        raise positions.error(("roles", ITEM), f"no action has a parameter '{roles.item}'; there are: "
                                               f"{', '.join(sorted(parameters))}")
    return Domain(read.domain, types, predicates, actions, read.description, read.examples, roles)


def _types(given: Mapping[str, Any], positions: Positions, parents: Sequence[Domain]) -> Dict[str, str]:
    roots = (ANYTHING, "robot")
    types = {ANYTHING: "", "robot": "", **{type_: "robot" for type_ in ROBOT_TYPES},
             **{name: above for parent in parents for name, above in parent.types.items()}, **given}
    for name, parent in given.items():
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
        """Read an action of a domain; an entry without parameters adds to the inherited action.

        Args:
            entry: the value of the action in the YAML file.

        Returns:
            The checked action.
        """
        entry = entries.spelled_out(entry)
        if self._inherited is not None and "parameters" not in entry:
            more = read_settings(entries.AdditionEntry, entry, self._positions, self._path)
            return replace(
                self._inherited, preconditions=(*self._inherited.preconditions, *self._preconditions(more)),
                effects=(*self._inherited.effects, *self._effects(more)),
                needless=(*self._inherited.needless, *self._needless(more)))
        told = read_settings(entries.ActionEntry, entry, self._positions, self._path)
        parameters = {name: self._parameter(name, value) for name, value in told.parameters.items()}
        if told.skill:
            path, known = (*self._path, "skill"), extensions().skills
            if told.skill not in known:
                raise self._positions.error(path, known.unknown(told.skill))
            skill: Skill = known.get(told.skill)
            kinds = [parameter.type for parameter in parameters.values() if parameter.type in ROBOT_TYPES]
            if kinds[:1] != [skill.robot]:
                raise self._positions.error(path, f"the skill '{told.skill}' is one of a robot of the type "
                                            f"{skill.robot}, and {self._name} has no such parameter")
            for role, needs in ((ITEM, skill.item), (TARGET, skill.target), (AMOUNT, skill.amount)):
                if needs and all(parameter.role != role for parameter in parameters.values()):
                    raise self._positions.error(path, f"the skill '{told.skill}' needs its {role}: name a parameter of "
                                                f"{self._name} '{self._usual(role)}', or give one 'role: {role}'")
        if told.decode and told.decode not in extensions().targets:
            raise self._positions.error((*self._path, "decode"), extensions().targets.unknown(told.decode))
        return Action(
            self._name, told.text, parameters, self._preconditions(told), self._effects(told), told.skill, told.decode,
            told.reversible, told.time_limit, told.called, self._needless(told))

    def _needless(self, entry: Union[entries.ActionEntry, entries.AdditionEntry]) -> Tuple[Needless, ...]:
        return tuple(Needless(self._condition(each.holds, (*self._path, "needless", index)), each.note)
                     for index, each in enumerate(entry.needless))

    def _parameter(self, name: str, entry: entries.ParameterEntry) -> Parameter:
        path = (*self._path, "parameters", name)
        usual = next((role for role in PARAMETER_ROLES if name == self._usual(role)), "")
        role = usual if entry.role is None else entry.role
        if entry.role is not None and role not in PARAMETER_ROLES:
            raise self._positions.error((*path, "role"), f"'{role}' is not one of: {', '.join(PARAMETER_ROLES)}")
        if entry.type == _NUMBER:
            return Parameter(name, _NUMBER, entry.default, -math.inf if entry.min is None else entry.min,
                             math.inf if entry.max is None else entry.max, role=role)
        return Parameter(name, _known_type(entry.type, self._types, self._positions, (*path, "type")), any=entry.any,
                         optional=entry.optional, role=role)

    def _usual(self, role: str) -> str:
        """Return the name by which a parameter plays a role without being told."""
        return self._roles.item if role == ITEM else role

    def _preconditions(self, entry: Union[entries.ActionEntry, entries.AdditionEntry]) -> Tuple[Precondition, ...]:
        found, valid = [], [kind.value for kind in PRECONDITION_KINDS]
        for index, told in enumerate(entry.preconditions):
            path = (*self._path, "preconditions", index)
            if told.kind not in valid:
                raise self._positions.error((*path, "kind"), f"'{told.kind}' is not one of: {', '.join(valid)}; "
                                            "a word of your own is a 'label'")
            found.append(Precondition(self._condition(told.holds, path), told.reason, told.suggestion,
                                      FeedbackKind(told.kind), told.label))
        return tuple(found)

    def _effects(self, entry: Union[entries.ActionEntry, entries.AdditionEntry]) -> Tuple[Effect, ...]:
        found = []
        for index, told in enumerate(entry.effects):
            path = (*self._path, "effects", index)
            when = self._condition(told.when, path) if told.when is not None else None
            text = told.then.strip()
            removes = text.startswith("not ")
            try:
                atom = parse_atom(text[4:] if removes else text)
            except ConfigError as error:
                raise self._positions.error(path, str(error)) from error
            self._known(atom, path)
            if not removes and when is None and not atom.ground:
                raise self._positions.error(path, f"'{atom}' makes a fact, so it needs names, not _ or ?variables")
            found.append(Effect(atom, removes, when))
        return tuple(found)

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
            raise self._positions.error(path, f"'{atom}' has {len(atom.arguments)} arguments; {atom.predicate} "
                                        f"takes {len(self._predicates[atom.predicate].arguments)}")


def _roles(
    values: Mapping[str, Any], types: Mapping[str, str], predicates: Mapping[str, Predicate], positions: Positions,
    parents: Sequence[Roles],
) -> Roles:
    """The roles of a domain.

    A role that neither the file nor a domain above gives away goes to the first predicate whose detector test
    has it: what is seen by the test ``holding`` is what is held. A role of types goes to the type of its own
    name.

    Raises:
        ConfigError: for an unknown role, or a word that the domain does not have, with the valid ones.
    """
    given = values.get("roles", {})
    roles = read_settings(Roles, given, positions, ("roles",))
    found = {name: getattr(parent, name) for parent in parents for name in ROLE_NAMES if getattr(parent, name)}
    for name in filter(given.__contains__, ROLE_NAMES):
        word = getattr(roles, name)
        if name in PREDICATE_ROLES:
            if word not in predicates:
                raise positions.error(("roles", name), f"'{word}' is no predicate of this domain; there are: "
                                                       f"{', '.join(sorted(predicates))}")
            has, wanted = len(predicates[word].arguments), _ARGUMENTS.get(name, 2)
            if has != wanted:
                raise positions.error(("roles", name), f"'{word}' has {has} arguments; a predicate in this role has "
                                                       f"{wanted}")
        elif name in TYPE_ROLES and word not in types:
            raise positions.error(("roles", name), f"'{word}' is no type of this domain; there are: "
                                                   f"{', '.join(sorted(types))}")
        found[name] = word
    tests = extensions().tests
    for predicate in predicates.values():
        role = tests.get(predicate.detect).role if predicate.detect else ""
        if role and not found.get(role):
            found[role] = predicate.name
    found.update({role: role for role in TYPE_ROLES if role in types and not found.get(role)})
    return replace(Roles(), **found)
