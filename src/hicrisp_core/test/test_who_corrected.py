"""Each correction is named by who made it, everywhere that it is told."""

from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.model import Rung
from hicrisp_core.policy.policy import Policy
from hicrisp_core.trace.result import trial_of
from tabletop import Run, ScriptedBrain, steps, table_top

THINGS, COVERED = {"box": "box", "lid": "box", "cup": "box"}, [("lid", "on", "box")]
PICK = "pick(panda, box)"
POLICY = Policy("test", rungs=(Rung.LLM_STEP,), autonomy="full")


class Planned(ScriptedBrain):
    """Plans as a script says, and corrects as the planner without a model."""

    def correct(self, request, deadline):
        return SearchBrain(self.domain).correct(request, deadline)


def test_what_the_planner_without_a_model_answered_is_not_a_models(domain):
    run = Run(domain, table_top(THINGS, COVERED), POLICY, brain=Planned(domain, steps(domain, PICK)))
    run.world.fails("pick(panda, lid)")
    result = run()
    assert result.success
    assert (result.corrections, result.llm_calls) == ({"llm_step": 3}, 0)
    assert result.corrected_by == {"offline": 3}
    assert {each["maker"]["kind"] for each in run.told("correction")} == {"offline"}
    stacks = [[entry["maker"] for entry in event["entries"]] for event in run.told("stack")]
    assert ["", "offline"] in stacks, "the step's own command, and on it one that corrects"
    assert trial_of(run.events)["corrected_by"] == {"offline": 3}
    assert trial_of([each for each in run.events if each["kind"] != "task_finished"])["corrected_by"] == {"offline": 3}


def test_a_models_corrections_bear_its_name_beside_those_of_the_search(domain):
    policy = Policy("test", rungs=(Rung.REPAIR, Rung.LLM_STEP), autonomy="full")
    run = Run(domain, table_top(THINGS, COVERED), policy, [PICK])
    run.world.fails(PICK, times=2)
    result = run()
    assert result.success
    assert result.corrections == {"repair": 2, "llm_step": 1}
    assert result.corrected_by == {"search": 2, "script": 1}
