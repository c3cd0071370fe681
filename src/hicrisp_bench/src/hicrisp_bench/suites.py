"""The suites that measure something themselves, by name."""

from __future__ import annotations

from typing import Mapping

from hicrisp_bench import blocks, franka7, libero, libero_words, long, remembering, tabletop
from hicrisp_bench.agv import suite as agv
from hicrisp_bench.attacks import suite as attacks
from hicrisp_bench.barman import pizza
from hicrisp_bench.barman import suite as barman
from hicrisp_bench.brains import suite as brains
from hicrisp_bench.eyes import suite as eyes
from hicrisp_bench.faults import suite as faults
from hicrisp_bench.fuzz import suite as fuzz
from hicrisp_bench.language import suite as language
from hicrisp_bench.limits import suite as limits
from hicrisp_bench.openworld import suite as openworld
from hicrisp_bench.prompts import suite as prompts
from hicrisp_bench.search import suite as search
from hicrisp_bench.suite import Suite
from hicrisp_bench.virtualhome import household_suite, plans

MEASURES: Mapping[str, Suite] = {
    "agv": agv, "attacks": attacks, "barman": barman, "blocks": blocks, "brains": brains, "eyes": eyes,
    "faults": faults, "franka7": franka7, "fuzz": fuzz, "language": language, "libero": libero,
    "libero_words": libero_words,
    "limits": limits, "long": long, "memory": remembering, "openworld": openworld, "pizza": pizza, "prompts": prompts,
    "search": search, "tabletop": tabletop, "virtualhome": plans, "virtualhome10": household_suite,
}
