"""Prompt files with ``$placeholders``, and how a conversation with a model opens."""

from __future__ import annotations

from pathlib import Path as FilePath
from string import Template
from typing import Dict, Iterable, Mapping, Tuple, Union

from hicrisp_core.config.files import config_folders
from hicrisp_core.errors import ConfigError
from hicrisp_core.prompting.asking import Turn

SHARED = "default"
"""The folder whose prompts stand in for those that the folder beside it does not have."""
Opening = Tuple[str, Tuple[Turn, ...]]
"""The rules and the turns."""


Placeholders = Tuple[str, str]
"""What a prompt must say, for a model cannot answer without it; and what it may say besides."""
PLACEHOLDERS: Mapping[str, Placeholders] = {
    "system": ("actions", "description examples turns"),
    "plan": ("task objects", "facts triplets available goal"),
    "replan": ("task objects feedback", "facts triplets available goal done remaining examples"),
    "correct": ("objects stack", "task facts triplets available goal done remaining tried"),
    "body": ("step objects", "facts triplets"),
    "system_body": ("actions", "description pairs"),
}
"""The prompts of one model that plans and of the body, with their placeholders. The domain's
examples stand where ``system`` says ``$examples``; where it says ``$turns``, they go before each request as
turns of the conversation."""
AGENT_PLACEHOLDERS: Mapping[str, Placeholders] = {
    "alex": ("abilities", "description"),
    "alex_request": ("task history objects", "facts"),
    "alex_report": ("task outcome message", "history done failures"),
    "travi": ("abilities", "description examples turns"),
    "travi_request": ("task objects facts", "goal"),
    "travi_replan": ("task objects facts done remaining feedback", "goal"),
    "ropa": ("actions", "description examples turns"),
    "ropa_request": ("goal steps things", "objects state facts"),
}
"""The prompts of CoPAL's agents: each agent's own, and what it is asked."""
GOAL_PLACEHOLDERS: Mapping[str, Placeholders] = {
    "system": ("form predicates", "description seat"),
    "request": ("scene conversation", "context"),
}
"""The prompts of the interpreter: the rules, and what is asked."""


class Prompts:
    """The prompts of one folder.

    Args:
        folder: holds a ``.txt`` file for each prompt; what it lacks is taken from ``shared``.
        placeholders: the prompts with what they may and must say.
        shared: the folder that has what it lacks, beside it or in the workspace.

    Raises:
        ConfigError: for a missing folder or file, or a placeholder that is unknown, malformed or missing,
            with the valid ones.
    """

    def __init__(
        self, folder: Union[str, FilePath], placeholders: Mapping[str, Placeholders] = PLACEHOLDERS,
        shared: str = SHARED,
    ) -> None:
        self._texts: Dict[str, str] = {}
        if not FilePath(folder).is_dir():
            there = sorted({each.name for place in config_folders("prompts") if place.is_dir()
                            for each in place.iterdir() if each.is_dir()})
            raise ConfigError(f"there is no folder of prompts {folder}; there are: {', '.join(there) or 'none'}")
        for name, expected in placeholders.items():
            file = FilePath(folder) / f"{name}.txt"
            usual = [place / shared / file.name for place in (FilePath(folder).parent, *config_folders("prompts"))]
            file = next((each for each in (file, *usual) if each.is_file()), file)
            try:
                text = file.read_text(encoding="utf-8")
            except OSError as error:
                raise ConfigError(f"cannot read the prompt {file}: {error.strerror}") from error
            except UnicodeDecodeError as error:
                raise ConfigError(f"{file} is not UTF-8 text: {error}") from error
            _check(file, text, expected)
            self._texts[name] = text

    def opening(self, name: str, turns: Iterable[Turn], **values: str) -> Opening:
        """Return the rules of a conversation with its examples, as turns where the prompt says ``$turns``, or among the
        rules.
        """
        told = tuple(turns)
        examples = "\n\n".join(f"{request}\n{answer}" for request, answer in told) or "(none)"
        system = self.render(name, **values, examples=examples, turns="").strip()
        as_turns = any("turns" in (match.group("named"), match.group("braced"))
                       for match in Template.pattern.finditer(self._texts[name]))
        return system, told if as_turns else ()

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
    required, valid = placeholders[0].split(), " ".join(placeholders).split()
    listed = ", ".join(sorted(f"${each}" for each in valid))
    found = set()
    for match in Template.pattern.finditer(text):
        name = match.group("named") or match.group("braced")
        line = text.count("\n", 0, match.start()) + 1
        if match.group("invalid") is not None:
            raise ConfigError(f"{file}:{line}: a single '$' begins no placeholder; write '$$' for a dollar "
                              f"sign, or one of: {listed}")
        if name and name not in valid:
            raise ConfigError(f"{file}:{line}: unknown placeholder '${name}'; valid are: {listed}")
        found.add(name)
    missing = sorted(set(required) - found)
    if missing:
        raise ConfigError(f"{file}: the placeholder '${missing[0]}' is missing; valid are: {listed}")
