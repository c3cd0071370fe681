"""Fronts that nobody described: what the domain and names make of them."""

from __future__ import annotations

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.detector.given_names import GivenNames
from hicrisp_core.detector.perception import with_type
from hicrisp_core.domain import load_domain
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.model.joint import SLIDE, Joint
from hicrisp_core.model.track import EXACT, Track, Tracks

FRONT = Pose((0.7, 0.2, 0.1), from_yaw(2.8))
JOINT = Joint(SLIDE, "unknown_1", FRONT, FRONT.axes[0], FRONT.position, (0.0, 0.15), Pose((0.05, 0.0, 0.0)),
              (0.012, 0.1), guessed=True)


@pytest.mark.parametrize(("domain", "looks", "type_"), [
    ("cabinet", "drawer", "drawer"), ("cabinet", "door", "door"), ("cabinet", "mug", "furniture"),
    ("workbench", "drawer", "thing")])
def test_a_front_is_what_it_looks_like_where_the_domain_opens_such(domain: str, looks: str, type_: str) -> None:
    front = WorldObject("unknown_2", looks, "box", (0.016, 0.2, 0.15), pose=FRONT, joint=JOINT)
    found = with_type(front, load_domain(config_file("domains", domain)), 0.08)
    assert (found.type, found.movable) == (type_, False)


def test_a_front_keeps_to_its_case_when_that_gets_a_name() -> None:
    def track(name: str, **own: object) -> Track:
        return Track(name, FRONT, EXACT, 1.0, unknown=WorldObject(name, "thing", pose=FRONT, **own))

    names, view = GivenNames(()), Tracks(1.0, (track("unknown_1"), track("unknown_2", joint=JOINT)))
    names.called(view)
    assert names.give("unknown_1", "sideboard").name
    joints = [each.unknown.joint for each in names.called(view).tracks if each.unknown is not None]
    assert [joint.fixture for joint in joints if joint is not None] == ["sideboard"]
