"""Search over a domain's own operators for commands that make a goal true: always with a deadline."""

from hicrisp_core.domain.search.answer import Ending, SearchAnswer
from hicrisp_core.domain.search.question import Conditions, goal_of, preconditions_of
from hicrisp_core.domain.search.searcher import Searcher

__all__ = ["Conditions", "Ending", "SearchAnswer", "Searcher", "goal_of", "preconditions_of"]
