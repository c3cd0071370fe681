"""Attackers: texts, names, labels, answers and files that carry instructions, and a model that obeys them;
what of it reaches the robot.
"""

from hicrisp_bench.attacks.suite import QUICK, SELECTS, add_options, run

__all__ = ["QUICK", "SELECTS", "add_options", "run"]
