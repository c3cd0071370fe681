"""What people say: sentences in, goals out; the share that is understood, asked back, refused or got
wrong.
"""

from hicrisp_bench.language.suite import QUICK, SELECTS, add_options, run

__all__ = ["QUICK", "SELECTS", "add_options", "run"]
