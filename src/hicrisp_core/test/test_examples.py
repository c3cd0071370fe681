"""Sentences to try instead: few, close to what was said, and none that is refused in this world."""

from __future__ import annotations

import pytest
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.detector.perception import ArmFrames, BaseFrames, perceive
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.language.examples import LISTED, listed, nearest
from hicrisp_core.model import Task, WorldState
from hicrisp_core.ports.brain import PlanAnswer, PlanRequest
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from waiting import PATIENCE


def seen(scene_name, config_dir):
    """A scene as it is seen at first, and its domain."""
    scene = load_scene(config_dir / f"scenes/{scene_name}.yaml", 0)
    domain = load_domain(config_dir / f"domains/{scene.domain}.yaml")
    if scene.symbolic:
        return scene.first_state(), domain
    poses = {name: (thing.pose, 0.0) for name, thing in scene.objects.items() if thing.pose}
    starts = scene.arena.starts if scene.arena else {}
    poses.update({f"{name}/base_link": (start.pose, 0.0) for name, start in starts.items()})
    robots = tuple(BaseFrames(name) if name in starts else ArmFrames(name) for name in scene.robots)
    return perceive(poses, scene.objects, domain, 0.0, robots), domain


def asked(text: str, world: WorldState, domain: Domain) -> PlanAnswer:
    return OfflineBrain(domain).plan(PlanRequest(Task(text), world), Deadline(5.0))


@pytest.mark.parametrize("scene", ["tabletop", "sorting", "agv", "lab", "barman", "pizza", "blocks"])
@pytest.mark.parametrize("text",
                         ["juggle it", "swap the red box and the blue box", "fly to the moon",
                          "ge to area 2"])
def test_what_is_offered_is_not_refused_in_the_same_world(scene, text, config_dir):
    world, domain = seen(scene, config_dir)
    answer = asked(text, world, domain)
    assert len(answer.alternatives) <= 3
    assert len(f"{answer.refusal} {'; '.join(answer.alternatives)}") < 4 * 140
    for sentence in answer.alternatives:
        tried = asked(sentence, world, domain)
        assert tried.refusal == "", (sentence, tried.refusal)


@pytest.mark.parametrize(("scene", "text", "meant"), [
    ("tabletop", "plaec the box besides the cylinder", "place the box next to the cylinder"),
    ("sorting", "sort by mood", "sort the blocks by colour"), ("agv", "ge to area 2", "go to area 2"),
    ("lab", "bring a box to area 2 and bakc to the table", "bring the box to area 2 and back to the table")])
def test_the_closest_sentence_comes_first(scene, text, meant, config_dir):
    world, domain = seen(scene, config_dir)
    works = OfflineBrain(domain)._works_in(world)
    assert nearest(text, domain, world, works, PATIENCE)[0] == meant


def test_no_sentence_is_tried_when_the_time_is_over(config_dir):
    world, domain = seen("tabletop", config_dir)
    assert nearest("juggle it", domain, world, lambda sentence, deadline: True, seconds=0.0) == ()


def test_many_names_are_counted_and_few_are_listed():
    names = [f"glass_{number:02d}" for number in range(LISTED + 5)]
    assert listed(names).endswith("and 5 more")
    assert listed(["box", "bowl"]) == "bowl, box"


def test_who_asks_what_can_be_said_to_a_base_hears_of_areas(config_dir):
    world, domain = seen("agv", config_dir)
    answer = asked("what can you do?", world, domain).answer
    assert "go to area 2" in answer
    assert "box" not in answer
