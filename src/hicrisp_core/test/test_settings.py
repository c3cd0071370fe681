"""Settings that are read into a dataclass: typed by its fields, within their bounds, told with their place."""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from pathlib import Path
from typing import Mapping, Optional, Tuple

import pytest
from hicrisp_core.config.settings import STRICT, Part, fixed, read_settings
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.errors import ConfigError
from pydantic import NonNegativeFloat, PositiveFloat, PositiveInt, ValidationError
from pydantic.dataclasses import dataclass
from typing_extensions import Literal


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, config=STRICT)
class Room:
    width: PositiveFloat
    kind: Literal["hall", "cell"] = "hall"
    height: PositiveFloat = fixed(2.5)


@dataclass(frozen=True, config=STRICT)
class Lift:
    name: str
    speed: PositiveFloat = 0.5
    floors: PositiveInt = 3
    share: Part = 0.1
    slack: Optional[NonNegativeFloat] = None
    loud: bool = False
    stops: Tuple[float, ...] = (0.0,)
    doors: Tuple[str, ...] = ("left",)
    corner: Tuple[float, float, float] = (0.0, 0.0, 0.0)
    paints: Tuple[Colour, ...] = ()
    best: Room = field(default_factory=lambda: Room(1.0))
    rooms: Mapping[str, Room] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.speed > 9.0 * self.floors:
            raise ValueError(f"the speed {self.speed:g} is too high for {self.floors} floors")


def lift(folder: Path, text: str) -> Lift:
    file = folder / "lift.yaml"
    file.write_text(text)
    values, positions = read_yaml(file)
    return read_settings(Lift, values, positions, others=("colour",))


def test_what_is_left_out_keeps_its_default(tmp_path: Path) -> None:
    assert lift(tmp_path, "name: a\ncolour: red\n") == Lift("a")


def test_values_have_the_types_of_the_fields(tmp_path: Path) -> None:
    read = lift(tmp_path,
                "{name: a, speed: 2, floors: 4, share: 1, slack: 0, loud: true, stops: [1, 2.5], doors: [x], "
                "corner: [1, 2, 3], paints: [blue], best: {width: 2}, rooms: {b: {width: 3, kind: cell}}}")
    assert read == Lift("a", 2.0, 4, 1.0, 0.0, True, (1.0, 2.5), ("x",), (1.0, 2.0, 3.0), (Colour.BLUE,),
                        Room(2.0),
                        {"b": Room(3.0, "cell")})
    assert isinstance(read.speed, float)


@pytest.mark.parametrize(("text", "told"), [
    ("speed: 0", ":2: speed: more than 0 is needed, got 0"),
    ("speed: .inf", ":2: speed: a finite number was expected, got inf"),
    ("speed: fast", ":2: speed: a number was expected, got 'fast'"),
    ("speed: '2'", ":2: speed: a number was expected, got '2'"),
    ("floors: -1", ":2: floors: more than 0 is needed, got -1"),
    ("floors: 1.5", ":2: floors: a whole number was expected, got 1.5"),
    ("share: 1.5", ":2: share: at most 1 is needed, got 1.5"),
    ("slack: -1", ":2: slack: at least 0 is needed, got -1"),
    ("slack: much", ":2: slack: a number was expected, got 'much'"),
    ("loud: 1", ":2: loud: true or false was expected, got 1"),
    ("stops:\n- 0\n- .nan", r":4: stops.1: a finite number was expected, got nan"),
    ("stops: [true]", ":2: stops.0: a number was expected, got True"),
    ("stops: 3", ":2: stops: a list was expected, got 3"),
    ("doors: [1]", r":2: doors.0: a text was expected, got 1"),
    ("corner: [1, 2]", r":2: corner: a list of 3 values was expected, got \[1, 2\]"),
    ("corner: [1, 2, 3, 4]", r":2: corner: a list of 3 values was expected"),
    ("paints: [green]", ":2: paints.0: 'green' is not one of: red, blue"),
    ("sped: 1", ":2: sped: unknown key 'sped' .did you mean 'speed'"),
    ("best: 1", ":2: best: a mapping was expected, got 1"),
    ("best:\n  wide: 1", ":3: best.wide: unknown key 'wide' .did you mean 'width'.*valid are: kind, width"),
    ("best: {}", ":2: best: the key 'width' is missing"),
    ("rooms:\n  a: {width: 1}\n  b: {width: 1, kind: bath}",
     ":4: rooms.b.kind: 'bath' is not one of: cell, hall"),
    ("rooms: {a: {width: 1, high: 2}}", ":2: rooms.a.high: unknown key 'high'"),
    ("speed: 40", ":1: the speed 40 is too high for 3 floors"),
])
def test_a_wrong_value_is_told_with_its_place_and_what_would_be_right(tmp_path: Path, text: str,
                                                                      told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        lift(tmp_path, f"name: a\n{text}\n")


def test_what_is_required_is_missed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the key 'name' is missing"):
        lift(tmp_path, "speed: 1\n")


def test_a_file_does_not_set_what_is_fixed_and_code_does(tmp_path: Path) -> None:
    file = tmp_path / "lift.yaml"
    file.write_text("name: old\nbest:\n  width: 2.0\n  height: 3.0\n")
    with pytest.raises(ConfigError, match=r"lift\.yaml:4: best\.height: .*no longer read from files.*leave it out"):
        read_settings(Lift, *read_yaml(file))
    file.write_text("name: old\nbest: {width: 2.0, heigth: 3.0}\n")
    with pytest.raises(ConfigError, match="valid are: kind, width$"):
        read_settings(Lift, *read_yaml(file))
    assert Room(2.0).height == 2.5
    assert Room(2.0, height=3.0).height == 3.0


def test_the_constructor_holds_the_same_ranges() -> None:
    with pytest.raises(ValidationError, match="greater than 0"):
        Lift("a", speed=-1.0)
