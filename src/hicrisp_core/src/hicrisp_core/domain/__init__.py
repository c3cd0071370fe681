"""Types, predicates, actions: what may be done in a kind of world, and what comes of it."""

from hicrisp_core.domain.checker import check, effects_hold
from hicrisp_core.domain.conditions import Atom, Condition, Facts
from hicrisp_core.domain.effects import apply_effects, expected_facts, names_of, type_test
from hicrisp_core.domain.goal_wording import GoalWords, goal_words
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.domain.saying import joined, listed, named, sentence, spoken
from hicrisp_core.domain.schema import ANYTHING, Action, Domain, Parameter, Predicate, SkillUse, zones_of
from hicrisp_core.domain.search import Conditions, Ending, SearchAnswer, Searcher, goal_of, preconditions_of
from hicrisp_core.domain.wording import described, told, words_of

__all__ = [
    "ANYTHING", "Action", "Atom", "Condition", "Conditions", "Domain", "Ending", "Facts", "GoalWords", "Parameter",
    "Predicate", "SearchAnswer", "Searcher", "SkillUse", "apply_effects", "check", "described", "effects_hold",
    "expected_facts", "goal_of", "goal_words", "joined", "listed", "load_domain", "named", "names_of",
    "preconditions_of", "sentence", "spoken", "told", "type_test", "words_of", "zones_of",
]
