"""Where the action decoder puts things."""

import math
from dataclasses import replace

import pytest
from failures import words
from hicrisp_core.body.containers import inside_box
from hicrisp_core.body.decoder import ActionDecoder
from hicrisp_core.body.placement import Workspace, beside, on_flat_top
from hicrisp_core.body.targets import Spots
from hicrisp_core.detector.detector import Detector
from hicrisp_core.detector.perception import ArmFrames, perceive
from hicrisp_core.detector.relations import derive_relations
from hicrisp_core.model import Command, Feedback, FeedbackKind, Pose, Relation, Step, WorldObject, WorldState
from hicrisp_core.model.geometry import from_axes, from_euler, from_yaw, multiply
from hicrisp_core.model.keep_out import footprint, gap
from hicrisp_core.model.offsets import DecoderOffsets, offset_key
from hicrisp_core.model.shapes import SHAPES, Grip, Handling, Shape, Solid, measured, rectangle
from hicrisp_core.robot.grasps import DOWN
from hicrisp_core.robot.skills_placements import hold_of, most_room, ways_to_place
from panda_body import HAND, WORKSPACE
from shapely.geometry import LineString
from test_detector import CATALOGUE, OK, frames, seen

PLACES = ["next_to", "left_of", "right_of", "in_front_of", "behind"]


def decoded(domain, world, action, offsets=None, **arguments):
    command = domain.ground(Step("", action, {"item": "box", **arguments}), world)
    return ActionDecoder(domain, WORKSPACE).decode(command, world, offsets or DecoderOffsets())


@pytest.mark.parametrize("relation", PLACES)
def test_what_is_placed_at_its_target_has_the_relation(domain, relation):
    world = seen(domain, cylinder=(0.5, 0.0, 0.05), lid=(0.4, -0.4, 0.01))
    command = decoded(domain, world, f"place_{relation}", reference="cylinder")
    assert isinstance(command, Command)
    after = seen(domain, cylinder=(0.5, 0.0, 0.05), box=command.target)
    assert Detector(domain).check(command, world, after, OK).ok
    assert gap(after.objects["box"], after.objects["cylinder"]) == pytest.approx(Workspace().gap, abs=2e-3)


@pytest.mark.parametrize(("action", "arguments"), [
    ("place_on", {"surface": "lid"}), ("place_in", {"container": "bowl"}), ("place_on", {"surface": "table"}),
    ("put_down", {}), ("place_around", {"reference": "cylinder", "bearing": 45.0})])
def test_targets_of_the_other_placements_hold_too(domain, action, arguments):
    world = seen(domain)
    command = decoded(domain, world, action, **arguments)
    after = seen(domain, box=command.target)
    assert Detector(domain).check(command, world, after, OK).ok, after.about("box")


@pytest.mark.parametrize(("bearing", "relation"), [
    (0.0, "behind"), (90.0, "right_of"), (180.0, "in_front_of"), (270.0, "left_of"),
    (-90.0, "left_of"), (360.0, "behind")])
def test_a_bearing_goes_clockwise_from_behind_as_the_hands_of_a_clock(domain, bearing, relation):
    world = seen(domain)
    command = decoded(domain, world, "place_around", reference="cylinder", bearing=bearing)
    after = seen(domain, box=command.target)
    assert Relation("box", relation, "cylinder") in set(derive_relations(domain, after))
    assert Detector(domain).check(command, world, after, OK).ok, after.about("box")
    other = decoded(domain, world, "place_around", reference="cylinder", bearing=(bearing + 180.0) % 360.0)
    assert not Detector(domain).check(command, world, seen(domain, box=other.target), OK).ok


@pytest.mark.parametrize("yaw", [0.0, 0.6, 1.9])
def test_every_spot_beside_a_long_thing_is_near_it(yaw):
    rod = replace(CATALOGUE["box"], size=(0.22, 0.03, 0.03), pose=Pose((0.5, 0.0, 0.015), from_yaw(yaw)),
                  own_form=replace(SHAPES["box"], outline=rectangle, handling=Handling.NONE))
    bearings = [math.tau * number / 16 for number in range(16)]
    first = beside(CATALOGUE["cylinder"], rod, bearings, WorldState({}), WORKSPACE)[0]
    gaps = [gap(replace(CATALOGUE["cylinder"], pose=pose), rod) for pose in first.poses]
    assert WORKSPACE.gap - 0.004 < min(gaps) <= max(gaps) < WORKSPACE.gap + 0.016


TALL = WorldObject("tall", "", "cylinder", (0.07, 0.07, 0.22), pose=Pose((0.5, 0.1, 0.11)))
AROUND = [math.tau * number / 16 for number in range(16)]


def test_beside_what_is_tall_a_box_is_turned_so_that_the_hand_around_it_has_room():
    box = WorldObject("box", "", "box", (0.06, 0.16, 0.22), pose=Pose((0.45, -0.2, 0.2)))
    hold = hold_of(box, Pose((0.45, -0.2, 0.28), multiply(from_yaw(math.pi / 2.0), DOWN)), 0.06)
    world = WorldState({"tall": TALL, "box": box})
    best = Spots(box, beside(box, TALL, AROUND, world, WORKSPACE), world, WORKSPACE, hold, frozenset({"tall"})).best()
    way = most_room(box, hold, best, world, HAND)
    assert way.grasp.clearance >= HAND.room
    assert gap(box.at(way.item), TALL) > 0.012


def test_what_is_low_is_put_before_what_is_tall_not_behind_it():
    low = WorldObject("low", "", "box", (0.04, 0.04, 0.04))
    tall = TALL.at(Pose((0.4, 0.1, 0.11)))
    world = WorldState({"tall": tall})
    best = Spots(low, beside(low, tall, AROUND, world, WORKSPACE), world, WORKSPACE, None, frozenset({"tall"})).best()
    assert math.hypot(*best.position[:2]) < math.hypot(0.4, 0.1)


@pytest.mark.parametrize(("x", "y"), [(1.2, -0.6), (1.2, 0.6), (0.4, 1.2)])
def test_a_spot_that_the_camera_sees_comes_before_one_behind_what_is_tall(x, y):
    low, world = WorldObject("low", "", "box", (0.2, 0.03, 0.03)), WorldState({"tall": TALL}, eye=(x, y, 0.8))
    spots = Spots(low, beside(low, TALL, AROUND, world, WORKSPACE), world, WORKSPACE, None, frozenset({"tall"}))
    best, foot = spots.best(), footprint(TALL, TALL.pose)
    assert not any(LineString([corner, (x, y)]).intersects(foot) for corner in footprint(low, best).exterior.coords)


def test_a_taken_side_is_left_for_a_free_one(domain):
    world = seen(domain, lid=(0.5, -0.005, 0.01))
    command = decoded(domain, world, "place_next_to", reference="cylinder")
    assert math.dist(command.target.position[:2], (0.5, -0.005)) > 0.06


@pytest.mark.parametrize(("x", "turn"), [(0.44, 12.0), (0.46, 25.0), (0.5, 0.0)])
def test_where_the_side_itself_is_taken_the_least_turn_from_it_is_chosen(domain, x, turn):
    world = seen(domain, cylinder=(0.5, 0.0, 0.05), lid=(x, 0.12 if turn else 0.14, 0.01))
    command = decoded(domain, world, "place_left_of", reference="cylinder")
    beside, left = command.target.position[0] - 0.5, command.target.position[1]
    assert math.degrees(math.atan2(abs(beside), left)) == pytest.approx(turn, abs=0.5)


def test_no_free_spot_names_what_is_in_the_way(domain):
    world = seen(domain, lid=(0.5, -0.005, 0.01))
    answer = decoded(domain, world, "place_left_of", reference="cylinder")
    assert isinstance(answer, Feedback)
    assert answer.kind is FeedbackKind.NO_PLACE
    assert answer.blockers == ("lid",)
    assert words(domain, answer).reason == "No spot within reach is free: the lid is in the way."
    assert words(domain, answer).suggestion == "Move the lid away first."


def test_what_cannot_be_moved_is_named_but_is_no_blocker(domain):
    world = seen(domain, lid=(0.5, -0.005, 0.01))
    fixed = replace(world, objects={**world.objects, "lid": replace(world.objects["lid"], movable=False)})
    answer = decoded(domain, fixed, "place_left_of", reference="cylinder")
    assert answer.subjects == ("lid",)
    assert answer.blockers == ()
    assert words(domain, answer).suggestion == "Choose another place."


def test_positions_to_be_avoided_are_kept_away_from_as_far_as_the_command_says(domain):
    world = seen(domain)
    here = world.objects["box"].pose.position
    command = domain.ground(Step("", "put_down", {"item": "box"}), world)
    far = ActionDecoder(domain, WORKSPACE).decode(
        replace(command, avoid=(here,), apart=0.25), world, DecoderOffsets())
    assert math.dist(far.target.position[:2], here[:2]) >= 0.25


def test_a_place_beyond_reach_is_refused(domain):
    world = seen(domain, cylinder=(0.86, 0.0, 0.05))
    answer = decoded(domain, world, "place_behind", reference="cylinder")
    assert isinstance(answer, Feedback)
    assert "out of reach, off the table" in words(domain, answer).reason
    assert answer.blockers == ()


def test_the_aim_is_the_target_less_the_learnt_bias(domain):
    world = seen(domain)
    plain = decoded(domain, world, "place_next_to", reference="cylinder")
    assert plain.aim == plain.target
    offsets = DecoderOffsets()
    for _ in range(5):
        offsets = offsets.updated(offset_key("panda", "place"), (0.04, 0.0))
    aimed = decoded(domain, world, "place_next_to", offsets, reference="cylinder")
    assert aimed.target == plain.target
    assert aimed.aim.position[0] == pytest.approx(plain.target.position[0] - 0.04, abs=2e-3)


def test_a_second_thing_in_the_bowl_goes_beside_the_first(domain):
    world = seen(domain, lid=(0.6, 0.4, 0.016))
    target = decoded(domain, world, "place_in", container="bowl").target
    assert math.dist(target.position[:2], (0.6, 0.4)) > 0.02


def test_an_unseen_item_is_not_aimed_at(domain):
    world = seen(domain, box=None)
    answer = decoded(domain, world, "put_down")
    assert isinstance(answer, Feedback)
    assert answer.kind is FeedbackKind.NOT_SEEN
    assert CATALOGUE["box"].pose is None


def test_a_target_that_no_motion_reached_is_avoided(domain):
    world = seen(domain)
    first = decoded(domain, world, "place_next_to", reference="cylinder")
    again = ActionDecoder(domain, WORKSPACE).decode(replace(first, avoid=(first.target.position,)), world,
                                         DecoderOffsets())
    assert math.dist(again.target.position, first.target.position) > 0.01
    assert Detector(domain).check(again, world, seen(domain, box=again.target), OK).ok


WALL = WorldObject("wall", "box", "box", (0.06, 0.06, 0.2))


def held_among(domain, *walls):
    """The box in a hand that points down, and tall things at places on the table."""
    things = {**CATALOGUE, **{f"wall_{i}": replace(WALL, name=f"wall_{i}") for i in range(len(walls))}}
    places = frames(tool=(0.4, 0.3, 0.3), opening=0.05, box=(0.4, 0.3, 0.285))
    places.update({f"wall_{i}": (Pose((x, y, 0.1)), 10.0) for i, (x, y) in enumerate(walls)})
    world = perceive(places, things, domain, 10.0, (ArmFrames("panda"),))
    assert world.holds("holding", "panda", "box")
    return world


def room_at(command, world):
    item = world.objects["box"]
    hold = hold_of(item, world.robots["panda"].pose, world.robots["panda"].opening)
    return most_room(item, hold, command.target, world, HAND).grasp.clearance


def test_of_the_spots_beside_a_thing_one_is_chosen_in_which_the_hand_has_room(domain):
    world = held_among(domain, (0.41, -0.02), (0.41, -0.18))
    command = decoded(domain, world, "place_next_to", reference="cylinder")
    assert room_at(command, world) >= HAND.room
    assert Detector(domain).check(command, world, seen(domain, box=command.target), OK).ok


def test_where_the_item_has_room_but_the_hand_has_none_what_the_hand_would_touch_is_in_the_way(domain):
    world = held_among(domain, (0.45, -0.005), (0.55, -0.005))
    narrow = replace(world,
                     objects={name: replace(thing, size=(0.03, 0.03, 0.2)) if name.startswith("wall")
                              else thing
                                     for name, thing in world.objects.items()})
    answer = decoded(domain, narrow, "place_left_of", reference="cylinder")
    assert isinstance(answer, Feedback)
    assert set(answer.blockers) <= {"wall_0", "wall_1"}
    assert answer.blockers


@pytest.mark.parametrize(("depth", "lowered"), [(0.04, True), (0.14, False)])
def test_what_goes_into_a_box_too_deep_for_the_hand_is_let_go_above_its_floor(domain, depth, lowered):
    world, at = seen(domain), Pose((0.4, 0.2, 0.3))
    deep = replace(world.objects["bowl"], shape="tray", own_form=None, size=(0.18, 0.18, depth))
    objects = {"box": world.objects["box"].at(at), "bowl": deep.at(Pose((0.5, -0.2, depth / 2.0)))}
    robot = replace(world.robots["panda"], pose=Pose(at.position, DOWN), opening=0.04)
    held = replace(world, objects={**world.objects, **objects}, robots={"panda": robot},
                   relations=frozenset({Relation("panda", "holding", "box")}))
    command = decoded(domain, held, "place_in", container="bowl")
    bottom = command.target.position[2] - objects["box"].size[2] / 2.0
    assert (bottom < 0.01) is lowered
    assert bottom < depth
    way = most_room(objects["box"], hold_of(objects["box"], robot.pose, 0.04), command.target, held, HAND)
    assert way.grasp.clearance > 0.0


def stove_below(domain, *over):
    """A fixture with a flat top, a board that leans over a part of it, and the box."""
    stove = WorldObject("stove", "surface", "box", (0.2, 0.2, 0.04), movable=False, pose=Pose((0.5, -0.2, 0.02)),
                        own_form=replace(SHAPES["box"], handling=Handling.NONE))
    solids = tuple(Solid("box", (0.06, 0.3, 0.02), Pose((x, 0.0, 0.0))) for x in over)
    board = WorldObject("board", "surface", "box", (0.3, 0.3, 0.2), movable=False, pose=Pose((0.5, -0.2, 0.1)),
                        own_form=Shape(rectangle, lambda size: solids, Handling.NONE))
    world = seen(domain)
    return replace(world, objects={"box": world.objects["box"], "table": world.objects["table"], "stove": stove,
                                   "board": board})


def test_on_a_fixture_the_middle_is_taken_and_what_leans_over_it_is_kept_clear_of(domain):
    for over, x in (((), 0.5), ((-0.12,), 0.5), ((0.0,), None)):
        command = decoded(domain, stove_below(domain, *over), "place_on", surface="stove")
        assert command.target.position[1] == pytest.approx(-0.2)
        if x is not None:
            assert command.target.position[0] == pytest.approx(x)
        else:
            assert abs(command.target.position[0] - 0.5) > 0.05


def test_on_a_fixture_another_spot_is_taken_where_the_first_was_no_good(domain):
    world = stove_below(domain)
    first = decoded(domain, world, "place_on", surface="stove")
    again = ActionDecoder(domain, WORKSPACE).decode(
        replace(first, avoid=(first.target.position,)), world, DecoderOffsets())
    assert 0.01 < math.dist(again.target.position, first.target.position) < 0.1


def test_a_fixture_of_which_all_is_covered_names_what_covers_it(domain):
    answer = decoded(domain, stove_below(domain, -0.06, 0.0, 0.06), "place_on", surface="stove")
    assert isinstance(answer, Feedback)
    assert answer.subjects == ("board",)


def test_in_a_bowl_any_turn_will_do_that_leaves_the_palm_room_beside_it(domain):
    bowl = replace(CATALOGUE["bowl"], pose=Pose((0.5, -0.2, 0.03)))
    item = replace(CATALOGUE["box"], size=(0.03, 0.05, 0.03), pose=Pose((0.4, 0.3, 0.285)))
    walls = {f"wall_{side}": replace(WALL, name=f"wall_{side}", pose=Pose((0.5, -0.2 + side * 0.12, 0.1)))
             for side in (-1, 1)}
    world = replace(seen(domain), objects={"bowl": bowl, "box": item, **walls})
    hold = hold_of(item, Pose((0.4, 0.3, 0.285), DOWN), 0.05)
    ways = list(ways_to_place(item, hold, Pose((0.5, -0.2, 0.02)), world, HAND, lambda _: 1.0, 8))
    assert any(way.grasp.clearance > 0.0 for way in ways)


@pytest.mark.parametrize("fenced", [False, True])
def test_a_dish_askew_in_the_hand_goes_down_level_where_the_leaning_hand_has_room_and_as_held_elsewhere(fenced):
    held = Pose((0.0, -0.045, 0.0126))
    bowl = WorldObject("bowl", "bowl", "bowl", (0.1, 0.1, 0.05), pose=Pose((0.4, 0.3, 0.3), DOWN).compose(held),
                       own_form=replace(SHAPES["bowl"], handling=Handling.RIM))
    bowl = bowl.at(replace(bowl.pose, orientation=from_euler(-0.25, 0.0, 0.0)))
    fence = {f"wall_{turn}": WorldObject(f"wall_{turn}", "box", "box", (0.03, 0.08, 0.05), pose=Pose(
        (0.5 + 0.14 * math.cos(turn), -0.2 + 0.14 * math.sin(turn), 0.025), from_yaw(turn)))
        for turn in (math.tau * number / 12 for number in range(12 * fenced))}
    world = WorldState({"bowl": bowl, **fence}, frozenset(), {}, 0.0)
    hold = hold_of(bowl, Pose((0.4, 0.3, 0.3), DOWN), 0.005)
    way = most_room(bowl, hold, Pose((0.5, -0.2, 0.025)), world, HAND)
    assert way.grasp.clearance > 0.0
    assert way.item.tilt == pytest.approx(0.25 if fenced else 0.0, abs=0.01)


def test_the_first_of_two_pots_leaves_room_for_the_other_one() -> None:
    stove = WorldObject("stove", "stove", size=(0.19, 0.19, 0.04), pose=Pose((0.5, 0.0, 0.02)), movable=False)
    pot = WorldObject("pot", "pot", size=(0.08, 0.12, 0.15), pose=Pose((0.3, 0.3, 0.075)))
    alone, first = (on_flat_top(pot, stove, Workspace(), twin)[0] for twin in (False, True))
    assert alone.poses[0].position[:2] == pytest.approx((0.5, 0.0))
    assert abs(first.poses[0].position[0] - 0.5) > 0.03


def test_what_has_a_handle_is_turned_until_all_of_it_is_in_a_cupboard_that_is_narrow() -> None:
    handle = Shape(measured(((-0.05, -0.05), (0.09, -0.05), (0.09, 0.05), (-0.05, 0.05))), SHAPES["box"].solids,
                   Handling.NONE, walls=(Grip(Pose((0.08, 0.0, 0.0)), 0.02),))
    mug = WorldObject("mug", "mug", size=(0.14, 0.1, 0.1), pose=Pose((0.4, 0.3, 0.05)), own_form=handle)
    floor = Solid("box", (0.12, 0.15, 0.02), Pose((0.0, 0.01, -0.09)))
    walls = [Solid("box", (0.02, 0.2, 0.2), Pose((x, 0.0, 0.0))) for x in (-0.07, 0.07)]
    form = Shape(rectangle, measured((floor, *walls)), Handling.NONE)
    cupboard = WorldObject("cupboard", "case", size=(0.16, 0.2, 0.2), pose=Pose((0.6, 0.0, 0.1)), own_form=form)
    spots = inside_box(mug, cupboard, Workspace())[0].poses
    assert spots
    for spot in spots:
        low_x, low_y, high_x, high_y = footprint(mug, spot).bounds
        assert 0.54 < low_x < high_x < 0.66
        assert -0.066 < low_y < high_y < 0.086


def test_what_has_a_handle_gets_a_place_in_a_cupboard_to_which_a_grasp_takes_it() -> None:
    ahead = from_axes((0.0, 0.0, 1.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0))  # Level, along x.
    body = (Solid("box", (0.06, 0.06, 0.1), Pose((0.02, 0.0, 0.0))),)
    form = Shape(measured(((-0.05, -0.03), (0.05, -0.03), (0.05, 0.03), (-0.05, 0.03))), measured(body),
                 Handling.NONE, walls=(Grip(Pose((-0.04, 0.0, 0.02), ahead), 0.02),))
    mug = WorldObject("mug", "mug", size=(0.1, 0.06, 0.1), pose=Pose((0.3, -0.3, 0.05), from_yaw(2.0)), own_form=form)
    solids = tuple(Solid("box", size, Pose(at)) for size, at in (
        ((0.3, 0.15, 0.02), (0.0, 0.0, -0.09)), ((0.3, 0.02, 0.2), (0.0, -0.085, 0.0)),
        ((0.02, 0.19, 0.2), (-0.16, 0.0, 0.0)), ((0.02, 0.19, 0.2), (0.16, 0.0, 0.0)),
        ((0.3, 0.15, 0.02), (0.0, 0.0, 0.09))))
    case = WorldObject("case", "case", size=(0.34, 0.19, 0.2), movable=False, pose=Pose((0.6, 0.3, 0.15)),
                       own_form=Shape(rectangle, measured(solids), Handling.NONE))
    room = Workspace(gripper=HAND)
    spots = Spots(mug, inside_box(mug, case, room), WorldState({"mug": mug, "case": case}), room, anywhere=True,
                  ignore=frozenset({"case"}), exact=True)
    assert spots.rounds[0].poses[0].axes[0][1] > -0.9
    assert spots.best().axes[0][1] < -0.9  # The handle is at the open side.


def test_a_pan_stands_near_a_knob_where_there_is_no_room_farther_off() -> None:
    stove = WorldObject("stove", "stove", size=(0.19, 0.19, 0.04), pose=Pose((0.5, 0.0, 0.02)), movable=False)
    pan = WorldObject("pan", "pan", size=(0.2, 0.2, 0.05), pose=Pose((0.3, 0.3, 0.025)))
    spaces = [each.space for each in on_flat_top(pan, stove, Workspace())]
    assert spaces == sorted(spaces, reverse=True)
    assert spaces[-1] < 0.005


def test_what_is_put_aside_near_the_end_of_the_reach_goes_back_to_where_the_hand_comes_easily(domain):
    far = WORKSPACE.reach[1] - 0.04
    world = seen(domain, box=(far, 0.0, 0.025), bowl=(0.3, 0.35, 0.03), cylinder=(0.3, -0.35, 0.05))
    x, y, _ = decoded(domain, world, "put_down").target.position
    assert math.hypot(x, y) < WORKSPACE.reach[1] - 0.08
    assert math.hypot(x - far, y) < 0.25


def test_a_plate_that_hangs_from_its_rim_is_put_down_level_as_the_hand_took_it() -> None:
    lean, at = from_euler(math.pi - 0.35, 0.0, 0.0), (0.0, 0.06, 0.005)
    form = replace(SHAPES["cylinder"], walls=(Grip(Pose(at, lean), 0.01),))
    plate = WorldObject("plate", "plate", size=(0.14, 0.14, 0.02), pose=Pose((0.4, 0.0, 0.01)), own_form=form)
    tool = plate.pose.compose(form.walls[0].tool)
    hung = Pose(tool.position).compose(Pose((0.0, 0.0, 0.0), from_euler(0.9, 0.0, 0.0))).compose(
        Pose((-at[0], -at[1], -at[2])))
    target, world = Pose((0.5, 0.2, 0.05)), WorldState({})
    ways = list(ways_to_place(replace(plate, pose=hung), hold_of(replace(plate, pose=hung), tool, 0.01), target, world,
                              HAND, lambda _: 1.0, 20))
    assert ways
    for way in ways:
        assert way.item.tilt == pytest.approx(0.0, abs=1e-6)
        assert way.item.seen(way.grasp.pose.position) == pytest.approx(at, abs=1e-6)


def test_a_bowl_too_wide_for_a_drawer_is_let_go_where_it_is_narrow_enough_between_its_walls() -> None:
    drawer = WorldObject("drawer", "drawer", "tray", (0.2, 0.165, 0.06), pose=Pose((0.5, 0.0, 0.04)))
    bowl = WorldObject("bowl", "bowl", "dish", (0.16, 0.16, 0.07), pose=Pose((0.3, 0.3, 0.035)))
    flared = replace(bowl, own_form=replace(bowl.form, profile=((0.03, 0.13), (0.05, 0.15))))
    assert not any(round_.poses for round_ in inside_box(bowl, drawer, Workspace(), (0.0, 0.03)))
    on_floor, above = inside_box(flared, drawer, Workspace(), (0.0, 0.03))
    assert not on_floor.poses
    assert above.poses
