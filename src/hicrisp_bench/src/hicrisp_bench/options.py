"""Options that suites share, each said once: who is asked, with which policies, over which part of the trials."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Collection, Optional, Sequence, Tuple

from hicrisp_core.config.files import config_file
from hicrisp_core.llm.settings import LlmSettings, choose_llm, is_replay, load_llm_settings


def at_least_one(text: str) -> int:
    """Read a whole number from 1, as the type of an option.

    Args:
        text: what was given.

    Returns:
        The number.

    Raises:
        argparse.ArgumentTypeError: for a smaller one.
    """
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"at least 1 is needed, got {value}")
    return value


def share(text: str) -> float:
    """Read a number from 0 to 1, as the type of an option.

    Args:
        text: what was given.

    Returns:
        The number.

    Raises:
        argparse.ArgumentTypeError: for one beyond them.
    """
    value = float(text)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"a number from 0 to 1 is needed, got {text}")
    return value


def add_usual(parser: argparse.ArgumentParser, out: str) -> None:
    """Add the options that every suite has.

    Args:
        parser: takes it.
        out: what the folder of results takes, and which it is if none is given.
    """
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help=out)
    parser.add_argument("--jobs", type=at_least_one, default=os.cpu_count() or 1, help="processes side by side")
    parser.add_argument("--quick", action="store_true", help="few trials: shows that everything works and says little")
    parser.add_argument("--resume", action="store_true", help="go on where a stopped run ended")
    parser.add_argument("--dask", default="", metavar="SCHEDULER",
                        help="run the trials on an existing cluster of dask.distributed, tcp://host:8786")
    parser.add_argument("--config", type=Path, default=Path(__file__).resolve().parents[4] / "config",
                        help="folder with scenes, domains and policies")


def add_trials(parser: argparse.ArgumentParser, default: int, of: str, *older: str) -> None:
    """Add ``--trials``: how often each case is tried.

    Args:
        parser: takes it.
        of: what they are, in the plural.
        older: other names that the suite takes for it.
    """
    parser.add_argument("--trials", *older, metavar="N", type=at_least_one, default=default, help=f"{of} ({default})")


def add_seed(parser: argparse.ArgumentParser, of: str, *older: str, default: int = 0) -> None:
    """Add ``--seed``, a whole number.

    Args:
        parser: takes it.
        of: what is drawn by it.
        older: other names that the suite takes for it.
    """
    parser.add_argument("--seed", *older, type=int, default=default, help=f"of {of} ({default})")


def add_every(parser: argparse.ArgumentParser, what: str) -> None:
    """Add ``--every``: a part of a suite's trials, evenly spread.

    Args:
        parser: takes it.
        what: what is counted, in the singular.
    """
    parser.add_argument("--every", type=at_least_one, default=1, metavar="N", help=f"only every N-th {what}")


def add_limit(parser: argparse.ArgumentParser, what: str) -> None:
    """Add ``--limit``: at most so many trials; ``None`` for all.

    Args:
        parser: takes it.
        what: what is counted, and how it is chosen.
    """
    parser.add_argument("--limit", type=at_least_one, metavar="N", help=f"only so many {what} (all)")


def add_policies(parser: argparse.ArgumentParser, default: Optional[Sequence[str]] = None, otherwise: str = "",
                 only: Optional[Collection[str]] = None) -> None:
    """Add ``--policies``: files of ``config/policies``.

    Args:
        parser: takes it.
        default: those of a suite that are not named; ``None`` leaves the choice to it.
        otherwise: which those are, in words.
        only: the names that the suite knows, if it does not take every policy.
    """
    parser.add_argument("--policies", nargs="+", default=default, choices=only, metavar="NAME",
                        help=f"files of config/policies ({otherwise or ' '.join(default or ())})")


def add_llm(parser: argparse.ArgumentParser, default: str, otherwise: str = "", file: bool = False) -> None:
    """Add ``--llm``, a file of ``config/llm`` or the path of one.

    Args:
        parser: takes it.
        otherwise: what the default and other names of the suite mean, in words.
        file: whether ``--gguf``, a model that is served on loopback, may be named in its place.
    """
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--llm", default=default, metavar="NAME",
                     help=f"a file of config/llm, or the path of one ({otherwise or default})")
    if file:
        who.add_argument("--gguf", type=Path, metavar="PATH", help="a model's file, served on loopback by xllamacpp")


def llm_of(options: argparse.Namespace) -> LlmSettings:
    """Load the settings of the model that ``--llm`` names.

    Args:
        options: with ``llm``, and ``config``, the folder of configuration.

    Returns:
        The settings.

    Raises:
        ConfigError: for a file that is missing or wrong.
    """
    return llm_settings(options.config, options.llm)


def llm_settings(config: Path, name: str) -> LlmSettings:
    """Load the settings of a model.

    Args:
        config: the folder of configuration.
        name: a file of its ``llm``, the path of one, or ``replay:FILE``.

    Returns:
        The settings.

    Raises:
        ConfigError: for a file that is missing or wrong.
    """
    return load_llm_settings(name if is_replay(name) else config_file("llm", name, config))


def live_planner(config: Path, llm: str) -> Tuple[str, str]:
    """Say who plans where no plan is recorded.

    Args:
        config: the folder of configuration.
        llm: what ``--llm`` names; ``auto`` for what the environment does.

    Returns:
        The name of the model's configuration, and a sentence for a report's note.

    Raises:
        ConfigError: for a file that is missing or wrong.
    """
    name, _ = choose_llm(llm, os.environ, embedded=False)
    settings = llm_settings(config, name)
    if settings.offline:
        return name, "No model was asked: the interpreter read each request, and a search planned."
    return name, f"The plans come from {settings.model_name}."


def add_sentences(parser: argparse.ArgumentParser, default: str) -> None:
    """Add ``--sentences``, a file of what users ask for, and ``--class``, some kinds of them.

    Args:
        parser: takes it.
        default: the file of ``config/sentences`` if none is named.
    """
    parser.add_argument("--sentences", type=Path, metavar="FILE",
                        help="a JSON list of sentences with what they mean; those of config/sentences are development "
                             f"sets (config/sentences/{default})")
    parser.add_argument("--class", dest="kinds", action="append", metavar="CLASS",
                        help="only this class; may be repeated")


def add_scenes(parser: argparse.ArgumentParser, default: Sequence[str], *older: str,
               only: Optional[Collection[str]] = None) -> None:
    """Add ``--scenes``: files of ``config/scenes``; ``None`` for those of the suite.

    Args:
        parser: takes it.
        default: those of the suite.
        older: other names that the suite takes for it.
        only: the names that the suite knows, if it does not take every scene.
    """
    parser.add_argument("--scenes", *older, nargs="+", action="extend", choices=only, metavar="NAME",
                        help=f"files of config/scenes ({' '.join(default)})")


def add_over_ros(parser: argparse.ArgumentParser) -> None:
    """Add ``--over-ros``.

    Args:
        parser: of a suite whose trials the nodes can run, too.
    """
    parser.add_argument("--over-ros", action="store_true", help="run the trials through the launched nodes")
