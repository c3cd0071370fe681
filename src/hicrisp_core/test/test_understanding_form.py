"""The form of a meaning is one table: schema, prompt, reader and page agree with it."""

import json

import pytest
from goals import goal
from hicrisp_core.domain import load_domain
from hicrisp_core.llm.chat_model import Completion
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Refusal
from hicrisp_core.plan import first_look
from hicrisp_core.scene import load_scene
from hicrisp_core.understanding import form
from hicrisp_core.understanding.form import MOST_CHARACTERS, MOST_ENUM_VALUES, meaning_schema
from hicrisp_core.understanding.model import answer_of, read_meaning

KEYS = [form.KIND, *form.KEYS]
FACT = [form.PREDICATE, form.SUBJECT, form.OBJECT, form.HOLDS]
SCENES = ["tabletop", "blocks", "agv", "agv_zone", "lab", "barman", "pizza", "household", "desk"]


@pytest.fixture
def looked(config_dir):
    def look(name):
        scene = load_scene(config_dir / "scenes" / f"{name}.yaml", 0)
        domain = load_domain(config_dir / "domains" / f"{scene.domain}.yaml")
        return domain, first_look(scene, domain)
    return look


def objects(schema):
    """Every object schema in a schema."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for each in schema.values():
            yield from objects(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from objects(each)


def values(schema):
    if isinstance(schema, dict):
        yield from schema.get("enum", ())
        for each in schema.values():
            yield from values(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from values(each)


@pytest.mark.parametrize("scene", SCENES)
def test_the_schema_keeps_to_what_strict_structured_output_allows(looked, scene):
    schema = meaning_schema(*looked(scene))
    assert schema["type"] == "object"
    assert "anyOf" not in schema
    for each in objects(schema):
        assert each["required"] == list(each["properties"])
        assert each["additionalProperties"] is False
    assert len(list(values(schema))) <= MOST_ENUM_VALUES == 500
    assert len(json.dumps(schema)) <= MOST_CHARACTERS == 15_000


def test_a_world_of_many_objects_has_names_without_a_list(looked):
    domain, world = looked("desk")
    many = {f"{'x' * 40}_{number}": next(iter(world.objects.values())) for number in range(600)}
    schema = meaning_schema(domain, type(world)(many, robots=world.robots))
    assert len(list(values(schema))) <= MOST_ENUM_VALUES
    assert len(json.dumps(schema)) <= MOST_CHARACTERS


def test_schema_and_table_have_the_same_keys(looked):
    schema = meaning_schema(*looked("desk"))
    assert list(schema["properties"]) == [form.KIND, *form.KEYS]
    assert schema["properties"][form.KIND]["enum"] == list(form.KINDS)
    assert schema["properties"][form.REASON]["enum"] == ["", *form.REASONS]
    assert set(schema["$defs"]["stage"]["properties"]) == set(form.STAGE_KEYS)
    assert schema["$defs"]["group"]["properties"][form.GROUP]["enum"] == list(form.GROUPS)


def test_the_page_and_the_prompt_name_every_part_of_the_form(config_dir):
    page = (config_dir.parent / "docs" / "goals.md").read_text(encoding="utf-8")
    for word in (*KEYS, *FACT, *form.KINDS, *form.STAGE_KEYS, *form.GROUPS, *form.REASONS,
                 form.GROUP, form.COUNT, form.PARTS):
        assert f"`{word}`" in page, word
    text = form.form_text()
    assert all(f"- {word}: " in text for table in (form.KINDS, form.KEYS, form.STAGE_KEYS, form.GROUPS, form.REASONS)
               for word in table)


@pytest.mark.parametrize("wanted", [
    goal("in(pen,tray)"), goal("in(pen,tray)", first=["in(pen,tin)"], robot="panda", keep=["not(holding(panda,cup))"]),
    goal("any(in(pen,tray),in(pen,tin))", "at_least(2,in(pen,tray),in(marker,tray),in(glue,tray))"),
    goal("exactly(1,in(pen,tray),in(marker,tray))", "at_most(1,in(glue,tin),in(tape,tin))"),
    goal("any(all(in(pen,tray),in(marker,tin)),in(glue,tin))", "not(on(pen,table))")])
def test_what_the_form_writes_it_reads_again(looked, wanted):
    domain, world = looked("desk")
    found = read_meaning(Completion(json.dumps(answer_of(wanted))), domain, world)
    assert isinstance(found, Goal)
    assert found.texts == wanted.texts


@pytest.mark.parametrize(("said", "texts"), [
    ({"kind": "goal", "end": ["in(pen,tray)"], "first": ["in(pen,tin)"], "keep": ["not(holding(panda,cup))"]},
     {"stages": ("in(pen,tin)", "in(pen,tray)"), "invariants": ("not(holding(panda,cup))",)}),
    ({"kind": "goal", "end": ["in(pen,tray)"], "robot": "panda"}, {"stages": ("@panda in(pen,tray)",)})])
def test_what_earlier_releases_asked_for_is_still_read(looked, said, texts):
    assert read_meaning(Completion(json.dumps(said)), *looked("desk")).texts == texts


def test_the_reasons_of_earlier_releases_are_still_read(looked):
    found = read_meaning(Completion('{"kind": "refuse", "why": "unknown_thing"}'), *looked("desk"))
    assert isinstance(found, Refusal)
    assert found.reason.value == "unknown_object"
