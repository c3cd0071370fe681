"""Many random tasks with faults over the launched nodes: memory, lost tasks, orphans, failures."""

from hicrisp_bench.long.suite import QUICK, SELECTS, add_options, run

__all__ = ["QUICK", "SELECTS", "add_options", "run"]
