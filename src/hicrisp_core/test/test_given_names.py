"""Names that people give to what no file describes: they go with their thing, and end with it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hicrisp_core.detector.given_names import GivenNames
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.track import DOUBT, Track, Tracks, Uncertainty, Visibility

SURE = Uncertainty(0.002, 0.001, 0.01)


def unknown(name: str, visibility: Visibility = Visibility.VISIBLE) -> Track:
    return Track(name, Pose((0.4, 0.1, 0.05)), SURE, 1.0, visibility,
                 WorldObject(name, "thing", "box", (0.05, 0.05, 0.1)))


def view(*names: str) -> Tracks:
    return Tracks(1.0, (Track("box", Pose((0.5, 0.0, 0.025)), SURE, 1.0), *map(unknown, names)))


def shown(names: GivenNames, *present: str) -> list:
    tracks = names.called(view(*present)).tracks
    assert all(track.unknown is None or track.unknown.name == track.name for track in tracks)
    return [track.name for track in tracks]


@pytest.fixture
def names() -> GivenNames:
    found = GivenNames(("box", "table", "next_to"))
    found.called(view("unknown_1"))
    return found


def test_the_only_unknown_thing_is_called_by_its_name_from_then_on(names: GivenNames) -> None:
    assert names.give("", "the coffee cup").name == "coffee_cup"
    assert shown(names, "unknown_1") == ["box", "coffee_cup"]
    assert names.give("coffee cup", "mug").ok
    assert shown(names, "unknown_1", "unknown_2") == ["box", "mug", "unknown_2"]


def test_what_has_a_name_is_one_object_without_doubt(names: GivenNames) -> None:
    doubtful = replace(unknown("unknown_1"), unknown=WorldObject("unknown_1", "", attributes={DOUBT: "may be two"}))
    assert names.called(Tracks(1.0, (doubtful,))).tracks[0].unknown.attributes == {DOUBT: "may be two"}
    names.give("", "mug")
    assert names.called(Tracks(1.0, (doubtful,))).tracks[0].unknown.attributes == {}


def test_a_name_ends_when_its_thing_leaves_the_table(names: GivenNames) -> None:
    names.give("", "cup")
    assert shown(names) == ["box"]
    assert shown(names, "unknown_1") == ["box", "unknown_1"]


@pytest.mark.parametrize("name", ["box", "next to", "unknown 3", "1st", "", "drop; table", "x" * 60])
def test_what_means_something_else_or_is_no_name_is_refused(names: GivenNames, name: str) -> None:
    naming = names.give("unknown_1", name)
    assert not naming.ok
    assert naming.message
    assert shown(names, "unknown_1") == ["box", "unknown_1"]


def test_of_several_one_has_to_be_named_and_two_never_share_a_name(names: GivenNames) -> None:
    names.called(view("unknown_1", "unknown_2"))
    assert not names.give("", "cup").ok
    assert "unknown_2" in names.give("", "cup").message
    assert names.give("unknown 2", "cup").ok
    assert not names.give("unknown_1", "cup").ok
    assert not names.give("box", "cup_2").ok
    assert shown(names, "unknown_1", "unknown_2") == ["box", "unknown_1", "cup"]


def test_nothing_can_be_named_where_nothing_is_unknown(names: GivenNames) -> None:
    names.called(Tracks(2.0, (unknown("unknown_1", Visibility.GONE),)))
    assert not names.give("", "cup").ok


def test_a_guess_names_what_has_no_name_and_describes_it(names: GivenNames) -> None:
    assert names.unnamed == {"unknown_1"}
    assert names.give("unknown_1", "mug", {"colour": "white", "also": "cup"}, guess=True).name == "mug"
    track = names.called(view("unknown_1")).tracks[1]
    assert track.unknown is not None
    assert (track.name, track.unknown.attributes) == ("mug", {"colour": "white", "also": "cup"})
    assert names.unnamed == frozenset()


def test_a_guess_replaces_no_name_and_is_numbered_where_it_is_taken(names: GivenNames) -> None:
    names.called(view("unknown_1", "unknown_2", "unknown_3"))
    assert names.give("unknown_1", "cup").ok
    assert not names.give("cup", "mug", guess=True).ok
    assert not names.give("unknown_1", "mug", guess=True).ok
    assert names.give("unknown_2", "cup 2", guess=True).name == "cup_2"
    assert names.give("unknown_3", "cup", guess=True).name == "cup_3"
    assert shown(names, "unknown_1", "unknown_2", "unknown_3") == ["box", "cup", "cup_2", "cup_3"]


def test_a_guess_without_a_name_only_describes(names: GivenNames) -> None:
    assert names.give("unknown_1", "", {"also": "vase"}, guess=True).ok
    track = names.called(view("unknown_1")).tracks[1]
    assert track.unknown is not None
    assert (track.name, track.unknown.attributes) == ("unknown_1", {"also": "vase"})
    assert names.unnamed == {"unknown_1"}


def test_attributes_are_short_lines_and_few(names: GivenNames) -> None:
    said = {"use": "for\n" + "x" * 500, "Not a key!": "x", **{f"key_{number}": "x" for number in range(20)}}
    names.give("unknown_1", "mug", said)
    track = names.called(view("unknown_1")).tracks[1]
    assert track.unknown is not None
    assert len(track.unknown.attributes) == 8
    assert track.unknown.attributes["use"] == "for " + "x" * 116
    names.called(view())
    again = names.called(view("unknown_1")).tracks[1]
    assert again.unknown is not None
    assert again.unknown.attributes == {}, "the words end with their object"


def standing(session: int, stamp: float, **at: float) -> Tracks:
    """A view of objects by their places across the table, metres."""
    return Tracks(stamp, tuple(replace(unknown(own), pose=Pose((0.4, y, 0.05))) for own, y in at.items()), "", session)


def test_names_are_kept_over_a_restart_of_the_detector_also_if_the_object_was_moved() -> None:
    before, after = (GivenNames(("box",)) for _ in range(2))
    before.called(standing(7, 1.0, unknown_1=0.1, unknown_2=0.2))
    before.give("unknown_2", "mug", {"use": "for drinking"})
    after.restore(json.loads(json.dumps(before.record)))
    assert after.called(Tracks()) == Tracks(), "no picture has come yet"
    tracks = after.called(standing(7, 2.0, unknown_1=0.1, unknown_2=0.4)).tracks
    assert [track.name for track in tracks] == ["unknown_1", "mug"]
    assert tracks[1].unknown.attributes == {"use": "for drinking"}


def test_names_of_objects_that_were_numbered_anew_go_to_what_stands_where_they_stood() -> None:
    names = GivenNames(("box",))
    names.called(standing(7, 1.0, unknown_1=0.1, unknown_2=0.2))
    names.give("unknown_1", "mug")
    names.give("unknown_2", "cup")
    view = standing(8, 2.0, unknown_1=0.201, unknown_2=0.3)
    assert [track.name for track in names.called(view).tracks] == ["cup", "unknown_2"]
    view = standing(8, 3.0, unknown_1=0.201, unknown_2=0.3, unknown_3=0.1)
    assert [track.name for track in names.called(view).tracks] == ["cup", "unknown_2", "mug"]


def test_a_name_whose_object_is_not_found_again_soon_is_dropped() -> None:
    names = GivenNames(("box",))
    names.called(standing(7, 1.0, unknown_1=0.1))
    names.give("", "mug")
    names.called(standing(8, 2.0))
    assert [track.name for track in names.called(standing(8, 9.0, unknown_1=0.1)).tracks] == ["unknown_1"]


@pytest.mark.parametrize("record", [{}, None, {"names": 3}, {"session": 7, "names": {"unknown_1": {"name": "mug"}}}, {
    "session": 7, "names": {"unknown_1": {"name": "box", "attributes": {}, "position": [0.4, 0.1, 0.05],
                                          "size": [0.05, 0.05, 0.1]}}}])
def test_what_is_no_record_or_names_what_is_named_already_is_ignored(record) -> None:
    names = GivenNames(("box",))
    names.restore(record)
    assert [track.name for track in names.called(standing(7, 2.0, unknown_1=0.1)).tracks] == ["unknown_1"]
