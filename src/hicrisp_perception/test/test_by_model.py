"""Objects are named by their models: by shape and colour, and not at all where two are too alike."""

from dataclasses import replace

import numpy as np
import pytest
from drawn import at, box, draw, ground_of
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import from_euler, from_yaw, multiply, turn_between
from hicrisp_core.scene.colours import paint_of
from hicrisp_perception.shapes.findings import Findings, PastFindings
from hicrisp_perception.shapes.level import TablePlane
from hicrisp_perception.tracking.by_model import (
    _STEPS,
    Models,
    _alike,
    _cheapest,
    _Laid,
    _shifted,
    _weighed,
)
from hicrisp_perception.tracking.looks import Look, local, pulled
from hicrisp_perception.tracking.pieces import SeenPiece, joined, piece_of


def bar(seed: int = 0, count: int = 600) -> np.ndarray:
    """Points on a bar of 12 by 4 by 2 cm, red at one end and blue at the other."""
    dice = np.random.default_rng(seed)
    half = np.array([0.06, 0.02, 0.01])
    points, normals = dice.uniform(-half, half, (count, 3)), np.zeros((count, 3))
    sides = dice.integers(0, 3, count)
    signs = dice.choice((-1.0, 1.0), count)
    points[np.arange(count), sides], normals[np.arange(count), sides] = signs * half[sides], signs
    colours = np.where(points[:, :1] > 0.0, (200.0, 20.0, 20.0), (20.0, 20.0, 200.0))
    return np.hstack([points, colours, normals])


def test_a_model_is_pulled_to_where_its_surface_is_measured():
    look, true = Look(bar()), Pose((0.5, 0.1, 0.01), from_yaw(0.5))
    measured = np.array([true.apply(tuple(point)) for point in bar(1)[:200, :3]])
    starts = [Pose((0.49, 0.11, 0.015), from_yaw(0.3)), Pose((0.6, 0.2, 0.01))]
    (found, far), away = pulled(look, measured, starts, _STEPS)
    assert np.allclose(found.position, true.position, atol=0.003)
    assert abs(found.yaw - true.yaw) < 0.03
    assert far.position == (0.6, 0.2, 0.01)  # Nothing pulls at what is far from it.
    assert away[0] < 0.004 < away[1]


def test_a_model_slides_along_its_flat_parts_to_where_its_sides_are_measured():
    look, true = Look(bar()), Pose((0.5, 0.1, 0.01), from_yaw(0.5))
    shown = bar(1)[:200]
    measured = np.array([true.apply(tuple(point)) for point in shown[(shown[:, 6:].sum(axis=1) > 0.0), :3]])
    eye = np.array(true.apply((1.0, 1.0, 1.0)))
    found = look.slid(measured, true.shifted((0.006, -0.004, 0.002)), eye)
    assert np.allclose(found.position, true.position, atol=0.0005)
    assert look.slid(measured + 1.0, true, eye) == true  # Nothing is measured near it.
    leaning = Pose(true.position, multiply(from_euler(0.2, -0.1, 0.0), true.orientation))
    measured = np.array([leaning.apply(tuple(point)) for point in shown[(shown[:, 6:].sum(axis=1) > 0.0), :3]])
    found = look.slid(measured, true, eye, leans=True)
    assert turn_between(found.orientation, leaning.orientation) < 0.01


def test_points_on_a_surface_are_explained_and_those_above_it_are_not():
    look, pose = Look(bar()), Pose((0.5, 0.1, 0.01))
    measured = bar(1)[:, :3] + pose.position
    assert look.explains(measured, pose, 0.002).mean() > 0.95
    seen = local(measured, pose)
    above = measured[(np.abs(seen[:, 2] - 0.01) < 1e-6) & (np.abs(seen[:, 1]) < 0.005)] + (0.0, 0.0, 0.015)
    assert not look.explains(above, pose, 0.002).any()


def test_names_go_to_the_likeliest_and_are_doubted_where_the_other_way_round_costs_the_same():
    clear = np.array([[0.3, 1.2], [1.4, 0.5], [9.0, 9.0]])
    assert sorted(_cheapest(clear)) == [(0, 0), (1, 1)]
    assert not _alike(clear, (0, 0), (1, 1))
    assert _alike(np.array([[0.5, 0.52], [0.55, 0.5]]), (0, 0), (1, 1))


@pytest.mark.parametrize(("wall", "cost", "sigma"), [(0.11, 1.1, 0.06), (0.11, 0.5, 0.002), (0.02, 1.1, 0.002)])
def test_where_little_shows_and_fits_worse_than_the_whole_did_its_place_is_in_doubt(wall, cost, sigma):
    models, bar_, pose = Models({"bar": bar()}, {}), box("bar", "blue", (0.12, 0.04, 0.02)), at(0.5, 0.0, 0.01)
    for hidden, worth in ((0.02, 0.4), (wall, cost)):
        ground = ground_of(draw([(bar_, pose), (box("wall", "red", (0.01, 0.3, hidden)), at(0.57, 0.0, hidden / 2.0))]))
        found = Findings(np.zeros(ground.view.shape, bool))
        assert models._take(bar_, _Laid(pose, worth, 1.0), ground, found)
    assert np.sqrt(found.fits["bar"].place.covariance[0, 0]) == pytest.approx(sigma, abs=0.01)


def test_a_model_of_which_no_more_than_a_speck_shows_is_not_there():
    item, pose, look = box("bar", "blue", (0.12, 0.04, 0.02)), at(0.5, 0.0, 0.01), Look(bar())
    measured = SeenPiece(look.points[:200] + pose.position, look.colours[:200], (0.5, 0.0), 0.02)
    costs = [_weighed(look, measured, pose, ground_of(draw([(item, pose), *more]))).cost
             for more in ((), [(box("wall", size=(0.01, 0.3, 0.2)), at(0.57, 0.0, 0.1))])]
    assert costs[0] < 0.8
    assert costs[1] == np.inf
    away, ground = at(0.5, 0.3, 0.01), ground_of(draw([(item, pose)]))
    assert not Models({"bar": bar()}, {})._take(item, _Laid(away, 0.5, 1.0), ground, Findings(np.zeros(
        ground.view.shape, bool)))


def test_speckles_speak_against_plain_paint_and_not_against_paint_with_speckles():
    dice, pose, rows = np.random.default_rng(0), at(0.5, 0.0, 0.01), bar()
    ground = ground_of(draw([(box("bar", "blue", (0.12, 0.04, 0.02)), pose)]))
    speckles = np.repeat(dice.choice((80.0, 200.0), (600, 1)), 3, axis=1)
    costs = []
    for paint in (np.full((600, 3), 140.0), speckles):
        look = Look(np.hstack([rows[:, :3], paint, rows[:, 6:]]))
        shown = 140.0 + dice.choice((-30.0, 30.0), (200, 1)) * np.ones(3)
        measured = SeenPiece(look.points[:200] + pose.position, shown, (0.5, 0.0), 0.02)
        costs.append(_weighed(look, measured, pose, ground).cost)
    assert costs[1] < costs[0] - 0.3


def test_unlike_light_alone_leaves_no_object_without_a_name():
    models, seen = Models({"bar": bar(), "other": bar(1)}, {}), []
    for name, light, x in (("bar", 0.17, 0.4), ("other", 0.5, 0.7)):
        seen.append(SeenPiece(np.zeros((200, 3)), np.zeros((200, 3)), (x, 0.0), 0.02))
        models._tried[name, (*seen[-1].key, 1)] = _Laid(at(x, 0.0, 0.01), 1.4, light)
    models._begun = True
    things = {name: box(name) for name in ("bar", "other")}
    assert set(models._named(seen, things, [(0.0, 0.0, 0.0, 1.0)], ground_of(draw([])), PastFindings())) == set(things)


def test_an_object_that_another_one_splits_is_found_in_its_pieces_together():
    item, half = box("bar", "blue", (0.12, 0.04, 0.02)), (0.04, 0.06, 0.02)
    ground = ground_of(draw([(box("one", "red", half), at(0.5, 0.03, 0.01)),
                             (box("two", "blue", half), at(0.5, -0.03, 0.01))]))
    found = Findings((np.abs(ground.y) < 0.03) & ground.things)  # Another object accounts for its middle.
    Models({"bar": bar()}, {}).recognise(ground, [item], found, PastFindings(), {})
    assert np.allclose(found.fits["bar"].pose.position[:2], (0.5, 0.0), atol=0.006)


def test_pieces_are_joined_as_far_as_an_object_reaches_and_each_is_of_one():
    models = Models({"bar": bar(), "other": bar(1)}, {})
    pieces = [SeenPiece(np.full((40, 3), (x, 0.0, 0.01)), np.zeros((40, 3)), (x, 0.0), 0.02)
              for x in (0.3, 0.34, 0.41, 0.9)]
    found = joined(pieces, 0.13)
    assert [each.pieces for each in found] == [tuple(pieces[:2]), (pieces[2], *pieces[:2])]
    assert found[1].reach == pytest.approx(0.11)
    for each, name, cost in ((found[0], "bar", 1.2), (found[1], "other", 0.5)):
        models._tried[name, (*each.key, 1)] = _Laid(at(*each.middle, 0.01), cost, 1.0)
    models._begun = True
    things = {name: box(name) for name in ("bar", "other")}
    assert set(models._named(found, things, [(0.0, 0.0, 0.0, 1.0)], ground_of(draw([])), PastFindings())) == {"other"}


@pytest.mark.parametrize("tall", [0.008, 0.016])
def test_an_object_that_was_pushed_by_less_than_its_length_is_followed(tall):
    rows = bar() * np.where(np.arange(9) == 2, tall / 0.02, 1.0)  # The table is not far below its old place.
    rows[:, 3:6] = (20.0, 20.0, 200.0)
    item, old, new = box("bar", "blue", (0.12, 0.04, tall)), at(0.5, 0.0, tall / 2.0), at(0.55, 0.0, tall / 2.0)
    ground = ground_of(draw([(item, new)]))
    found = Findings(np.zeros(ground.view.shape, bool))
    Models({"bar": rows}, {}).recognise(ground, [item], found, PastFindings(dropped={"bar": old}), {})
    assert not found.there
    assert np.allclose(found.fits["bar"].pose.position[:2], new.position[:2], atol=0.01)


def test_what_is_too_low_for_its_place_to_look_empty_may_yet_be_seen_elsewhere():
    rows = bar() * np.where(np.arange(9) == 2, 0.6, 1.0)
    rows[:, 3:6] = (20.0, 20.0, 200.0)
    item, old, new = box("bar", "blue", (0.12, 0.04, 0.012)), at(0.5, -0.1, 0.002), at(0.5, 0.2, 0.006)
    for shown in ([(item, new)], []):
        ground = ground_of(draw(shown))
        found = Findings(np.zeros(ground.view.shape, bool))
        Models({"bar": rows}, {}).recognise(ground, [item], found, PastFindings(dropped={"bar": old}), {})
        assert (set(found.fits), found.there) == (({"bar"}, set()) if shown else (set(), {"bar"}))


def painted() -> np.ndarray:
    """The bar twice as large, blue all over."""
    rows = bar(count=4000) * np.where(np.arange(9) < 3, 2.0, 1.0)
    rows[:, 3:6] = 255.0 * np.array(paint_of(box("bar", "blue"))[:3])
    return rows


def leaning(tilt: float) -> Pose:
    return Pose((0.5, 0.0, 0.02 + 0.12 * np.sin(tilt)), multiply(from_euler(0.0, tilt, 0.0), from_yaw(0.3)))


@pytest.mark.parametrize("tilt", [0.0, 0.3])
def test_what_was_let_go_leans_as_it_is_seen_and_so_does_what_is_held(tilt):
    item, pose, models = box("bar", "blue", (0.24, 0.08, 0.04)), leaning(tilt), Models({"bar": painted()}, {})
    expected = Pose(pose.position, leaning(0.15).orientation)
    ground = ground_of(draw([(item, pose)]))
    found = Findings(np.zeros(ground.view.shape, bool))
    held = models.in_hand(item, expected, ground, found)
    models.recognise(ground, [item], found, PastFindings(dropped={"bar": expected}), {})
    assert held is not None
    for each in (held, found.fits["bar"].pose):
        assert turn_between(each.orientation, pose.orientation) < 0.06
        assert np.allclose(each.position, pose.position, atol=0.006)


@pytest.mark.parametrize("others", [{}, {"twin": leaning(0.0)}])
def test_what_shows_where_its_twin_stands_is_the_twin(others):
    item, models = box("bar", "blue", (0.24, 0.08, 0.04)), Models({"bar": painted(), "twin": painted()}, {})
    ground = ground_of(draw([(item, leaning(0.0))]))
    found = Findings(np.zeros(ground.view.shape, bool))
    models.closer(item, leaning(0.0).shifted((0.0, 0.015, 0.0)), ground, found, others)
    assert ("bar" in found.fits) is not bool(others)


@pytest.mark.parametrize("high", [0.0, 0.009])
def test_what_stands_on_something_low_is_not_set_on_the_table(high):
    item, pose = box("bar", "blue", (0.24, 0.08, 0.04)), at(0.5, 0.0, 0.02 + high)
    mat = [(box("mat", "red", (0.2, 0.06, high)), at(0.5, 0.0, high / 2.0))] if high else []
    ground = ground_of(draw([(item, pose), *mat]))
    found = Findings(np.zeros(ground.view.shape, bool))
    Models({"bar": painted()}, {}).recognise(ground, [item], found, PastFindings(dropped={"bar": pose}), {})
    assert found.fits["bar"].resting == (high == 0.0)
    assert found.fits["bar"].bottom == pytest.approx(high, abs=0.003)


def test_models_are_laid_into_what_the_cameras_pose_says_where_the_table_is_seen_lower_than_it_bears():
    seen = ground_of(draw([(box("bar", "blue", (0.12, 0.04, 0.02)), at(0.5, 0.0, 0.06))]))
    ground = replace(seen, level=TablePlane(offset=-0.012), height=seen.height + np.float32(0.012))
    everywhere = slice(0, 480), slice(0, 640)
    piece = piece_of(ground, everywhere, ground.things, (0.5, 0.0))
    assert piece.top == pytest.approx(0.07, abs=0.004)


def test_what_was_left_where_it_was_keeps_its_pixels_from_others_alone():
    item, pose = box("bar", "blue", (0.12, 0.04, 0.02)), at(0.5, 0.0, 0.01)
    ground = ground_of(draw([(item, pose)]))
    found = Findings(np.zeros(ground.view.shape, bool))
    found.leave(item, pose, ground)
    assert found.claimed[ground.things].mean() > 0.95
    assert found.by_others("another")[ground.things].mean() > 0.95
    assert not found.by_others("bar").any()


def test_what_fits_badly_is_shifted_to_where_less_of_what_is_behind_it_shows():
    item, pose, look = box("bar", "blue", (0.12, 0.04, 0.02)), at(0.5, 0.0, 0.01), Look(bar())
    ground = ground_of(draw([(item, pose)]))
    edge = (look.points[:, 2] > 0.009) & (look.points[:, 0] > 0.04)
    measured = SeenPiece(look.points[edge] + pose.position, look.colours[edge], (0.5, 0.0), 0.02)
    begun = _weighed(look, measured, at(0.5, 0.01, 0.01), ground)
    shifted = _shifted(look, measured, begun, ground)
    assert shifted.cost < begun.cost
    assert np.allclose(shifted.pose.position, pose.position, atol=0.007)


def test_only_the_side_toward_the_camera_shows():
    ground, look = ground_of(draw([])), Look(bar())
    shows = look.facing(at(0.5, 0.0, 0.01), ground)
    assert shows[look.normals[:, 2] > 0.5].all()
    assert not shows[look.normals[:, 2] < -0.5].any()
