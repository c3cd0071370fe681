"""Whether Foxglove's layout fits a recording: each panel's topic has a type that the panel draws."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, FrozenSet, Iterator, List, Mapping, NamedTuple, Tuple

from genmsg.msgs import is_valid_constant_type
from mcap.reader import make_reader

LAYOUT = Path(__file__).resolve().parents[4] / "config" / "foxglove" / "hicrisp.json"
_DRAWN_IN_3D = frozenset({"visualization_msgs/MarkerArray", "nav_msgs/OccupancyGrid", "nav_msgs/Path",
                          "sensor_msgs/LaserScan"})
_ANY: FrozenSet[str] = frozenset()


class Need(NamedTuple):
    """A topic that a panel shows, the types that it can show, and the field of which it draws a number."""

    panel: str
    topic: str
    types: FrozenSet[str]
    field: str = ""


def needs() -> List[Need]:
    """What the panels of the layout show; a panel that nobody described here is a KeyError."""
    return [need for panel, settings in _layout()["configById"].items() for need in _of(panel, settings)]


def panels_placed() -> List[str]:
    """The panels that have a place on the screen."""
    return sorted(_leaves(_layout()["layout"]))


def panels_described() -> List[str]:
    """The panels that have settings."""
    return sorted(_layout()["configById"])


def faults(recording: Path) -> List[str]:
    """What a recording lacks for the panels whose topics it has."""
    recorded = _channels(recording)
    told: List[str] = []
    for need in needs():
        if need.topic not in recorded:
            continue
        kind, fields = recorded[need.topic]
        if need.types and kind not in need.types:
            told.append(f"{need.panel} cannot show {kind} of {need.topic}")
        if need.field and not is_valid_constant_type(fields.get(need.field, "no such field")):
            told.append(f"{need.panel} finds no number {need.field} in {kind} of {need.topic}")
    return told


def topics_of(recording: Path) -> FrozenSet[str]:
    """The topics of a recording."""
    return frozenset(_channels(recording))


def _of(panel: str, settings: Mapping[str, Any]) -> Iterator[Need]:
    kind = panel.partition("!")[0]
    if kind == "3D":
        for topic in settings["topics"]:
            yield Need(panel, topic, _DRAWN_IN_3D)
    elif kind == "Image":
        yield Need(panel, settings["imageMode"]["imageTopic"], frozenset({"sensor_msgs/Image"}))
        yield Need(panel, settings["imageMode"]["calibrationTopic"], frozenset({"sensor_msgs/CameraInfo"}))
    elif kind in ("Plot", "StateTransitions"):
        for path in settings["paths"]:
            topic, _, field = path["value"].partition(".")
            yield Need(panel, topic, _ANY, field)
    elif kind == "RawMessages":
        yield Need(panel, settings["topicPath"], _ANY)
    elif kind == "DiagnosticSummary":
        yield Need(panel, settings["topicToRender"], frozenset({"diagnostic_msgs/DiagnosticArray"}))
    else:
        raise KeyError(kind)


def _layout() -> Dict[str, Any]:
    found: Dict[str, Any] = json.loads(LAYOUT.read_text(encoding="utf-8"))
    return found


def _leaves(tree: Any) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    else:
        yield from _leaves(tree["first"])
        yield from _leaves(tree["second"])


def _channels(recording: Path) -> Dict[str, Tuple[str, Dict[str, str]]]:
    """The topics of a recording, each with its type and the types of the type's own fields."""
    with open(recording, "rb") as stream:
        summary = make_reader(stream).get_summary()
    assert summary is not None, "the recording is complete"
    found = {}
    for channel in summary.channels.values():
        schema = summary.schemas[channel.schema_id]
        own = schema.data.decode().split("=" * 80)[0].splitlines()
        pairs = [line.split("#")[0].split() for line in own if "=" not in line.split("#")[0]]
        found[channel.topic] = schema.name, {pair[1]: pair[0] for pair in pairs if len(pair) == 2}
    return found
