"""Named recipes: what a dish or drink is made of, as data that interpreters make goals from."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Dict, FrozenSet, Mapping, Tuple

from pydantic.dataclasses import dataclass

from hicrisp_core.config.files import config_folders
from hicrisp_core.config.settings import STRICT, read_settings
from hicrisp_core.config.yaml_files import read_yaml


@dataclass(frozen=True, config=STRICT)
class Recipe:
    """What a vessel must hold, and what it may hold besides.

    Args:
        mandatory: names of ingredients, in the order in which they are told.
        optional: names of further ones.
        vessel: the kind of object that it is made in, if the user names none.
        served: where it is brought then, if there is such an object; empty: it stays where it is made.
    """

    mandatory: Tuple[str, ...]
    optional: Tuple[str, ...] = ()
    vessel: str = "glass"
    served: str = "tray"

    @property
    def allowed(self) -> FrozenSet[str]:
        """All names that may be in the vessel."""
        return frozenset((*self.mandatory, *self.optional))

    def met_by(self, ingredients: FrozenSet[str]) -> bool:
        """Whether nothing is missing among some ingredients and nothing is too much."""
        return self.allowed >= ingredients >= frozenset(self.mandatory)


def load_recipes(file: Path) -> Dict[str, Recipe]:
    """Read the recipes of a file, by name.

    Raises:
        ConfigError: with file, line and key.
    """
    values, positions = read_yaml(file)
    return {name: read_settings(Recipe, entry, positions, (name,)) for name, entry in values.items()}


@lru_cache(maxsize=1)
def recipes() -> Mapping[str, Recipe]:
    """Return the recipes of the workspace, by their names in words."""
    files = [file for folder in config_folders("recipes") for file in sorted(folder.glob("*.yaml"))]
    return {name.replace("_", " ").lower(): recipe for file in files for name, recipe in load_recipes(file).items()}
