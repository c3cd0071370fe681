"""When the embedded camera takes pictures."""

import math

from hicrisp_sim.camera_server import due

PERIOD = 0.2


def test_a_picture_is_due_once_a_period_of_the_worlds_time():
    assert due(10.0, -math.inf, PERIOD, 0.0, math.inf)
    assert not due(10.1, 10.0, PERIOD, 9.0, 5.0)
    assert due(10.2, 10.0, PERIOD, 9.0, 0.01)


def test_in_a_motion_it_is_due_once_a_period_of_wall_time_too():
    assert not due(14.0, 10.0, PERIOD, None, 0.1)
    assert due(14.0, 10.0, PERIOD, None, 0.2)


def test_what_a_motion_has_done_is_shown_at_once_and_once():
    assert due(10.01, 10.0, PERIOD, 10.01, 0.01)
    assert not due(10.02, 10.01, PERIOD, 10.01, 0.01)
    # The end of a motion that no snapshot shows yet is waited for.
    assert not due(10.02, 10.01, PERIOD, 10.03, 0.01)


def test_after_the_clock_was_set_back_a_picture_is_due():
    assert due(0.1, 10.0, PERIOD, 0.0, 0.01)
