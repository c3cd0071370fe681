"""Controlled English: a small closed language, for machines without a language model."""

from hicrisp_core.understanding.controlled.conversation import read
from hicrisp_core.understanding.controlled.interpreter import ControlledInterpreter, shortcut
from hicrisp_core.understanding.controlled.nearest import NotRead

__all__ = ["ControlledInterpreter", "NotRead", "read", "shortcut"]
