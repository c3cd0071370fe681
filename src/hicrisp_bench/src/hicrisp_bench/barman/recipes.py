"""Recipes, and how a tray is judged by one (CoPAL, section IV-A)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Dict, FrozenSet

from hicrisp_core.config.settings import STRICT, read_settings
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.model import WorldState
from pydantic.dataclasses import dataclass as settings_dataclass

SUPERFLUOUS, MISSING = 0.2, 1.0
"""Weights of the distance d."""


@settings_dataclass(frozen=True, config=STRICT)
class Recipe:
    """What a glass must hold, and what it may hold besides."""

    mandatory: FrozenSet[str]
    optional: FrozenSet[str] = frozenset()
    name: str = ""

    def met_by(self, ingredients: FrozenSet[str]) -> bool:
        """Whether nothing is missing among some ingredients and nothing is too much."""
        return self.mandatory <= ingredients <= self.mandatory | self.optional


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
    return {name: replace(read_settings(Recipe, entry, positions, (name,)), name=name)
            for name, entry in values.items()}


def judge(recipe: Recipe, world: WorldState) -> Served:
    """Look at the tray."""
    glasses = [name for name, thing in world.objects.items()
               if thing.type == "glass" and world.holds("at", name, "tray")]
    held = {fact.object for fact in world.relations if fact.predicate == "contains"
            and fact.subject in glasses}
    if len(glasses) != 1:
        return Served(len(glasses), recipe.mandatory, frozenset())
    return Served(1, recipe.mandatory - held, frozenset(held) - recipe.mandatory - recipe.optional)
