"""Eyes: what a depth camera's pictures show of random layouts, by tags and without, against the truth."""

from hicrisp_bench.eyes.suite import QUICK, SELECTS, add_options, run

__all__ = ["QUICK", "SELECTS", "add_options", "run"]
