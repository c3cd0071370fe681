"""Prompt files with ``$placeholders``; a wrong one is a configuration error, found when the files are read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path as FilePath
from string import Template
from typing import Dict, FrozenSet, Mapping, Union

from hicrisp_core.errors import ConfigError


@dataclass(frozen=True)
class Placeholders:
    """What a prompt may say and what it must say: without these a model cannot answer."""

    valid: FrozenSet[str]
    required: FrozenSet[str]


def _placeholders(required: str, optional: str = "") -> Placeholders:
    return Placeholders(frozenset(f"{required} {optional}".split()), frozenset(required.split()))


PLACEHOLDERS: Mapping[str, Placeholders] = {
    "system": _placeholders("actions", "description examples"),
    "plan": _placeholders("task objects", "facts"),
    "replan": _placeholders("task objects feedback", "facts done remaining"),
    "correct": _placeholders("objects stack", "task facts"),
    "body": _placeholders("step objects", "facts"),
}
"""Every prompt with its placeholders."""


class Prompts:
    """The prompts of one folder.

    Args:
        folder: holds a ``.txt`` file for each of :data:`PLACEHOLDERS`.

    Raises:
        ConfigError: for a missing file, or a placeholder that is unknown, malformed or missing, with the valid ones.
    """

    def __init__(self, folder: Union[str, FilePath]) -> None:
        self._texts: Dict[str, str] = {}
        for name, placeholders in PLACEHOLDERS.items():
            file = FilePath(folder) / f"{name}.txt"
            try:
                text = file.read_text(encoding="utf-8")
            except OSError as error:
                raise ConfigError(f"cannot read the prompt {file}: {error.strerror}") from error
            except UnicodeDecodeError as error:
                raise ConfigError(f"{file} is not UTF-8 text: {error}") from error
            _check(file, text, placeholders)
            self._texts[name] = text

    def render(self, name: str, **values: str) -> str:
        """A prompt with its placeholders filled in; the values are not read as templates again.

        Raises:
            ConfigError: for an unknown prompt or a value that was not given: the caller is wrong.
        """
        if name not in self._texts:
            raise ConfigError(f"there is no prompt '{name}'; there are: {', '.join(sorted(self._texts))}")
        try:
            return Template(self._texts[name]).substitute(values)
        except KeyError as error:
            raise ConfigError(f"the prompt '{name}' needs a value for ${error.args[0]}") from error


def _check(file: FilePath, text: str, placeholders: Placeholders) -> None:
    listed = ", ".join(sorted(f"${each}" for each in placeholders.valid))
    found = set()
    for match in Template.pattern.finditer(text):
        name = match.group("named") or match.group("braced")
        line = text.count("\n", 0, match.start()) + 1
        if match.group("invalid") is not None:
            raise ConfigError(f"{file}:{line}: a single '$' begins no placeholder; write '$$' for a dollar sign, "
                              f"or one of: {listed}")
        if name and name not in placeholders.valid:
            raise ConfigError(f"{file}:{line}: unknown placeholder '${name}'; valid are: {listed}")
        found.add(name)
    missing = sorted(placeholders.required - found)
    if missing:
        raise ConfigError(f"{file}: the placeholder '${missing[0]}' is missing; valid are: {listed}")
