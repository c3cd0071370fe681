"""Settings that are read into a dataclass: typed by its defaults, within their bounds, told with their place."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Tuple

import pytest
from hicrisp_core.config.settings import ABOVE_ZERO, PART, read_settings
from hicrisp_core.config.yaml_lines import read_yaml
from hicrisp_core.errors import ConfigError


@dataclass(frozen=True)
class Lift:
    name: str = "lift"
    speed: float = 0.5
    floors: int = 3
    share: float = 0.1
    loud: bool = False
    stops: Tuple[float, ...] = (0.0,)
    doors: Tuple[str, ...] = ("left",)
    rooms: Dict[str, Any] = field(default_factory=dict)


def lift(folder: Path, text: str) -> Lift:
    file = folder / "lift.yaml"
    file.write_text(text)
    values, positions = read_yaml(file)
    return read_settings(Lift, values, positions, usual=ABOVE_ZERO, bounds={"share": PART}, required=("name",),
                         others=("colour",))


def test_what_is_left_out_keeps_its_default(tmp_path: Path) -> None:
    assert lift(tmp_path, "name: a\ncolour: red\n") == Lift("a")


def test_values_have_the_types_of_the_defaults(tmp_path: Path) -> None:
    read = lift(tmp_path, "{name: a, speed: 2, floors: 4, share: 1, loud: true, stops: [1, 2.5], doors: [x], "
                          "rooms: {b: 1}}")
    assert read == Lift("a", 2.0, 4, 1.0, True, (1.0, 2.5), ("x",), {"b": 1})
    assert isinstance(read.speed, float)


@pytest.mark.parametrize(("text", "told"), [
    ("speed: 0", ":2: speed: a number above 0 was expected, got 0.0"),
    ("speed: .inf", ":2: speed: a number above 0 was expected, got inf"),
    ("floors: -1", ":2: floors: a number above 0 was expected, got -1"),
    ("floors: 1.5", ":2: floors: a whole number was expected, got 1.5"),
    ("share: 1.5", ":2: share: a part above 0 and up to 1 was expected, got 1.5"),
    ("loud: 1", ":2: loud: true or false was expected, got 1"),
    ("stops: [0, .nan]", r":2: stops: finite numbers were expected, got \[0, nan\]"),
    ("stops: [true]", ":2: stops: numbers were expected"),
    ("doors: [1]", r":2: doors: texts were expected, got \[1\]"),
    ("sped: 1", ":2: sped: unknown key 'sped' .did you mean 'speed'"),
])
def test_a_wrong_value_is_told_with_its_place_and_what_would_be_right(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        lift(tmp_path, f"name: a\n{text}\n")


def test_what_is_required_is_missed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the key 'name' is missing"):
        lift(tmp_path, "speed: 1\n")
