"""Controlled English: a small closed language, for machines without a language model."""

from hicrisp_core.understanding.controlled.interpreter import ControlledInterpreter, read, shortcut

__all__ = ["ControlledInterpreter", "read", "shortcut"]
