"""Earlier tasks and corrections in today's names: near ones of the same domain, and never a name of another scene."""

import pytest
from failures import no_motion
from hicrisp_core.memory.likeness import alike_in_words
from hicrisp_core.memory.store import Store
from hicrisp_core.model import Command, Feedback, FeedbackKind, Level, StackEntry, Task
from memory_helpers import correction, example, filled, memory_of, step
from tabletop import table_top

WORLD = table_top({"box": "box", "bowl": "bowl"})


@pytest.fixture
def remember(tmp_path, domain):
    def memory(*records, **more):
        return memory_of(filled(Store(tmp_path / "memory.sqlite"), domain, *records), domain, **more)
    return memory


@pytest.mark.parametrize(("near", "far"), [
    ("put the red box into the bowl", "visit area 2 with the agv"),
    ("pleace the bx in the bowl", "stack all blocks into one tower"),
    ("box in bowl", "what is on the table?")])
def test_words_tell_near_requests_from_far_ones(near, far):
    scores = alike_in_words("put the box in the bowl", [far, near, "put the box in the bowl"])
    assert scores[0] < scores[1] < scores[2]
    assert scores[2] == pytest.approx(1.0)


@pytest.mark.parametrize("text", ["", "!?", "\x00", "x" * 100_000])
def test_any_text_can_be_compared(text):
    assert all(0.0 <= score <= 1.0 + 1e-9
               for score in alike_in_words(text, ["put the box in the bowl", "", text]))


def test_the_same_scene_gives_the_example_as_it_was(remember):
    found, = remember(example()).examples(Task("could you put the box in the bowl"), WORLD)
    assert found.text == "put the box in the bowl"
    assert [str(each) for each in found.steps] == ["pick(panda, box)", "place_in(panda, box, bowl)"]
    assert found.goal.texts == {"stages": ("in(box,bowl)",)}


def test_in_another_scene_its_names_are_those_of_today(remember):
    today = table_top({"crate": "box", "dish": "bowl", "mug": "cylinder"})
    found, = remember(example()).examples(Task("put the crate in the dish"), today)
    assert found.text == "put the crate in the dish"
    assert [str(each) for each in found.steps] == ["pick(panda, crate)", "place_in(panda, crate, dish)"]
    assert found.goal.texts == {"stages": ("in(crate,dish)",)}


def test_without_a_thing_of_the_type_there_is_no_example(remember):
    assert remember(example()).examples(Task("put the box in the bowl"), table_top({"box": "box"})) == ()


def test_a_request_that_speaks_of_a_colour_which_is_not_there_today_is_left_out(remember):
    things = {"panda": {"type": "arm"}, "box": {"type": "box", "attributes": {"colour": "red"}},
              "bowl": {"type": "bowl"}}
    memory = remember(example("put the red one in the bowl", things=things))
    assert memory.examples(Task("put the red one in the bowl"), WORLD) == ()


@pytest.mark.parametrize("text", ["put the gold_box in the bowl", "put box_7 in the bowl"])
def test_a_request_that_says_a_name_of_another_scene_is_left_out(remember, text):
    assert remember(example(text)).examples(Task(text), WORLD) == ()


def test_a_domain_sees_only_its_own(remember, domain):
    memory = remember(example(domain="kitchen"))
    assert memory.examples(Task("put the box in the bowl"), WORLD) == ()


@pytest.mark.parametrize("poison", [
    {"steps": [step("launch", robot="panda")]},
    {"steps": [step("pick", robot="panda", item="bowl")]},
    {"steps": [step("place_in", robot="panda", item="box", container="box")]},
    {"goal": {"end": ["on(box,bowl)"]}},
    {"goal": {"end": ["sold(box)"]}}])
def test_what_the_checker_would_refuse_is_no_example(tmp_path, domain, poison):
    from hicrisp_core.memory import tables
    from hicrisp_core.memory.entries import entry_of
    store = Store(tmp_path / "memory.sqlite")
    store.write(lambda file: tables.put(file, entry_of(example(**poison))))
    assert memory_of(store, domain).examples(Task("put the box in the bowl"), WORLD) == ()


def test_at_most_three_and_the_nearest_last(remember):
    texts = ["put the box in the bowl", "put the box in the bowl please", "the box goes in the bowl",
             "in the bowl with the box now", "put the bowl away"]
    found = remember(*map(example, texts)).examples(Task("put the box in the bowl"), WORLD)
    assert len(found) == 3
    assert found[-1].text == "put the box in the bowl"
    assert [each.likeness for each in found] == sorted(each.likeness for each in found)


FAILED = Command("place_on", {"robot": "panda", "item": "cup", "surface": "crate"}, "panda")


def without_motion(domain, today, **more):
    failure = no_motion(domain, today, "place_on(panda, cup, crate)", **more)
    return StackEntry(failure.command, failure)


def test_a_correction_is_told_in_the_names_of_todays_failure(remember, domain):
    today = table_top({"cup": "box", "crate": "box", "bowl": "bowl"})
    way, = remember(correction()).ways(without_motion(domain, today), today)
    assert [str(each) for each in way.steps] == ["place_apart(panda, cup)", "pick(panda, cup)"]


@pytest.mark.parametrize("feedback", [
    Feedback(Level.LOW, FeedbackKind.EXECUTION, FAILED),
    Feedback(Level.LOW, FeedbackKind.PLANNING, FAILED, label="elbow")])
def test_another_failure_is_another_matter(remember, feedback):
    today = table_top({"cup": "box", "crate": "box"})
    assert remember(correction()).ways(StackEntry(FAILED, feedback), today) == ()


def test_things_of_other_types_are_another_matter(remember, domain):
    today = table_top({"cup": "cylinder", "crate": "box"})
    assert remember(correction()).ways(without_motion(domain, today), today) == ()


def test_what_stood_in_the_way_then_is_what_stands_in_the_way_now(remember, domain):
    record = correction(steps=[step("pick", robot="panda", item="can"),
                               step("put_down", robot="panda", item="can")])
    record["failure"]["about"] = ["can"]
    record["things"]["can"] = {"type": "cylinder"}
    today = table_top({"cup": "box", "crate": "box", "flask": "cylinder", "tin": "cylinder"})
    way, = remember(record).ways(without_motion(domain, today, blockers=("tin",)), today)
    assert [str(each) for each in way.steps] == ["pick(panda, tin)", "put_down(panda, tin)"]
