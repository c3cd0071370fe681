"""Goals in the user's noun phrases: what they say, how a line is read, which objects they stand for."""

from hicrisp_core.understanding.written.context import Context
from hicrisp_core.understanding.written.linking import meaning_of
from hicrisp_core.understanding.written.sayings import (
    Amount,
    Fact,
    Line,
    Phrase,
    SaidGoal,
    SaidQuestion,
    SaidStage,
    Where,
    parse_line,
)

__all__ = ["Amount", "Context", "Fact", "Line", "Phrase", "SaidGoal", "SaidQuestion", "SaidStage", "Where",
           "meaning_of", "parse_line"]
