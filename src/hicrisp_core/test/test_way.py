"""The way of a base, put together from the parts that it tells."""

from __future__ import annotations

from hicrisp_core.model.way import Mark, Way, WayLog


def test_a_way_is_put_together_from_its_last_parts():
    def way(count, tail=4):
        spots = tuple((0.05 * at, 0.0) for at in range(count))
        return Way(spots[-tail:], count, (Mark("touched", (0.0, 0.0)),) * (count > 4), int(count > 4))

    log = WayLog()
    log.see(way(3))
    assert len(log.take()[0]) == 1  # What was before it began does not count.
    for count in (4, 4, 6):
        log.see(way(count))
    spots, marks = log.take()
    assert [round(x, 2) for x, _ in spots] == [0.1, 0.15, 0.2, 0.25]
    assert len(marks) == 1
    log.see(way(2))  # The eyes were opened anew.
    assert len(log.take()[0]) == 3
