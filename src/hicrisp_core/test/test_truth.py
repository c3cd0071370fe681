"""Three values: what nobody knows is neither true nor false, and decides nothing that is decided without it."""

from dataclasses import replace

import pytest
from goals import ScriptedInterpreter, goal, read
from hicrisp_core.goals.truth import truth
from hicrisp_core.model import Relation, Rung
from hicrisp_core.policy.policy import Policy
from tabletop import Run, table_top
from test_reached_facts import lost

T, F, U = True, False, None
FACTS = {"t": T, "f": F, "u": U}


@pytest.mark.parametrize(("text", "expected"), [
    ("t", T), ("f", F), ("u", U), ("not(t)", F), ("not(f)", T), ("not(u)", U),
    ("all(t,t)", T), ("all(t,f)", F), ("all(t,u)", U), ("all(f,f)", F), ("all(f,u)", F), ("all(u,u)", U),
    ("any(t,t)", T), ("any(t,f)", T), ("any(t,u)", T), ("any(f,f)", F), ("any(f,u)", U), ("any(u,u)", U),
    ("at_least(2,t,t,u)", T), ("at_least(2,t,f,u)", U), ("at_least(2,f,f,u)", F), ("at_least(2,t,u,u)", U),
    ("at_most(1,t,f,f)", T), ("at_most(1,t,u,f)", U), ("at_most(1,t,t,u)", F), ("at_most(1,u,f,f)", T),
    ("exactly(1,t,f,f)", T), ("exactly(1,t,u,f)", U), ("exactly(1,t,t,u)", F), ("exactly(1,f,f,u)", U),
    ("exactly(1,f,f,f)", F), ("not(any(t,u))", F), ("not(all(f,u))", T), ("not(any(f,u))", U),
    ("all(any(t,u),not(f))", T), ("any(all(t,u),f)", U)])
def test_the_truth_table(domain, text, expected):
    (statement,) = read(text.replace("t", "lying(t)").replace("f", "lying(f)").replace("u", "lying(u)")
                        if len(text) == 1 else _named(text))
    facts = {Relation(name, "lying") for name, value in FACTS.items() if value is T}
    assert truth(statement, facts, domain, lambda fact: FACTS[fact.subject[0]] is U) is expected


def _named(text):
    """Each single letter as a fact of its own."""
    count, said = 0, ""
    for at, char in enumerate(text):
        alone = char in FACTS and text[at - 1] in "(," and text[at + 1] in "),"
        count += alone
        said += f"lying({char}{count if char != 't' else ''})" if alone else char
    return said


THINGS = {"mug": "cylinder", "glass": "cylinder", "box": "box", "plate": "box"}
POLICY = Policy("test", verify_goal="task", rungs=(Rung.REPAIR,), autonomy="full")


def outcome(domain, wanted, *plan, unseen=("glass",), facts=()):
    run = Run(domain, lost(table_top(THINGS, facts), *unseen), POLICY, list(plan),
              interpreter=ScriptedInterpreter(wanted))
    return run, run()


def test_one_of_several_in_the_hand_is_enough_though_another_one_is_not_seen(domain):
    _, result = outcome(domain, goal("any(holding(panda,mug),holding(panda,glass))"), "pick(panda, mug)")
    assert (result.success, result.goal, result.corrections) == (True, "seen", {})


def test_a_denial_about_what_is_not_seen_is_not_seen_to_hold(domain):
    run, result = outcome(domain, goal("holding(panda,mug)", "not(on(glass,plate))"), "pick(panda, mug)")
    assert (result.success, result.goal) == (False, "missed")
    assert run.told("failure" if run.told("failure") else "goal_judged")[-1]["seen"] is False
    assert result.failures[-1].kind == "goal_unseen"


def test_what_is_false_whatever_is_not_seen_is_missed_and_made(domain):
    run, result = outcome(domain, goal("any(on(glass,plate),on(box,plate))", "holding(panda,mug)"), "pick(panda, mug)")
    assert result.success
    assert run.world.state.holds("on", "box", "plate")
    assert result.corrections == {"repair": 1}


def test_an_invariant_about_what_went_out_of_view_was_not_broken(domain):
    wanted = goal("holding(panda,mug)", keep=["on(box,plate)"])
    run = Run(domain, table_top(THINGS, [("box", "on", "plate")]), POLICY, ["pick(panda, mug)"],
              interpreter=ScriptedInterpreter(wanted))
    apply = run.world._apply

    def out_of_view(command):
        apply(command)
        run.world.state = lost(run.world.state, "box")

    run.world._apply = out_of_view
    result = run()
    assert not [event for event in run.told("note") if "was to stay so" in event["text"]]
    assert result.failures[-1].kind == "goal_unseen"
    run.world.state = replace(run.world.state, relations=run.world.state.relations)
