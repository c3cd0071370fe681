"""Prompt files with ``$placeholders``; a wrong one is a configuration error, found when the files are read."""

from __future__ import annotations

import re
from pathlib import Path as FilePath
from string import Template
from typing import Dict, FrozenSet, Mapping, Union

from hicrisp_core.errors import ConfigError

PLACEHOLDERS: Mapping[str, FrozenSet[str]] = {
    "system": frozenset({"description", "actions", "examples"}),
    "plan": frozenset({"task", "objects", "facts"}),
    "replan": frozenset({"task", "objects", "facts", "done", "remaining", "feedback"}),
    "correct": frozenset({"task", "objects", "facts", "stack"}),
}
"""Every prompt with the placeholders that it may use."""
_NAME = re.compile(r"\$\{?([A-Za-z_]\w*)")


class Prompts:
    """The prompts of one folder.

    Args:
        folder: holds ``system.txt``, ``plan.txt``, ``replan.txt`` and ``correct.txt``.

    Raises:
        ConfigError: for a missing file or an unknown placeholder, with the valid ones.
    """

    def __init__(self, folder: Union[str, FilePath]) -> None:
        self._texts: Dict[str, str] = {}
        for name, valid in PLACEHOLDERS.items():
            file = FilePath(folder) / f"{name}.txt"
            try:
                text = file.read_text(encoding="utf-8")
            except OSError as error:
                raise ConfigError(f"cannot read the prompt {file}: {error.strerror}") from error
            unknown = sorted(set(_NAME.findall(text)) - valid)
            if unknown:
                raise ConfigError(f"{file}: unknown placeholder '${unknown[0]}'; valid are: "
                                  f"{', '.join(sorted('$' + each for each in valid))}")
            self._texts[name] = text

    def render(self, name: str, **values: str) -> str:
        """A prompt with its placeholders filled in; the values are not read as templates again."""
        return Template(self._texts[name]).substitute(values)
