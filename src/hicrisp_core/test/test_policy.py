"""Policy files and their errors."""

import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Rung
from hicrisp_core.policy.policy import load_policy

COPAL = ["copal_bl", "copal_m", "copal_h0", "copal_h1", "copal_h2", "copal_mh0", "copal_mh1", "copal_mh2"]


@pytest.mark.parametrize("name",
                         ["hierarchical", "hicrisp", "retry_only", "open_loop", "brainbody", "base_llm",
                                  "baseline_embedding", "hicrisp_after", "brainbody_no_feedback", "copal_blocks",
                                  *COPAL])
def test_a_shipped_policy_bears_its_files_name(config_dir, name):
    assert load_policy(config_dir / "policies" / f"{name}.yaml").name == name


def test_rungs_keep_their_order(tmp_path):
    file = tmp_path / "p.yaml"
    file.write_text("policy: p\nrungs: [llm_step, repair]\nbudget: {llm_calls: 3}\noffset: {prior_sigma: "
                    "0.01}\n")
    policy = load_policy(file)
    assert policy.rungs == (Rung.LLM_STEP, Rung.REPAIR)
    assert (policy.budget.llm_calls, policy.offset.prior_sigma) == (3, 0.01)


@pytest.mark.parametrize(("text", "message"), [
    ("policy: p\nrungs: [mend]", "p.yaml:2: rungs.0: unknown rung 'mend'; valid are: repair, offset, help"),
    ("policy: p\nrungs: [give_up]", "give_up is no rung to choose"),
    ("policy: p\nrungs: []\nthreshhold: 3", "p.yaml:3: threshhold: unknown key.*did you mean 'threshold'"),
    ("policy: p\nrungs: []\nthreshold: 0", "p.yaml:3: threshold: more than 0 is needed, got 0"),
    ("policy: p\nrungs: []\nthreshold: many", "a whole number was expected, got 'many'"),
    ("policy: p\nrungs: []\nfeedback_level: all", "'all' is not one of: how, what, why"),
    ("policy: p\nrungs: []\nbrain: triple", "p.yaml:3: brain: 'triple' is not one of: copal, goal, single"),
    ("policy: p\nrungs: []\nbudget: {calls: 1}",
     "unknown key 'calls'.*valid are: correction_seconds, corrections"),
    ("policy: p\nrungs: []\nbudget: {correction_seconds: -1}", "p.yaml:3: budget.correction_seconds: "
     "at least 0 is needed, got -1"),
    ("policy: p\nrungs: []\noffset: {limit: 0}", "p.yaml:3: offset.limit: more than 0 is needed, got 0"),
    ("rungs: []", "the key 'policy' is missing"),
    ("- a\n- b", "a mapping .* was expected"),
    ("policy: [", "p.yaml:1: "),
])
def test_a_wrong_policy_is_refused_with_the_place(tmp_path, text, message):
    file = tmp_path / "p.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_policy(file)


def test_a_policy_says_only_what_differs_from_the_one_that_it_extends(tmp_path):
    (tmp_path / "base.yaml").write_text(
        "policy: base\nrungs: [repair]\nthreshold: 3\nbudget: {llm_calls: 3, tokens: 9}\n")
    (tmp_path / "mine.yaml").write_text("policy: mine\nextends: [base]\ndepth: 2\nbudget: {tokens: 7}\n")
    mine = load_policy(tmp_path / "mine.yaml")
    assert (mine.name, mine.rungs, mine.threshold, mine.depth) == ("mine", (Rung.REPAIR,), 3, 2)
    assert (mine.budget.llm_calls, mine.budget.tokens) == (3, 7)


@pytest.mark.parametrize(("text", "message"), [
    ("policy: a\nextends: [c]\n",
     "a.yaml:2: extends.0: there is no other policy 'c' beside it or in the workspace; there are: b, "
     "base_llm"),
    ("policy: a\nextends: [b]\n", "b.yaml:2: extends.0: the policy 'a' extends this one: they cannot both"),
])
def test_a_policy_that_extends_what_is_not_there_or_itself_is_refused(tmp_path, text, message):
    (tmp_path / "a.yaml").write_text(text)
    (tmp_path / "b.yaml").write_text("policy: b\nextends: [a]\n")
    with pytest.raises(ConfigError, match=message):
        load_policy(tmp_path / "a.yaml")
