"""Eyes: what a depth camera's pictures show of random layouts, by tags and without, against the truth."""

from hicrisp_bench.eyes.suite import add_options, run

__all__ = ["add_options", "run"]
