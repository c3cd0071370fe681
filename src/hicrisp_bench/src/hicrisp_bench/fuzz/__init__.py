"""Inputs that nobody thought of, found by the branches that they take: no reader may fall over one."""

from hicrisp_bench.fuzz.suite import QUICK, SELECTS, add_options, run

__all__ = ["QUICK", "SELECTS", "add_options", "run"]
