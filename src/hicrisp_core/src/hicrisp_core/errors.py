"""The root of every error that the core raises; each message says what is wrong and what would be right."""

import sys
from difflib import get_close_matches
from functools import wraps
from typing import Any, Callable, Iterable, Tuple


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


def command_line(main: Callable[..., int]) -> Callable[..., int]:
    """Let a command line report an error in one line, in place of a trace.

    Args:
        main: returns the exit status.

    Returns:
        The same, with the exit status 2 after an error.
    """
    @wraps(main)
    def run(*arguments: Any) -> int:
        try:
            return main(*arguments)
        except HicrispError as error:
            sys.stderr.write(f"{error}\n")
            return 2

    return run


def did_you_mean(name: object, valid: Iterable[str]) -> str:
    """Ask for the closest valid name.

    Args:
        name: an unknown name.
        valid: the names that exist.

    Returns:
        For example `` (did you mean 'push'?)``; empty if none is close.
    """
    close = get_close_matches(str(name), list(valid), n=1)
    return f" (did you mean '{close[0]}'?)" if close else ""
