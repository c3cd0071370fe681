"""The one lexicon: every word and phrase that the grammar knows, by what it means."""

from __future__ import annotations

from typing import Dict, Mapping, Tuple

LONGEST = 6
"""Words that a phrase has at most."""

RELATIONS: Mapping[str, Tuple[str, ...]] = {
    "next_to": ("next to", "beside", "near to", "near", "nearby", "close to", "close by", "adjacent to",
                "alongside",
                "by the side of", "right next to", "side by side"),
    "on": ("on the top of", "onto the top of", "on top of", "on top", "onto", "upon", "atop", "on"),
    "in": ("inside of", "inside", "into", "in to", "within", "in"),
    "left_of": ("to the left of", "on the left of", "to the left side of", "on the left side of", "left of"),
    "right_of": ("to the right of", "on the right of", "to the right side of", "on the right side of",
                 "right of"),
    "in_front_of": ("in front of",),
    "behind": ("in back of", "behind"),
    "around": ("all around", "around"),
    "to": ("over to", "to", "towards"),
    "from": ("out of", "off of", "off", "from"),
}
VERBS: Mapping[str, Tuple[str, ...]] = {
    "put_down": ("put down", "putdown", "set down", "lay down", "release", "let go of"),
    "pick": ("pick up", "pickup", "pick", "grab", "lift up", "lift", "grasp", "fetch", "hold", "get"),
    "take": ("take", "remove"),
    "put": ("put", "place", "set", "move", "bring", "lay", "position", "insert", "transfer",
            "shift", "relocate", "deposit", "stash", "tuck", "stick", "pop", "plonk", "perch", "balance",
            "slide", "shove", "slip", "prop", "nestle", "situate"),
    "drop": ("drop",),
    "stack": ("stack up", "stack", "pile up", "pile"),
    "unstack": ("unstack", "take apart"),
    "build": ("build", "make", "create", "construct", "form", "arrange"),
    "line_up": ("line up", "align"),
    "swap": ("swap", "exchange", "switch"),
    "sort": ("sort", "organise", "organize"),
    "gather": ("gather", "collect", "group"),
    "tidy": ("clear off", "clear up", "clean up", "clean", "tidy up", "tidy"),
    "empty": ("clear", "empty out", "empty", "uncover", "free up"),
    "home": ("go home", "go to the rest posture", "return home", "move home"),
}
SHAPES: Mapping[str, Tuple[str, ...]] = {
    "tower": ("tower", "stack", "pile"),
    "line": ("straight line", "line", "row"),
    "plus": ("plus sign", "plus", "cross"),
    "ring": ("ring", "circle"),
    "l": ("l shape", "letter l", "l"),
    "t": ("t shape", "letter t", "t"),
}
NOUNS: Mapping[str, Tuple[str, ...]] = {
    "box": ("box", "boxes", "block", "blocks", "cube", "cubes", "brick", "bricks"),
    "cylinder": ("cylinder", "cylinders", "can", "cans", "tube", "tubes", "tin", "tins"),
    "bowl": ("bowl", "bowls", "basin", "basins", "container", "containers"),
    "surface": ("table", "desk", "tabletop"),
    "thing": ("thing", "things", "object", "objects", "item", "items", "everything", "anything", "stuff"),
}
PLURALS = frozenset(word for words in NOUNS.values() for word in words if word.endswith("s"))
NUMBERS: Mapping[str, int] = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10,
    "eleven": 11, "twelve": 12,
}
ALL = ("all", "every", "each")
ANY = ("a", "an", "any", "some")
PRONOUNS = ("it", "them", "that", "this", "these", "those")
EXCEPT = ("except for", "except", "but not", "apart from", "other than", "excluding", "but")
THEN = ("and then", "after that", "afterwards", "finally", "lastly", "firstly", "secondly", "thirdly",
        "next", "then",
        ";", ".")
POLITE = (
    "please", "kindly", "now", "can you", "could you", "would you", "will you", "i want you to",
    "i would like you to", "would you be so kind as to", "could you be so kind as to", "be so kind as to",
    "do me a favour and", "do me a favor and", "if you please", "if you do not mind", "go ahead and",
    "when you have a moment", "when you have time", "whenever you are ready", "if possible", "if you can",
    "i need you to", "you should", "for me", "hey", "hi", "hello", "thanks", "thank you",
)
FILLERS = (
    *POLITE, "robot", "i want", "i would like", "i need", "carefully", "gently", "slowly", "quickly",
    "exactly",
    "directly", "just", "step by step", "one by one", "one after another", "one after the other", "first",
    "let us",
    "also", "too", "as well", "together", "to be", "to go", "to stand",
)
"""Words that change nothing in what is wanted; every other word must be understood."""
_FORBIDDEN = "cannot be planned: say what to do instead"
_NO_CONDITIONS = "is not understood: conditions cannot be planned"
_PLACES = ("is not understood: known places are next to, on, in, left of, right of, in front of, behind and "
           "around a thing")
_NO_COMPARISON = "is not understood: things are known by colour, type and name, not by comparison"
UNREADABLE_ANYWHERE: Tuple[Tuple[str, str], ...] = (
    # What is not so tells things from others where it says which: "every box that is not red".
    (r"\b(?:(?<!but )(?<!(?:that|hich) is )(?<!(?:that|hich) are )(?:not|neither)|never|no|none|nothing|"
     r"cannot|without|avoid)\b", _FORBIDDEN),
    (r"\b(?:if|unless|until|while|when|whenever)\b", _NO_CONDITIONS),
    (r"\bor\b", "is not understood: say which of the two"),
)
"""Patterns over plain words for what changes the meaning of a request and cannot be read, with the reason."""
UNREADABLE_OF_THINGS: Tuple[Tuple[str, str], ...] = (
    (r"\b\d+(?:\.\d+)? (?:mm|cm|dm|m|millimet\w+|centimet\w+|met(?:er|re)s?|inch(?:es)?|degrees?)\b",
     "is not understood: distances and angles cannot be given"),
    (r"\b(?:twice|thrice|\w+ times|again)\b",
     "is not understood: repetitions cannot be planned; say each part"),
    (r"\b(?:between|under|underneath|below|beneath|above|over(?! to)|opposite|far|away|middle|cent(?:er|re)|"
     r"corner|edge)\b", _PLACES),
    (r"\b(?:\w+most|biggest|largest|smallest|tallest|nearest|closest|furthest|farthest|bigger|smaller|larger|"
     r"taller)\b", _NO_COMPARISON),
    (r"\bto the (?:left|right|front|back)\b(?! side of| of)", "is not understood: say of which thing"),
    (r"\b(?<!in )back\b|\bundo\b", "is not understood: what was before is not remembered"),
)
"""The same for requests about things."""
UNREADABLE = (*UNREADABLE_ANYWHERE, *UNREADABLE_OF_THINGS)
CONTRACTIONS: Mapping[str, str] = {
    "it's": "it is", "what's": "what is", "where's": "where is", "that's": "that is", "there's": "there is",
    "let's": "let us", "i'd": "i would", "i'm": "i am", "can't": "cannot", "won't": "will not",
    "dont": "do not",
}
BEING: Mapping[str, str] = {
    **{phrase: "is" for phrase in (
        "are", "to be", "has to be", "have to be", "need to be", "needs to be", "ought to be", "should be",
        "shall be",
        "must be", "is also", "is now", "is directly", "is exactly", "is just", "are also", "are now")},
    **{phrase: "is not" for phrase in (
        "are not", "should not be", "shall not be", "must not be", "may not be", "must never be")},
}
"""What says that something is so, or is not, in one form."""
_INTRODUCTIONS = ("make sure", "ensure", "see to it", "take care", "i want", "i would like", "the goal is",
                  "your goal is", "the task is", "your task is")
LEADS = (*_INTRODUCTIONS, *(f"{words} that" for words in _INTRODUCTIONS), "in the end", "at the end")
"""What may stand before a list of facts, and says nothing of them."""
REARRANGE = ("rearrange", "arrange", "order", "move")
SO_THAT = ("so that", "such that")
DETERMINERS = ("the", "a", "an", "all", "any", "both", "every", "each", "everything", "one", "two", "three",
               "four", "five")
"""What a phrase about things may begin with."""
WISHING = frozenset((
    "please", "pls", "plz", "ok", "okay", "k", "alright", "thanks", "thx", "yeah",
    "should", "shall", "must", "can", "could", "would", "will", "may", "go", "goes",
    "want", "need", "needs", "belong", "belongs", "be", "end", "ends", "have"))
"""What makes a wish of words that end with a question mark."""
QUESTION = ("what", "where", "which", "how", "is", "are", "who", "whose", "when", "why", "do you", "does")
HELP = ("what can you do", "what do you do", "what can you understand", "what do you understand",
        "what can you read",
        "what do you read", "what can i say", "what can i ask", "help")
EXAMPLES = (
    "pick up the box", "place the box next to the cylinder", "put the red box on the blue box",
    "put two boxes into the bowl", "place the box left of (right of, in front of, behind) the cylinder",
    "place the boxes around the cylinder", "stack the boxes",
    "build a tower (line, plus sign, L, T) with the boxes",
    "sort the blocks by colour", "clear the table", "put everything in the bowl except the red box",
    "empty the bowl",
    "swap the red box and the blue box", "the red box is on the blue box, and the blue box is on the table",
    "what is on the table?",
)


def phrases(table: Mapping[str, Tuple[str, ...]]) -> Dict[str, str]:
    """Phrase to meaning, from a table of meanings with their phrases."""
    return {phrase: meaning for meaning, known in table.items() for phrase in known}


_GO = ("go", "drive", "head", "move", "navigate", "travel", "come", "return")
DRIVE_VERBS: Mapping[str, Tuple[str, ...]] = {
    "go": ("go", "drive", "head", "navigate", "travel", "come"),
    "visit": ("visit", "inspect"),
    "go_to": ("approach", *(f"{go}{back}{over} to" for go in _GO for back in ("", " back")
                            for over in ("", " over"))),
    "dock": ("dock", "charge"),
    "wait": ("wait", "stay", "stand still"),
}
DELIVERY_VERBS: Mapping[str, Tuple[str, ...]] = {
    "load": ("load",), "unload": ("unload",), "carry": ("carry", "deliver", "transport", "send", "haul"),
    "return": ("return", "back", "go back", "come back", "drive back"),
}
LOADS = ("load", "put", "place", "set", "lay", "move", "bring", "take", "carry")
UNLOADS = ("take", "remove", "get", "lift", "pick", "pick up")
CARRIES = ("bring", "take", "move", "transfer", *DELIVERY_VERBS["carry"])
CARGO = ("load", "cargo", "goods")
"""Words for what a base carries, whatever it is."""
MEANWHILE = ("meanwhile", "at the same time", "in the meantime", "in parallel", "simultaneously")
IN_ORDER = ("in this order", "in that order", "in the given order", "in given order", "in this sequence",
            "in that sequence", "in the given sequence", "in order", "in sequence", "sequentially",
            "one after another",
            "one after the other")
AREA_WORDS = ("area", "areas", "place", "places", "landmark", "landmarks", "zone", "zones")
ANOTHER_AREA = tuple(f"{which} {word}" for which in ("another", "an", "any", "some", "the other", "other")
                     for word in ("area", "place"))
SECONDS: Mapping[str, float] = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
}
ROBOT_KINDS: Mapping[str, Tuple[str, ...]] = {
    "arm": ("robot arm", "arm", "manipulator"),
    "base": ("mobile robot", "mobile base", "vehicle", "automated guided vehicle", "cart", "truck"),
}
"""What a robot of a kind is called besides its name."""
LET = ("let", "have", "make", "ask", "tell", "use", "with", "using", "can", "could", "would", "will",
       "should")
MODALS = ("shall", "should", "must", "will", "can", "to", "has to", "needs to", "is to", "may")
"""What stands before or behind a robot's name where it shall do something."""
WITH = ("with", "using")
ARTICLES = ("the", "a", "an", "our", "my", "its", "your")


PHRASES: Mapping[str, Tuple[str, str]] = {
    **{phrase: ("relation", meaning) for phrase, meaning in phrases(RELATIONS).items()},
    **{phrase: ("verb", meaning) for phrase, meaning in phrases(VERBS).items()},
    **{phrase: ("filler", phrase) for phrase in FILLERS},
    **{phrase: ("then", phrase) for phrase in THEN},
    **{phrase: ("except", phrase) for phrase in EXCEPT},
    **{phrase: ("word", phrase) for names in ROBOT_KINDS.values() for phrase in names if " " in phrase},
    "and": ("and", "and"), "as well as": ("and", "and"), ",": ("and", ","),
}
"""Each phrase of requests about things: its kind and its meaning."""

FLEET_PHRASES: Mapping[str, Tuple[str, str]] = {
    **{phrase: meant for phrase, meant in PHRASES.items() if phrase != "to go"},
    **{phrase: ("verb", meaning) for table in (DRIVE_VERBS, DELIVERY_VERBS) for phrase, meaning in
       phrases(table).items()},
    **{phrase: ("meanwhile", phrase) for phrase in MEANWHILE},
    **{phrase: ("order", phrase) for phrase in IN_ORDER},
    **{phrase: ("filler", phrase) for phrase in ("go and", "drive and", "come and", "and so on", "once")},
    "aboard": ("relation", "aboard"),
}
"""The same where a base drives."""
