"""Faults of every kind against the launched nodes: what must happen, and what was seen."""

from hicrisp_bench.faults.suite import QUICK, SELECTS, add_options, run

__all__ = ["QUICK", "SELECTS", "add_options", "run"]
