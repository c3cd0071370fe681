"""A rung of one's own is treated like those of the workspace, by what its corrections say."""

from textwrap import dedent

import pytest
from goals import ScriptedInterpreter, goal
from hicrisp_core.extensions import PLUGINS_VARIABLE
from hicrisp_core.memory.store import Store
from hicrisp_core.model import Cause, CauseKind, Status
from hicrisp_core.policy.policy import Policy
from hicrisp_core.trace.explain import explain
from memory_helpers import memory_of
from tabletop import Run, table_top

PICK, PLACE = "pick(panda, box)", "place_on(panda, box, plate)"
MODULE = """
    from hicrisp_core.model import Command, Correction, Maker, MakerKind, Step
    from hicrisp_core.ports.brain import Usage
    from hicrisp_core.ports.kinds import RungKind

    class Nurse(RungKind):
        waits = True

        def answer(self, ladder, question, deadline):
            return Correction("nurse", note="Open the door.", maker=Maker(MakerKind.PERSON)), Usage()

    class Porter(RungKind):
        def answer(self, ladder, question, deadline):
            lid = {"robot": "panda", "item": "lid"}
            return Correction("porter", (Command("pick", lid, "panda"), Command("put_down", lid, "panda"))), Usage()

        def pursue(self, ladder, question, deadline):
            arguments = dict(zip(ladder.domain.actions["place_on"].parameters, ("panda", "box", "plate")))
            return Correction("porter", steps=(Step("put it there", "place_on", arguments),)), Usage()

    def extend(extensions):
        return extensions.adding(rungs={"nurse": Nurse(), "porter": Porter()})
    """


@pytest.fixture(autouse=True)
def own_rungs(tmp_path, monkeypatch):
    """Rungs that an operator has named."""
    (tmp_path / "own_rungs.py").write_text(dedent(MODULE))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv(PLUGINS_VARIABLE, "own_rungs")


def policy(*rungs):
    return Policy("t", verify_goal="task", rungs=rungs, autonomy="full")


def test_a_person_whom_an_own_rung_asks_is_waited_for_even_if_only_time_helps(domain):
    asked = []
    run = Run(domain, table_top({"box": "box"}), policy("porter", "nurse"), [PICK],
              help=lambda wanted: bool(asked.append(wanted)) or True)
    run.world.fails(PICK, status=Status.EXECUTION, cause=Cause(CauseKind.HARDWARE))
    result = run()
    assert (result.success, asked, result.corrections) == (True, ["Open the door."], {"nurse": 1})
    assert "A person was asked for help." in explain(run.events)


def test_an_own_rung_leads_to_a_goal_that_is_missed(domain):
    run = Run(domain, table_top({"box": "box", "plate": "box"}), policy("porter"), [PICK],
              interpreter=ScriptedInterpreter(goal("on(box,plate)")))
    assert run().success
    assert run.world.executed == [PICK, PLACE]


def test_what_an_own_rung_found_is_remembered(domain, tmp_path):
    store = Store(tmp_path / "memory.sqlite", patience=0.05)
    world = table_top({"box": "box", "lid": "box"}, [("lid", "on", "box")])
    made = [Run(domain, world, policy("memory", "porter"), [PICK], memory=memory_of(store, domain))().corrections
            for _ in range(2)]
    assert made == [{"porter": 1}, {"memory": 1}]
