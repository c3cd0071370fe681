"""Recipes, and how a tray is judged by one (CoPAL, section IV-A)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Dict, FrozenSet

from hicrisp_core.config.yaml_lines import check_keys, read_yaml, value_of
from hicrisp_core.model import WorldState

SUPERFLUOUS, MISSING = 0.2, 1.0
"""Weights of the distance d."""


@dataclass(frozen=True)
class Recipe:
    """What a glass must hold, and what it may hold besides."""

    name: str
    mandatory: FrozenSet[str]
    optional: FrozenSet[str]


@dataclass(frozen=True)
class Served:
    """What stands on the tray, against a recipe.

    Args:
        glasses: the number of glasses on the tray.
        missing: mandatory ingredients that the glass lacks; all, where not exactly one glass is there.
        superfluous: what the glass holds beyond mandatory and optional ones.
    """

    glasses: int
    missing: FrozenSet[str]
    superfluous: FrozenSet[str]

    @property
    def correct(self) -> bool:
        """Exactly one glass, nothing missing, nothing superfluous."""
        return self.glasses == 1 and not self.missing and not self.superfluous

    @property
    def distance(self) -> float:
        """The paper's d: 0.2 for each superfluous ingredient and 1.0 for each missing one."""
        return SUPERFLUOUS * len(self.superfluous) + MISSING * len(self.missing)


def load_recipes(file: Path) -> Dict[str, Recipe]:
    """Recipes by name.

    Raises:
        ConfigError: with file, line and key.
    """
    values, positions = read_yaml(file)
    recipes: Dict[str, Recipe] = {}
    for name, entry in values.items():
        check_keys(entry, ("mandatory", "optional"), ("mandatory",), positions, (name,))
        mandatory, optional = (frozenset(map(str, value_of(entry, key, list, positions, (name,), default=[])))
                               for key in ("mandatory", "optional"))
        recipes[name] = Recipe(name, mandatory, optional)
    return recipes


def judge(recipe: Recipe, world: WorldState) -> Served:
    """Look at the tray."""
    glasses = [name for name, thing in world.objects.items()
               if thing.type == "glass" and world.holds("at", name, "tray")]
    held = {fact.object for fact in world.relations if fact.predicate == "contains" and fact.subject in glasses}
    if len(glasses) != 1:
        return Served(len(glasses), recipe.mandatory, frozenset())
    return Served(1, recipe.mandatory - held, frozenset(held) - recipe.mandatory - recipe.optional)
