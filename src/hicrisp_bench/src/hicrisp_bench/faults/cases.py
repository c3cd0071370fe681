"""Every case of the suite, in the order of its table."""

from __future__ import annotations

from typing import Tuple

from hicrisp_bench.faults import cases_end, cases_kill, cases_load, cases_sight, cases_stop
from hicrisp_bench.faults.case import FaultCase

CASES: Tuple[FaultCase, ...] = (*cases_stop.CASES, *cases_kill.CASES, *cases_end.CASES, *cases_load.CASES,
                                *cases_sight.CASES)
