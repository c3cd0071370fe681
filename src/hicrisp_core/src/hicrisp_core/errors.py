"""The root of every error that the core raises; each message says what is wrong and what would be right."""

from typing import Tuple


class HicrispError(Exception):
    """A programmer's or a configuration's mistake. Expected failures are values (Outcome, Verdict), not
    errors.
    """


class ConfigError(HicrispError):
    """A YAML file or a parameter is wrong; the message names the file, the line, the key and what is
    valid.
    """


class DomainError(HicrispError):
    """A command, a step or a name does not fit the domain or the world."""

    def __init__(self, message: str, alternatives: Tuple[str, ...] = (), parameter: str = "") -> None:
        super().__init__(message)
        self.alternatives = tuple(alternatives)
        self.parameter = parameter
