"""What is understood of sentences is judged as a person would, and our own sentences can be fulfilled."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest
from hicrisp_bench.language.judging import Judge, Mark
from hicrisp_bench.language.scenes import Setting, settings_of
from hicrisp_bench.language.sentences import Sentence, read_sentences
from hicrisp_bench.language.understanding import Listener, Reader, SoAlready, Understood
from hicrisp_bench.runner import Runner
from hicrisp_core.config.files import config_file
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.goals.typed import check_goal
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.llm.exchange import Completion
from hicrisp_core.model import Relation, RobotState, WorldObject, WorldState
from hicrisp_core.model.goal import AnswerOnly, Ask, Goal, Refuse
from hicrisp_core.model.goal_text import parse_statement

from hicrisp_bench import language

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


def goal(*end: str, keep: Tuple[str, ...] = (), first: Tuple[str, ...] = ()) -> Goal:
    return Goal(tuple(map(parse_statement, end)), tuple(map(parse_statement, keep)),
                tuple(map(parse_statement, first)))


def mark(setting: Setting, understood: Understood, *alternatives: Any) -> Mark:
    goals = tuple(tuple(map(parse_statement, each)) for each in alternatives if not isinstance(each, str))
    others = frozenset(each for each in alternatives if isinstance(each, str))
    return Judge(setting).judge(Sentence("1", "s", "t", "k", goals, others), understood).mark


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


def test_what_is_done_first_and_lasts_is_understood(setting: Setting) -> None:
    wanted = ["in(fork,dish)", "holding(panda,lid)"]
    assert mark(setting, goal("holding(panda,lid)", first=("in(fork,dish)",)), wanted) is Mark.RIGHT
    assert mark(setting, goal("in(fork,dish)", first=("holding(panda,fork)",)),
                ["in(fork,dish)"]) is Mark.RIGHT
    assert mark(setting, goal("in(fork,dish)", first=("in(fork,tub)",)), ["in(fork,dish)"]) is Mark.WRONG


def test_a_choice_is_right_only_where_each_of_its_ways_is(setting: Setting) -> None:
    either = (["in(fork,tub)"], ["in(fork,dish)"])
    assert mark(setting, goal("any(in(fork,tub),in(fork,dish))"), *either) is Mark.RIGHT
    assert mark(setting, goal("in(fork,dish)"), *either) is Mark.RIGHT
    assert mark(setting, goal("any(in(fork,tub),on(fork,saucer))"), *either) is Mark.WRONG
    pairs = [[f"in({a},dish)", f"in({b},dish)"]
             for a, b in (("cup", "fork"), ("cup", "lid"), ("fork", "lid"))]
    assert mark(setting, goal("at_least(2,in(cup,dish),in(fork,dish),in(lid,dish))"), *pairs) is Mark.RIGHT
    assert mark(setting, goal("any(in(cup,dish),in(fork,dish),in(lid,dish))"), *pairs) is Mark.WRONG


def test_questions_and_refusals_are_right_where_they_are_wanted_and_never_wrong(setting: Setting) -> None:
    assert mark(setting, Ask(("tub", "dish")), "ask") is Mark.RIGHT
    assert mark(setting, Ask(), ["in(fork,dish)"]) is mark(setting, Ask(), "refuse") is Mark.ASKED
    assert mark(setting, Refuse(), "refuse") is Mark.RIGHT
    assert mark(setting, Refuse(), ["in(fork,dish)"]) is mark(setting, Refuse(), "ask") is Mark.REFUSED


def test_a_motion_or_an_answer_that_nobody_wanted_is_wrong(setting: Setting) -> None:
    assert mark(setting, goal("in(fork,dish)"), "ask") is Mark.WRONG
    assert mark(setting, AnswerOnly(), ["in(fork,dish)"]) is Mark.WRONG
    assert mark(setting, AnswerOnly(), "answer") is Mark.RIGHT


def test_so_already_is_right_where_it_is(setting: Setting) -> None:
    assert mark(setting, SoAlready(), ["on(cup,saucer)"]) is Mark.RIGHT
    assert mark(setting, SoAlready(), ["on(cup,table)"]) is Mark.WRONG


class AlwaysOnTheSaucer(ChatModel):
    """Wants the fork on the saucer, whatever is said."""

    name = "always"

    def __init__(self) -> None:
        self.asked = 0

    def complete(self, messages: Any, deadline: Any, schema: Any = None) -> Completion:
        self.asked += 1
        return Completion('{"kind":"goal","end":["on(fork,saucer)"]}', sure=0.4)


@pytest.mark.parametrize(("grammar", "text", "asked", "understood"), [
    ("first", "put the fork next to the pot", 0, goal("next_to(fork,pot)")),
    ("first", "forks are happy on saucers", 1, goal("on(fork,saucer)")),
    ("off", "put the fork on the saucer", 1, goal("on(fork,saucer)")),
    ("doubt", "put the fork next to the pot", 1, Ask()),
    ("doubt", "put the fork on the saucer", 1, goal("on(fork,saucer)"))])
def test_a_sentence_is_read_as_the_brain_reads_it(
        setting: Setting, grammar: str, text: str, asked: int, understood: Understood) -> None:
    model = AlwaysOnTheSaucer()
    reply = Reader(Listener(model, CONFIG / "prompts" / "goal_short", grammar, 20.0)).read(text, setting)
    assert model.asked == asked
    if isinstance(understood, Goal):
        assert isinstance(reply.understood, Goal)
        assert reply.understood.texts == understood.texts
    else:
        assert (reply.understood, reply.doubted is not None, reply.sure) == (understood, True, 0.4)


@pytest.mark.parametrize("entry", [
    {"goal": [["on(a"]]}, {"goal": []}, {"goal": ["perhaps"]}, {"goal": [["any(on(a,b),on(a,c))"]]},
    {"id": None}])
def test_a_wrong_file_is_refused_with_the_sentence(tmp_path: Path, entry: Dict[str, Any]) -> None:
    whole = {"id": "1", "scene": "stack", "text": "t", "class": "c", "goal": ["ask"], **entry}
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps([{key: value for key, value in whole.items() if value is not None}]),
                    encoding="utf-8")
    with pytest.raises(ConfigError, match="sentence 1"):
        read_sentences(file)


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
            if check_goal(Goal(wanted), setting.domain, setting.world) is not None:
                misfits.append(sentence.id)
            elif not judge.course(frozenset(wanted)).found:
                unreachable.append(sentence.id)
            elif judge.judge(sentence, Goal(wanted)).mark is not Mark.RIGHT:
                misjudged.append(sentence.id)
    assert (misfits, unreachable, misjudged) == ([], [], [])


def test_the_suite_has_a_row_for_each_class_and_says_why(tmp_path: Path) -> None:
    parser = argparse.ArgumentParser()
    language.add_options(parser)
    options = parser.parse_args(["--class", "plain", "--class", "in haste", "--every", "8"])
    options.config, options.jobs = CONFIG, 1
    report = language.run(options, Runner())
    assert [row["class"] for row in report.rows] == ["plain", "in haste", "all"]
    plain = report.rows[0]
    assert plain["right"] + plain["refused"] == 1.0
    assert plain["right"] > 0.0
    first = report.extra["results"][0]
    assert first["mark"] == "right"
    assert first["conditions"]["end"]
    assert first["understood"]
