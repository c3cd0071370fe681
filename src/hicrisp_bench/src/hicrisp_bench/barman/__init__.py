"""CoPAL's barman: cocktails by a two-handed robot, with recorded plans of a language model or a live
brain.
"""

from hicrisp_bench.barman.suite import QUICK, SELECTS, add_options, run

__all__ = ["QUICK", "SELECTS", "add_options", "run"]
