"""Plans as models write them: JSON, function calls, ``[ACTION] <thing>``, numbered prose; nothing is ever evaluated."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import AbstractSet, Any, List, Mapping, Optional, Tuple, Union

from hicrisp_core.domain.roles import Roles
from hicrisp_core.domain.schema import Action, Domain
from hicrisp_core.parsing.json_text import FoundJson, objects_in, read_json

_NAME = re.compile(r"([A-Za-z_]\w*)\(")
_SPACED = re.compile(r"\s*([A-Za-z_]\w*)\s+(\([^()]*\))\s*")
_KEYWORD = re.compile(r"\s*(\w+)\s*=(?!=)(.*)", re.DOTALL)
_LONGEST_NAME = 60
"""Characters of a name in a sentence; more is another sentence."""
_PLACE = re.compile(r"\{(\w+)\}")
_ASIDE = re.compile(r"\s*\([^()]*\)\s*(?=[.!]?\s*$)")
_BRACKETS = re.compile(r"\[\s*([A-Za-z_]\w*)\s*\]\s*((?:<[^<>]*>\s*(?:\([\d.]*\))?\s*)*)")
_ADDRESSED = re.compile(r"\[\s*\w+\s+to\s+\w+\s*\]\s*(\w+)\s*(.*)")
_FILLERS = ("from", "to", "in", "into", "on", "onto", "with", "back", "the", "of")
_NUMBERED = re.compile(r"^\s*(?:step\s*)?\d+\s*[.):]\s*\S", re.IGNORECASE)
_NUMBERING = re.compile(r"^\s*(?:step\s*)?(?:\d+\s*[.):]|[-*\u2022])\s*", re.IGNORECASE)
_CODE = re.compile(r"(?:\w+\s*=\s*)?[\w.]+\(")
_LOOP = re.compile(r"^(?:for\b.+\bin\b.+|while\b.+):")
_NO_STEPS = ("def ", "assert", "import ", "from ", "return", "pass", "else", "if ", "elif ", "print", "#", "```", "//")
_KEYS = ("steps", "plan", "actions", "commands", "corrections")
_NAMES = ("action", "name", "function", "command")
_ARGUMENTS = ("arguments", "args", "parameters", "params")
_REMARKS = ("step", "id", "index", "number", "text", "reason", "reasoning", "description", "explanation",
            "comment", "note", "thought")
"""Keys of a step that are neither its action nor an argument, unless the action has such a parameter."""
MAX_CHARACTERS = 100_000


@dataclass(frozen=True)
class RawStep:
    """An action with its arguments as they were written.

    Args:
        positional: arguments without names, in their order.
        named: arguments by parameter name.
        quote: the text that this was read from.
        after: the indices of the steps that it waits for, where the plan says so.
    """

    action: str
    positional: Tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)
    quote: str = ""
    after: Optional[Tuple[int, ...]] = None


@dataclass(frozen=True)
class ParseFailure:
    """Why an answer could not be read, and the place."""

    message: str
    quote: str = ""

    def __str__(self) -> str:
        return f"{self.message}: '{self.quote[:160]}'" if self.quote else self.message


def read_calls(line: str) -> List[RawStep]:
    """The calls of a line, in order; calls inside the arguments of another stay text."""
    spaced = _SPACED.fullmatch(line)
    if spaced:
        line = spaced.group(1) + spaced.group(2)
    found: List[RawStep] = []
    name = _NAME.search(line)
    while name is not None:
        arguments, end = _arguments(line, name.end())
        positional = tuple(unquoted(each) for each in arguments if not _KEYWORD.fullmatch(each))
        named = {keyword[1]: unquoted(keyword[2]) for keyword in map(_KEYWORD.fullmatch, arguments) if keyword}
        found.append(RawStep(name.group(1), positional, named, line[name.start():end]))
        name = _NAME.search(line, end)
    return found


def _arguments(line: str, at: int) -> Tuple[List[str], int]:
    """The arguments from behind the opening bracket, and where the call ends; an unclosed call ends with the line."""
    parts: List[str] = [""]
    depth = 0
    quote: Optional[str] = None
    while at < len(line):
        char = line[at]
        at += 1
        if quote:
            quote = None if char == quote else quote
        elif char in "\"'" and (not parts[-1].strip() or parts[-1].rstrip()[-1] in "=([{,"):
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            if depth == 0:
                break
            depth -= 1
        elif char == "," and depth == 0:
            parts.append("")
            continue
        parts[-1] += char
    return [part for part in parts if part.strip()], at


def unquoted(value: object) -> str:
    """A value as text, without the quotes around it."""
    return str(value).strip().strip("'\"").strip()


def read_sentence(text: str, domain: Domain) -> Tuple[RawStep, ...]:
    """Return the step of one sentence, by the action that has the most words of its own in it; none where it
    is not understood.
    """
    said = _ASIDE.sub("", text).strip()
    matches = ((action, _form(action).fullmatch(said)) for action in domain.actions.values())
    found = [(len(_PLACE.sub("", action.text)), RawStep(action.name, (), match.groupdict(), text))
             for action, match in matches if match is not None]
    return (max(found, key=lambda pair: pair[0])[1],) if found else ()


def _form(action: Action) -> "re.Pattern[str]":
    """The sentence of an action, with a place for each name."""
    pattern, named = "", set()
    parts = _PLACE.split(action.text.strip())
    for words, name in zip(parts[::2], [*parts[1::2], ""]):
        pattern += r"\s+".join(re.escape(word) for word in words.split(" "))
        if name:
            pattern += rf"(?P={name})" if name in named else rf"(?P<{name}>[^,;.:!?()]{{1,{_LONGEST_NAME}}}?)"
            named.add(name)
    return re.compile(rf"{pattern}\s*[.!]?", re.IGNORECASE)


_Read = Union[Tuple[RawStep, ...], ParseFailure]


def parse_plan(text: str, domain: Optional[Domain] = None) -> _Read:
    """Read the steps of an answer; an empty plan is one that says so in JSON.

    Args:
        domain: lets prose be read by the sentences of its actions.
    """
    if len(text) > MAX_CHARACTERS:
        return ParseFailure(f"the answer has {len(text)} characters; at most {MAX_CHARACTERS} are read", text[:80])
    found = _plan_json(text)
    in_json = _from_entries(_entries(found.value) or [], domain) if found else None
    if found and in_json is not None and (isinstance(found.value, dict) or not isinstance(in_json, ParseFailure)):
        return in_json
    in_lines = _from_lines(text, domain)
    return in_lines if in_lines or in_json is None else in_json


def is_cut_off(text: str) -> bool:
    """Whether the plan in JSON that a text holds ends before it is whole."""
    found = _plan_json(text)
    return found is not None and found.cut_off


def is_ambiguous(text: str, keys: AbstractSet[str]) -> bool:
    """Check whether a final answer holds several objects that may be meant, so that to read one would be to choose;
    calls one after another are one plan.

    Args:
        keys: those of an answer; an object with none of them is no plan and no answer.
    """
    objects, adjacent = objects_in(text)
    if adjacent and all(map(_is_call, objects)):
        return False
    meant = [each for each in objects if each is None or not keys.isdisjoint(each) or _is_plan(each, "")]
    return any(each != meant[0] for each in meant)


def _is_call(value: Any) -> bool:
    return isinstance(value, dict) and any(key in value for key in _NAMES) and not any(key in value for key in _KEYS)


def _plan_json(text: str) -> Optional[FoundJson]:
    objects, adjacent = objects_in(text)
    if len(objects) > 1 and adjacent and all(map(_is_call, objects)):
        return FoundJson(list(objects), False)
    return read_json(text, lambda value: _is_plan(value, text.strip()))


def _is_plan(value: Any, text: str) -> bool:
    if isinstance(value, list):
        return text == "[]" or bool(value) and all(isinstance(entry, (str, dict)) for entry in value)
    return isinstance(value, dict) and _entries(value) is not None


def _entries(value: Any) -> Optional[List[Any]]:
    if isinstance(value, list):
        return value
    found = next((value[key] for key in _KEYS if key in value), None)
    if isinstance(found, str):
        return found.splitlines()
    if isinstance(found, (dict, list)):
        return _entries(found)
    return [value] if any(key in value for key in _NAMES) else None


def _from_entries(entries: List[Any], domain: Optional[Domain]) -> _Read:
    steps: List[RawStep] = []
    ends: List[int] = []
    """The index of each entry's last step: an entry may hold several."""
    for entry in entries:
        found = _from_line(entry, domain) if isinstance(entry, str) else []
        if isinstance(entry, dict):
            found = _from_object(entry, domain)
        if not found:
            return ParseFailure("this is no step", str(entry))
        waits = entry.get("after") if isinstance(entry, dict) else None
        if isinstance(waits, list):
            if not all(isinstance(at, int) and 0 <= at < len(ends) for at in waits):
                return ParseFailure("a step waits for earlier ones only, by their indices from 0", str(entry))
            found[0] = replace(found[0], after=tuple(ends[at] for at in waits))
        steps.extend(found)
        ends.append(len(steps) - 1)
    return _without_it(steps, domain)


def _from_object(entry: Mapping[str, Any], domain: Optional[Domain]) -> List[RawStep]:
    name = next((entry[key] for key in _NAMES if isinstance(entry.get(key), str)), "")
    arguments = next((entry[key] for key in _ARGUMENTS if key in entry), None)
    if not name and len(entry) == 1:  # {"pick": {"item": "box"}}
        name, arguments = next(iter(entry.items()))
        arguments = [arguments] if isinstance(arguments, str) else arguments
    if "(" in name or (" " in name.strip() and arguments is None):
        return _from_line(name, domain)
    if not name:
        return []
    if isinstance(arguments, list):
        return [RawStep(name, tuple(unquoted(value) for value in arguments), {}, str(dict(entry)))]
    own = domain.actions[name].parameters if domain and name in domain.actions else {}
    if not isinstance(arguments, dict):
        arguments = {key: value for key, value in entry.items() if key in own or not (
            key in (*_NAMES, *_ARGUMENTS, *_REMARKS) or isinstance(value, (dict, list)))}
    named = {str(key): unquoted(value) for key, value in arguments.items() if value is not None}
    return [RawStep(name, (), named, str(dict(entry)))]


def _from_lines(text: str, domain: Optional[Domain]) -> _Read:
    """Line by line; a numbered line that is no step is an error, for to leave a step out is to change the plan."""
    lines = list(map(str.strip, text.splitlines()))
    loop = next(filter(_LOOP.match, lines), "")
    if loop:
        return ParseFailure("loops are not carried out; every step must be written", loop)
    read = [(line, _from_line(line, domain)) for line in lines]
    steps = [step for _, found in read for step in found]
    unread = next((line for line, found in read if not found and _NUMBERED.match(line)), "")
    if steps and unread:
        return ParseFailure("this step cannot be read", unread)
    return _without_it(steps, domain) if steps else ParseFailure("no step was found in the answer", text.strip()[:160])


def _without_it(steps: List[RawStep], domain: Optional[Domain]) -> Tuple[RawStep, ...]:
    """The steps with what "it" means: the item of the step before."""
    found: List[RawStep] = []
    last = ""
    for step in steps:
        named = {key: last if value.lower() == "it" and last else value for key, value in step.named.items()}
        found.append(replace(step, named=named))
        last = named.get(domain.roles.item if domain else Roles.item, last)
    return tuple(found)


def _from_line(line: str, domain: Optional[Domain]) -> List[RawStep]:
    text = _NUMBERING.sub("", line.replace("**", "").replace("`", "").strip()).strip().rstrip(";")
    if not text or text.lower().startswith(_NO_STEPS):
        return []
    addressed = _ADDRESSED.match(text)
    if addressed:
        words = [addressed.group(1), *addressed.group(2).split("//", 1)[0].split()]
        two = "_".join(words[:2]).lower()
        known = domain.actions.values() if domain else ()
        if any(two in (action.name, *action.called) for action in known):  # Written with a gap: switch on.
            words[:2] = [two]
        objects = tuple(word for word in words[1:] if word.lower() not in _FILLERS)
        return [RawStep(words[0], objects, {}, text)]
    brackets = _BRACKETS.match(text)
    if brackets:
        objects = tuple(item.strip() for item in re.findall(r"<([^<>]*)>", brackets.group(2)))
        return [RawStep(brackets.group(1).lower(), objects, {}, text)]
    code = text.split("#", 1)[0]
    sentence = read_sentence(text, domain) if domain and not _CODE.match(code) else ()
    return list(sentence) or read_calls(code)
