"""The search over the domain's operators: how long random questions take in every world, and how long the answers are."""

from hicrisp_bench.search.suite import add_options, run

__all__ = ["add_options", "run"]
