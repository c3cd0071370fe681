"""Offsets that earlier runs learnt: they begin the next run, weigh less with age, and new measurements win."""

import pytest
from hicrisp_core.memory.store import Store
from hicrisp_core.model import Task
from hicrisp_core.model.offsets import DecoderOffsets
from hicrisp_core.ports.memory import FinishedRun
from memory_helpers import DAY, NOW, filled, memory_of, offset
from tabletop import table_top

KEY = "panda/place/world"
ROBOTS = ("panda",)
WORLD = table_top({"box": "box"})


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "memory.sqlite")


def finished(offsets, *measured):
    return FinishedRun(Task("t", "run"), WORLD, (), None, False, offsets, measured)


def learnt(*measured):
    offsets = DecoderOffsets()
    for each in measured:
        offsets = offsets.updated(KEY, each)
    return offsets


def test_the_next_run_begins_with_what_the_last_one_learnt(store, domain):
    memory_of(store, domain).learn(finished(learnt(*[(0.05, 0.0)] * 4), KEY))
    again = memory_of(store, domain).offsets(DecoderOffsets(), ROBOTS)
    assert again.bias(KEY)[0] == pytest.approx(0.05, abs=0.005)


def test_another_body_learns_for_itself(store, domain):
    memory_of(store, domain, body="simulated").learn(finished(learnt((0.05, 0.0)), KEY))
    assert memory_of(store, domain, body="real").offsets(DecoderOffsets(), ROBOTS).estimates == {}


def test_a_robot_that_the_scene_lacks_is_not_recalled(store, domain):
    filled(store, domain, offset())
    assert memory_of(store, domain).offsets(DecoderOffsets(), ("agv",)).estimates == {}


def test_what_was_not_measured_in_the_run_is_not_written_anew(store, domain):
    memory_of(store, domain).learn(finished(learnt((0.05, 0.0))))
    assert not store.file.exists()


def test_with_age_it_weighs_less_until_it_is_forgotten(store, domain):
    filled(store, domain, offset())
    biases = [memory_of(store, domain,
                        clock=lambda age=age: NOW + age * DAY).offsets(DecoderOffsets(), ROBOTS).bias(KEY)[0]
              for age in (0, 10, 15, 60)]
    assert biases[0] > biases[1] > biases[2] > biases[3] == 0.0


def test_a_clock_that_was_put_back_makes_nothing_older_or_heavier(store, domain):
    filled(store, domain, offset(when=NOW + 100 * DAY))
    estimate = memory_of(store, domain).offsets(DecoderOffsets(), ROBOTS).estimates[KEY]
    assert estimate.samples == pytest.approx(3.0)


def test_a_robot_that_was_put_right_is_believed_after_a_few_placements(store, domain):
    filled(store, domain, offset(0.05, samples=500.0, scatter=0.05))
    offsets = memory_of(store, domain).offsets(DecoderOffsets(), ROBOTS)
    for _ in range(8):
        offsets = offsets.updated(KEY, (0.0, 0.0))
    assert abs(offsets.bias(KEY)[0]) < 0.02


def test_what_this_process_knows_is_newer_than_the_file(store, domain):
    filled(store, domain, offset(0.05))
    known = learnt((-0.03, 0.0), (-0.03, 0.0))
    assert memory_of(store, domain).offsets(known, ROBOTS) == known


def test_a_memory_that_only_reads_writes_nothing(store, domain):
    memory_of(store, domain, keeps=False).learn(finished(learnt((0.05, 0.0)), KEY))
    assert not store.file.exists()
