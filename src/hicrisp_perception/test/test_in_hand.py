"""What a picture says of a thing in a hand."""

from hicrisp_perception.shapes.evidence import Evidence
from hicrisp_perception.tracking.in_hand import confirms


def evidence(seen, covered, through):
    return Evidence(seen=seen, covered=covered, through=through, left=0.0, whole=seen + covered + through)


def test_a_hand_that_covers_the_thing_says_nothing_of_it_though_the_rim_shows_what_is_behind():
    assert confirms(None, evidence(seen=0, covered=1732, through=84)) is None


def test_the_table_seen_where_the_thing_should_be_says_that_it_is_not_there():
    assert confirms(None, evidence(seen=40, covered=700, through=1000)) is False


def test_a_thing_that_is_seen_but_was_not_fitted_is_left_open():
    assert confirms(None, evidence(seen=900, covered=300, through=100)) is None
