"""Looking on purpose: what the camera does not show is looked at again, with the arm out of sight, for long enough."""

from dataclasses import replace

import pytest
from goals import ScriptedInterpreter, goal
from hicrisp_core.detector.perception import ArmFrames, perceive
from hicrisp_core.executive.observation import LOOKS
from hicrisp_core.factory import load_factory
from hicrisp_core.model import Command, Outcome, Pose, Status, Task
from hicrisp_core.model.offsets import OffsetEstimate, OffsetSettings
from hicrisp_core.model.track import Uncertainty
from hicrisp_core.ports.robot import CLEAR_VIEW
from noisy_tracks import NoisyTracks
from pose_world import DOWN, PoseWorld, catalogue

BESIDE = goal("next_to(box,cylinder)")


class SeenWorld(PoseWorld):
    """A table top that a camera looks at; the arm stands before things unless it was moved out of sight.

    Args:
        behind: the things that the arm hides after each of its commands.
        always: the things that something else hides once the first command has begun.
    """

    def __init__(self, domain, things, behind=(), always=(), **noise) -> None:
        super().__init__(domain, things, **noise)
        self._behind, self._always = tuple(behind), tuple(always)
        self.clear = True
        self.sight = NoisyTracks(self._frames, (name for name, thing in things.items() if thing.movable),
                                 lambda: self._time, hidden=self._hidden)

    def _hidden(self):
        return (*(() if self.clear else self._behind), *(self._always if self.executed else ()))

    def execute(self, command: Command, deadline, cancel, progress=None) -> Outcome:
        if command.action == CLEAR_VIEW:
            self.clear, self._time = True, self._time + 1.0
            return Outcome(Status.SUCCESS)
        self.clear = False
        return super().execute(command, deadline, cancel, progress)

    def _frames(self):
        frames = {name: (pose, self._time) for name, pose in self._poses.items()}
        tool = (0.4, 0.0, 0.4)
        width = self._catalogue[self._held].size[1] if self._held else 0.08
        frames["panda_hand_tcp"] = (Pose(tool, DOWN), self._time)
        for finger, side in (("panda_leftfinger", -0.5), ("panda_rightfinger", 0.5)):
            frames[finger] = (Pose((tool[0], tool[1] + side * width, tool[2])), self._time)
        return frames

    def observe(self, deadline):
        self._time += 0.1
        return perceive(self._frames(), self._catalogue, self._domain, self._time, (ArmFrames("panda"),),
                        view=self.sight.look())


def run(config_dir, domain, world, policy="hierarchical"):
    events = []
    parts = replace(load_factory(config_dir, domain, policy), memory=None)
    executive = parts.executive({"panda": world}, world, events.append, interpreter=ScriptedInterpreter(BESIDE))
    return executive.run(Task("any words")), events


def things():
    return catalogue(box=(0.4, -0.2), cylinder=(0.5, 0.2))


def of(events, kind):
    return [event for event in events if event["kind"] == kind]


def test_what_the_arm_hides_is_seen_once_it_is_out_of_sight(config_dir, domain):
    world = SeenWorld(domain, things(), behind=("box", "cylinder"))
    result, events = run(config_dir, domain, world)
    assert result.success
    assert [event["cleared"] for event in of(events, "look")] == [["panda"]] * 2, "after each of two commands"
    assert result.looks == 2
    assert result.steps_executed == len(world.executed) == 2, "moving out of sight is no step"


def test_what_stays_hidden_is_never_called_done(config_dir, domain):
    world = SeenWorld(domain, things(), always=("box",))
    result, events = run(config_dir, domain, world)
    assert not result.success
    kinds = {event["feedback"]["kind"] for event in of(events, "verdict") if event["feedback"]}
    assert kinds == {"cannot_tell"}
    assert "hidden from the camera" in result.message


def test_looking_ends(config_dir, domain):
    world = SeenWorld(domain, things(), always=("box",))
    _, events = run(config_dir, domain, world, policy="retry_only")
    between = 0
    for event in events:
        between = between + 1 if event["kind"] == "look" else 0 if event["kind"] == "command" else between
        assert between <= 2 * LOOKS


def test_a_camera_that_shows_nothing_newer_is_asked_once_more(config_dir, domain):
    world = SeenWorld(domain, things(), always=("box",))
    look = world.observe

    def blind(deadline):
        return replace(look(deadline), trouble="no new pictures come" if world.executed else "")

    world.observe = blind
    result, events = run(config_dir, domain, world)
    assert not result.success
    assert [event["cleared"] for event in of(events, "look")] == [["panda"]]
    assert "no new pictures come" in result.message


def test_what_was_taken_away_is_looked_for_before_it_is_called_missing(config_dir, domain):
    world = SeenWorld(domain, things(), behind=("cylinder",))
    world.sight.look()
    world.sight.gone.add("box")
    world.clear = False
    result, events = run(config_dir, domain, world)
    assert not result.success
    assert of(events, "look")
    assert of(events, "look")[0]["cleared"] == ["panda"]
    assert "not where the camera last saw it" in result.message


def test_poses_without_a_camera_are_not_looked_at_again(config_dir, domain):
    world = PoseWorld(domain, things())
    result, events = run(config_dir, domain, world)
    assert result.success
    assert of(events, "look") == []


def test_noise_of_the_camera_does_not_spoil_the_placements(config_dir, domain):
    done = []
    for seed in range(10):
        world = SeenWorld(domain, things(), sigma=0.02, seed=seed)
        done.append(run(config_dir, domain, world)[0].success)
    assert all(done)


@pytest.mark.parametrize("sigma", [0.0, 0.02])
def test_a_vague_measurement_counts_less(sigma):
    settings = OffsetSettings()
    first = OffsetEstimate().updated((0.03, 0.0), settings)
    second = first.updated((0.0, 0.0), settings, sigma)
    assert second.mean[0] == pytest.approx(0.015 if sigma == 0.0 else 0.02)
    assert second.samples == pytest.approx(2.0 if sigma == 0.0 else 1.5)


def test_exact_uncertainty_is_the_default(domain):
    assert all(thing.uncertainty == Uncertainty() for thing in things().values())
