"""What is understood of sentences is judged as a person would, and our own sentences can be fulfilled."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

import pytest
from hicrisp_bench.language import suite as language
from hicrisp_bench.language.judging import Judge, Mark, asked_by
from hicrisp_bench.language.sentences import Sentence, Setting, read_sentences, settings_of
from hicrisp_bench.language.suite import _curve
from hicrisp_bench.runner import Runner
from hicrisp_bench.suite import Report
from hicrisp_core.config.files import config_file
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.goals.validation import check_goal
from hicrisp_core.llm.chat_model import ChatModel, Completion
from hicrisp_core.llm.models import RoleModel
from hicrisp_core.llm.settings import GOAL, LlmSettings
from hicrisp_core.model import Relation, RobotState, WorldObject, WorldState
from hicrisp_core.model.goal import Goal, Stage, Statement
from hicrisp_core.model.goal_text import parse_statement
from hicrisp_core.model.meaning import (
    Answer,
    Choice,
    Meaning,
    Question,
    Reason,
    Refusal,
    Speaker,
    Turn,
)
from hicrisp_core.ports.interpreter import Request, Understood
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.embedded import EmbeddedInterpreter

CONFIG = Path(__file__).resolve().parents[3] / "config"
OWN = ("tabletop.json", "tabletop_development.json")
KINDS = {"plain": 25, "several goals": 25, "paraphrase": 35, "tower or row": 20, "described": 25, "need": 20,
         "in haste": 15, "constraint": 15, "refuse, ask or answer": 20}


@pytest.fixture(scope="module")
def setting() -> Setting:
    """A cup on a saucer, a pot with a lid, a spoon in the left of two bowls."""
    kinds = {"cup": "cylinder", "saucer": "box", "pot": "cylinder", "lid": "cylinder", "spoon": "box",
             "fork": "box",
             "tub": "bowl", "dish": "bowl"}
    objects = {name: WorldObject(name, kind) for name, kind in kinds.items()}
    objects["table"] = WorldObject("table", "surface", "surface", movable=False)
    facts = [("cup", "on", "saucer"), ("lid", "on", "pot"), ("spoon", "in", "tub"),
             ("tub", "left_of", "dish")]
    facts += [(name, "on", "table") for name in ("saucer", "pot", "fork", "tub", "dish")]
    world = WorldState(objects, frozenset(Relation(*fact) for fact in facts), {"panda": RobotState("panda")})
    return Setting(load_domain(config_file("domains", "tabletop")), world)


def conditions(*texts: str) -> Tuple[Statement, ...]:
    return tuple(map(parse_statement, texts))


def goal(*end: str, keep: Tuple[str, ...] = (), first: Sequence[Sequence[str]] = ()) -> Goal:
    return staged((*first, end), keep)


def staged(stages: Sequence[Sequence[str]], keep: Sequence[str] = (), robot: str = "") -> Goal:
    return Goal(tuple(Stage(conditions(*each), robot) for each in stages if each), conditions(*keep))


def sentence(*alternatives: Any, **more: Any) -> Sentence:
    goals = tuple(each if isinstance(each, Goal) else goal(*each) for each in alternatives
                  if not isinstance(each, str))
    others = frozenset(each for each in alternatives if isinstance(each, str))
    return Sentence("1", "s", "t", "k", goals, others, **more)


def mark(setting: Setting, meaning: Optional[Meaning], *alternatives: Any, **more: Any) -> Mark:
    return Judge(setting).judge(sentence(*alternatives, **more), Understood(meaning)).mark


@pytest.mark.parametrize(("said", "wanted"), [
    ("next_to(fork,pot)", "next_to(pot,fork)"), ("left_of(fork,pot)", "right_of(pot,fork)"),
    ("behind(fork,pot)", "in_front_of(pot,fork)")])
def test_a_fact_may_be_said_the_other_way_round(setting: Setting, said: str, wanted: str) -> None:
    assert mark(setting, goal(said), [wanted]) is Mark.RIGHT


@pytest.mark.parametrize("said", ["right_of(fork,pot)", "next_to(fork,pot)", "left_of(pot,fork)"])
def test_another_fact_of_the_same_things_is_wrong(setting: Setting, said: str) -> None:
    assert mark(setting, goal(said), ["left_of(fork,pot)"]) is Mark.WRONG


def test_all_that_was_asked_for_must_be_there_even_what_holds_already(setting: Setting) -> None:
    wanted = ["in(fork,dish)", "on(cup,saucer)"]
    assert mark(setting, goal("in(fork,dish)"), wanted) is Mark.WRONG
    assert mark(setting, goal("in(fork,dish)", "on(cup,saucer)"), wanted) is Mark.RIGHT


def test_more_than_was_asked_for_is_wrong_unless_it_is_so_or_comes_with_it(setting: Setting) -> None:
    wanted = ["next_to(cup,fork)"]
    assert mark(setting, goal("next_to(cup,fork)", "in(spoon,tub)"), wanted) is Mark.RIGHT
    assert mark(setting, goal("next_to(cup,fork)", "on(cup,table)"), wanted) is Mark.RIGHT
    assert mark(setting, goal("next_to(cup,fork)", "on(lid,table)"), wanted) is Mark.WRONG
    assert mark(setting, goal("next_to(cup,fork)", "holding(panda,spoon)"), wanted) is Mark.WRONG


def test_a_denial_may_follow_from_where_a_thing_goes(setting: Setting) -> None:
    for said in ("not(on(lid,pot))", "on(lid,table)", "holding(panda,lid)", "in(lid,dish)"):
        extra = Mark.WRONG if said == "in(lid,dish)" else Mark.RIGHT
        assert mark(setting, goal(said), ["not(on(lid,pot))"], ["on(lid,table)"],
                    ["holding(panda,lid)"]) is extra, said


def test_a_condition_on_the_way_counts_as_one_of_the_end(setting: Setting) -> None:
    wanted = ["on(fork,saucer)", "not(next_to(fork,pot))"]
    kept = ("not(next_to(pot,fork))",)
    assert mark(setting, goal("on(fork,saucer)", keep=kept), wanted) is Mark.RIGHT
    assert mark(setting, goal("on(fork,saucer)", *kept), wanted) is Mark.RIGHT
    assert mark(setting, goal("on(fork,saucer)"), wanted) is Mark.WRONG


def test_an_invariant_holds_all_the_way_and_one_that_nobody_wanted_must_not_be_in_the_way(
        setting: Setting) -> None:
    untouched = "not(holding(panda,cup))"
    wanted = goal("in(fork,dish)", keep=(untouched,))
    assert mark(setting, wanted, wanted) is Mark.RIGHT
    assert mark(setting, goal("in(fork,dish)", keep=("on(cup,saucer)",)), wanted) is Mark.RIGHT
    assert mark(setting, goal("in(fork,dish)", untouched), wanted) is Mark.WRONG
    assert mark(setting, goal("in(fork,dish)", keep=(untouched,)), ["in(fork,dish)"]) is Mark.RIGHT
    assert mark(setting, goal("in(fork,dish)", keep=("not(holding(panda,fork))",)),
                ["in(fork,dish)"]) is Mark.WRONG


def test_what_is_done_first_and_lasts_is_understood(setting: Setting) -> None:
    wanted = ["in(fork,dish)", "holding(panda,lid)"]
    assert mark(setting, goal("holding(panda,lid)", first=(["in(fork,dish)"],)), wanted) is Mark.RIGHT
    assert mark(setting, goal("in(fork,dish)", first=(["holding(panda,fork)"],)),
                ["in(fork,dish)"]) is Mark.RIGHT
    assert mark(setting, goal("in(fork,dish)", first=(["in(fork,tub)"],)), ["in(fork,dish)"]) is Mark.WRONG


@pytest.mark.parametrize(("stages", "expected"), [
    ((["in(fork,dish)"], ["in(lid,dish)"]), Mark.RIGHT),
    ((["holding(panda,fork)"], ["in(fork,dish)"], ["in(lid,dish)"]), Mark.RIGHT),
    ((["in(fork,dish)"], ["in(fork,dish)", "in(lid,dish)"]), Mark.RIGHT),
    ((["in(lid,dish)"], ["in(fork,dish)"]), Mark.WRONG),
    ((["in(lid,dish)", "in(fork,dish)"],), Mark.WRONG),
    ((["in(lid,dish)"], ["in(fork,dish)"], ["in(lid,dish)"]), Mark.WRONG),
    ((["in(fork,dish)"], ["in(lid,dish)"], ["in(cup,dish)"]), Mark.WRONG)])
def test_stages_are_reached_in_the_order_that_was_asked_for(
        setting: Setting, stages: Sequence[Sequence[str]], expected: Mark) -> None:
    wanted = goal("in(lid,dish)", first=(["in(fork,dish)"],))
    meant = staged(stages)
    assert mark(setting, meant, wanted) is expected


def test_where_a_thing_is_brought_twice_both_places_count(setting: Setting) -> None:
    there_and_back = goal("in(spoon,tub)", first=(["in(spoon,dish)"],))
    assert mark(setting, there_and_back, there_and_back) is Mark.RIGHT
    assert mark(setting, goal("in(spoon,tub)"), there_and_back) is Mark.WRONG


def test_a_condition_is_the_same_or_decided_by_what_holds_now(setting: Setting) -> None:
    when = Goal((Stage(conditions("in(fork,dish)"), when=conditions("in(spoon,tub)")),))
    assert mark(setting, when, when) is Mark.RIGHT
    assert mark(setting, when, ["in(fork,dish)"]) is Mark.RIGHT
    assert mark(setting, goal("in(fork,dish)"), when) is Mark.WRONG
    never = Goal((Stage(conditions("in(fork,dish)"), when=conditions("in(spoon,dish)")),))
    assert mark(setting, never, ["in(fork,dish)"]) is Mark.WRONG
    assert mark(setting, never, "answer") is Mark.RIGHT


def test_a_robot_counts_only_where_one_of_several_is_named(setting: Setting) -> None:
    by_panda = Goal.of(*conditions("in(fork,dish)"), robot="panda")
    assert mark(setting, goal("in(fork,dish)"), by_panda) is Mark.RIGHT
    robots = {name: RobotState(name) for name in ("panda", "other")}
    two = replace(setting, world=replace(setting.world, robots=robots))
    assert mark(two, by_panda, by_panda) is mark(two, by_panda, ["in(fork,dish)"]) is Mark.RIGHT
    assert mark(two, goal("in(fork,dish)"), by_panda) is Mark.WRONG


@pytest.mark.parametrize(("stages", "expected"), [
    (("visited(agv,c)", "visited(agv,b)"), Mark.RIGHT), (("visited(agv,c)", "at(agv,b)"), Mark.RIGHT),
    (("visited(agv,b)", "at(agv,c)"), Mark.WRONG), (("visited(agv,c)",), Mark.WRONG)])
def test_who_is_in_an_area_has_visited_it(stages: Sequence[str], expected: Mark) -> None:
    areas = {name: WorldObject(name, "area", "surface", movable=False) for name in "abc"}
    world = WorldState(areas, frozenset({Relation("agv", "at", "a")}), {"agv": RobotState("agv", "base")})
    agv = Setting(load_domain(config_file("domains", "agv")), world)
    meant = staged([[stage] for stage in stages])
    assert mark(agv, meant, goal("visited(agv,b)", first=(["visited(agv,c)"],))) is expected


def test_a_choice_is_right_only_where_each_of_its_ways_is(setting: Setting) -> None:
    either = (["in(fork,tub)"], ["in(fork,dish)"])
    for wanted in (either, (["any(in(fork,tub),in(fork,dish))"],)):
        assert mark(setting, goal("any(in(fork,tub),in(fork,dish))"), *wanted) is Mark.RIGHT
        assert mark(setting, goal("in(fork,dish)"), *wanted) is Mark.RIGHT
        assert mark(setting, goal("any(in(fork,tub),on(fork,saucer))"), *wanted) is Mark.WRONG
    pairs = [[f"in({a},dish)", f"in({b},dish)"]
             for a, b in (("cup", "fork"), ("cup", "lid"), ("fork", "lid"))]
    assert mark(setting, goal("at_least(2,in(cup,dish),in(fork,dish),in(lid,dish))"), *pairs) is Mark.RIGHT
    assert mark(setting, goal("any(in(cup,dish),in(fork,dish),in(lid,dish))"), *pairs) is Mark.WRONG


def test_questions_and_refusals_are_right_where_they_are_wanted_and_never_wrong(setting: Setting) -> None:
    which, no = Question("Which?", (Choice("tub"), Choice("dish"))), Refusal(Reason.IMPOSSIBLE)
    assert mark(setting, which, "ask") is Mark.RIGHT
    assert mark(setting, Question("Please say it in other words."), "ask") is Mark.ASKED
    assert mark(setting, which, ["in(fork,dish)"]) is mark(setting, which, "refuse") is Mark.ASKED
    assert mark(setting, no, "refuse") is Mark.RIGHT
    assert mark(setting, no, ["in(fork,dish)"]) is mark(setting, no, "ask") is Mark.REFUSED
    assert mark(setting, None, "refuse") is Mark.REFUSED


def test_a_question_that_shows_the_right_goal_first_is_confirmed(setting: Setting) -> None:
    shown = Question("Is that right?", (Choice("yes", goal("in(fork,dish)")), Choice("no")))
    assert mark(setting, shown, ["in(fork,dish)"]) is Mark.CONFIRMED
    assert mark(setting, shown, ["in(fork,tub)"]) is mark(setting, shown, "answer") is Mark.ASKED


def test_a_motion_or_an_answer_that_nobody_wanted_is_wrong(setting: Setting) -> None:
    assert mark(setting, goal("in(fork,dish)"), "ask") is Mark.WRONG
    assert mark(setting, Answer("It is on the table."), ["in(fork,dish)"]) is Mark.WRONG
    assert mark(setting, Answer("The cup is on the saucer."), ["on(cup,saucer)"]) is Mark.RIGHT


def test_an_answer_says_what_it_must(setting: Setting) -> None:
    where, wanted = Answer("The spoon is in the Tub."), (("tub", "left bowl"),)
    assert mark(setting, where, "answer") is mark(setting, where, "answer", answer=wanted) is Mark.RIGHT
    assert mark(setting, where, "answer", answer=(*wanted, ("spo",))) is Mark.WRONG


class Said(ChatModel):
    """Says the same to all, fairly sure."""

    name = "said"

    def __init__(self, text: str) -> None:
        self._text = text

    def complete(self, messages: Any, deadline: Any, schema: Any = None) -> Completion:
        return Completion(self._text, sure=0.4)


def asked_as_launched(setting: Setting, text: str, line: str) -> Understood:
    """What the embedded interpreter makes of a text if its model writes this line."""
    settings = LlmSettings("said", only_goals=True, ask_below=0.5)
    model = RoleModel(Said(line), GOAL, settings)
    return EmbeddedInterpreter(model, setting.domain, 0.5).understand(
        Request(text, setting.world), Deadline(5.0))


@pytest.mark.parametrize(("line", "who"), [
    ("on(fork, saucer)", "product"), ("in(fork, bowl)", "product"), ("ask object", "model"),
    ("(", "product")])
def test_who_asks_back_is_known(setting: Setting, line: str, who: str) -> None:
    found = asked_as_launched(setting, "forks are happy there", line)
    assert isinstance(found.meaning, Question)
    assert asked_by(found.usage) == who


def read(tmp_path: Path, **entry: Any) -> Sentence:
    """The sentence that an entry is read as."""
    whole = {"id": "1", "scene": "stack", "text": "t", "class": "c", **entry}
    file = tmp_path / "sentences.json"
    file.write_text(json.dumps([{key: value for key, value in whole.items() if value is not None}]),
                    encoding="utf-8")
    return read_sentences(file)[0]


def test_what_a_sentence_means_is_written_in_many_ways(tmp_path: Path) -> None:
    assert read(tmp_path, goal=[["on(a,b)", "on(c,d)"], ["ask"]]).goals == (goal("on(a,b)", "on(c,d)"),)
    ordered = read(tmp_path, stages=[["on(a,b)"], ["on(c,d)"]], invariants=["not(holding(panda,e))"],
                   robot="panda")
    assert ordered.ordered
    assert ordered.goals == (staged([["on(a,b)"], ["on(c,d)"]], ["not(holding(panda,e))"], "panda"),)
    assert read(tmp_path, goal=[{"stages": ["if on(a,b): on(c,d)"]}]).goals[0].stages[0].when
    assert read(tmp_path, expect=["question", "refusal"]).others == {"ask", "refuse"}
    asked = read(tmp_path, answer=["bowl", ["2", "two"]], turns=["user: hello", "robot: yes?"])
    assert (asked.others, asked.answer) == ({"answer"}, (("bowl",), ("2", "two")))
    assert asked.turns == (Turn(Speaker.USER, "hello"), Turn(Speaker.ROBOT, "yes?"))


@pytest.mark.parametrize("entry", [
    {"goal": [["on(a"]]}, {"goal": []}, {"goal": ["perhaps"]}, {"stages": []}, {"turns": ["hello"]},
    {"id": None}])
def test_a_wrong_file_is_refused_with_the_sentence(tmp_path: Path, entry: Dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="sentence 1"):
        read(tmp_path, **{"goal": ["ask"], **entry})


def own_sentences() -> List[Sentence]:
    return [each for name in OWN for each in read_sentences(CONFIG / "sentences" / name)]


def test_our_own_sentences_are_as_many_of_each_class_as_the_table_says() -> None:
    kinds = [each.kind for each in read_sentences(CONFIG / "sentences" / OWN[0])]
    assert {kind: kinds.count(kind) for kind in kinds} == KINDS


def test_our_own_goals_fit_their_scenes_and_can_be_reached() -> None:
    sentences = own_sentences()
    settings = settings_of(CONFIG, [each.scene for each in sentences], 0, 2)
    misfits, unreachable, misjudged = [], [], []
    for sentence in sentences:
        setting = settings[sentence.scene]
        judge = Judge(setting)
        for wanted in sentence.goals:
            if check_goal(wanted, setting.domain, setting.world) is not None:
                misfits.append(sentence.id)
            elif not judge.course(wanted).found:
                unreachable.append(sentence.id)
            elif judge.judge(sentence, Understood(wanted)).mark is not Mark.RIGHT:
                misjudged.append(sentence.id)
    assert (misfits, unreachable, misjudged) == ([], [], [])


def report_of(*arguments: str) -> Report:
    parser = argparse.ArgumentParser()
    language.add_options(parser)
    options = parser.parse_args([*arguments, "--llm", "offline"])
    options.config, options.jobs = CONFIG, 1
    return language.run(options, Runner())


def test_the_suite_has_a_row_for_each_class_and_scene_and_says_why() -> None:
    report = report_of("--class", "plain", "--class", "in haste", "--every", "8")
    assert [row["class"] for row in report.rows] == ["plain", "in haste", "all"]
    plain, last = report.rows[0], report.rows[-1]
    assert plain["right"] > 0.0
    assert plain["wrong"] == 0.0
    assert (last["llm"], last["set"]) == ("controlled English", "development")
    assert sum(row["n"] for row in report.sections[0].rows) == last["n"]
    first = report.extra["results"][0]
    assert first["mark"] == "right"
    assert first["goal"]["stages"]
    assert first["said"]


def result(mark: str, kind: str = "goal", sure: Optional[float] = None, right: bool = True) -> Dict[str, Any]:
    known = {} if sure is None else {"at_once": "right" if right else "wrong",
                                     "if_asked": "confirmed" if right else "asked"}
    return {"mark": mark, "kind": kind, "sure": sure, **known}


def test_one_run_shows_what_every_threshold_would_come_to() -> None:
    found = [result("right", sure=0.9), result("confirmed", "question", 0.45), result("refused", "refusal"),
             result("wrong", sure=0.55, right=False), result("asked", "question")]
    curve = {row["sure"]: (row["coverage"], row["right"], row["confirmed"], row["wrong"])
             for row in _curve(found)}
    assert curve[0.0] == (0.8, 0.4, 0.0, 0.2)
    assert curve[0.5] == (0.6, 0.2, 0.2, 0.2)
    assert curve[0.95] == (0.2, 0.0, 0.4, 0.0)
    assert _curve([result("right")]) == []
