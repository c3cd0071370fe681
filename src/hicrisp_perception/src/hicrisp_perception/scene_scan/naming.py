"""What the objects on a table are called: a model sees them numbered in a picture, and its names become attributes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Set, Tuple, Union

from hicrisp_core.llm.chat_model import ChatModel, Completion
from hicrisp_core.llm.images import data_uri
from hicrisp_core.model import Picture, Track
from hicrisp_core.model.world import Uncertainty, WorldObject
from hicrisp_core.parsing.json_text import read_json
from hicrisp_core.parsing.names import USE
from hicrisp_core.parsing.plan_text import ParseFailure
from hicrisp_core.prompting.answer_schema import closed, one_of
from hicrisp_core.prompting.asking import ModelReply, ask
from hicrisp_core.prompting.quarantine import plain
from hicrisp_core.prompting.templates import Placeholders, Prompts
from hicrisp_core.scene.colours import COLOURS
from hicrisp_core.time.deadline import Deadline

from hicrisp_perception.annotating import annotated, as_jpeg
from hicrisp_perception.scene_scan.describing import Described, numbered

PROMPTS = "naming"
PLACEHOLDERS: Mapping[str, Placeholders] = {"system": ("form", ""), "request": ("objects", "")}
_NOUN = re.compile(r"[a-z][a-z'-]*(?: [a-z][a-z'-]*){0,2}")
_LONGEST, _MOST_ALSO = 60, 4
"""Characters of a text, and other nouns of an object."""
SURE = 0.6
"""How likely a noun is at least that becomes the name; one that is less likely is another noun only."""


class Name(NamedTuple):
    """What a model calls an object.

    Args:
        noun: one to three words in lower case.
        colour: one of ``COLOURS``.
        use: what it is for; empty if it was not said.
        fragile: whether it breaks when it falls.
        liquid: whether it holds a liquid.
        also: other nouns for it, or for what it may be.
        sure: how likely the noun is, 0 to 1.
    """

    noun: str
    colour: str
    use: str = ""
    fragile: bool = False
    liquid: bool = False
    also: Tuple[str, ...] = ()
    sure: float = 1.0


class Named(NamedTuple):
    """Objects with their names.

    Args:
        objects: as they were described, with the names that were found for them.
        trouble: why none were found, in words; empty otherwise.
        picture: JPEG file that shows the numbers.
    """

    objects: List[Described]
    trouble: str
    picture: bytes


def name_objects(
    model: ChatModel, prompts: Prompts, picture: Picture, found: Sequence[Described], taken: Set[str],
    deadline: Deadline,
) -> Named:
    """Ask a model what described objects are.

    Args:
        model: takes pictures.
        prompts: of the folder ``naming``.
        picture: shows the objects.
        found: the objects as they were measured; their order gives their numbers.
        taken: names that no object may get.
        deadline: wall-clock limit of the call.

    Returns:
        The objects, those that were named by their nouns, with colour, use and other nouns as attributes.
    """
    reply, shown = ask_names(model, prompts, picture, [each.thing for each in found], deadline)
    return Named(_renamed(found, reply.answer or {}, taken), reply.trouble, shown)


def ask_names(
    model: ChatModel, prompts: Prompts, picture: Picture, things: Sequence[WorldObject], deadline: Deadline
) -> Tuple[ModelReply[Dict[int, Name]], bytes]:
    """Ask a model once what all of these objects are.

    Args:
        model: takes pictures.
        prompts: of the folder ``naming``.
        picture: shows the objects.
        things: with sizes and poses; their order gives their numbers, from 1.
        deadline: wall-clock limit of the call.

    Returns:
        The names by number, or why there are none; and the JPEG file that shows the numbers.
    """
    tracks = [Track(str(number), each.pose, Uncertainty(), picture.stamp, unknown=each)
              for number, each in enumerate(things, 1) if each.pose is not None]
    pictures = [as_jpeg(annotated(picture, shown, {})) for shown in ((), tracks)]
    sizes = [" x ".join(f"{100.0 * each:.0f}" for each in (*sorted(item.size[:2], reverse=True), item.size[2]))
             for item in things]
    objects = "\n".join(f"{number}: {size}" for number, size in enumerate(sizes, 1))
    reply = ask(model, prompts.render("system", form=_FORM), prompts.render("request", objects=objects), deadline,
                _schema(len(things)), lambda said: _read(said, len(things)), images=list(map(data_uri, pictures)))
    return reply, pictures[1]


_FORM = ('{"objects": [{"number": 1, "noun": "...", "colour": "...", "use": "for ...", "fragile": false, '
         '"liquid": false, "also": [], "sure": 0.9}]}')


def _schema(count: int) -> Dict[str, Any]:
    words = {"type": "string", "maxLength": _LONGEST}
    entry = closed({"number": {"type": "integer", "minimum": 1, "maximum": count}, "noun": dict(words),
                    "colour": one_of(tuple(COLOURS)), "use": dict(words), "fragile": {"type": "boolean"},
                    "liquid": {"type": "boolean"},
                    "also": {"type": "array", "items": dict(words), "maxItems": _MOST_ALSO},
                    "sure": {"type": "number", "minimum": 0, "maximum": 1}})
    return closed({"objects": {"type": "array", "maxItems": count, "items": entry}})


def _read(said: Completion, count: int) -> Union[Dict[int, Name], ParseFailure]:
    """Return the names by number, or what is wrong with them."""
    value = read_json(said.text, lambda each: isinstance(each, dict) and isinstance(each.get("objects"), list))
    if value is None:
        return ParseFailure("there is no JSON object with 'objects'")
    names: Dict[int, Name] = {}
    for entry in value.value["objects"]:
        number = entry.get("number") if isinstance(entry, dict) else None
        if not isinstance(number, int) or not 1 <= number <= count:
            return ParseFailure(f"{plain(str(number), _LONGEST)} is no number in the picture; there are 1 to {count}")
        if number in names:
            return ParseFailure(f"number {number} is named twice; give its other nouns as 'also'")
        noun, colour = str(entry.get("noun", "")).strip().lower(), str(entry.get("colour", "")).strip().lower()
        if not _NOUN.fullmatch(noun) or len(noun) > _LONGEST:
            return ParseFailure(f"the noun of number {number} is not one to three words")
        if colour not in COLOURS:
            return ParseFailure(f"the colour of number {number} is none of: {', '.join(COLOURS)}")
        also, sure = entry.get("also"), entry.get("sure")
        others = [str(each).strip().lower() for each in (also if isinstance(also, list) else [])]
        names[number] = Name(
            noun, colour, plain(str(entry.get("use") or ""), _LONGEST), entry.get("fragile") is True,
            entry.get("liquid") is True, tuple(each for each in others if _NOUN.fullmatch(each))[:_MOST_ALSO],
            float(sure) if isinstance(sure, (int, float)) and 0.0 <= sure <= 1.0 else 0.0)
    return names


def _renamed(found: Sequence[Described], names: Mapping[int, Name], taken: Set[str]) -> List[Described]:
    """Return the objects by their nouns, with what else was said of them; what nothing was said of stays as it is."""
    told: List[Described] = []
    for number, each in enumerate(found, 1):
        name = names.get(number)
        if name is None:
            told.append(each)
            continue
        own = re.sub(r"\W+", "_", name.noun)
        use = own if name.sure >= SURE and own not in taken else each.thing.name
        attributes = {**each.thing.attributes, **attributes_of(name, use == own)}
        told.append(replace(each, thing=replace(each.thing, name=use, attributes=attributes)))
    below = {each.thing.name: number for number, each in enumerate(found)}
    return numbered(told, [below.get(each.below) for each in found])


def attributes_of(name: Name, is_name: bool) -> Dict[str, str]:
    """Return what language may call an object by, beside its name.

    Args:
        name: what a model calls it.
        is_name: whether its noun became the object's name; else the noun is another noun.

    Returns:
        Attributes of the object.
    """
    return dict(_attributes(name, is_name))


def _attributes(name: Name, is_name: bool) -> Iterator[Tuple[str, str]]:
    yield "colour", name.colour
    others = [*(() if is_name else (name.noun,)), *name.also]
    if others:
        yield "also", ", ".join(dict.fromkeys(others))
    if name.use:
        yield USE, name.use
    if name.fragile:
        yield "fragile", "fragile"
    if name.liquid:
        yield "contents", "holds a liquid"
