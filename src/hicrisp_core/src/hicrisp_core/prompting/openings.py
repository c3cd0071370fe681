"""How a conversation with a model opens: its rules, and examples as turns before the request or among the
rules.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterable, Mapping, Tuple

from hicrisp_core.model import WorldState
from hicrisp_core.prompting.asking import Turn
from hicrisp_core.prompting.templates import Prompts

Opening = Tuple[str, Tuple[Turn, ...]]
"""The rules and the turns."""


def _nothing() -> Mapping[str, str]:
    return {}


class Openings:
    """The openings of one prompt; the same for the same robots, so that servers keep what they read of it.

    Args:
        name: of the prompt with the rules.
        values: of its placeholders besides ``examples`` and ``turns``.
    """

    def __init__(self, prompts: Prompts, name: str, values: Mapping[str, str]) -> None:
        self._prompts = prompts
        self._name = name
        self._values = values
        self._made: Dict[Tuple[Tuple[str, str], ...], Opening] = {}

    def of(
        self, world: WorldState, turns: Callable[[WorldState], Iterable[Turn]],
        more: Callable[[], Mapping[str, str]] = _nothing,
    ) -> Opening:
        """The opening in a world.

        Args:
            turns: the examples, for the robots of a world.
            more: values that depend on the robots, too.
        """
        key = tuple(sorted((name, robot.kind) for name, robot in world.robots.items()))
        if key not in self._made:
            self._made[key] = self._open(tuple(turns(world)), more())
        return self._made[key]

    def _open(self, turns: Tuple[Turn, ...], more: Mapping[str, str]) -> Opening:
        examples = "\n\n".join(f"{request}\n{answer}" for request, answer in turns) or "(none)"
        system = self._prompts.render(self._name, **self._values, **more, examples=examples, turns="")
        return system.strip(), turns if self._prompts.says(self._name, "turns") else ()
