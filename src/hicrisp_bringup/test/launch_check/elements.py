"""Launch files as elements that know their lines."""

from __future__ import annotations

import xml.sax
import xml.sax.handler
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterator, List


@dataclass
class Element:
    """One tag, with the line on which it begins and the text directly in it."""

    tag: str
    line: int
    attributes: Dict[str, str]
    children: List["Element"] = field(default_factory=list)
    text: str = ""

    def all(self) -> Iterator["Element"]:
        """The element and everything below it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.all()


class BrokenXml(Exception):
    """A file that is no XML."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class _Builder(xml.sax.handler.ContentHandler):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", 0, {})
        self._open = [self.root]

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802
        element = Element(name, self._locator.getLineNumber(),
                          dict(attrs.items()))  # type: ignore[attr-defined]
        self._open[-1].children.append(element)
        self._open.append(element)

    def endElement(self, name: str) -> None:  # noqa: N802
        self._open.pop()

    def characters(self, content: str) -> None:
        self._open[-1].text += content


def read(path: Path) -> Element:
    """The root element of a file.

    Raises:
        BrokenXml: with the line and what the parser says.
    """
    builder = _Builder()
    try:
        xml.sax.parseString(path.read_bytes(), builder)
    except xml.sax.SAXParseException as error:
        raise BrokenXml(error.getLineNumber() or 0, error.getMessage()) from error
    return builder.root.children[0]
