"""The search over the domain's operators: the time of random questions in every world, and the answers'
lengths."""

from hicrisp_bench.search.suite import QUICK, SELECTS, add_options, run

__all__ = ["QUICK", "SELECTS", "add_options", "run"]
