"""A domain's own sentences for what requests ask for."""

from __future__ import annotations

import pytest
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.config.files import config_file
from hicrisp_core.domain import load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.language.sayings import in_facts
from hicrisp_core.model import Task
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline

HOME = load_domain(config_file("domains", "virtualhome"))


@pytest.mark.parametrize("said", ["put the salmon in the fridge", "Please put the salmon in the fridge."])
def test_a_request_stands_for_the_facts_that_it_asks_for(said: str) -> None:
    assert in_facts(said, HOME) == "the salmon is inside the fridge, and the fridge is closed"


def test_what_no_saying_fits_stays_as_it_is() -> None:
    assert in_facts("sing a song", HOME) == "sing a song"


def test_the_offline_planner_finds_the_way_to_what_a_saying_asks_for() -> None:
    brain = OfflineBrain(load_domain(config_file("domains", "kitchen")))
    answer = brain.plan(PlanRequest(Task("top the pizza dough with mushrooms"),
                                    load_scene("pizza").first_state()),
                        Deadline(10.0))
    assert [step.action for step in answer.plan.steps] == ["get", "get",
                                                           "put_into"]  # One bottle is in the way.


def test_a_saying_whose_meaning_names_something_else_is_refused_with_its_line(tmp_path) -> None:
    text = config_file("domains", "kitchen").read_text().replace('means: "{a} is at {b}"',
                                                                 'means: "{a} is at {c}"', 1)
    file = tmp_path / "kitchen.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=r"kitchen.yaml:\d+: sayings.0: \{c\} does not stand in"):
        load_domain(file)
