"""The words that the offline planner knows, and what they mean."""

from __future__ import annotations

from typing import Dict, Mapping, Tuple

RELATIONS: Mapping[str, Tuple[str, ...]] = {
    "next_to": ("next to", "beside", "near to", "near", "close to", "adjacent to", "alongside", "by the side of",
                "right next to"),
    "on": ("on top of", "onto", "upon", "atop", "on"),
    "in": ("inside of", "inside", "into", "in to", "in"),
    "left_of": ("to the left of", "on the left of", "to the left side of", "on the left side of", "left of"),
    "right_of": ("to the right of", "on the right of", "to the right side of", "on the right side of", "right of"),
    "in_front_of": ("in front of", "before"),
    "behind": ("in back of", "behind"),
    "around": ("all around", "around"),
}
VERBS: Mapping[str, Tuple[str, ...]] = {
    "put_down": ("put down", "set down", "lay down", "release", "let go of"),
    "pick": ("pick up", "pick", "grab", "take", "lift up", "lift", "grasp", "fetch", "hold"),
    "put": ("put", "place", "set", "move", "bring", "lay", "position", "drop", "insert", "transfer"),
    "stack": ("stack up", "stack", "pile up", "pile"),
    "build": ("build", "make", "create", "construct", "form", "arrange", "line up"),
    "sort": ("sort", "group", "organise", "organize"),
    "clear": ("clear off", "clear", "clean up", "clean", "tidy up", "tidy", "empty"),
    "home": ("go home", "go to the rest posture", "return home"),
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
NUMBERS: Mapping[str, int] = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}
ALL = ("all", "every", "each")
ANY = ("a", "an", "any", "some", "another")
PRONOUNS = ("it", "them", "that", "this")
EXCEPT = ("except for", "except", "but not", "apart from")
THEN = ("and then", "after that", "afterwards", "finally", "then", ";", ".")
FILLERS = (
    "please", "kindly", "now", "robot", "can you", "could you", "would you", "will you", "i want you to",
    "i would like you to", "you should", "carefully", "gently", "slowly", "quickly", "step by step", "one by one",
    "one after another", "one after the other", "for me", "first", "let us", "also", "the panda should", "hey",
    "sign out of", "of each other", "together",
)
QUESTION = ("what", "where", "which", "how many", "is", "are", "who")
EXAMPLES = (
    "pick up the box", "place the box next to the cylinder", "put the red box on the blue box",
    "put two boxes into the bowl", "place the box left of (right of, in front of, behind) the cylinder",
    "place the boxes around the cylinder", "stack the boxes", "build a tower (line, plus sign, L, T) with the boxes",
    "sort the blocks by colour", "clear the table", "put everything in the bowl except the red box",
    "what is on the table?",
)


def phrases(table: Mapping[str, Tuple[str, ...]]) -> Dict[str, str]:
    """Phrase to meaning, from a table of meanings with their phrases."""
    return {phrase: meaning for meaning, known in table.items() for phrase in known}
