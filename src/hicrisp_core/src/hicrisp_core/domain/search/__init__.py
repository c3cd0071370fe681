"""Search over a domain's own operators for commands that make a goal true: always with a deadline."""

from hicrisp_core.domain.search.searcher import Conditions, Ending, SearchAnswer, Searcher, goal_of, preconditions_of

__all__ = ["Conditions", "Ending", "SearchAnswer", "Searcher", "goal_of", "preconditions_of"]
