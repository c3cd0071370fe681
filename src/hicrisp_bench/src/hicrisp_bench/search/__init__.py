"""The search over the domain's operators: the time of random questions in every world, and the answers'
lengths."""

from hicrisp_bench.search.suite import add_options, run

__all__ = ["add_options", "run"]
