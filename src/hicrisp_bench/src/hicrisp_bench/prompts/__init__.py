"""Two folders of prompts on the same requests: how many of their plans reach the goal, without physics.

Shows, for each folder, the share of plans that the checker lets through step by step to the goal, as they are
and with what a search puts between their steps, and the difference of the two with an interval.
"""

from hicrisp_bench.prompts.suite import QUICK, SELECTS, add_options, run

__all__ = ["QUICK", "SELECTS", "add_options", "run"]
