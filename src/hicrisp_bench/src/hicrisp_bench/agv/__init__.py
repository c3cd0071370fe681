"""The AGV: HiCRISP's section IV-C. Areas in an order, unexpected obstacles, wrong orders injected; three
policies.
"""

from hicrisp_bench.agv.suite import QUICK, SELECTS, add_options, run

__all__ = ["QUICK", "SELECTS", "add_options", "run"]
