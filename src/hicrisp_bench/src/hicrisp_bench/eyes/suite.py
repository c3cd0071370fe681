"""Eyes: what a depth camera's pictures show of random layouts, by tags and without, against the truth."""

from __future__ import annotations

import argparse
from typing import List

from hicrisp_bench.eyes.trial import METHODS, EyesTrial
from hicrisp_bench.options import add_scenes, add_seed, add_trials, at_least_one
from hicrisp_bench.statistics import Tally, share_of
from hicrisp_bench.suite import Chart, Report, Row, Runner, Section, share_bars, spread_bars

SCENES = ("tabletop", "blocks", "clutter")
QUICK = {"trials": 8, "pictures": 1, "frames": 0}
SELECTS = ("trials", "seed", "scenes")
COLUMNS = ("scene", "method", "n", "things", "found", "position_mm", "position_mm_p95",
           "yaw_deg_p95", "confused", "unknown", "ms", "ms_p95")
NOTE = ("The embedded camera's pictures with its noise, holes and grain, the arm at rest; the first picture "
        "of each layout is judged by the true poses. `found` is of what is at least half visible, `confused` "
        "counts things that were taken for one of another colour, `unknown` things that are not there. "
        "`ms` is processor time of one core for a picture, tags and shapes together, the first picture of a "
        "layout among them. Frames through the node are those of a task by the arm, sent one by one at the "
        "camera's rate to a perception node with one core: the wall time from the images to the tracks, and "
        "the processor time that the node's whole process takes for it.")
_THROUGH = ("scene", "method", "n", "wall_ms", "wall_ms_p95", "cpu_ms", "cpu_ms_p95", "cpu_ms_worst")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the suite's options.

    Args:
        parser: the suite's subcommand.
    """
    add_trials(parser, 200, "random layouts of each row", "--layouts")
    add_seed(parser, "the first layout", "--first")
    add_scenes(parser, SCENES, "--scene")
    parser.add_argument("--pictures", type=at_least_one, default=3, help="pictures of each layout (3)")
    parser.add_argument("--frames", type=int, default=100,
                        help="pictures of a task through the perception node, for each row; 0 leaves them "
                             "out (100)")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Look at every layout by every method."""
    cases = [(scene, method) for scene in options.scenes or SCENES for method in METHODS]
    made = [(case, [EyesTrial(options.config, *case, seed, options.pictures)
                    for seed in range(options.seed, options.seed + options.trials)]) for case in cases]
    rows: List[Row] = []
    missed: List[Row] = []
    for (scene, method), own in runner.by_case(made, "eyes"):
        head = {"scene": scene, "method": method}
        rows.append({**head, **_row(own)})
        missed += [{**head, "seed": result["seed"],
                    **{key: ", ".join(result[key]) for key in ("missed", "confused")}}
                   for result in own.whole if result["missed"] or result["confused"]]
    streams: List[Row] = []
    if options.frames > 0 and not options.dask:  # A cluster's workers start no nodes.
        from hicrisp_bench.eyes.through_node import run_through_node  # ROS is needed for this way only.

        streams = run_through_node(options.config, cases, options.seed, options.frames, runner)
    return Report(rows, COLUMNS, (), NOTE, {"missed": missed, "through_node": streams},
                  (Section("Missed and confused", missed, ("scene", "method", "seed", "missed", "confused")),
                   Section("Frames through the node", streams, _THROUGH)),
                  (Chart("found", "Things that are found, of those at least half visible",
                         share_bars(rows, "scene", "method", "found"), "Found"),
                   Chart("position", "How far from the truth things are seen",
                         spread_bars(rows, "scene", "method", "position_mm", "position_mm_p95"),
                         "Position error, mm", "median to 95th percentile", share=False)))


def _row(own: Tally) -> Row:
    things, found = own.totals("expected", "found").values()
    return {**own.trials, "things": things, **share_of("found", found, things), **own.totals("unknown"),
            **own.lengths("confused"), **own.percentiles("position_mm", "yaw_deg", "ms")}
