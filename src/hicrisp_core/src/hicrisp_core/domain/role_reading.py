"""Reading the roles of a domain file: what it declares, what it inherits, and what its detector tests
imply.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any, Dict, List, Mapping, Sequence

from pydantic.dataclasses import dataclass

from hicrisp_core.config.settings import STRICT, read_settings
from hicrisp_core.config.yaml_lines import Positions
from hicrisp_core.domain.roles import ITEM, PREDICATE_ROLES, ROLE_NAMES, TYPE_ROLES, Roles
from hicrisp_core.domain.schema import Action, Predicate
from hicrisp_core.extensions import extensions

_ARGUMENTS = {"touched": 1, "near_miss": 1, "not_due": 1}
"""How many arguments a predicate has that plays a role; two where nothing else is said."""


@dataclass(frozen=True, config=STRICT)
class _RolesPart:
    """What a domain file says of its roles."""

    roles: Roles = field(default_factory=Roles)


def read_roles(
    values: Mapping[str, Any], types: Mapping[str, str], predicates: Mapping[str, Predicate],
    positions: Positions,
    parents: Sequence[Roles],
) -> Roles:
    """The roles of a domain.

    A role that neither the file nor a domain above gives away goes to the first predicate whose detector test
    has it: what is seen by the test ``holding`` is what is held. A role of types goes to the type of its own
    name.

    Raises:
        ConfigError: for an unknown role, or a word that the domain does not have, with the valid ones.
    """
    entries = read_settings(_RolesPart, values, positions, others=tuple(values)).roles
    found: Dict[str, str] = {}
    for parent in parents:
        found.update({name: getattr(parent, name) for name in ROLE_NAMES if getattr(parent, name)})
    for name in filter(values.get("roles", {}).__contains__, ROLE_NAMES):
        word = getattr(entries, name)
        if name in PREDICATE_ROLES:
            _check_predicate(name, word, predicates, positions)
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


def check_item_role(
    values: Mapping[str, Any], roles: Roles, actions: Mapping[str, Action], positions: Positions
) -> None:
    """Refuse a name for what actions handle that no action has as a parameter.

    Raises:
        ConfigError: with the parameters that there are.
    """
    if ITEM not in values.get("roles", {}):
        return
    names: List[str] = sorted({name for action in actions.values() for name in action.parameters})
    if roles.item not in names:
        raise positions.error(("roles", ITEM), f"no action has a parameter '{roles.item}'; there are: "
                                               f"{', '.join(names)}")


def _check_predicate(role: str, word: str, predicates: Mapping[str, Predicate], positions: Positions) -> None:
    if word not in predicates:
        raise positions.error(("roles", role), f"'{word}' is no predicate of this domain; there are: "
                                               f"{', '.join(sorted(predicates))}")
    wanted = _ARGUMENTS.get(role, 2)
    if len(predicates[word].arguments) != wanted:
        raise positions.error(("roles", role),
                              f"'{word}' has {len(predicates[word].arguments)} arguments; a predicate "
                                               f"in this role has {wanted}")
