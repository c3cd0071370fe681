"""Substitution arguments of launch files where some values are not known before the start."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Tuple

from roslaunch.substitution_args import ArgException, SubstitutionException, resolve_args

from .packages import Package

UNKNOWN = "*"
"""Stands for what only the start knows; a file name with it means every file that fits."""
_WORDS = re.compile(r"\$\(([^()]*)\)")
_ARGUMENT = re.compile(r"arg\(\s*['\"]([^'\"]+)['\"]\s*\)")
_FORMS = "arg, find, env, optenv, dirname, anon, eval"


@dataclass
class Scope:
    """What a place in a launch file knows: the packages, its file, the arguments declared above it."""

    packages: Dict[str, Package]
    file: Path
    arguments: Dict[str, str] = field(default_factory=dict)

    def resolve(self, text: str) -> Tuple[str, List[str]]:
        """The text with everything substituted that is known, and what is wrong with it."""
        problems: List[str] = []
        if text.startswith("$(eval ") and text.endswith(")"):
            return self._evaluate(text, problems), problems

        if "$(eval " in text:
            problems.append(f"{text}: roslaunch evaluates an expression only where it is the whole value; "
                            "put it into an <arg>")
            return UNKNOWN, problems

        def replaced(match: "re.Match[str]") -> str:
            return self._word(match.group(1).split(), problems)

        return _WORDS.sub(replaced, text), problems

    def _word(self, words: List[str], problems: List[str]) -> str:
        form, rest = (words[0], words[1:]) if words else ("", [])
        if form == "arg" and len(rest) == 1:
            return self._argument(rest[0], problems)
        if form == "find" and len(rest) == 1:
            if rest[0] in self.packages:
                return self.packages[rest[0]].root
            problems.append(f"no package '{rest[0]}' here nor in noetic_packages.yaml; "
                            f"{_known(self.packages)}")
            return UNKNOWN
        if form == "dirname":
            return str(self.file.parent)
        if form == "optenv" and rest:
            return os.environ.get(rest[0], " ".join(rest[1:]))
        if form in ("env", "anon") and len(rest) == 1:
            return UNKNOWN
        problems.append(f"$({' '.join(words)}) is not understood; there are: {_FORMS}")
        return UNKNOWN

    def _argument(self, name: str, problems: List[str]) -> str:
        if name not in self.arguments:
            problems.append(f"$(arg {name}): no such <arg> above; {_known(self.arguments)}")
        return self.arguments.get(name, UNKNOWN)

    def _evaluate(self, text: str, problems: List[str]) -> str:
        used = _ARGUMENT.findall(text)
        values = [self._argument(name, problems) for name in used]
        if problems or any(UNKNOWN in value for value in values):
            return UNKNOWN
        try:
            return str(resolve_args(text, context={"arg": dict(self.arguments)}))
        except (ArgException, SubstitutionException, ArithmeticError, LookupError, NameError, SyntaxError,
                TypeError,
                ValueError) as error:
            problems.append(f"{text} cannot be evaluated: {error}")
            return UNKNOWN


def _known(names: Dict[str, object]) -> str:
    return f"there are: {', '.join(sorted(names))}" if names else "there are none"
