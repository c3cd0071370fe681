"""The whole loop with a real model: table-top tasks in plain words, carried out in physics where placements
miss, by policy and by model.
"""

from hicrisp_bench.brains.suite import QUICK, SELECTS, add_options, run

__all__ = ["QUICK", "SELECTS", "add_options", "run"]
