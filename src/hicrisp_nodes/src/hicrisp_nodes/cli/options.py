"""What `scripts/demo` can be told, and the brain that is chosen when it is not told."""

from __future__ import annotations

import argparse
import math
import os
from pathlib import Path
from typing import List, Mapping, Optional, Tuple

EPILOG = """examples:
  scripts/demo
  scripts/demo --task "put the box on the cylinder" --seed 3
  scripts/demo --scene sorting --trials 5 --json results.json
  scripts/demo --sigma 0.05 --policy hicrisp        a placement noise of 50 mm, the paper's own corrections
  scripts/demo --keep --trials 0                    start everything and wait for tasks
  scripts/demo --record                             the run for rqt_bag, PlotJuggler and Foxglove, too
"""


def _at_least(low: float, type_: type) -> "type":
    def convert(text: str) -> float:
        value = type_(text)
        if not math.isfinite(value) or value < low:
            raise argparse.ArgumentTypeError(f"{low:g} or more is needed, got {text}")
        return value

    convert.__name__ = type_.__name__
    return convert  # type: ignore[return-value]


def make_parser() -> argparse.ArgumentParser:
    """The parser of `scripts/demo`."""
    parser = argparse.ArgumentParser(
        prog="scripts/demo", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Start the workspace with the embedded world, submit a task in plain language, and "
                    "follow it.")
    add = parser.add_argument
    add("--task", metavar="TEXT", help="what the robot shall do; the scene's own task by default")
    add("--scene", metavar="NAME", default="tabletop", help="scene in config/scenes, or a file (tabletop)")
    add("--libero", metavar="SUITE/TASK[/START]",
        help="a task of the LIBERO benchmark in place of a scene, for example libero_goal/7; installs it (2 GB)")
    add("--perception", choices=("camera", "poses"),
        help="how objects are seen: by a depth camera's pictures, or by the world's own poses (camera where "
             "all happens at a table)")
    add("--policy", metavar="NAME", default="hierarchical",
        help="policy in config/policies, or a file (hierarchical)")
    add("--llm", metavar="NAME",
        help="language model in config/llm, a file, or replay:FILE with the llm.jsonl of a run (openai with "
             "a key, else embedded where it runs)")
    add("--seed", metavar="N", type=_at_least(0, int), default=0,
        help="seed of the first trial (0); the next adds one")
    add("--sigma", metavar="METRES", type=_at_least(0.0, float), default=0.0,
        help="standard deviation of the noise on placements (0)")
    add("--trials", metavar="N", type=_at_least(0, int), default=1,
        help="how often, each with the next seed (1)")
    add("--json", metavar="FILE", help="write every trial's result to a file")
    add("--keep", action="store_true", help="leave everything running afterwards, until Ctrl-C")
    add("--rate", metavar="R", type=_at_least(0.0, float), default=0.0,
        help="seconds of the world for each second of wall time; 0: as fast as it goes (0, with --keep 1)")
    add("--runs-dir", metavar="DIR", help="folder for the runs (runs/ in the workspace)")
    add("--memory", choices=("on", "read", "off"),
        help="what earlier runs left: used and kept, used, or not (the policy's; off with several trials)")
    add("--autonomy", choices=("supervised", "full", "corrections", "reviewed", "manual"),
        help="full: irreversible actions are not asked about; corrections, reviewed, manual: corrections, "
             "plans or all commands are asked about, too (supervised; full where nobody sits at the "
             "terminal: the world is simulated)")
    add("--time-limit", metavar="SECONDS", type=_at_least(1.0, float), default=1800.0,
        help="of one trial (1800)")
    add("--no-web", dest="web", action="store_false", help="leave out the dashboard, the page in the browser")
    add("--record", action="store_true",
        help="write a rosbag and an MCAP file of each task beside its report")
    add("--namespace", default="hicrisp", help=argparse.SUPPRESS)
    return parser


def parse(arguments: Optional[List[str]] = None) -> argparse.Namespace:
    """Read the options of ``scripts/demo``.

    Args:
        arguments: the command line; that of the process if ``None``.

    Returns:
        The options, with whole paths.
    """
    parser = make_parser()
    options = parser.parse_args(arguments)
    options.scene, options.policy = whole_path(options.scene), whole_path(options.policy)
    if options.memory is None:  # Trials are measured: none may learn from another.
        options.memory = "policy" if options.trials <= 1 else "off"
    if options.task is not None and not options.task.strip():
        parser.error("--task is empty; say what shall be done, for example: place the box next to the "
                     "cylinder")
    return options


def whole_path(name: str) -> str:
    """Return the whole path of a file, for nodes that run in another folder.

    Args:
        name: a path, or a name in ``config``, which stays as it is.

    Returns:
        The path or the name.
    """
    path = Path(name).expanduser()
    return str(path.absolute()) if path.suffix or "/" in name else name


def choose_brain(asked: Optional[str], environment: Mapping[str, str] = os.environ) -> Tuple[str, str]:
    """Choose the language model's configuration.

    Args:
        asked: the user's option, if any.
        environment: variables with keys and addresses.

    Returns:
        The name, or the whole path of a file; and the reason in words.
    """
    from hicrisp_core.llm.settings import choose_llm, is_replay  # Help is shown before anything is set up.

    name, why = choose_llm(asked or "", environment)
    marker, colon, file = name.partition(":") if is_replay(name) else ("", "", name)
    return (f"{marker}{colon}{Path(file).expanduser().absolute()}" if marker else whole_path(name)), why


if __name__ == "__main__":
    parse()
