"""The small model writes goals in the user's noun phrases; what it is unsure of is shown to the user first."""

import pytest
from goals import goal
from hicrisp_core.goals.truth import same_goal
from hicrisp_core.llm.chat_model import ChatModel, Completion, LlmFailure
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Answer, Question, Reason, Refusal, Speaker, Turn
from hicrisp_core.ports.interpreter import Request
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.embedded import EmbeddedInterpreter, messages, names_shown
from tabletop import table_top

WORLD = table_top({"red_box": "box", "blue_box": "box", "cup": "cylinder", "bowl": "bowl"})
LONG_WINDED = "I have guests tonight, so it would be lovely to have the cup in that bowl over there"


class Written(ChatModel):
    """A model that writes given lines, with how likely it finds them."""

    name = "small"

    def __init__(self, line, sure=0.9):
        self.line, self.sure, self.asked = line, sure, []

    def complete(self, messages, deadline, schema=None):
        self.asked.append(messages)
        return Completion(self.line, sure=self.sure)


def understood(domain, line, text=LONG_WINDED, sure=0.9, turns=(), ask_below=0.5):
    model = Written(line, sure)
    found = EmbeddedInterpreter(model, domain, ask_below).understand(Request(text, WORLD, turns), Deadline(5))
    return found, model


def test_the_line_becomes_a_goal_with_the_models_name(domain):
    found, model = understood(domain, "in(cup, bowl)")
    assert same_goal(found.meaning, goal("in(cup,bowl)"), domain)
    assert (found.meaning.source, found.sure) == ("small", 0.9)
    assert len(model.asked) == 1


def test_whole_controlled_english_with_unique_names_needs_no_model(domain):
    found, model = understood(domain, "in(red box, bowl)", "put the cup in the bowl")
    assert same_goal(found.meaning, goal("in(cup,bowl)"), domain)
    assert model.asked == []


def test_a_phrase_that_fits_several_objects_is_asked_back_with_them_as_choices(domain):
    found, _ = understood(domain, "in(box, bowl)")
    assert isinstance(found.meaning, Question)
    assert {each.text for each in found.meaning.choices} == {"red box", "blue box"}


def test_an_object_that_contradicts_its_words_is_never_chosen(domain):
    found, _ = understood(domain, "in(green box, bowl)")
    assert isinstance(found.meaning, Refusal)
    assert found.meaning.reason is Reason.UNKNOWN_OBJECT
    assert "red box" in found.meaning.text


def test_a_colour_that_the_model_left_out_may_contradict_the_object_so_that_it_is_only_shown(domain):
    found, _ = understood(domain, "in(cup, bowl)", "hm, the cup into the bowl, the green one I mean", sure=1.0)
    assert found.meaning.text == "I leave out 'green'. I understand: the cup ends up in the bowl. Is that right?"
    found, _ = understood(domain, "in(red box, bowl)", "hm, that box into the bowl, the red one I mean", sure=1.0)
    assert same_goal(found.meaning, goal("in(red_box,bowl)"), domain)


def test_what_it_is_unsure_of_is_shown_and_one_yes_settles_it(domain):
    found, _ = understood(domain, "in(cup, bowl)", sure=0.3)
    question = found.meaning
    assert question.text == "I understand: the cup ends up in the bowl. Is that right?"
    assert same_goal(question.chosen("yes").goal, goal("in(cup,bowl)"), domain)
    assert question.chosen("no").goal is None


def test_a_different_one_for_each_may_be_that_of_its_colour_so_that_the_user_is_asked(domain):
    world = table_top({f"{colour}_{kind}": kind for colour in ("red", "blue") for kind in ("box", "bowl")})
    interpreter = EmbeddedInterpreter(Written("in(all box, different bowl)", 1.0), domain, 0.5)
    own, another = interpreter.understand(Request(LONG_WINDED, world), Deadline(5)).meaning.choices
    assert same_goal(own.goal, goal("in(red_box,red_bowl)", "in(blue_box,blue_bowl)"), domain)
    assert "in(red_box,blue_bowl)" in str(another.goal.stages[0])
    few = table_top({**dict.fromkeys(("red_box_1", "red_box_2"), "box"), "red_bowl": "bowl"})
    asked = interpreter.understand(Request(LONG_WINDED, few), Deadline(5)).meaning
    assert asked.text.startswith("There is no bowl for each of")
    assert same_goal(asked.chosen("yes").goal, goal("in(red_box_1,red_bowl)", "in(red_box_2,red_bowl)"), domain)


def test_a_hand_that_is_not_to_hold_what_it_could_not_hold_besides_is_only_shown(domain):
    """"Pull the box and the cup apart", read so: the cup has no part in it."""
    found, _ = understood(domain, "holding(_, red box) & not holding(_, cup)", sure=1.0)
    assert isinstance(found.meaning, Question)
    read = goal("holding(panda,red_box)", "not(holding(panda,cup))")
    assert same_goal(found.meaning.chosen("yes").goal, read, domain)
    for line in ("in(red box, bowl) & not in(cup, bowl)", "next_to(red box, cup) & not next_to(red box, bowl)"):
        assert isinstance(understood(domain, line, sure=1.0)[0].meaning, Goal)


def test_after_a_no_the_user_is_asked_for_other_words_and_the_model_for_nothing(domain):
    turns = (Turn(Speaker.USER, LONG_WINDED), Turn(Speaker.ROBOT, "I understand: ... Is that right?"))
    found, model = understood(domain, "in(cup, bowl)", "no", turns=turns)
    assert isinstance(found.meaning, Question)
    assert model.asked == []


def test_a_goal_that_cannot_be_is_not_shown_first_but_refused_by_the_verifier_behind_it(domain):
    found, _ = understood(domain, "lying(cup)", sure=0.1)
    assert isinstance(found.meaning, Goal)


@pytest.mark.parametrize("line", ["", "put the cup in the bowl", "in(cup", "in(cup, bowl) or", "x" * 900])
def test_what_is_no_line_asks_for_other_words(domain, line):
    found, _ = understood(domain, line)
    assert isinstance(found.meaning, Question)
    assert found.meaning.choices == ()


@pytest.mark.parametrize("line", ["refuse impossible", "in(me, bowl)"])
def test_a_doubted_refusal_is_the_question_which_of_the_nearest_sentences_is_meant(domain, line):
    """A line that the model is sure of, or that says that somebody could be hurt, is refused."""
    found, _ = understood(domain, line, "put, er, the cup right in the bowl", sure=0.3)
    assert isinstance(found.meaning, Question)
    assert any(same_goal(each.goal, goal("in(cup,bowl)"), domain) for each in found.meaning.choices)
    for certain, sure in ((line, 0.9), ("refuse unsafe", 0.3), ("refuse nothing", 0.3)):
        assert isinstance(understood(domain, certain, sure=sure)[0].meaning, Refusal)


def test_questions_about_the_world_are_answered_by_code_from_the_facts(domain):
    found, _ = understood(domain, "answer is in(cup, bowl)", "hm, say, has the cup gone into the bowl yet", sure=0.2)
    assert isinstance(found.meaning, Answer)
    assert found.meaning.text.startswith("No")
    assert [each.predicate for each in found.meaning.facts] == ["on"]


def test_a_model_that_gives_no_answer_is_reported(domain):
    class Silent(Written):
        def complete(self, messages, deadline, schema=None):
            return LlmFailure("timeout", "no answer in time")

    found = EmbeddedInterpreter(Silent(""), domain, 0.5).understand(Request(LONG_WINDED, WORLD), Deadline(5))
    assert found.meaning is None
    assert "no answer in time" in found.trouble


def test_the_prompt_has_the_names_and_the_turns_and_nothing_of_places(domain):
    turns = (Turn(Speaker.USER, "the box\nin the bowl"), Turn(Speaker.ROBOT, "Which box?"))
    said = messages(Request("the red one", WORLD, turns))[-1]["content"]
    assert said == ("here: blue box, bowl, cup, panda, red box, table\n"
                    "user: the box in the bowl\nrobot: Which box?\nuser: the red one")


def test_of_a_large_scene_only_names_that_the_words_resemble_are_listed(domain):
    many = table_top({**{f"brick_{at}": "box" for at in range(60)}, "mug": "cylinder"})
    assert names_shown(many, (Turn(Speaker.USER, "put the mugs away"),)) == ["mug"]


@pytest.mark.parametrize(("line", "meant"), [
    ("in(cupp, bowl)", "in(cup,bowl)"), ("on(cup, bleu box)", "on(cup,blue_box)"),
    ("in(cupp, bowel)", "in(cup,bowl)"), ("in(rubber cup, bowl)", "in(cup,bowl)")])
def test_words_that_are_nearly_an_objects_or_unknown_are_shown_first_and_never_taken_at_once(domain, line, meant):
    found, _ = understood(domain, line, sure=1.0)
    assert isinstance(found.meaning, Question)
    assert same_goal(found.meaning.chosen("yes").goal, goal(meant), domain)


@pytest.mark.parametrize("line", ["holding(_, 17-a cups)", "holding(_, 65-b cups)", "in(17-b cups, bowl 3)"])
def test_a_code_or_number_that_is_not_there_is_refused_and_never_the_nearest(domain, line):
    world = table_top({"17-b_cups": "cylinder", "bowl_1": "bowl", "bowl_2": "bowl"})
    found = EmbeddedInterpreter(Written(line, 1.0), domain, 0.5).understand(Request(LONG_WINDED, world), Deadline(5))
    assert isinstance(found.meaning, Refusal)
    assert "There " in found.meaning.text


def test_a_code_is_a_name_however_its_parts_are_joined(domain):
    world = table_top({"17-b_cups": "cylinder", "41-a_cups": "cylinder", "bowl": "bowl"})
    for line in ("in(17-b_cups, bowl)", "in(17b cups, bowl)", "in(17-b, bowl)"):
        found = EmbeddedInterpreter(Written(line, 1.0), domain, 0.5).understand(Request(line, world), Deadline(5))
        assert same_goal(found.meaning, goal("in(17-b_cups,bowl)"), domain)
    found = EmbeddedInterpreter(Written("in(all cups, bowl)", 1.0), domain, 0.5).understand(
        Request("the cups into the bowl", world), Deadline(5))
    assert same_goal(found.meaning, goal("in(17-b_cups,bowl)", "in(41-a_cups,bowl)"), domain)
