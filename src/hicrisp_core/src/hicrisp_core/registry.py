"""A registry: the kinds of one sort by the names that configuration files call them by."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, Generic, Iterator, Mapping, Tuple, TypeVar, Union

from hicrisp_core.errors import ConfigError

Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Lazy:
    """A value that is imported when it is first asked for: ``module:attribute``."""

    place: str

    def load(self) -> Any:
        """Import and return the value.

        Raises:
            ConfigError: if the module or the attribute does not exist.
        """
        return _load(self.place)


@dataclass(frozen=True)
class Registry(Generic[Kind]):
    """Names and what they stand for; never changed, only copied with more in it.

    Args:
        sort: what its entries are, in one or two words, for messages: ``skill``.
        of: the class of its entries, ``module:Class``.
        entries: the entries by name; those of the workspace itself are imported when they are asked for.
    """

    sort: str
    of: str
    entries: Mapping[str, Union[Kind, Lazy]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "entries", MappingProxyType(dict(self.entries)))

    @property
    def names(self) -> Tuple[str, ...]:
        """Return the names in the order of registration."""
        return tuple(self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def get(self, name: str) -> Kind:
        """Return the entry of a name, importing it if needed.

        Args:
            name: the name that a configuration file uses.

        Returns:
            The entry, an instance of the registry's class.

        Raises:
            ConfigError: if the name is unknown (the message lists the valid ones) or the entry has the wrong class.
        """
        if name not in self.entries:
            raise ConfigError(self.unknown(name))
        entry = self.entries[name]
        value = entry.load() if isinstance(entry, Lazy) else entry
        wanted = _load(self.of)
        if not isinstance(value, wanted):
            raise ConfigError(f"the {self.sort} '{name}' must be a {wanted.__name__}, not " f"{type(value).__name__}")
        return value

    def unknown(self, name: str) -> str:
        """Word the error for an unknown name.

        Args:
            name: the name that was not found.

        Returns:
            A message with the closest valid name and the list of all.
        """
        close = get_close_matches(str(name), list(self.entries), n=1)
        hint = f" (did you mean '{close[0]}'?)" if close else ""
        return f"unknown {self.sort} '{name}'{hint}; valid are: {', '.join(self.entries) or 'none'}"

    def adding(self, entries: Mapping[str, Kind]) -> "Registry[Kind]":
        """Return a copy with further entries; the registry itself does not change.

        Args:
            entries: the new entries by name.

        Returns:
            The extended registry.

        Raises:
            ConfigError: if a name is taken or an entry has the wrong class.
        """
        taken = sorted(set(entries) & set(self.entries))
        if taken:
            raise ConfigError(f"there is a {self.sort} '{taken[0]}' already; choose another name")
        more: Registry[Kind] = Registry(self.sort, self.of, {**self.entries, **entries})
        for name in entries:
            more.get(name)
        return more


@lru_cache(maxsize=None)
def _load(place: str) -> Any:
    module, _, attribute = place.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"cannot load {place}: {error}") from error
