"""Random plans under every policy, judged by the physics: no limit is ever passed."""

from hicrisp_bench.limits.suite import QUICK, SELECTS, add_options, run

__all__ = ["QUICK", "SELECTS", "add_options", "run"]
