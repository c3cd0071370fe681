"""Who asks a language model; each role may have a model of its own."""

from __future__ import annotations

GOAL = "goal"
BRAIN = "brain"
BODY = "body"
ALEX = "alex"
TRAVI = "travi"
ROPA = "ropa"
CORRECTOR = "corrector"
ROLES = (GOAL, BRAIN, BODY, ALEX, TRAVI, ROPA, CORRECTOR)
"""Words to a goal; plans; steps to commands; CoPAL's agents for talk, specification and plans; corrections
within a step.
"""
