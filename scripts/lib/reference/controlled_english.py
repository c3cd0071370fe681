"""The page of controlled English, made from its tables.

``PYTHONPATH=scripts/lib:$PYTHONPATH python3 -m reference.controlled_english > docs/controlled_english.md`` renews it.
"""
# ruff: noqa: T201  a command line prints

from __future__ import annotations

import re
from typing import Iterable, List

from hicrisp_core.understanding.controlled.tables import Texts, tables

from reference.markdown import table

_SLOTS = {"x": "X", "y": "Y", "z": "Z", "a": "X", "b": "Y", "c": "Z", "k": "KIND", "at": "PLACE", "state": "STATE",
          "with": "PLACE Y", "recipe": "RECIPE", "unknown": "UNKNOWN", "name": "NAME"}
_NAME = re.compile(r"\{(\w+)\}")
_OBJECT = re.compile(r"\[([^\]]*)\]")
_INTRODUCTION = """\
<!-- Made by scripts/lib/reference/controlled_english.py -->
# Controlled English

A small closed language that the robot reads without any language model. All of it is on this page, which is made from
`config/controlled_english.yaml`. Every other sentence is refused, together with the three nearest ones that work in the
scene.

- X, Y and Z are [objects](#objects), PLACE and STATE are [places and states](#places-and-states). Words in `[brackets]`
  may be left out. Many words have [synonyms](#synonyms).
- Capitals do not matter, nor does a last full stop or question mark. These may stand at the beginning and the end:
  {polite}.
- A sentence that can be read in more than one way is refused, and so is one about an object that is not there.
- Which sentences apply depends on the scene: an arm has nowhere to drive, and a vehicle nothing to stack.
"""
_PLACES = "What a place means depends on the objects: a fork is put *in* a bowl, gin is poured *in* a glass."
_UNKNOWN = "An object that no file describes is `unknown_1` and so on, until it gets a name:"
_FOR_EXAMPLE = "For example: *call unknown_1 the stapler*. If only one is there, \"the unknown object\" will do."


def page() -> str:
    """Return the page in Markdown."""
    of = tables()
    lines = [_INTRODUCTION.replace("{polite}", ", ".join(of.polite))]
    for section in of.sections:
        rows = ((f"{_patterns(each.say)}{_note(each.note)}", _quoted((each.example,))) for each in section.sentences)
        lines += [f"## {section.title}", "", table(("sentence", "for example"), rows)]
    for chapter in of.forms:
        rows = ((f"{each.form}{_note(each.note)}", _quoted(each.says or (each.example,))) for each in chapter.rows)
        lines += [f"## {chapter.title}", "", table(("form", "for example"), rows)]
    places = [(name.replace("_", " "), ", ".join(each)) for name, each in of.places.items()]
    states = [(f"is {each[0]}", ", ".join(each)) for each in of.states.values()]
    words = [(known[0], ", ".join(known[1:])) for known in map(_spelled, of.words.values()) if len(known) > 1]
    lines += ["## Places and states", "", table(("place or state", "words"), [*places, *states]), _PLACES, "",
              "## Synonyms", "", table(("word", "also"), words),
              "## Names for unknown objects", "", _UNKNOWN, "", *(f"- {_patterns((each,))}" for each in of.naming), "",
              _FOR_EXAMPLE]
    return "\n".join(lines) + "\n"


def _patterns(say: Texts) -> str:
    """Return patterns as they are read: the first word of each class, and capitals in place of the slots."""
    return "<br>".join(f"`{_NAME.sub(_word, each)}`" for each in say)


def _word(name: "re.Match[str]") -> str:
    words = tables().words.get(name[1])
    if words is None:
        return _SLOTS[name[1]]
    return f"[{_spelled(words)[0]}]" if "" in words else _spelled(words)[0]


def _spelled(words: Iterable[str]) -> List[str]:
    return ["a comma" if each == "," else each for each in words if each]


def _quoted(says: Iterable[str]) -> str:
    return " / ".join(f"*{_OBJECT.sub(lambda name: name[1], said)}*" for said in says)


def _note(note: str) -> str:
    return f"<br>{note}" if note else ""


if __name__ == "__main__":
    print(page(), end="")
