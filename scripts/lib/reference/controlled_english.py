"""The page of controlled English, made from its tables.

``PYTHONPATH=scripts/lib:$PYTHONPATH python3 -m reference.controlled_english > docs/controlled_english.md`` renews it.
"""
# ruff: noqa: T201  a command line prints

from __future__ import annotations

import re
from typing import Iterable, List, Sequence

from hicrisp_core.understanding.controlled.tables import Texts, tables

_SLOTS = {"x": "X", "y": "Y", "z": "Z", "a": "X", "b": "Y", "c": "Z", "k": "KIND", "at": "PLACE", "state": "STATE",
          "with": "PLACE Y", "recipe": "RECIPE", "unknown": "UNKNOWN", "known": "OLD NAME", "name": "NAME"}
_NAME = re.compile(r"\{(\w+)\}")
_OBJECT = re.compile(r"\[([^\]]*)\]")
_INTRODUCTION = """\
<!-- Made by scripts/lib/reference/controlled_english.py -->
# Controlled English

Write tasks that are read without a language model: all of this closed language, made from
`config/controlled_english.yaml`. Any other sentence is refused with the three nearest that work; so is one with two
readings, or about an object that is not there.

- X, Y and Z are [objects](#objects), PLACE and STATE are [places and states](#places-and-states). Words in [brackets]
  may be left out. Many words have [synonyms](#synonyms).
- Capitals, the last mark, and at both ends these words do not matter: {polite}.
- Which apply depends on the scene. A domain's own facts and actions are read in the words of its file, too.
"""
_PLACES = "What a place means depends on the objects: a fork is put *in* a bowl, gin is poured *in* a glass."
_UNKNOWN = "An object that no file describes is `unknown_1` and so on, until it gets a name, which may be changed:"
_FOR_EXAMPLE = "*call unknown_1 the stapler* (A single one may be \"the unknown object\".)"


def page() -> str:
    """Return the page in Markdown."""
    of = tables()
    lines = [_INTRODUCTION.replace("{polite}", ", ".join(of.polite))]
    for section in of.sections:
        said = [pattern for each in section.sentences for pattern in _patterns(each.say)]
        lines += [f"## {section.title}", "", *_block(said), "",
                  *(line for each in section.sentences if each.note for line in (each.note, ""))]
    for chapter in of.forms:
        lines += [f"## {chapter.title}", "",
                  *(f"- {each.form}: {_quoted(each.says or (each.example,))}{_note(each.note)}"
                    for each in chapter.rows), ""]
    places = [(name.replace("_", " "), *(word for word in words if word != name.replace("_", " ")))
              for name, words in of.places.items()]
    states = [(f"is {each[0]}", *each[1:]) for each in of.states.values()]
    lines += ["## Places and states", "", *_alike([*places, *states]), "", _PLACES, "",
              "## Synonyms", "", *_alike(known for known in map(_spelled, of.words.values()) if len(known) > 1), "",
              "## Names for unknown objects", "", _UNKNOWN, "", *_block(_patterns(of.naming)), "", _FOR_EXAMPLE]
    return "\n".join(lines) + "\n"


def _alike(rows: Iterable[Sequence[str]]) -> List[str]:
    """Return a block with a line for each word that has others, and one for all that have none."""
    known = list(rows)
    alone = ", ".join(first for first, *others in known if not others)
    return _block([*(f"{first}: {', '.join(others)}" for first, *others in known if others),
                   *([alone] if alone else [])])


def _block(lines: Iterable[str]) -> List[str]:
    """Return lines as they stand."""
    return ["```", *lines, "```"]


def _patterns(say: Texts) -> List[str]:
    """Return patterns as they are read: the first word of each class, and capitals in place of the slots."""
    return [_NAME.sub(_word, each) for each in say]


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
    return f" ({note})" if note else ""


if __name__ == "__main__":
    print(page(), end="")
