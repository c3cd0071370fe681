"""Every case of the suite, in the order of its table."""

from __future__ import annotations

from typing import Tuple

from hicrisp_bench.faults import (
    cases_disk,
    cases_end,
    cases_hands,
    cases_hosts,
    cases_key,
    cases_kill,
    cases_lacking,
    cases_load,
    cases_model,
    cases_sight,
    cases_stop,
)
from hicrisp_bench.faults.case import FaultCase

CASES: Tuple[FaultCase, ...] = (*cases_stop.CASES, *cases_kill.CASES, *cases_end.CASES, *cases_load.CASES,
                                *cases_disk.CASES, *cases_sight.CASES, *cases_hands.CASES, *cases_hosts.CASES,
                                *cases_model.CASES, *cases_key.CASES, *cases_lacking.CASES)
