"""Failures become sentences at the edge alone: other words for them change nothing that a planner or corrector does."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Dict, List

import pytest
import yaml
from agv_world import seen
from goals import goal, visits
from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.corrector.ladder import Ladder
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.domain.failure_sentences import CAUSES, MEASURES, SENTENCES
from hicrisp_core.domain.wording import LEVELS, Words, cause_text, told, words_of
from hicrisp_core.model import (
    Cause,
    CauseKind,
    Command,
    Feedback,
    FeedbackKind,
    Level,
    Measured,
    Relation,
    StackEntry,
    Step,
    StepRecord,
    Task,
    Unmet,
    WorldState,
)
from hicrisp_core.model.feedback import feedback_of, feedback_record
from hicrisp_core.model.goal import Goal, Holds
from hicrisp_core.policy.policy import load_policy
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.ports.corrector import CorrectorRequest
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.events import VerdictGiven
from hicrisp_core.trace.plain import to_json
from hicrisp_core.trace.read_event import event_of
from tabletop import steps, table_top

BOXES = {f"{colour}_box": "box" for colour in ("red", "green", "blue", "yellow")}
CYLINDERS = {f"{colour}_cylinder": "cylinder" for colour in ("blue", "green")}
THINGS = table_top({**BOXES, **CYLINDERS, "bowl": "bowl"},
                   [("green_box", "on", "blue_box"), ("blue_box", "on", "table")])


@pytest.fixture(params=["as it is", "reworded"])
def worded(request, config_dir, tmp_path):
    """Loads a domain as it is, or with every text of it in other words."""
    def load(name: str) -> Domain:
        file = config_dir / "domains" / f"{name}.yaml"
        if request.param == "as it is":
            return load_domain(file)
        values, _ = read_yaml(file)
        for predicate in values["predicates"].values():
            two = len(predicate["args"]) == 2
            predicate.update(text="zorp {0} quux {1}" if two else "zorp {0}", not_text="blarg {0}")
        for number, action in enumerate(values["actions"].values()):
            action["text"] = f"frobnicate {number}"
            for condition in action.get("preconditions", ()):
                if isinstance(condition, dict):
                    condition.update(reason="pick pick cannot reach", suggestion="place unreachable area_1")
        other = tmp_path / file.name
        other.write_text(yaml.safe_dump(values, sort_keys=False))
        return load_domain(other)
    return load


def failed(domain: Domain, text: str, kind: FeedbackKind, **more: Any) -> Feedback:
    action, _, rest = text.rstrip(")").partition("(")
    arguments = dict(zip(domain.actions[action].parameters, rest.split(", ")))
    return Feedback(Level.LOW, kind, Command(action, arguments, str(next(iter(arguments.values())))), **more)


def short(plan: Any) -> List[str]:
    return [str(step) for step in plan.steps] if plan is not None else []


def planned(domain: Domain, wanted: Goal, feedback: Feedback, world: WorldState = THINGS, **more: Any) -> List[str]:
    request = PlanRequest(Task("any words"), world, (feedback,), goal=wanted, **more)
    return short(SearchBrain(domain).plan(request, Deadline(10.0)).plan)


@pytest.mark.parametrize(("wanted", "broken", "expected"), [
    (goal("any(in(blue_box,bowl),in(green_box,bowl))"), "pick(panda, blue_box)",
     "place_in(panda, green_box, bowl)"),
    (goal("any(next_to(red_box,blue_cylinder),next_to(red_box,green_cylinder))"),
     "place_next_to(panda, red_box, blue_cylinder)", "place_next_to(panda, red_box, green_cylinder)"),
])
def test_a_new_plan_takes_another_thing_whatever_the_words(worded, wanted, broken, expected):
    domain = worded("tabletop")
    assert planned(domain, wanted, failed(domain, broken, FeedbackKind.PLANNING))[-1:] == [expected]


def test_what_stands_already_stays_in_a_new_plan_whatever_the_words(worded):
    domain = worded("tabletop")
    done = tuple(StepRecord(step) for step in steps(
        domain, "pick(panda, green_box)", "place_on(panda, green_box, blue_box)"))
    tower = goal("on(green_box,blue_box)", "any(on(red_box,green_box),on(yellow_box,green_box))")
    feedback = failed(domain, "pick(panda, red_box)", FeedbackKind.PLANNING)
    assert planned(domain, tower, feedback, done=done) == [
        "pick(panda, yellow_box)", "place_on(panda, yellow_box, green_box)"]


def test_an_area_that_no_path_reaches_is_skipped_whatever_the_words(worded):
    domain = worded("agv")
    feedback = failed(domain, "go_to(agv, area_3)", FeedbackKind.UNREACHABLE, subjects=("area_3",))
    assert planned(domain, visits("area_3", "area_1"), feedback, seen()) == ["go_to(agv, area_1)"]


@pytest.mark.parametrize(("command", "kind", "more"), [
    ("place_next_to(panda, red_box, blue_cylinder)", FeedbackKind.PRECONDITION, {}),
    ("pick(panda, blue_box)", FeedbackKind.PRECONDITION, {}),
    ("pick(panda, red_box)", FeedbackKind.PLANNING, {"blockers": ("blue_cylinder",)}),
    ("pick(panda, red_box)", FeedbackKind.NOT_GRASPED, {"subjects": ("red_box",)}),
    ("pick(panda, red_box)", FeedbackKind.NOT_SEEN, {"subjects": ("red_box",)}),
    ("pick(panda, red_box)", FeedbackKind.EXECUTION,
     {"cause": Cause(CauseKind.STALE_SENSOR, ("/joint_states",), 3.0)}),
])
def test_a_correction_is_the_same_whatever_the_words(worded, config_dir, command, kind, more, corrections):
    domain, policy = worded("tabletop"), load_policy(config_dir / "policies" / "hierarchical.yaml")
    feedback = failed(domain, command, kind, **more)
    entry = StackEntry(feedback.command, feedback)
    answer = Ladder(domain, policy, SearchBrain(domain)).correct(
        CorrectorRequest(Task("t"), (entry,), THINGS, remaining=tuple(steps(domain, command)),
                         replans_left=3, goal=goal("next_to(red_box,blue_cylinder)")),
        Deadline(10.0)).correction
    made = (answer.rung, [str(each) for each in answer.commands], short(answer), answer.drop, answer.maker)
    assert corrections.setdefault((command, kind, repr(more)), made) == made


@pytest.fixture(scope="module")
def corrections() -> Dict[object, object]:
    """What was answered with the first wording, by the failure."""
    return {}


def sample(kind: FeedbackKind) -> Feedback:
    """Feedback of a kind with everything that it may hold."""
    command = Command("place_next_to", {"robot": "panda", "item": "red_box", "reference": "cylinder"},
                      "panda")
    return Feedback(
        Level.HIGH, kind, command, Step("", "pick", {"robot": "panda", "item": "red_box"}), "item", "",
        ("red_box",), ("bowl",), (Measured("gap", 0.09, "m"), Measured("pose_age", 4.25, "s"),
                                  Measured("pose_age_limit", 1.0, "s"), Measured("goals_tried", 2)),
        (0.01, 0.0, 0.0), ("green_box",), (Unmet((Relation("red_box", "on", "table"),)),),
        conditions=(Holds(Relation("red_box", "on", "table")),))


@pytest.mark.parametrize("kind", list(FeedbackKind))
def test_every_kind_of_failure_has_its_sentences(domain, kind):
    for feedback in (sample(kind), Feedback(Level.LOW, kind, sample(kind).command)):
        words = words_of(feedback, domain)
        for text in filter(None, (words.error, words.reason, words.suggestion)):
            assert text[0].isupper()
            assert text.endswith(".")
            assert "{" not in text
            assert ".." not in text
            assert "_" not in text
    assert words_of(sample(kind), domain).error


@pytest.mark.parametrize("kind", list(CauseKind))
def test_every_cause_is_said_with_its_names_and_its_age(kind):
    whole = cause_text(Cause(kind, ("/base/scan",), 2.5, "the driver's own words"))
    assert whole
    assert "{" not in whole
    bare = cause_text(Cause(kind))
    assert bare or kind in (CauseKind.UNKNOWN, CauseKind.MALFORMED, CauseKind.REFUSED, CauseKind.NOT_SEEN,
                            CauseKind.UNSUPPORTED, CauseKind.UNREACHABLE_NODE)


def test_a_silent_sensor_is_named_with_its_age():
    silent = Cause(CauseKind.STALE_SENSOR, ("/base/scan",), 2.5)
    assert cause_text(silent) == "no data has come from /base/scan for 2.5 s"


def test_the_tables_name_every_kind_and_no_other():
    assert set(SENTENCES) == set(FeedbackKind)
    assert set(CAUSES) == set(CauseKind)
    assert all("{}" in text for text in MEASURES.values())


def test_a_level_tells_the_error_then_the_reason_then_the_suggestion():
    words = Words("Error.", "Reason.", "Suggestion.")
    assert [words.at_level(level) for level in LEVELS] == [
        Words("Error."), Words("Error.", "Reason."), words]


def test_a_failure_is_told_in_one_go_what_why_and_what_to_do(domain):
    command = Command("pick", {"robot": "panda", "item": "red_box"}, "panda")
    blocked = Feedback(Level.LOW, FeedbackKind.PLANNING, command, blockers=("tea_tin",),
                       cause=Cause(CauseKind.BLOCKED, ("tea_tin",)))
    assert told(blocked, domain) == ("Could not pick up red box: the tea tin is in the way. "
                                     "Move the tea tin away first.")


@pytest.mark.parametrize("kind", list(FeedbackKind))
def test_feedback_survives_a_file(kind):
    feedback = replace(sample(kind), cause=Cause(CauseKind.STALE_SENSOR, ("/base/scan",), 2.5, "no laser"),
                       seen=(Relation("agv", "touched"),), advice="push it")
    event = VerdictGiven(ok=False, feedback=feedback_record(feedback, "Error.", "Reason.", "Suggestion."))
    read = event_of(json.loads(to_json(event.as_dict())))
    assert isinstance(read, VerdictGiven)
    assert read == event
    assert feedback_of(read.feedback) == feedback
