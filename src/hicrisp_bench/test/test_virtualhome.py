"""VirtualHome behind the ports: searched repairs of plans, in a small home."""

import inspect
from threading import Event

import pytest
from hicrisp_bench.virtualhome import package

if not package.installed():
    pytest.skip(str(package.Missing()), allow_module_level=True)

from hicrisp_bench.virtualhome import replay as replaying
from hicrisp_bench.virtualhome.facts import VirtualHome
from hicrisp_core.model import Command, Status
from hicrisp_core.policy.policy import load_policy
from hicrisp_core.time.deadline import Deadline
from virtualhome_home import CONFIG, PERSON, domain, graph, reading, run, verbs


def test_sitting_on_a_sofa_that_is_not_near_is_repaired_by_finding_it():
    """HiCRISP, Fig. 4: after "grab chips" the person is no longer close to the sofa."""
    done = run('{"WALK": ["sofa"], "FIND": ["chips"], "GRAB": ["chips"], "SIT": ["sofa"]}')
    assert verbs(done) == ["WALK sofa", "FIND chips", "GRAB chips", "FIND sofa", "SIT sofa"]
    assert done.failures == (("not_close", "Could not sit down on sofa 3."),)
    assert done.repairs == {"repair": 1}
    assert done.left_out == ()


def test_without_corrections_the_same_plan_ends_standing():
    done = run('{"WALK": ["sofa"], "FIND": ["chips"], "GRAB": ["chips"], "SIT": ["sofa"]}',
               policy="open_loop")
    assert verbs(done) == ["WALK sofa", "FIND chips", "GRAB chips"]


def test_a_thing_inside_a_closed_fridge_is_reached_by_opening_it():
    assert verbs(run('{"GRAB": ["salmon"]}')) == ["FIND salmon", "OPEN fridge", "GRAB salmon"]


def test_who_sits_stands_up_before_walking():
    assert verbs(run('{"WALK": ["table"]}', character=["SITTING"])) == ["STANDUP", "WALK table"]


def test_who_holds_two_things_puts_one_down_before_grabbing_a_third():
    done = run('{"GRAB": ["cup", "chips"], "WALK": ["table"], "FIND": ["salmon"], "GRAB": ["salmon"]}',
               fridge=["OPEN"])
    assert verbs(done)[-1] == "GRAB salmon"
    assert sum(verb.startswith("DROP") for verb in verbs(done)) == 1
    assert "hands_full" in [kind for kind, _ in done.failures]


def test_a_television_without_current_is_plugged_in_first():
    assert verbs(run('{"SWITCHON": ["television"]}')) == ["FIND television", "PLUGIN television",
                                                          "SWITCHON television"]


def test_what_is_so_already_is_dropped():
    done = run('{"OPEN": ["fridge"]}', fridge=["OPEN"], character=[])
    assert "OPEN fridge" not in verbs(done)
    assert done.left_out == ()


def test_what_nothing_can_mend_is_left_out_and_the_rest_goes_on():
    done = run('{"SIT": ["fridge"], "FIND": ["cup"]}')
    assert verbs(done)[-1] == "FIND cup"
    assert done.left_out == ("SIT fridge 5",)


def test_an_unknown_thing_is_refused_with_the_valid_ones():
    done = run('{"GRAB": ["unicorn"], "FIND": ["cup"]}')
    assert done.left_out == ("GRAB unicorn",)
    assert [kind for kind, _ in done.failures] == ["invalid"]
    assert verbs(done) == ["FIND cup"]


def test_a_run_leaves_the_scene_as_it_was():
    scene = graph()
    for _ in range(2):
        world = VirtualHome(domain(), scene, PERSON, [5])
        before = world.observe(Deadline(60.0))
        assert before.holds("closed", "fridge_5")
        for action in ("find", "open"):
            command = Command(action, {"robot": "character", "item": "fridge_5"}, "character")
            assert world.execute(command, Deadline(60.0), Event()).ok
        assert world.observe(Deadline(60.0)).holds("open", "fridge_5")


def test_only_what_is_named_and_what_that_is_in_is_seen():
    world = VirtualHome(domain(), graph(), PERSON, reading('{"GRAB": ["salmon"]}').named)
    assert set(world.observe(Deadline(60.0)).objects) == {"salmon_6", "fridge_5"}


def test_a_command_that_the_executor_does_not_take_is_an_outcome_not_an_exception():
    world = VirtualHome(domain(), graph(), PERSON, [3])
    outcome = world.execute(Command("sit", {"robot": "character", "item": "nothing_99"}, "character"),
                            Deadline(60.0),
                            Event())
    assert outcome.status in (Status.PRECONDITION, Status.INVALID)
    assert outcome.message


def test_a_canceled_command_does_nothing():
    canceled = Event()
    canceled.set()
    world = VirtualHome(domain(), graph(), PERSON, [3])
    command = Command("find", {"robot": "character", "item": "sofa_3"}, "character")
    assert world.execute(command, Deadline(60.0), canceled).status is Status.CANCELED
    assert world.carried_out == []


def test_nothing_that_runs_a_plan_is_given_the_goals():
    assert "episode" not in inspect.signature(replaying.replay).parameters
    assert not any(word in inspect.getsource(replaying) for word in ("evaluator", "goals", "judge"))


def test_the_task_s_words_change_nothing():
    text = '{"GRAB": ["salmon"], "SIT": ["sofa"]}'
    repair = load_policy(CONFIG / "policies" / "repair.yaml")
    runs = [replaying.replay(domain(), repair, reading(text), graph(), PERSON, words)
            for words in ("put the salmon on the table", "")]
    assert runs[0].carried_out == runs[1].carried_out


def test_what_a_later_step_needs_undone_stays_undone():
    done = run('{"WALK": ["sofa"], "SIT": ["sofa"], "SWITCHON": ["television"]}',
               television=["OFF", "PLUGGED_IN"])
    assert verbs(done) == ["WALK sofa", "SIT sofa", "STANDUP", "FIND television", "SWITCHON television"]
