"""The words by which descriptions begin, go on and end."""

from __future__ import annotations

import re

from hicrisp_core.language import lexicon

DEFINITE = frozenset(("the", "that", "this", "my", "your", "our", "some"))
ARTICLES = DEFINITE | frozenset(("a", "an", "its", "their", "his", "her", "these", "those"))
WHAT = frozenset(("what", "whatever", "whichever"))
ALONE = frozenset(("something",))
"""What a description may be without a noun: "what you drink from", "something to cut with"."""
SUBJECTS = frozenset(("you", "we", "i", "people", "one", "they", "someone", "somebody", "kids", "children"))
THAT = frozenset(("that", "which"))
TELLING = THAT | SUBJECTS | frozenset(("to", "for", "used", "with", "from", "of", "meant", "made"))
"""What goes on to say which thing is meant."""
MARKS = frozenset(",.;:!?()\n")
MODALS = frozenset((
    "can", "could", "would", "should", "may", "might", "must", "will", "shall", "d", "do", "use", "used",
    "have", "has", "need", "to"))
FINITE = frozenset((
    "be", "been", "being", "goes", "go", "should", "shall", "must", "belongs", "belong", "needs", "need",
    "ought", "is", "are", "has", "have", "was", "were", "could", "would", "can", "may", "will", "might",
    "stands", "stand", "sits", "sit", "lies", "comes", "come", "ends", "end", "wants", "moves", "gets"))
"""Verbs that may go on behind a description: "what you drink from goes behind the plate"."""
STOPS = frozenset((
    "and", "or", "but", "then", "so", "because", "when", "while", "if", "please", "now", "instead",
    "first", "next", "too", "also", "again", "away", "back", "over", "down", "up", "here", "there",
    "thanks", "it", "them", "me", "us", "asap", "quickly", "carefully"))
"""What is no part of a noun phrase."""
CLAUSE_STOPS = frozenset((
    "but", "then", "so", "because", "when", "while", "if", "please", "now", "instead", "thanks", "asap",
    "next"))
"""What ends a clause."""
SOFT = frozenset((
    "in", "on", "into", "onto", "from", "to", "off", "out of", "inside", "around", "off of"))
"""Relations that may also belong to a description: "what you drink from", "things to put on toast"."""
RELATIONS = frozenset(phrase for phrases in lexicon.RELATIONS.values() for phrase in phrases)
PREPOSITIONS = frozenset(("with", "for", "by", "of", "about", "at", "under", "over", "between", "through"))
POINTING = frozenset(("that", "this", "these", "those"))
PARTICLES = frozenset(("up", "down", "away", "back", "over", "out"))
NOMINAL = frozenset(("for", "with", "of", "from"))
"""What has a noun behind it, so that "up" does not belong to it: "the dish for broth up"."""
CONDITIONS = frozenset(("when", "while", "if", "because"))
PLACED = frozenset((
    "sits", "sitting", "stands", "standing", "lies", "lying", "rests", "resting", "leans", "leaning",
    "is", "are", "hangs", "hanging", "placed", "carrying", "holding", "gripping", "stacked", "balanced",
    "sit", "stand", "lie"))
"""What goes on to say where a thing is, or who holds it."""
UNSAYABLE = re.compile(
    r"(?:\w+most|(?:tall|big|small|larg|near|clos|furth|farth|long|short|high|low|wid|heavi|light|thin|thick|"
    r"flatt|round|fat|thinn|great|littl)(?:est|er)|left|right|middle|front|back|top|bottom|rear|far|end|"
    r"other|others|only|same|first|second|third|last|not|no|never|without|none|all|both|every|each|two|three|"
    r"four|five|between|under|below|above)")
"""Words that say a place, an order, a comparison or a denial: no description by use, look or kind."""


VERBS = frozenset(phrase.split()[0] for phrases in lexicon.VERBS.values() for phrase in phrases) | {
    "give", "hand", "pass", "leave", "keep", "let", "stand", "push", "turn", "stay"}
"""What another part of a request may begin with."""
ENDING_NOUNS = MARKS | STOPS | ARTICLES | TELLING | FINITE | PREPOSITIONS
"""What ends a noun phrase, besides relations."""
AUXILIARY = frozenset(("be", "been", "used", "have"))
"""What goes on behind "is", "has" and the like, so that the verb is still to come."""

COLOURS = frozenset((
    "red", "green", "blue", "yellow", "orange", "purple", "pink", "cyan", "brown", "white", "grey", "gray",
    "black", "turquoise", "beige", "golden", "silver", "violet"))
NO_THINGS = frozenset((
    "side", "edge", "corner", "centre", "center", "place", "spot", "way", "rest", "order", "base", "floor",
    "ground", "robot", "arm", "hand", "gripper", "group", "pair", "set", "space", "position", "colour",
    "color", "shape", "size", "table", "desk", "tabletop", "tower", "stack", "pile", "line", "row", "plus",
    "cross", "ring", "circle"))
"""Heads of phrases that mean something else than a thing."""
COMMON_LOOKS = ("metal", "metallic", "plastic", "wooden", "wood", "hard", "heavy", "light", "shiny", "thin",
                "thick", "flat", "coloured", "colourful", "narrow", "wide", "clean", "dirty")
"""Looks that so many things have that nobody says it of each."""
SHAPES = ("round", "square", "corners", "angular", "edges", "edged", "cylindrical", "rolls", "rectangular",
          "curved")
"""What tells types apart, where one thing alone is of its type."""
ROUND = ("cylinder", "bowl")
"""Types that are called round alike."""
SEVERAL = frozenset(("all", "both", "every", "each", "two", "three", "four", "any", "no", "other"))
PLURALS = frozenset(("things", "objects", "items", "tools", "utensils", "implements", "ones", "pieces"))
RELATING = frozenset(("that", "which", "with", "from", "of", "for"))
"""Beginnings of what tells more that may relate the thing to another one that is here."""
DOING = frozenset(("to", "you", "we", "i", "people", "can", "could", "would"))
"""What is before a verb: "something to glue paper with"."""
AFTER_RELATIONS = frozenset(phrase.split()[-1] for phrase in RELATIONS) | {"of"}
