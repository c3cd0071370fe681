"""Types, predicates, actions: what may be done in a kind of world, and what comes of it."""

from hicrisp_core.domain.checker import check, effects_hold
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.domain.schema import Action, Domain, Predicate
from hicrisp_core.domain.search import Ending, SearchAnswer, Searcher, goal_of, preconditions_of

__all__ = ["Action", "Domain", "Ending", "Predicate", "SearchAnswer", "Searcher", "apply_effects", "check",
           "effects_hold", "goal_of", "load_domain", "preconditions_of"]
