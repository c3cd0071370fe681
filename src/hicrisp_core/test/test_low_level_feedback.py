"""Low-level feedback over whole tasks: the decoder learns an actuator's bias and is not fooled by noise."""

import math

import pytest
from goals import ScriptedInterpreter, goal
from hicrisp_core.factory import RunFactory
from hicrisp_core.model import Task
from hicrisp_core.policy.policy import Policy, load_policy
from pose_world import PoseWorld, catalogue
from tabletop import ScriptedBrain, steps

PLAN = ("pick(panda, box)", "place_next_to(panda, box, cylinder)")
SECOND = ("pick(panda, box_2)", "place_next_to(panda, box_2, cylinder_2)")


def run(domain, policy: Policy, bias=(0.0, 0.0), sigma=0.0, seed=0, tasks=1, slips=0):
    world = PoseWorld(domain, catalogue(box=(0.4, 0.2), cylinder=(0.5, -0.1)), bias, sigma, seed)
    world.slips = slips
    brain = ScriptedBrain(domain, *[steps(domain, *PLAN)] * tasks)
    events = []
    executive = RunFactory(domain, policy).executive({"panda": world}, world, events.append, brain=brain,
                                                interpreter=ScriptedInterpreter(goal("next_to(box,cylinder)")))
    return [executive.run(Task("any words")) for _ in range(tasks)], world, executive


@pytest.mark.parametrize("direction", range(8))
@pytest.mark.parametrize("size", [0.05, 0.07])
def test_with_a_fixed_bias_the_second_attempt_succeeds(domain, config_dir, direction, size):
    bias = (size * math.cos(direction * math.pi / 4), size * math.sin(direction * math.pi / 4))
    (result,), world, executive = run(domain, load_policy(config_dir / "policies" / "hierarchical.yaml"),
                                      bias)
    assert result.success
    assert sum("place" in command for command in world.executed) <= 2
    if len(world.executed) > 2:
        assert result.corrections == {"repair": 1, "offset": 1}


def test_without_the_offset_rung_a_fixed_bias_is_never_overcome(domain, config_dir):
    policy = load_policy(config_dir / "policies" / "retry_only.yaml")
    failed = [run(domain, policy, (0.07 * math.cos(a), 0.07 * math.sin(a)))[0][0] for a in range(6)]
    assert not all(result.success for result in failed)


def test_zero_mean_noise_costs_attempts_but_not_success(domain, config_dir):
    policy = load_policy(config_dir / "policies" / "hierarchical.yaml")
    results = [run(domain, policy, sigma=0.03, seed=seed)[0][0] for seed in range(100)]
    assert sum(result.success for result in results) >= 99


def test_what_was_learnt_in_one_task_helps_the_next(domain, config_dir):
    policy = load_policy(config_dir / "policies" / "hierarchical.yaml")
    results, world, executive = run(domain, policy, (0.06, 0.05), tasks=3)
    assert all(result.success for result in results)
    assert sum(results[2].corrections.values()) == 0


def test_what_slipped_out_of_the_hand_teaches_no_bias(domain, config_dir):
    policy = load_policy(config_dir / "policies" / "hierarchical.yaml")
    (result,), world, executive = run(domain, policy, slips=1)
    assert result.success
    assert world.executed.count(world.executed[0]) == 2, "it was picked up again"
    assert max(map(abs, executive.offsets.bias("panda/place/world"))) < 0.001


@pytest.mark.parametrize(("bias", "misses", "corrected"), [
    ((0.057, 0.0), (), True), ((0.0, 0.0), ((0.057, 0.0),), False)])
def test_the_next_object_is_aimed_otherwise_only_if_several_placements_agree_on_a_bias(
    domain, config_dir, bias, misses, corrected
):
    things = catalogue(box=(0.4, 0.2), box_2=(0.3, 0.2), cylinder=(0.5, -0.1), cylinder_2=(0.6, 0.3))
    world, events = PoseWorld(domain, things, bias), []
    world.misses[:] = misses
    executive = RunFactory(domain, load_policy(config_dir / "policies" / "hicrisp.yaml")).executive(
        {"panda": world}, world, events.append, brain=ScriptedBrain(domain, steps(domain, *PLAN, *SECOND)))
    assert executive.run(Task("any words")).success
    tried = [event for event in events if event["kind"] == "command" and event["text"].startswith("place box 2")]
    assert (tried[0]["aim"] != tried[0]["target"]) == corrected
    told = [event for event in events if event["kind"] == "offset"]
    assert not any(told[0]["applied"]), "one miss is no bias"
    assert any(told[-1]["applied"]) == corrected


def test_the_hand_that_takes_something_is_told_where_that_goes_next(domain):
    world = PoseWorld(domain, catalogue(box=(0.4, 0.2), cylinder=(0.5, -0.1)))
    sent, execute = [], world.execute
    world.execute = lambda command, *rest: sent.append(command) or execute(command, *rest)
    brain = ScriptedBrain(domain, steps(domain, *PLAN))
    assert RunFactory(domain, Policy("test")).executive(
        {"panda": world}, world, [].append, brain=brain).run(Task("any words")).success
    pick, place = sent
    assert pick.target == place.target
    assert pick.aim is None
