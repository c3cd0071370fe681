"""BrainBody-LLM's baseline for the body: the nearest sentence embedding instead of a model (section 4.6,
Table 3).

As in the paper, actions and objects are matched to the step's words separately: the action whose sentence is
nearest, then for its parameters, in their order, the nearest objects that fit. What the order of the words
says is lost.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any, Dict, List, Mapping, Protocol, Sequence, Tuple

from hicrisp_core.body.decoder import ActionDecoder, Aiming, translated
from hicrisp_core.domain.checker import malformed
from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import ConfigError, DomainError
from hicrisp_core.model import Step, Value, WorldState
from hicrisp_core.ports.body import Translation
from hicrisp_core.time.deadline import Deadline

Vector = Sequence[float]


class Embedder(Protocol):
    """Turns sentences into vectors whose direction is their meaning."""

    def __call__(self, texts: Sequence[str]) -> Sequence[Vector]:
        """One vector for each text."""


class SimilarBody(Aiming):
    """Takes the command whose words are most like the step's, by cosine similarity."""

    def __init__(self, domain: Domain, decoder: ActionDecoder, embed: Embedder) -> None:
        super().__init__(decoder)
        self._domain = domain
        self._embed = embed
        self._known: Dict[str, Vector] = {}

    def translate(self, step: Step, world: WorldState, deadline: Deadline) -> Translation:
        """Return the command whose words are most similar to a step.

        Args:
            step: a step of the plan.
            world: observed objects, robots and facts; poses in the world frame.
            deadline: wall-clock limit of the call.

        Returns:
            One command; feedback only if a parameter has no object of its type.
        """
        del deadline  # The tables of the embedding are in memory.
        text = step.text or str(step)
        action = self._nearest(text, {  # Their sentences without parameters: "place next to".
            name: " ".join(re.sub(r"\{\w+\}", " ", action.text).split()) or name.replace("_", " ")
            for name, action in self._domain.actions.items()})[0]
        arguments: Dict[str, Value] = {}
        for parameter in self._domain.actions[action].parameters.values():
            names = [name for name in self._domain.objects_of(world, parameter.type) if name not in arguments.values()]
            if names:
                arguments[parameter.name] = self._nearest(text, {name: _called(world, name) for name in names})[0]
        try:
            command = self._domain.ground(Step(text, action, arguments), world, step.robot)
        except DomainError as error:
            return Translation(feedback=malformed(error, step=step))
        return translated(self._domain, command, world)

    def _nearest(self, text: str, candidates: Mapping[str, str]) -> List[str]:
        """Return the candidates, the one whose text is most similar first."""
        new = [each for each in candidates.values() if each not in self._known]
        own, *vectors = self._embed([text, *new])
        self._known.update(zip(new, vectors))
        return sorted(candidates, key=lambda name: (-cosine(own, self._known[candidates[name]]), name))


def cosine(a: Vector, b: Vector) -> float:
    """Return the cosine of the angle between two vectors.

    Args:
        a: one vector.
        b: a vector of the same length.

    Returns:
        -1 to 1; 0 if a vector is zero.
    """
    lengths = math.sqrt(math.fsum(x * x for x in a) * math.fsum(y * y for y in b))
    return math.fsum(x * y for x, y in zip(a, b)) / lengths if lengths > 0.0 else 0.0


def wordllama_embedder() -> Embedder:
    """Load the embedding that wordllama's wheel contains; nothing is downloaded.

    Returns:
        The embedding of texts.

    Raises:
        ConfigError: if the package is not installed; says how to install it.
    """
    try:
        import wordllama
    except ImportError as error:
        raise ConfigError("the body 'similar' needs the package wordllama, which is not installed; run: "
                          ".venv/bin/pip install --no-deps -r requirements/extras.txt") from error
    # The package looks for its own tokenizer in a folder of another name, and would then ask the network for
    # it.
    model: Any = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)

    def embed(texts: Sequence[str]) -> Sequence[Vector]:
        vectors: Sequence[Vector] = model.embed(list(texts), norm=True).tolist()
        return vectors

    return embed


def _called(world: WorldState, name: str) -> str:
    item = world.objects.get(name)
    words: Tuple[str, ...] = tuple(item.attributes.values()) if item else ()
    said = name.replace("_", " ")
    return " ".join([*(word for word in words if word not in said), said])
