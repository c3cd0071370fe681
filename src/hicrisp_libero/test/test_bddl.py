"""Small task files, read and said in our words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Relation
from hicrisp_libero.bddl import Fact, read_bddl
from hicrisp_libero.kinds import Translation, translated
from hicrisp_libero.models import Model, benchmark_in, read_model

SHOP = """(define (problem shop)
  (:domain robosuite)
  (:language Put the red jar to the left of the bowl and shut the top drawer)
  (:regions
    (spot (:target shop_table) (:ranges ((0.1 -0.3 0.3 -0.1))) (:yaw_rotation ((0.0 0.0))))
    (other_spot (:target shop_table) (:ranges ((-0.2 0.1 -0.1 0.2))))
    (corner (:target shop_table) (:ranges ((-0.3 -0.3 -0.3 -0.3))))
    (clay_bowl_left_region (:target shop_table) (:ranges ((0.1 -0.5 0.2 -0.4))))
    (top_region (:target oak_cabinet_1))
    (bottom_region (:target oak_cabinet_1))
    (top_side (:target oak_cabinet_1))
    (cook_region (:target camping_stove_1)))
  (:fixtures shop_table - table  oak_cabinet_1 - oak_cabinet  camping_stove_1 - camping_stove)
  (:objects red_jar_1 red_jar_2 - red_jar  clay_bowl_1 - clay_bowl  soap_1 - soap)
  (:init (On oak_cabinet_1 shop_table_corner) (On red_jar_1 shop_table_spot) (On clay_bowl_1 shop_table_other_spot)
         (On red_jar_2 oak_cabinet_1_top_side) (On soap_1 clay_bowl_1) (Open oak_cabinet_1_top_region))
  (:goal (And (On red_jar_1 shop_table_clay_bowl_left_region) (Close oak_cabinet_1_top_region)
              (On soap_1 camping_stove_1_cook_region) (Turnon camping_stove_1))))
"""
MODELS = {"oak_cabinet": Model((0.3, 0.2, 0.4), sites={"top_region": (0.0, 0.0, 0.3)},
                               sliding=frozenset({"top_region", "bottom_region"})),
          "soap": Model((0.08, 0.05, 0.03), plain=True, colour="white")}


@pytest.fixture(scope="module")
def domain() -> Domain:
    return load_domain(config_file("domains", "libero"))


@pytest.fixture
def shop(tmp_path: Path, domain: Domain) -> Translation:
    file = tmp_path / "shop.bddl"
    file.write_text(SHOP)
    return translated(read_bddl(file), domain, lambda category: MODELS.get(category, Model()))


def test_a_file_says_what_is_asked_where_things_stand_and_what_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "shop.bddl"
    file.write_text(SHOP)
    task = read_bddl(file)
    assert task.instruction == "Put the red jar to the left of the bowl and shut the top drawer"
    assert task.objects["red_jar_2"] == "red_jar"
    assert task.regions["shop_table_spot"].centre == pytest.approx((0.2, -0.2))
    assert Fact("Close", ("oak_cabinet_1_top_region",)) in task.goal


@pytest.mark.parametrize(("good", "bad", "expected"), [
    ("(:goal (And", "(:goals (And", "line 17"),
    ("(Open oak", "(Ajar oak", "line 16.*On, In, Open"),
    ("(On soap_1 clay_bowl_1)", "(On soap_1)", "On takes 2 arguments; got 1"),
    ("(On soap_1 clay_bowl_1)", "(On soap_1 clay_bowl_9)", "'clay_bowl_9' is not declared; there are: .*clay_bowl_1"),
    ("((0.1 -0.3 0.3 -0.1))", "((0.1 -0.3 0.3))", "line 5.*4 numbers"),
    ("(:target oak_cabinet_1))\n    (bottom", ")\n    (bottom", "line 9.*:target"),
    ("- soap)", ")", "line 14.*'- category' was expected after 'soap_1'"),
    ("(Turnon camping_stove_1))))", "(Turnon camping_stove_1)))", r"not closed: '\)' was expected"),
])
def test_a_broken_file_is_reported_with_its_line_and_what_was_expected(
        tmp_path: Path, good: str, bad: str, expected: str) -> None:
    file = tmp_path / "broken.bddl"
    assert good in SHOP
    file.write_text(SHOP.replace(good, bad))
    with pytest.raises(ConfigError, match=expected):
        read_bddl(file)


def test_objects_have_the_kind_that_their_name_or_model_tells(shop: Translation) -> None:
    kinds = {name: item.type for name, item in shop.world.objects.items()}
    assert kinds["clay_bowl"] == "bowl"
    assert kinds["soap"] == "box"
    assert kinds["red_jar_1"] == "cylinder"
    assert kinds["camping_stove"] == "stove"
    assert (kinds["oak_cabinet"], kinds["top_drawer"], kinds["bottom_drawer"]) == ("cabinet", "drawer", "drawer")
    assert shop.world.objects["soap"].attributes == {"colour": "white"}


def test_a_region_with_no_board_below_it_is_no_shelf(tmp_path: Path, domain: Domain) -> None:
    (tmp_path / "rack.xml").write_text("""<mujoco><worldbody><body>
      <geom type="box" pos="0 0 0.1" size="0.2 0.1 0.002"/><geom type="box" pos="0.2 0 0.1" size="0.002 0.1 0.1"/>
      <site name="top_region" pos="0 0 0.15"/><site name="bottom_region" pos="0 0 0.05"/>
      </body></worldbody></mujoco>""")
    (tmp_path / "shop.bddl").write_text(SHOP.replace("(Open oak_cabinet_1_top_region)", ""))
    models = {"oak_cabinet": read_model(tmp_path / "rack.xml")}
    shop = translated(read_bddl(tmp_path / "shop.bddl"), domain, lambda category: models.get(category, Model()))
    assert [name for name, item in shop.world.objects.items() if item.type == "shelf"] == ["top_shelf"]
    assert shop.places["oak_cabinet_1_bottom_region"].name == "bottom_space"
    (tmp_path / "mesh.xml").write_text('<mujoco><worldbody><site name="top_region"/></worldbody></mujoco>')
    assert not read_model(tmp_path / "mesh.xml").bare  # Nothing tells what is below.


def test_what_holds_at_first_is_said_in_our_words(shop: Translation) -> None:
    facts = shop.world.relations
    assert {Relation("red_jar_2", "on", "oak_cabinet"), Relation("soap", "in", "clay_bowl"),
            Relation("red_jar_1", "on", "table"), Relation("top_drawer", "open"),
            Relation("bottom_drawer", "closed"), Relation("camping_stove", "switched_off")} <= facts
    assert Relation("top_drawer", "closed") not in facts


def test_left_is_left_of_a_person_who_faces_the_robot(shop: Translation) -> None:
    assert shop.places["shop_table_clay_bowl_left_region"].side == "left_of"
    jar, bowl = (shop.world.objects[name].pose for name in ("red_jar_1", "clay_bowl"))
    assert jar is not None
    assert bowl is not None
    assert jar.position[1] < bowl.position[1]


def test_the_goal_of_the_judge_is_a_goal_of_ours(shop: Translation) -> None:
    assert {str(each) for each in shop.goal.stages[0].conditions} == {
        "left_of(red_jar_1,clay_bowl)", "closed(top_drawer)", "on(soap,camping_stove)", "switched_on(camping_stove)"}


def test_a_model_tells_its_size_its_drawers_and_whether_it_is_one_box(tmp_path: Path) -> None:
    file = tmp_path / "chest.xml"
    file.write_text("""<mujoco><worldbody><body><body name="object">
      <geom type="box" pos="0 0 0.1" size="0.1 0.2 0.1"/>
      <body name="tray" pos="0.05 0 0"><joint type="slide"/><site name="top_region" pos="0 0 0.15"/></body>
      <site name="top_side" pos="0 0 0.2"/></body></body></worldbody></mujoco>""")
    model = read_model(file)
    assert model.size == pytest.approx((0.2, 0.4, 0.2))
    assert model.plain
    assert model.sliding == {"top_region"}
    assert model.sites["top_region"] == pytest.approx((0.05, 0.0, 0.15))


def test_a_folder_without_the_benchmark_and_an_unknown_suite_are_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no BDDL files"):
        benchmark_in(tmp_path)
    (tmp_path / "libero/libero/bddl_files/libero_shop").mkdir(parents=True)
    with pytest.raises(ConfigError, match="there are: libero_shop"):
        benchmark_in(tmp_path).suite("libero_toys")
