"""Plans as models write them: JSON, function calls, ``[ACTION] <thing>``, numbered prose; nothing is ever evaluated."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from hicrisp_core.domain.schema import Domain
from hicrisp_core.parsing.json_text import find_json
from hicrisp_core.parsing.raw import ParseFailure, RawStep

_CALL = re.compile(r"([A-Za-z_]\w*)\s*\(([^()]*)\)?")
_BRACKETS = re.compile(r"\[\s*([A-Za-z_]\w*)\s*\]\s*((?:<[^<>]*>\s*(?:\([\d.]*\))?\s*)*)")
_ADDRESSED = re.compile(r"\[\s*\w+\s+to\s+\w+\s*\]\s*(\w+)\s*(.*)")
_NUMBERING = re.compile(r"^\s*(?:step\s*)?(?:\d+\s*[.):]|[-*•])\s*", re.IGNORECASE)
_NO_STEPS = ("def ", "assert", "import ", "from ", "return", "pass", "else", "if ", "elif ", "print", "#", "```", "//")
_KEYS = ("steps", "plan", "actions", "commands", "corrections")
_NAMES = ("action", "name", "function", "command")
_ARGUMENTS = ("arguments", "args", "parameters", "params")
MAX_CHARACTERS = 100_000


def parse_plan(text: str, domain: Optional[Domain] = None) -> Union[Tuple[RawStep, ...], ParseFailure]:
    """Read the steps of an answer; an empty plan is one that says so in JSON.

    Args:
        domain: lets prose be read by the sentences of its actions.
    """
    if len(text) > MAX_CHARACTERS:
        return ParseFailure(f"the answer has {len(text)} characters; at most {MAX_CHARACTERS} are read", text[:80])
    value = find_json(text)
    if value is not None:
        entries = _entries(value)
        if entries is not None:
            return _from_entries(entries, domain)
    steps: List[RawStep] = []
    for line in text.splitlines():
        steps.extend(_from_line(line, domain))
    if not steps:
        return ParseFailure("no step was found in the answer", text.strip()[:160])
    return tuple(steps)


def _entries(value: Any) -> Optional[List[Any]]:
    if isinstance(value, list):
        return value
    found = next((value[key] for key in _KEYS if key in value), None)
    if isinstance(found, dict):
        return _entries(found)
    if isinstance(found, list):
        return found
    return [value] if any(key in value for key in _NAMES) else None


def _from_entries(entries: List[Any], domain: Optional[Domain]) -> Union[Tuple[RawStep, ...], ParseFailure]:
    steps: List[RawStep] = []
    for entry in entries:
        found: List[RawStep] = []
        if isinstance(entry, str):
            found = _from_line(entry, domain)
        elif isinstance(entry, dict):
            found = _from_object(entry, domain)
        if not found:
            return ParseFailure("this is no step", str(entry))
        steps.extend(found)
    return tuple(steps)


def _from_object(entry: Mapping[str, Any], domain: Optional[Domain]) -> List[RawStep]:
    name = next((entry[key] for key in _NAMES if isinstance(entry.get(key), str)), "")
    arguments = next((entry[key] for key in _ARGUMENTS if key in entry), None)
    if "(" in name or (" " in name.strip() and arguments is None):
        return _from_line(name, domain)
    if isinstance(arguments, dict):
        named = {str(key): _plain(value) for key, value in arguments.items()}
        return [RawStep(name, (), named, str(dict(entry)))] if name else []
    if isinstance(arguments, list):
        return [RawStep(name, tuple(_plain(value) for value in arguments), {}, str(dict(entry)))] if name else []
    named = {str(k): _plain(v) for k, v in entry.items() if k not in (*_NAMES, "text", "reason") and not _nested(v)}
    return [RawStep(name, (), named, str(dict(entry)))] if name else []


def _from_line(line: str, domain: Optional[Domain]) -> List[RawStep]:
    text = _NUMBERING.sub("", line.strip()).strip().rstrip(";")
    if not text or text.lower().startswith(_NO_STEPS):
        return []
    addressed = _ADDRESSED.match(text)
    if addressed:
        return [RawStep(addressed.group(1), tuple(addressed.group(2).split()), {}, text)]
    brackets = _BRACKETS.match(text)
    if brackets:
        things = tuple(thing.strip() for thing in re.findall(r"<([^<>]*)>", brackets.group(2)))
        return [RawStep(brackets.group(1).lower(), things, {}, text)]
    sentence = _by_sentence(text, domain)
    if sentence:
        return [sentence]
    code = text.split("#", 1)[0]
    return [_from_call(match.group(1), match.group(2), match.group(0)) for match in _CALL.finditer(code)]


def _from_call(name: str, arguments: str, quote: str) -> RawStep:
    positional: List[str] = []
    named: Dict[str, str] = {}
    for part in filter(None, (part.strip() for part in arguments.split(","))):
        key, equals, value = part.partition("=")
        if equals and re.fullmatch(r"\w+", key.strip()):
            named[key.strip()] = _plain(value)
        else:
            positional.append(_plain(part))
    return RawStep(name, tuple(positional), named, quote)


def _by_sentence(text: str, domain: Optional[Domain]) -> Optional[RawStep]:
    """The action whose sentence this is, the longest first."""
    if domain is None:
        return None
    found: List[Tuple[int, RawStep]] = []
    for action in domain.actions.values():
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(action.text).replace(r"\ ", r"\s+"))
        match = re.fullmatch(pattern + r"\s*[.!]?", text, re.IGNORECASE)
        if match and all(len(value.split()) <= 5 for value in match.groupdict().values()):
            literal = len(re.sub(r"{\w+}", "", action.text))
            found.append((literal, RawStep(action.name, (), match.groupdict(), text)))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _plain(value: Any) -> str:
    return str(value).strip().strip("'\"").strip()


def _nested(value: Any) -> bool:
    return isinstance(value, (dict, list))
